//! Reading `sim:model?key=value&key=value`. Each key is named once, where a model
//! asks for it; the list of valid keys in an error is made of what was asked.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use sokudo_model::{Bytes, Nanos};
use sokudo_words::Text;

use super::rate::TransferRate;

/// How every simulated target starts.
const PREFIX: &str = "sim:";

/// The models there are.
const MODELS: &str = "const, hdd, smr, ssd, dramless, raid5, fake-capacity";

/// Why a `sim:` target could not be understood.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[fault(usage)]
pub enum SpecError {
    /// It does not start with `sim:`.
    #[error("\"{spec}\" is not a simulated device; write one such as sim:hdd?size=4TB&rpm=5900")]
    NotSimulated {
        /// Whole text of the target.
        spec: String,
    },
    /// There is no such model.
    #[error("there is no simulated device \"{model}\"; the models are {MODELS}")]
    UnknownModel {
        /// Name of the model, as written.
        model: String,
    },
    /// The model has no such key.
    #[error("sim:{model} has no key \"{key}\"; its keys are {valid}")]
    UnknownKey {
        /// Name of the model, without `sim:`.
        model: String,
        /// Key that the model lacks, as written.
        key: String,
        /// The keys it has, separated by commas.
        valid: String,
    },
    /// A key without a value.
    #[error("\"{key}\" has no value; write {key}=VALUE")]
    NoValue {
        /// Key without a value, as written.
        key: String,
    },
    /// A key that is given twice.
    #[error("\"{key}\" is given twice; keep one")]
    Repeated {
        /// Key that stands there twice.
        key: String,
    },
    /// A value that cannot be read.
    #[error("{key}={value}: \"{value}\" is not {expected}", expected = Text::from(*expected))]
    NotAValue {
        /// Key whose value cannot be read.
        key: &'static str,
        /// Value as written, which is not what the key takes.
        value: String,
        /// What would be right, with an example.
        expected: &'static str,
    },
    /// A value that can be read, but that no device has.
    #[error("{key}={value} is out of range; it goes from {least} to {most}")]
    OutOfRange {
        /// Key whose value no device has.
        key: &'static str,
        /// Value as written, which is out of range.
        value: String,
        /// Smallest value that the key takes.
        least: Box<Text>,
        /// Largest value that the key takes.
        most: Box<Text>,
    },
    /// A value that must consist of whole blocks.
    #[error("{key}={value} is no multiple of {block}; use one")]
    NotAMultiple {
        /// Key whose value is a size in bytes.
        key: &'static str,
        /// Value in bytes, which is no multiple of `block`.
        value: Bytes,
        /// Of what it must be a multiple.
        block: Bytes,
    },
    /// A key that means nothing without another.
    #[error("{key} means nothing without {other_key}; add {other_key}, or leave {key} out")]
    Without {
        /// Key that has no effect alone.
        key: &'static str,
        /// The key that it needs.
        other_key: &'static str,
    },
    /// Two values that contradict each other.
    #[error("{key} {value} is above {other_key} {limit}; it must not be")]
    Above {
        /// The key whose value is too large.
        key: &'static str,
        /// Value that is too large, as it is printed.
        value: String,
        /// The key that limits it.
        other_key: &'static str,
        /// The value of that.
        limit: String,
    },
}

impl SpecError {
    /// A value that is not what its key expects.
    pub(super) fn not_a_value(key: &'static str, value: &str, expected: &'static str) -> Self {
        Self::NotAValue {
            key,
            value: value.to_owned(),
            expected,
        }
    }
}

/// The keys and values of one target, and which keys a model has asked for.
pub(super) struct Spec<'a> {
    model: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
    queried: Vec<&'static str>,
}

impl<'a> Spec<'a> {
    /// Splits a target into its model, its keys and their values.
    pub(super) fn parse(text: &'a str) -> Result<Self, SpecError> {
        let rest = text
            .strip_prefix(PREFIX)
            .ok_or_else(|| SpecError::NotSimulated {
                spec: text.to_owned(),
            })?;
        let (model, options) = rest.split_once('?').unwrap_or((rest, ""));
        let pairs = options
            .split('&')
            .filter(|option| !option.is_empty())
            .map(|option| match option.split_once('=') {
                Some((key, value)) if !value.is_empty() => Ok((key, value)),
                _ => Err(SpecError::NoValue {
                    key: option.trim_end_matches('=').to_owned(),
                }),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            model,
            pairs,
            queried: Vec::new(),
        })
    }

