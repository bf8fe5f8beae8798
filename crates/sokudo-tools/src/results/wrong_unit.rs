//! Units that tools are known to print wrong.

use sokudo_model::Correction;
use sokudo_words::text;

/// What a tool calls `MB/s`, and how that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrongUnit {
    /// Bytes per second of one of its "MB/s".
    pub(crate) scale: f64,
    why: &'static str,
}

pub(crate) const HDPARM: WrongUnit = WrongUnit {
    scale: 1_048_576.0,
    why: "hdparm counts blocks of 2 MiB (TIMING_BUF_MB in its source) and calls MiB MB",
};

/// One of its "kB/s".
pub(crate) const HDPARM_KB: WrongUnit = WrongUnit {
    scale: 1_024.0,
    ..HDPARM
};

pub(crate) const DISKSPD_FOR_LINUX: WrongUnit = WrongUnit {
    scale: 1_048_576.0,
    why: "diskspd for Linux divides bytes by 1,048,576 and calls it MB (its source, 2023)",
};

pub(crate) const KDISKMARK: WrongUnit = WrongUnit {
    scale: 1_024_000.0,
    why: "KDiskMark divides fio's bandwidth, which is in KiB/s, by 1000 and calls it MB/s \
          (its source, 3.3.0; its own IOPS times the block size show it)",
};

pub(crate) const KDISKMARK_MIB: WrongUnit = WrongUnit {
    scale: 1_048_576.0,
    why: "this version of KDiskMark calls MiB/s MB/s, as its own IOPS times the block size show",
};

pub(crate) const YABS: WrongUnit = WrongUnit {
    scale: 1_024_000.0,
    why: "yabs divides fio's bandwidth, which is in KiB/s, by 1000 and calls it MB/s (format_speed \
          in its source; its own IOPS times the block size show it)",
};

pub(crate) const F3: WrongUnit = WrongUnit {
    scale: 1_048_576.0,
    why: "F3 divides by 1024 and calls MiB MB (adjust_unit in its source; its sectors show it)",
};

pub(crate) const PVEPERF: WrongUnit = WrongUnit {
    scale: 1_048_576.0,
    why: "pveperf divides bytes by 1024 x 1024 and calls MiB MB (its source)",
};

impl WrongUnit {
    /// Of a tool by its name.
    pub(crate) fn of(tool: &str) -> Option<Self> {
        match tool.split(' ').next()? {
            "hdparm" => Some(HDPARM),
            "diskspd-for-linux" => Some(DISKSPD_FOR_LINUX),
            "KDiskMark" => Some(KDISKMARK),
            _ => None,
        }
    }

    /// What is put right, shown on one of the figures.
    pub(crate) fn correction(self, unit: &str, example: f64) -> Correction {
        let right = example * self.scale / 1e6;
        Correction {
            what: text!("every \"{unit}\": {example} are {right:.1} MB/s, and so on"),
            why: self.why.into(),
        }
    }
}
