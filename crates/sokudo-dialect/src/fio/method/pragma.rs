//! What `; sokudo: key=value` lines can say that fio's language cannot.

use sokudo_model::{BackendKind, Bytes, DirectMode, Nanos, SequentialOffset, Span};

use super::error::JobFileProblem;
use super::options::value_problem;
use super::settings::{Settings, SpanPragma};
use super::values::{self, Expected};
use super::words;
use crate::fio::nearest::nearest;

/// A word of `; sokudo:` lines.
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// The word before `=`.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    effect: Effect,
}

/// What belongs to the file as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    pub(super) method: Option<String>,
    pub(super) seed: Option<u64>,
    pub(super) interval: Option<Nanos>,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    File(fn(&mut Header, &str) -> Result<(), Expected>),
    Section(fn(&mut Settings, &str) -> Result<(), Expected>),
}

/// Every pragma there is.
pub fn pragmas() -> &'static [Pragma] {
    &PRAGMAS
}

impl Pragma {
    /// Applies a pragma line; `section` is `None` before the first section.
    pub(super) fn apply(
        name: &str,
        value: Option<&str>,
        header: &mut Header,
        section: Option<&mut Settings>,
    ) -> Result<(), JobFileProblem> {
        let Some(pragma) = PRAGMAS.iter().find(|pragma| pragma.name == name) else {
            return Err(JobFileProblem::UnknownPragma {
                pragma: name.to_owned(),
                nearest: nearest(name, PRAGMAS.iter().map(|pragma| pragma.name)),
            });
        };
        let text = value.unwrap_or_default();
        let result = match (pragma.effect, section) {
            (Effect::File(set), _) => set(header, text),
            (Effect::Section(set), Some(settings)) => set(settings, text),
            (Effect::Section(_), None) => {
                return Err(JobFileProblem::OutsideSection {
                    option: format!("sokudo: {name}"),
                });
            }
        };
        result.map_err(|expected| value_problem(name, value, expected))
    }
}

const fn file(
    name: &'static str,
    meaning: &'static str,
    set: fn(&mut Header, &str) -> Result<(), Expected>,
) -> Pragma {
    let effect = Effect::File(set);
    Pragma {
        name,
        meaning,
        effect,
    }
}

const fn section(
    name: &'static str,
    meaning: &'static str,
    set: fn(&mut Settings, &str) -> Result<(), Expected>,
) -> Pragma {
    let effect = Effect::Section(set);
    Pragma {
        name,
        meaning,
        effect,
    }
}

static PRAGMAS: [Pragma; 13] = [
    file("method", "name of the method", |header, v| {
        header.method = Some(words::text(v)?);
        Ok(())
    }),
    file(
        "seed",
        "a seed that fio's randseed has no room for",
        |header, v| {
            let seed = v.parse().map_err(|_| "a whole number below 2^64")?;
            header.seed = Some(seed);
            Ok(())
        },
    ),
    file(
        "interval",
        "pause between trials that the method asks for",
        |header, v| {
            header.interval = Some(values::time(v, 1_000_000_000)?);
            Ok(())
        },
    ),
    section("name", "what people call the workload", |s, v| {
        s.label = Some(words::text(v)?);
        Ok(())
    }),
    section(
        "engine",
        "auto: the fastest backend that works; sim: a simulated device",
        |s, v| {
            s.backend = match v {
                "auto" => BackendKind::Auto,
                "sim" => BackendKind::Sim,
                _ => return Err("auto or sim".into()),
            };
            Ok(())
        },
    ),
    section(
        "direct",
        "auto: direct I/O where the file system has it",
        |s, v| {
            values::choice(v, &["auto"]).map_err(|_| "auto")?;
            s.direct = DirectMode::Auto;
            Ok(())
        },
    ),
    section(
        "offset",
        "interlocked: clones share one sequential position; own: each has its own",
        |s, v| {
            s.sequential_offset = match v {
                "interlocked" => SequentialOffset::Interlocked,
                "own" => SequentialOffset::Own,
                _ => return Err("interlocked or own".into()),
            };
            Ok(())
        },
    ),
    section("operations", "flush: nothing but flushes", |s, v| {
        values::choice(v, &["flush"]).map_err(|_| "flush")?;
        s.flush_only = true;
        Ok(())
    }),
    section("blocks", "block sizes with any weights", |s, v| {
        s.block_mix = Some(values::block_weights(v, s.kilo_base)?);
        Ok(())
    }),
    section(
        "span",
        "the used part as OFFSET+LENGTH; all: the whole target",
        |s, v| {
            s.span = Some(span(v, s)?);
            Ok(())
        },
    ),
    section("stop", "never: runs until it is stopped", |s, v| {
        values::choice(v, &["never"]).map_err(|_| "never")?;
        s.endless = true;
        Ok(())
    }),
    section(
        "clock",
        "exact: two clock readings for every I/O; batch: one for each batch",
        |s, v| {
            s.exact_clock = values::choice(v, &["exact", "batch"])? == "exact";
            Ok(())
        },
    ),
    section(
        "job",
        "remove-file: no part of the plan, only there so that fio removes its test file",
        |s, v| {
            values::choice(v, &["remove-file"]).map_err(|_| "remove-file")?;
            s.removes_file = true;
            Ok(())
        },
    ),
];

fn span(text: &str, settings: &Settings) -> Result<SpanPragma, Expected> {
    if text == "all" {
        return Ok(SpanPragma::All);
    }
    let expected = "all, or an offset and a length such as 1g+512m";
    let (offset, length) = text.split_once('+').ok_or(expected)?;
    let base = settings.kilo_base;
    Ok(SpanPragma::Part(Span {
        offset: Bytes(values::size(offset, base).map_err(|_| expected)?),
        length: Bytes(values::size_above_0(length, base).map_err(|_| expected)?),
    }))
}