    /// Which model is meant.
    pub(super) fn model(&self) -> &'a str {
        self.model
    }

    /// There is no such model.
    pub(super) fn unknown_model(&self) -> SpecError {
        SpecError::UnknownModel {
            model: self.model.to_owned(),
        }
    }

    /// Every value of a key that may be given several times.
    pub(super) fn all(&mut self, key: &'static str) -> Vec<&'a str> {
        self.queried.push(key);
        self.pairs
            .iter()
            .filter(|(name, _)| *name == key)
            .map(|(_, value)| *value)
            .collect()
    }

    /// The text of a key that may be given once.
    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<&'a str>, SpecError> {
        match self.all(key)[..] {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            _ => Err(SpecError::Repeated {
                key: key.to_owned(),
            }),
        }
    }

    /// The value of a key within its range; `None` when it is not given.
    pub(super) fn optional<T: SpecValue>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, SpecError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let value: T = text
            .parse()
            .map_err(|_| SpecError::not_a_value(key, text, T::EXPECTED))?;
        if !range.contains(&value) {
            return Err(SpecError::OutOfRange {
                key,
                value: text.to_owned(),
                least: Box::new(Text::name(range.start().to_string())),
                most: Box::new(Text::name(range.end().to_string())),
            });
        }
        Ok(Some(value))
    }

    /// The value of a key within its range, or what holds when it is not given.
    pub(super) fn value<T: SpecValue>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
        default: T,
    ) -> Result<T, SpecError> {
        Ok(self.optional(key, range)?.unwrap_or(default))
    }

    /// What the word of a key stands for; the first when it is not given.
    pub(super) fn choice<T: Copy, const N: usize>(
        &mut self,
        key: &'static str,
        words: [(&str, T); N],
        expected: &'static str,
    ) -> Result<T, SpecError> {
        let Some(text) = self.text(key)? else {
            return Ok(words[0].1);
        };
        let meant = words.iter().find(|(word, _)| *word == text);
        meant
            .map(|(_, value)| *value)
            .ok_or_else(|| SpecError::not_a_value(key, text, expected))
    }

    /// Refuses keys that nobody has asked for.
    pub(super) fn finish(&self) -> Result<(), SpecError> {
        match self
            .pairs
            .iter()
            .find(|(key, _)| !self.queried.contains(key))
        {
            None => Ok(()),
            Some((key, _)) => Err(SpecError::UnknownKey {
                model: self.model.to_owned(),
                key: (*key).to_owned(),
                valid: self.queried.join(", "),
            }),
        }
    }
}

/// What can be written as the value of a key.
pub(super) trait SpecValue: FromStr + PartialOrd + Display {
    /// What it looks like.
    const EXPECTED: &'static str;
}

impl SpecValue for Nanos {
    const EXPECTED: &'static str = "a time such as 100us or 8.5ms";
}

impl SpecValue for Bytes {
    const EXPECTED: &'static str = "a size such as 64MiB or 4TB";
}

impl SpecValue for TransferRate {
    const EXPECTED: &'static str = "a rate such as 180MB/s";
}

impl SpecValue for u64 {
    const EXPECTED: &'static str = "a whole number";
}

