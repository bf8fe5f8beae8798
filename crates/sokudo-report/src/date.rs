//! Instants as people and machines read them: UTC, never a local time.

use sokudo_model::{Nanos, civil_date, day_since_1970};

const SECONDS_PER_DAY: u64 = 86_400;

/// RFC 3339 with milliseconds, such as `2026-11-21T01:58:08.250Z`.
pub fn rfc3339(since_1970: Nanos) -> String {
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

/// The instant of a text as [`rfc3339`] writes it; fractions of seconds may be missing.
pub fn from_rfc3339(text: &str) -> Option<Nanos> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut day = day.splitn(3, '-').map(str::parse::<u64>);
    let [year, month, day] = [day.next()?.ok()?, day.next()?.ok()?, day.next()?.ok()?];
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.splitn(3, ':').map(str::parse::<u64>);
    let [hour, minute, second] = [time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?];
    let is_time = hour < 24 && minute < 60 && second < 61;
    let is_fraction = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !is_time || !is_fraction {
        return None;
    }
    let nanos: u64 = format!("{fraction:0<9}").parse().ok()?;
    let seconds = day_since_1970(year, month, day)?
        .checked_mul(SECONDS_PER_DAY)?
        .checked_add(hour * 3_600 + minute * 60 + second)?;
    Some(Nanos(
        seconds.checked_mul(1_000_000_000)?.checked_add(nanos)?,
    ))
}

/// As C's `ctime` writes it, in the local time that lies `offset_seconds` east of UTC:
/// `Sat Nov 21 10:50:08 2026`.
pub fn ctime(since_1970: Nanos, offset_seconds: i32) -> String {
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
pub fn for_people(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) if time.ends_with('Z') => {
            let to_the_second = time.trim_end_matches('Z').split('.').next();
            format!("{day} {} UTC", to_the_second.unwrap_or(time))
        }
        _ if rfc3339.is_empty() => "at an unknown time".to_owned(),
        _ => rfc3339.to_owned(),
    }
}

/// The same to the minute: `2026-11-21 01:58`.
pub(crate) fn to_the_minute(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) => format!("{day} {}", time.get(..5).unwrap_or(time)),
        None => rfc3339.to_owned(),
    }
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
    fn an_instant_is_read_as_it_is_written() {
        for nanos in [
            0,
            1_000_000,
            1_795_226_288_250_000_000,
            4_102_444_799_999_000_000,
        ] {
            let text = rfc3339(Nanos(nanos));
            assert_eq!(from_rfc3339(&text), Some(Nanos(nanos)), "{text}");
        }
        assert_eq!(
            from_rfc3339("1970-01-01T00:00:01Z"),
            Some(Nanos(1_000_000_000))
        );
        for text in [
            "",
            "1970-01-01",
            "1970-13-01T00:00:00Z",
            "1970-02-30T00:00:00Z",
            "1969-12-31T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "99999999999999999-01-01T00:00:00Z",
        ] {
            assert_eq!(from_rfc3339(text), None, "{text}");
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
        for day in 1..=146_097 {
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
