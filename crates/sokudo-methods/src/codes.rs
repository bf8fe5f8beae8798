//! What is so of the codes of all findings: those of no method, and those that methods have.

use std::collections::BTreeSet;

use sokudo_analysis::{Code, MethodCode, all_codes};
use sokudo_model::{Severity, Verdict};

/// Every code, those that change a figure most first.
fn codes() -> Vec<Code> {
    crate::commands::hand_over();
    all_codes()
}

fn of_methods() -> impl Iterator<Item = &'static MethodCode> {
    codes().into_iter().filter_map(|code| match code {
        Code::Of(code) => Some(code),
        _ => None,
    })
}

#[test]
fn every_code_has_a_name_of_its_own() {
    let codes = codes();
    let names: BTreeSet<_> = codes.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), codes.len());
}

#[test]
fn only_errors_make_a_row_invalid_and_info_changes_no_verdict_but_of_what_is_meant_so() {
    for code in codes() {
        match code.severity() {
            _ if code == Code::CachedOnPurpose => assert_eq!(code.verdict(), Verdict::Invalid),
            Severity::Info => assert_eq!(code.verdict(), Verdict::Verified, "{code:?}"),
            Severity::Warning => assert_ne!(code.verdict(), Verdict::Invalid, "{code:?}"),
            Severity::Error => assert_ne!(code.verdict(), Verdict::Verified, "{code:?}"),
        }
    }
}

#[test]
fn codes_of_methods_stand_between_those_of_none_each_in_a_place_of_its_own() {
    let mut of_none: Vec<Code> = codes();
    of_none.retain(|code| !matches!(code, Code::Of(_)));
    assert!(of_none.is_sorted(), "{of_none:?}");
    let mut expected = Vec::new();
    for code in of_none {
        expected.push(code);
        let mut behind: Vec<_> = of_methods().filter(|it| it.behind.0 == code).collect();
        behind.sort_by_key(|it| it.behind.1);
        expected.extend(behind.into_iter().map(Code::Of));
    }
    assert_eq!(codes(), expected);
}

#[test]
fn a_code_of_a_method_matters_as_much_as_the_one_that_it_stands_behind() {
    let mut ranks = BTreeSet::new();
    for code in of_methods() {
        let (behind, rank) = code.behind;
        assert!(!matches!(behind, Code::Of(_)) && rank > 0, "{code:?}");
        let effect = (behind.severity(), behind.verdict());
        assert_eq!(effect, (code.severity, code.verdict), "{code:?}");
        assert!(ranks.insert(code.behind), "{code:?}: another is there");
    }
}