/// Refuses a value above another.
pub(super) fn not_above<T: PartialOrd + Display>(
    (key, value): (&'static str, T),
    (other_key, limit): (&'static str, T),
) -> Result<(), SpecError> {
    if value <= limit {
        return Ok(());
    }
    Err(SpecError::Above {
        key,
        value: value.to_string(),
        other_key,
        limit: limit.to_string(),
    })
}

/// Refuses a size that is not made of whole blocks.
pub(super) fn not_a_multiple(
    (key, value): (&'static str, Bytes),
    block: Bytes,
) -> Result<(), SpecError> {
    match value.0 % block.0 {
        0 => Ok(()),
        _ => Err(SpecError::NotAMultiple { key, value, block }),
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::SimulatedDevice;
    use proptest::prelude::*;

    fn message(spec: &str) -> String {
        SimulatedDevice::parse(spec).err().unwrap().to_string()
    }

    #[test]
    fn an_error_names_the_thing_and_what_would_be_valid() {
        assert_eq!(
            message("/dev/sda"),
            "\"/dev/sda\" is not a simulated device; write one such as sim:hdd?size=4TB&rpm=5900"
        );
        assert_eq!(
            message("sim:tape"),
            "there is no simulated device \"tape\"; the models are const, hdd, smr, ssd, \
             dramless, raid5, fake-capacity"
        );
        assert_eq!(
            message("sim:hdd?size"),
            "\"size\" has no value; write size=VALUE"
        );
        assert_eq!(
            message("sim:hdd?rpm="),
            "\"rpm\" has no value; write rpm=VALUE"
        );
        assert_eq!(
            message("sim:hdd?rpm=7200&rpm=5400"),
            "\"rpm\" is given twice; keep one"
        );
        assert_eq!(
            message("sim:hdd?rpm=fast"),
            "rpm=fast: \"fast\" is not a whole number"
        );
        assert_eq!(
            message("sim:hdd?write_cache=maybe"),
            "write_cache=maybe: \"maybe\" is not on or off"
        );
        assert_eq!(
            message("sim:hdd?flush=maybe"),
            "flush=maybe: \"maybe\" is not true or lies"
        );
        assert_eq!(
            message("sim:hdd?rpm=5"),
            "rpm=5 is out of range; it goes from 1000 to 30000"
        );
        assert_eq!(
            message("sim:const?latency=0s"),
            "latency=0s is out of range; it goes from 1 ns to 3600 s"
        );
        assert_eq!(
            message("sim:hdd?inner=200MB/s&outer=100MB/s"),
            "inner 200 MB/s is above outer 100 MB/s; it must not be"
        );
        assert_eq!(
            message("sim:const?rmp=5900"),
            "sim:const has no key \"rmp\"; its keys are fail_at, slow_at, \
             slow_once_at, hang_at, rot_at, vanish_after, stall, serial, link, size, latency, \
             jitter, parallel, rate, refill, credit"
        );
    }

    #[test]
    fn every_numeric_key_refuses_zero_and_the_absurd() {
        let keys = [
            ("const", "size parallel rate latency"),
            ("smr", "size persistent entries band idle rpm cache"),
            (
                "hdd",
                "size rpm outer inner cache seek settle interface ncq",
            ),
            (
                "ssd",
                "size channels dies page read program bus interface cache slc map",
            ),
            ("dramless", "size channels dies map"),
            ("raid5", "size disks chunk latency"),
            ("fake-capacity", "size real cache latency window"),
        ];
        for (model, names) in keys {
            for name in names.split(' ') {
                for value in ["0", "9999999999999999", "-1", "x"] {
                    let spec = format!("sim:{model}?{name}={value}");
                    assert!(SimulatedDevice::parse(&spec).is_err(), "{spec}");
                }
            }
        }
    }

    #[test]
    fn the_plain_models_and_the_examples_of_the_documentation_are_accepted() {
        for spec in [
            "sim:const",
            "sim:hdd",
            "sim:smr",
            "sim:ssd",
            "sim:const?latency=100us",
            "sim:hdd?size=4TB&rpm=5900&outer=180MB/s&inner=85MB/s&cache=64MiB",
            "sim:ssd?size=1TB&channels=8&read=60us&program=500us&interface=3.5GB/s",
            "sim:ssd?slc=20GB&direct=400MB/s&fold=200MB/s",
            "sim:ssd?slc=20GB&direct=400MB/s&room=100GB&folding=150MB/s",
            "sim:dramless",
            "sim:dramless?map=8GiB",
            "sim:raid5?disks=4&chunk=64KiB",
            "sim:fake-capacity?size=1TB&real=32GB",
            "sim:fake-capacity?size=1TB&real=32GB&beyond=lost",
            "sim:fake-capacity?size=1TB&real=32GB&beyond=tail&window=1GiB",
            "sim:fake-capacity?size=1TB&real=32GB&beyond=window&window=1MiB&at=7GiB",
        ] {
            assert!(SimulatedDevice::parse(spec).is_ok(), "{spec}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(model in "const|hdd|smr|ssd|dramless|raid5|fake-capacity|\\PC*", rest in "\\PC*") {
            let _ = SimulatedDevice::parse(&rest);
            let _ = SimulatedDevice::parse(&format!("sim:{model}?{rest}"));
            let _ = SimulatedDevice::parse(&format!("sim:{model}?size={rest}&fail_at={rest}"));
        }
    }
}
