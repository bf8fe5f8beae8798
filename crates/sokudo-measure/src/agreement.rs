//! What processes must agree on before they measure together, and whether they do.

use serde::{Deserialize, Serialize};
use sokudo_engine::free_space_needed;
use sokudo_model::{Bytes, FileSystem, Plan, TargetKind};
use sokudo_words::{Form, Text, text};

/// What all processes must agree on before anything is written.
pub struct Agreement<'a> {
    /// What is asked for, in the words of the command line.
    pub command: &'a str,
    /// What is to be done; its seed is the first one's.
    pub plan: &'a Plan,
    /// What the target is.
    pub kind: TargetKind,
    /// Of a target that is there already.
    pub size: Option<Bytes>,
    /// What the target lies on.
    pub file_system: Option<&'a FileSystem>,
    /// What each process writes to make its target ready.
    pub writes: Bytes,
    /// The file systems of the hosts are expected to be different ones.
    pub is_separate: bool,
}

/// A point on which processes must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum AgreedOn {
    Options,
    Command,
    Plan,
    Kind,
    Size,
    FileSystem,
}

/// How a process differs from the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    on: AgreedOn,
    theirs: String,
    firsts: String,
}

/// What a process says of itself before anything is written.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stand {
    /// How it takes part, whatever it is to do: in the words of the command line.
    options: Vec<String>,
    /// Why it can do nothing at all.
    failure: Option<Form>,
    points: Vec<(AgreedOn, String)>,
    available: Option<Bytes>,
    writes: Bytes,
}

/// What the first one answers.
#[derive(Serialize, Deserialize)]
pub(crate) enum Agreed {
    Yes { seed: u64 },
    Different { rank: u32, in_what: Difference },
    Failed { rank: u32, why: Form },
    NoSpace { available: Bytes, needed: Bytes },
}

impl Stand {
    /// Of a process that can do nothing.
    pub(crate) fn failed(why: Text, options: &[String]) -> Self {
        Self {
            options: options.to_vec(),
            failure: Some(why.into()),
            points: Vec::new(),
            available: None,
            writes: Bytes(0),
        }
    }
}

impl Agreement<'_> {
    /// What this process is about to do.
    pub(crate) fn stand(&self, options: &[String]) -> Stand {
        Stand {
            options: options.to_vec(),
            failure: None,
            points: self.points(),
            available: self.file_system.and_then(|it| it.available_bytes),
            writes: self.writes,
        }
    }

    fn points(&self) -> Vec<(AgreedOn, String)> {
        let plan = Plan {
            seed: 0,
            ..self.plan.clone()
        };
        let plan = serde_json::to_string(&plan).expect("a plan is plain data");
        let kind = serde_json::to_string(&self.kind).expect("a word");
        let mut points = vec![(AgreedOn::Kind, kind)];
        if !self.is_separate {
            // Storage of its own may have a name of its own.
            points.push((AgreedOn::Command, self.command.to_owned()));
            let file_system = self.file_system.map(|it| {
                let name = it.uuid.as_ref().unwrap_or(&it.source);
                format!("{} {name}", it.kind)
            });
            let size = self.size.map(|size| size.to_string());
            points.push((AgreedOn::FileSystem, file_system.unwrap_or_default()));
            points.push((AgreedOn::Size, size.unwrap_or_default()));
        }
        points.push((AgreedOn::Plan, plan));
        points
    }
}

/// What the first one says to what all are about to do.
pub(crate) fn judged(all: &[Stand], seed: u64, is_separate: bool) -> Agreed {
    // Who takes part in another way may fail for that alone.
    if let Some((rank, in_what)) = other_options(all) {
        return Agreed::Different { rank, in_what };
    }
    let failed = (0..)
        .zip(all)
        .find_map(|(rank, stand)| Some((rank, stand.failure.clone()?)));
    if let Some((rank, why)) = failed {
        return Agreed::Failed { rank, why };
    }
    let firsts = &all[0].points;
    for (rank, stand) in (0..).zip(all) {
        let points = stand.points.iter().zip(firsts);
        let different = points.into_iter().find(|(theirs, firsts)| theirs != firsts);
        if let Some(((on, theirs), (_, firsts))) = different {
            let in_what = Difference {
                on: *on,
                theirs: theirs.clone(),
                firsts: firsts.clone(),
            };
            return Agreed::Different { rank, in_what };
        }
    }
    let needed = all.iter().map(|stand| stand.writes.0);
    let needed = Bytes(needed.fold(0, u64::saturating_add));
    if is_separate {
        return match lacking_room(all) {
            Some((rank, why)) => Agreed::Failed { rank, why },
            None => Agreed::Yes { seed },
        };
    }
    let available = all.iter().filter_map(|stand| stand.available).min();
    match available.filter(|available| *available < needed) {
        Some(available) => Agreed::NoSpace { available, needed },
        None => Agreed::Yes { seed },
    }
}

