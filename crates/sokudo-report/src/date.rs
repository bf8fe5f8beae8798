//! Instants as people and machines read them: UTC, never a local time.

use sokudo_model::Nanos;

const SECONDS_PER_DAY: u64 = 86_400;
/// The Gregorian calendar repeats after 400 years of so many days.
const DAYS_PER_ERA: u64 = 146_097;
/// From 0000-03-01, where eras are counted from, to 1970-01-01.
const DAYS_BEFORE_1970: u64 = 719_468;

/// RFC 3339 with milliseconds, such as `2026-11-21T01:58:08.250Z`.
pub(crate) fn rfc3339(since_1970: Nanos) -> String {
    let milliseconds = since_1970.0 / 1_000_000;
    let seconds = milliseconds / 1_000;
    let (year, month, day) = civil_date(seconds / SECONDS_PER_DAY);
    let second = seconds % SECONDS_PER_DAY;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60,
        milliseconds % 1_000
    )
}

/// As C's `ctime` writes it, in the local time that lies `offset_seconds` east of UTC:
/// `Sat Nov 21 10:50:08 2026`.
pub(crate) fn ctime(since_1970: Nanos, offset_seconds: i32) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let seconds = since_1970.0 / 1_000_000_000;
    let local = seconds.saturating_add_signed(offset_seconds.into());
    let (day_number, second) = (local / SECONDS_PER_DAY, local % SECONDS_PER_DAY);
    let (year, month, day) = civil_date(day_number);
    // 1970-01-01 was a Thursday.
    let weekday = usize::try_from(day_number % 7).unwrap_or_default();
    let month = usize::try_from(month - 1).unwrap_or_default();
    format!(
        "{} {} {day:2} {:02}:{:02}:{:02} {year}",
        WEEKDAYS[weekday],
        MONTHS[month],
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

/// The same instant for people, from its RFC 3339 form: `2026-11-21 01:58:08
/// UTC`. Text of another form is shown as it is.
pub(crate) fn for_people(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) if time.ends_with('Z') => {
            let to_the_second = time.trim_end_matches('Z').split('.').next();
            format!("{day} {} UTC", to_the_second.unwrap_or(time))
        }
        _ => rfc3339.to_owned(),
    }
}

/// Year, month and day of the day with this number since 1970-01-01.
///
/// Years are taken to begin in March: the leap day is then the last of its year,
/// and months of 31, 30, 31, 30, 31 days repeat, 153 days in five months.
fn civil_date(day_since_1970: u64) -> (u64, u64, u64) {
    let day = day_since_1970 + DAYS_BEFORE_1970;
    let (era, day_of_era) = (day / DAYS_PER_ERA, day % DAYS_PER_ERA);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096 - day_of_era / 36_524;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let (month, next_year) = match month_from_march {
        0..10 => (month_from_march + 3, 0),
        _ => (month_from_march - 9, 1),
    };
    (era * 400 + year_of_era + next_year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_have_their_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_799, "2000-02-29T23:59:59.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(Nanos::from_secs(seconds)), text);
        }
    }

    #[test]
    fn local_times_are_written_as_c_writes_them() {
        let instant = Nanos::from_secs(1_795_258_208);
        assert_eq!(ctime(instant, 0), "Sat Nov 21 10:50:08 2026");
        assert_eq!(ctime(instant, 14 * 3_600), "Sun Nov 22 00:50:08 2026");
        assert_eq!(ctime(Nanos(0), 0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(ctime(Nanos(0), -3_600), "Thu Jan  1 00:00:00 1970");
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut before = civil_date(0);
        for day in 1..=DAYS_PER_ERA {
            let (year, month, day_of_month) = civil_date(day);
            let next_day = (before.0, before.1, before.2 + 1) == (year, month, day_of_month);
            let next_month = (before.0, before.1 + 1, 1) == (year, month, day_of_month);
            let next_year = (before.0 + 1, 1, 1) == (year, month, day_of_month);
            assert!(
                next_day || next_month || next_year,
                "{before:?}, then {day}"
            );
            before = (year, month, day_of_month);
        }
        assert_eq!(before, (2370, 1, 1));
    }

    #[test]
    fn people_read_seconds_and_utc() {
        assert_eq!(
            for_people(&rfc3339(Nanos(1_500_000_000))),
            "1970-01-01 00:00:01 UTC"
        );
        assert_eq!(for_people("yesterday"), "yesterday");
    }
}
