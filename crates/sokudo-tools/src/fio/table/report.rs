//! Options about what is reported and logged, and when a job is steady enough.

use sokudo_model::narrow;

use crate::fio::session::{UnifiedReporting, WindowValue};

use super::super::criteria;
use super::super::option::OptionEffect::{Name, Number, Switch, Text, Time, Unread};
use super::super::option::{FioOption, MILLISECOND_NS, SECOND_NS, choice, options};

pub(super) const OPTIONS: &[FioOption] = options! {
    "clat_percentiles" = "1", "reports percentiles of completion latency",
        Switch(|j, on| j.report.clat_percentiles = on);
    "lat_percentiles" = "0", "reports percentiles of total latency",
        Switch(|j, on| j.report.lat_percentiles = on);
    "slat_percentiles" = "0", "reports percentiles of submission latency",
        Switch(|j, on| j.report.slat_percentiles = on);
    "percentile_list" = "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        "which percentiles are reported",
        Text(criteria::PERCENTILES,
            |j, v| criteria::percentiles(v).map(|list| j.report.percentiles = list));
    "significant_figures" = "4", "digits in normal output",
        Number(1, 10, |j, v| j.report.significant_figures = narrow(v));
    "disk_util" = "1", "reports statistics of devices", Switch(|j, on| j.report.disk_util = on);
    "gtod_reduce" = "0", "reads the clock less often: no latencies",
        Switch(|j, on| j.gtod_reduce = on);
    "disable_lat" = "0", "reports no total latency", Switch(|j, on| j.report.disable_lat = on);
    "disable_clat" = "0", "reports no completion latency",
        Switch(|j, on| j.report.disable_clat = on);
    "disable_slat" = "0", "reports no submission latency",
        Switch(|j, on| j.report.disable_slat = on);
    "disable_bw_measurement" | "disable_bw" = "0", "takes no samples of bandwidth",
        Switch(|_, _| {}), no_effect("samples cost nothing that is measured");
    "unified_rw_reporting" = "none", "reports reads, writes and trims each, as one, or both ways",
        choice!(report.unified: "none" | "0" => UnifiedReporting::Separate,
            "mixed" | "1" => UnifiedReporting::Mixed, "both" | "2" => UnifiedReporting::Both);
    "write_bw_log" = "", "logs bandwidth, in a file whose name begins so",
        Name(|j, v| j.logs.bandwidth = Some(v.unwrap_or_default().to_owned()));
    "write_iops_log" = "", "logs I/Os per second",
        Name(|j, v| j.logs.iops = Some(v.unwrap_or_default().to_owned()));
    "write_lat_log" = "", "logs latencies",
        Name(|j, v| j.logs.latency = Some(v.unwrap_or_default().to_owned()));
    "write_hist_log" = "", "logs histograms of completion latency",
        Name(|j, v| j.logs.histogram = Some(v.unwrap_or_default().to_owned()));
    "log_avg_msec" = "0", "interval that logs are averaged over; 0 logs each I/O",
        Time(MILLISECOND_NS, |j, v| j.logs.average = v);
    "log_hist_msec" = "0", "interval of the log of histograms",
        Time(MILLISECOND_NS, |j, v| j.histogram_interval = v);
    "log_hist_coarseness" = "0", "how many bins of a histogram are written as one: 2 to this power",
        Number(0, 6, |j, v| j.logs.histogram_coarseness = narrow(v));
    "log_window_value" | "log_max_value" = "avg", "which value of an interval is logged",
        choice!(logs.window_value: "avg" | "0" => WindowValue::Average,
            "max" | "1" => WindowValue::Max, "both" => WindowValue::Both);
    "log_offset" = "0", "logs offsets", Switch(|j, on| j.logs.offset = on);
    "log_prio" = "0", "logs the priority of each I/O as class and level in one word, not whether it is high",
        Switch(|j, on| j.logs.priority = on);
    "log_unix_epoch" = "0", "logs times since 1970", Switch(|j, on| j.logs.unix_epoch = on);
    "log_alternate_epoch" = "0", "logs times of another clock",
        Switch(|j, on| j.logs.unix_epoch = on);
    "log_alternate_epoch_clock_id" = "0", "the number of that clock", Unread,
        needs("logs by other clocks than CLOCK_REALTIME");
    "per_job_logs" = "1", "one log per job, or one for all", Switch(|j, on| j.logs.per_job = on);
    "bwavgtime" = "500", "interval of samples of bandwidth",
        Time(MILLISECOND_NS, |j, v| j.bandwidth_window = v);
    "iopsavgtime" = "500", "interval of samples of I/Os per second", Time(MILLISECOND_NS, |_, _| {}),
        differs("the interval is that of bwavgtime");
    "steadystate" | "ss" = "iops_slope:0.01%", "ends the job when it is steady: a figure and how much it may vary",
        Text(criteria::STEADY, |j, v| criteria::steady(v).map(|rule| j.steady = Some(rule)));
    "steadystate_duration" | "ss_dur" = "0", "how long it must be steady",
        Time(SECOND_NS, |j, v| j.steady_duration = v);
    "steadystate_ramp_time" | "ss_ramp" = "0", "what is run before that",
        Time(SECOND_NS, |j, v| j.steady_ramp = v);
    "steadystate_check_interval" | "ss_interval" = "1", "how often it is looked at",
        Time(SECOND_NS, |j, v| j.steady_interval = v);
};
