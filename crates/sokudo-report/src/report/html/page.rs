//! What all parts of the page have in common: its frame, its language, and text with nothing
//! in it that is markup.

use std::borrow::Cow;
use std::fmt::Write;

use sokudo_model::Verdict;

use crate::plot::{self, Role, Theme};
use crate::report::overview::{days, sign, verdict_name};
use crate::report::{Report, ReportStyle};

const CSS: &str = include_str!("page.css");

/// Nothing is loaded and nothing is run; styles stand in the page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Longer texts of strangers are cut: a model name of a megabyte is no name.
const CHARACTERS_MAX: usize = 4_000;

/// What all parts of a page have in common.
pub(super) struct Page {
    pub(super) style: ReportStyle,
    /// Few runs: each with everything.
    pub(super) is_full: bool,
    /// One run, which needs no overview.
    pub(super) is_only: bool,
    /// Somebody has called it something.
    pub(super) has_title: bool,
}

impl Page {
    /// What sokudo says, in the page's language, escaped.
    pub(super) fn say(&self, said: &str) -> String {
        text(&self.style.language.say(said))
    }

    /// The same, not escaped.
    pub(super) fn words<'a>(&self, said: &'a str) -> Cow<'a, str> {
        self.style.language.say(said)
    }

    pub(super) fn document(&self, title: &str, body: &str) -> String {
        let scheme = match self.style.theme {
            Theme::Auto => "light dark",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let (code, colours) = (self.style.language.code(), colours(self.style.theme));
        format!(
            "<!DOCTYPE html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"{scheme}\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"generator\" content=\"sokudo {}\">\n\
             <title>{} · sokudo</title>\n<style>\n{colours}{CSS}</style>\n</head>\n<body>\n\
             {body}</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            text(title),
        )
    }

    pub(super) fn header(&self, report: &Report) -> String {
        let heading = text(&report.heading(self.style.language));
        let count = self.say(&format!("{} runs", report.runs.len()));
        let mut parts = vec![count, text(&days(report))];
        if self.is_only {
            parts.remove(0);
        }
        parts.retain(|part| !part.is_empty());
        format!(
            "<header>\n<p class=\"brand\"><b>sokudo</b> {}</p>\n<h1>{heading}</h1>\n\
             <p class=\"lead\">{}</p>\n</header>\n",
            self.say("how fast a disk really is, and how far each figure can be trusted"),
            parts.join(" · ")
        )
    }

    pub(super) fn footer(&self, report: &Report) -> String {
        let verdicts = [
            (
                Some(Verdict::Verified),
                "there is proof that the bytes reached the device, and nothing was seen that speaks against the figure.",
            ),
            (
                Some(Verdict::Unverified),
                "what would prove it could not be seen, or something casts doubt on it.",
            ),
            (
                Some(Verdict::Invalid),
                "there is proof that the figure is not one of the device.",
            ),
        ];
        let mut out = String::from("<footer>\n<hr>\n");
        if !self.is_only {
            let _ = writeln!(
                out,
                "<p class=\"paper\">{}</p>",
                self.say(
                    "On paper each run has its figures and findings; method, evidence, trials and machine are in the page on the screen, and in the report of that run alone."
                )
            );
        }
        for (verdict, meaning) in verdicts {
            let _ = writeln!(
                out,
                "<p>{}: {}</p>",
                self.verdict(verdict),
                self.say(meaning)
            );
        }
        let _ = writeln!(
            out,
            "<p>{}</p>\n<p>sokudo {}. {}</p>\n</footer>",
            self.say(
                "1 MB is 1,000,000 bytes and 1 MiB is 1,048,576 bytes. Figures are medians of the trials; an interval is the 95 % interval of the median by order statistics. p99 is the time within which 99 % of I/Os were done."
            ),
            text(&report.sokudo_version),
            self.say(
                "This page loads nothing and runs nothing; print it from the browser for paper or PDF."
            )
        );
        out
    }

    /// A verdict: a sign, a word, and a colour that only repeats them.
    pub(super) fn verdict(&self, verdict: Option<Verdict>) -> String {
        self.verdict_of(verdict, &self.words(verdict_name(verdict)))
    }

    /// The same with words of its own, such as `VERIFIED (3/5)`.
    pub(super) fn verdict_of(&self, verdict: Option<Verdict>, words: &str) -> String {
        let class = match verdict {
            Some(Verdict::Verified) => "ok",
            Some(Verdict::Unverified) => "maybe",
            Some(Verdict::Invalid) => "no",
            None => "none",
        };
        let sign = match sign(verdict) {
            "" => "–",
            sign => sign,
        };
        format!(
            "<span class=\"v {class}\" data-sign=\"{sign}\">{}</span>",
            text(words)
        )
    }
}

/// The colours of pictures as variables, in the surroundings that they are for.
pub(super) fn colours(theme: Theme) -> String {
    let variables = |of: fn(Role) -> &'static str, card: &str| {
        let mut text = String::from(":root{");
        for role in Role::ALL {
            let _ = write!(text, "--{}:{};", role.class(), of(role));
        }
        text + &format!("--card:{card}}}")
    };
    let light = variables(Role::light, "#f6f8fa");
    let dark = variables(Role::dark, "#171f28");
    match theme {
        Theme::Light => light + "\n",
        Theme::Dark => dark + "\n",
        // Paper is light.
        Theme::Auto => format!(
            "{light}\n@media screen and (prefers-color-scheme:dark){{{dark}{}}}\n",
            plot::dark_rules()
        ),
    }
}

/// Text in which nothing is markup, nothing commands, and nothing is endless.
pub(super) fn text(said: &str) -> String {
    match said.char_indices().nth(CHARACTERS_MAX) {
        None => plot::escaped(said),
        Some((end, _)) => plot::escaped(&said[..end]) + "…",
    }
}

/// Text of several lines.
pub(super) fn lines(said: &str) -> String {
    let lines: Vec<String> = said.lines().map(text).collect();
    lines.join("<br>")
}

/// Text of a finding, in which a pair of backticks marks code.
pub(super) fn prose(said: &str) -> String {
    let parts: Vec<&str> = said.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(said);
    }
    let marked = parts
        .iter()
        .enumerate()
        .map(|(index, part)| match index % 2 {
            1 => format!("<code>{}</code>", text(part)),
            _ => text(part),
        });
    marked.collect()
}

/// A heading with what is under it; nothing where there is nothing.
pub(super) fn part(heading: &str, body: &str) -> String {
    match body.is_empty() {
        true => String::new(),
        false => format!("<section>\n<h3>{heading}</h3>\n{body}</section>\n"),
    }
}

/// The same of what a page of several runs leaves out on paper.
pub(super) fn detail(heading: &str, body: &str) -> String {
    match body.is_empty() {
        true => String::new(),
        false => format!("<section class=\"detail\">\n<h3>{heading}</h3>\n{body}</section>\n"),
    }
}

/// Terms and what they are, both escaped already.
pub(super) fn facts(facts: &[(String, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let mut out = String::from("<dl class=\"facts\">\n");
    for (term, value) in facts {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{value}</dd>");
    }
    out + "</dl>\n"
}