/// Who takes part in another way than the first one, and the options that only one of both has.
fn other_options(all: &[Stand]) -> Option<(u32, Difference)> {
    let firsts = &all[0].options;
    let (rank, theirs) = (0..)
        .zip(all)
        .map(|(rank, stand)| (rank, &stand.options))
        .find(|(_, theirs)| *theirs != firsts)?;
    let only = |these: &[String], others: &[String]| {
        let only = these.iter().filter(|it| !others.contains(it));
        only.map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let in_what = Difference {
        on: AgreedOn::Options,
        theirs: only(theirs, firsts),
        firsts: only(firsts, theirs),
    };
    Some((rank, in_what))
}

/// Who has too little room on storage of its own.
fn lacking_room(all: &[Stand]) -> Option<(u32, Form)> {
    (0..).zip(all).find_map(|(rank, stand)| {
        let size = stand.writes;
        let needed = Some(free_space_needed(size)).filter(|_| size.0 > 0)?;
        let available = stand.available.filter(|available| *available < needed)?;
        let why = text!(
            "{available} are free, but a test file of {size} needs {needed}; use a smaller test file, or make room"
        );
        Some((rank, why.into()))
    })
}

impl From<&Difference> for Text {
    fn from(difference: &Difference) -> Self {
        let Difference { on, theirs, firsts } = difference;
        match on {
            AgreedOn::Options if firsts.is_empty() => text!(
                "was started with {theirs}, and rank 0 was not; give all the same options of `sokudo together`"
            ),
            AgreedOn::Options if theirs.is_empty() => text!(
                "was started without {firsts}, and rank 0 with it; give all the same options of `sokudo together`"
            ),
            AgreedOn::Options => text!(
                "was started with {theirs}, and rank 0 with {firsts}; give all the same options of `sokudo together`"
            ),
            AgreedOn::Command => text!(
                "is to do `{theirs}`, and rank 0 `{firsts}`; start all with the same command line"
            ),
            AgreedOn::Kind => text!(
                "has {theirs} in the place of the target, and rank 0 {firsts}; mount the same storage everywhere"
            ),
            AgreedOn::Size => text!(
                "sees a target of {theirs}, and rank 0 one of {firsts}; name the same target everywhere, or say that each host has its own (--separate)"
            ),
            AgreedOn::FileSystem => text!(
                "is on the file system {theirs}, and rank 0 on {firsts}; mount the same one everywhere, or say that each host has its own (--separate)"
            ),
            AgreedOn::Plan => text!(
                "makes another plan of the same command line than rank 0; give sizes, rows and backends yourself"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(file_system: &str, available: u64) -> Stand {
        Stand {
            options: Vec::new(),
            failure: None,
            points: vec![(AgreedOn::FileSystem, file_system.to_owned())],
            available: Some(Bytes(available)),
            writes: Bytes(100),
        }
    }

    #[test]
    fn the_first_who_differs_is_named() {
        let all = [
            stand("ext4 a", 1_000),
            stand("ext4 a", 1_000),
            stand("xfs b", 1_000),
        ];
        let Agreed::Different { rank, in_what } = judged(&all, 7, false) else {
            panic!("they differ");
        };
        assert_eq!((rank, in_what.theirs.as_str()), (2, "xfs b"));
        assert!(matches!(
            judged(&all[..2], 7, false),
            Agreed::Yes { seed: 7 }
        ));
    }

    #[test]
    fn who_takes_part_in_another_way_is_named_before_anybody_fails() {
        let with = |options: &[&str]| Stand {
            options: options.iter().map(|&it| it.to_owned()).collect(),
            ..Stand::failed("no such disk".into(), &[])
        };
        let difference = |all: &[Stand]| match judged(all, 7, false) {
            Agreed::Different { rank, in_what } => (rank, Text::from(&in_what).english()),
            _ => panic!("they differ"),
        };
        let both = ["--dry-run", "--separate"];
        for (firsts, theirs, expected) in [
            (&[][..], &both[..1], "with --dry-run, and rank 0 was not;"),
            (&both, &both[..1], "without --separate, and rank 0 with it;"),
            (
                &both[..1],
                &both[1..],
                "with --separate, and rank 0 with --dry-run;",
            ),
        ] {
            let (rank, text) = difference(&[with(firsts), with(firsts), with(theirs)]);
            assert_eq!(rank, 2);
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn who_can_do_nothing_is_named_before_anybody_differs() {
        let all = [
            stand("ext4 a", 1_000),
            Stand::failed("no such disk".into(), &[]),
        ];
        let Agreed::Failed { rank, why } = judged(&all, 7, false) else {
            panic!("one has failed");
        };
        assert_eq!((rank, why.template.as_str()), (1, "no such disk"));
    }

    #[test]
    fn room_is_needed_for_all_test_files_of_one_file_system() {
        let all = [stand("nfs", 350), stand("nfs", 250), stand("nfs", 350)];
        let Agreed::NoSpace { available, needed } = judged(&all, 7, false) else {
            panic!("there is too little room");
        };
        assert_eq!((available, needed), (Bytes(250), Bytes(300)));
    }

    #[test]
    fn who_has_too_little_room_of_its_own_is_named() {
        let all = [stand("ext4 a", 1 << 30), stand("ext4 a", 99)];
        let Agreed::Failed { rank, why } = judged(&all, 7, true) else {
            panic!("one has too little room");
        };
        assert_eq!(rank, 1);
        let why = Text::from(why).english();
        assert!(
            why.starts_with("99 B are free, but a test file of 100 B needs "),
            "{why}"
        );
    }
}
