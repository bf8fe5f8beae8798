//! Options about what is reported and logged, and when a job is steady enough.

use sokudo_model::fio::{UnifiedReporting, WindowValue};
use sokudo_model::narrow;

use super::super::criteria;
use super::super::option::{FioOption, MILLISECOND_NS, OptionEffect, SECOND_NS, full};

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "clat_percentiles",
        &[],
        "1",
        "reports percentiles of completion latency",
        OptionEffect::Switch(|j, on| j.report.clat_percentiles = on),
    ),
    full(
        "lat_percentiles",
        &[],
        "0",
        "reports percentiles of total latency",
        OptionEffect::Switch(|j, on| j.report.lat_percentiles = on),
    ),
    full(
        "slat_percentiles",
        &[],
        "0",
        "reports percentiles of submission latency",
        OptionEffect::Switch(|j, on| j.report.slat_percentiles = on),
    ),
    full(
        "percentile_list",
        &[],
        "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        "which percentiles are reported",
        OptionEffect::Text(criteria::PERCENTILES, |j, v| {
            j.report.percentiles = criteria::percentiles(v).ok_or(criteria::PERCENTILES)?;
            Ok(())
        }),
    ),
    full(
        "significant_figures",
        &[],
        "4",
        "digits in normal output",
        OptionEffect::Number(1, 10, |j, v| j.report.significant_figures = narrow(v)),
    ),
    full(
        "disk_util",
        &[],
        "1",
        "reports statistics of devices",
        OptionEffect::Switch(|j, on| j.report.disk_util = on),
    ),
    full(
        "gtod_reduce",
        &[],
        "0",
        "reads the clock less often: no latencies",
        OptionEffect::Switch(|j, on| j.report.gtod_reduce = on),
    ),
    full(
        "disable_lat",
        &[],
        "0",
        "reports no total latency",
        OptionEffect::Switch(|j, on| j.report.disable_lat = on),
    ),
    full(
        "disable_clat",
        &[],
        "0",
        "reports no completion latency",
        OptionEffect::Switch(|j, on| j.report.disable_clat = on),
    ),
    full(
        "disable_slat",
        &[],
        "0",
        "reports no submission latency",
        OptionEffect::Switch(|j, on| j.report.disable_slat = on),
    ),
    full(
        "disable_bw_measurement",
        &["disable_bw"],
        "0",
        "takes no samples of bandwidth",
        OptionEffect::Switch(|_, _| {}),
    )
    .no_effect("samples cost nothing that is measured"),
    full(
        "unified_rw_reporting",
        &[],
        "none",
        "reports reads, writes and trims each, as one, or both ways",
        OptionEffect::Word(&["none", "0", "mixed", "1", "both", "2"], |j, word, _| {
            j.report.unified = match word {
                "mixed" | "1" => UnifiedReporting::Mixed,
                "both" | "2" => UnifiedReporting::Both,
                _ => UnifiedReporting::Separate,
            };
            Ok(())
        }),
    ),
    full(
        "write_bw_log",
        &[],
        "",
        "logs bandwidth, in a file whose name begins so",
        OptionEffect::Name(|j, v| j.report.bandwidth_log = Some(v.unwrap_or_default().to_owned())),
    ),
    full(
        "write_iops_log",
        &[],
        "",
        "logs I/Os per second",
        OptionEffect::Name(|j, v| j.report.iops_log = Some(v.unwrap_or_default().to_owned())),
    ),
    full(
        "write_lat_log",
        &[],
        "",
        "logs latencies",
        OptionEffect::Name(|j, v| j.report.latency_log = Some(v.unwrap_or_default().to_owned())),
    ),
    full(
        "write_hist_log",
        &[],
        "",
        "logs histograms of completion latency",
        OptionEffect::Name(|j, v| j.report.histogram_log = Some(v.unwrap_or_default().to_owned())),
    ),
    full(
        "log_avg_msec",
        &[],
        "0",
        "interval that logs are averaged over; 0 logs each I/O",
        OptionEffect::Time(MILLISECOND_NS, |j, v| j.report.average = v),
    ),
    full(
        "log_hist_msec",
        &[],
        "0",
        "interval of the log of histograms",
        OptionEffect::Time(MILLISECOND_NS, |j, v| j.report.histogram_interval = v),
    ),
    full(
        "log_hist_coarseness",
        &[],
        "0",
        "how many bins of a histogram are written as one: 2 to this power",
        OptionEffect::Number(0, 6, |j, v| j.report.histogram_coarseness = narrow(v)),
    ),
    full(
        "log_window_value",
        &["log_max_value"],
        "avg",
        "which value of an interval is logged",
        OptionEffect::Word(&["avg", "0", "max", "1", "both"], |j, word, _| {
            j.report.window_value = match word {
                "max" | "1" => WindowValue::Max,
                "both" => WindowValue::Both,
                _ => WindowValue::Average,
            };
            Ok(())
        }),
    ),
    full(
        "log_offset",
        &[],
        "0",
        "logs offsets",
        OptionEffect::Switch(|j, on| j.report.log_offset = on),
    ),
    full(
        "log_prio",
        &[],
        "0",
        "logs the priority of each I/O as class and level in one word, not whether it is high",
        OptionEffect::Switch(|j, on| j.report.log_priority = on),
    ),
    full(
        "log_unix_epoch",
        &[],
        "0",
        "logs times since 1970",
        OptionEffect::Switch(|j, on| j.report.unix_epoch = on),
    ),
    full(
        "log_alternate_epoch",
        &[],
        "0",
        "logs times of another clock",
        OptionEffect::Switch(|j, on| j.report.unix_epoch = on),
    ),
    full(
        "log_alternate_epoch_clock_id",
        &[],
        "0",
        "the number of that clock",
        OptionEffect::Unread,
    )
    .needs("logs by other clocks than CLOCK_REALTIME"),
    full(
        "per_job_logs",
        &[],
        "1",
        "one log per job, or one for all",
        OptionEffect::Switch(|j, on| j.report.per_job = on),
    ),
    full(
        "bwavgtime",
        &[],
        "500",
        "interval of samples of bandwidth",
        OptionEffect::Time(MILLISECOND_NS, |j, v| j.report.bandwidth_window = v),
    ),
    full(
        "iopsavgtime",
        &[],
        "500",
        "interval of samples of I/Os per second",
        OptionEffect::Time(MILLISECOND_NS, |_, _| {}),
    )
    .differs("the interval is that of bwavgtime"),
    full(
        "steadystate",
        &["ss"],
        "iops_slope:0.01%",
        "ends the job when it is steady: a figure and how much it may vary",
        OptionEffect::Text(criteria::STEADY, |j, v| {
            let (word, limit) = v.split_once(':').ok_or(criteria::STEADY)?;
            j.steady = Some(criteria::steady(word, limit).ok_or(criteria::STEADY)?);
            Ok(())
        }),
    ),
    full(
        "steadystate_duration",
        &["ss_dur"],
        "0",
        "how long it must be steady",
        OptionEffect::Time(SECOND_NS, |j, v| j.steady_duration = v),
    ),
    full(
        "steadystate_ramp_time",
        &["ss_ramp"],
        "0",
        "what is run before that",
        OptionEffect::Time(SECOND_NS, |j, v| j.steady_ramp = v),
    ),
    full(
        "steadystate_check_interval",
        &["ss_interval"],
        "1",
        "how often it is looked at",
        OptionEffect::Time(SECOND_NS, |j, v| j.steady_interval = v),
    ),
];
