//! Days and their dates, Gregorian.

/// The Gregorian calendar repeats after 400 years of so many days.
const DAYS_PER_ERA: u64 = 146_097;
/// From 0000-03-01, where eras are counted from, to 1970-01-01.
const DAYS_BEFORE_1970: u64 = 719_468;

/// Year, month and day of the day with this number since 1970-01-01.
///
/// Years are taken to begin in March: the leap day is then the last of its year,
/// and months of 31, 30, 31, 30, 31 days repeat, 153 days in five months.
pub fn civil_date(day_since_1970: u64) -> (u64, u64, u64) {
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

/// The number of a day since 1970-01-01; `None` where there is no such day, it is before
/// 1970, or its year has more than four digits.
pub fn day_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let is_possible = (1970..10_000).contains(&year) && (1..=12).contains(&month);
    if !is_possible {
        return None;
    }
    let year_from_march = if month > 2 { year } else { year - 1 };
    let month_from_march = (month + 9) % 12;
    let (era, year_of_era) = (year_from_march / 400, year_from_march % 400);
    let day_of_year = (153 * month_from_march + 2) / 5 + day.checked_sub(1)?;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let number = (era * DAYS_PER_ERA + day_of_era).checked_sub(DAYS_BEFORE_1970)?;
    // The 30th of February would be the 1st or 2nd of March.
    (civil_date(number) == (year, month, day)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_the_number_of_its_day() {
        for number in 0..150_000 {
            let (year, month, day) = civil_date(number);
            assert_eq!(day_since_1970(year, month, day), Some(number));
        }
        for (year, month, day) in [
            (2026, 2, 29),
            (2026, 4, 31),
            (2026, 1, 0),
            (2026, 0, 1),
            (1969, 12, 31),
        ] {
            assert_eq!(day_since_1970(year, month, day), None);
        }
    }
}
