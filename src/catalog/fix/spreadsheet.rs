//! The cells of a table that a spreadsheet saved: it guards texts, takes zeros from numbers, shortens
//! long ones, and makes dates of numbers with a sign between them (`10-12`).

/// Returns a cell without the `'` before text that a spreadsheet could read as a formula, a
/// number or a date, and without `="…"` around text.
pub(super) fn unguarded(cell: &str) -> &str {
    let is_guarded = |rest: &&str| {
        rest.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
            || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    match cell.strip_prefix('\'').filter(is_guarded) {
        Some(rest) => rest,
        None => {
            let inner = cell
                .strip_prefix("=\"")
                .and_then(|rest| rest.strip_suffix('"'));
            inner.filter(|inner| !inner.contains('"')).unwrap_or(cell)
        }
    }
}

/// Returns a short cell without guards and blanks.
pub(super) fn plain_cell(cell: &str) -> &str {
    unguarded(cell.trim()).trim()
}

/// Returns a tag as it is compared: a spreadsheet takes the zeros from `020`.
pub(super) fn tag_key(tag: &str) -> &str {
    match tag.bytes().all(|byte| byte.is_ascii_digit()) {
        true => tag.trim_start_matches('0'),
        false => tag,
    }
}

/// Returns a number as it is compared, without the zeros that a spreadsheet takes from it, and
/// those that it adds; `None` for another text.
pub(super) fn number_key(text: &str) -> Option<&str> {
    let text = text.strip_suffix(".0").unwrap_or(text);
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.trim_start_matches('0'))
}

/// Whether a cell is a number without the zeros at its beginning, or a long one without its last
/// digits (`9.78316E+12`).
fn is_changed_number(cell: &str, value: &str) -> bool {
    let cell = plain_cell(cell);
    let Some(digits) = number_key(value).filter(|_| !value.contains('.')) else {
        return false;
    };
    if number_key(cell) == Some(digits) {
        return true;
    }
    let Some((mantissa, exponent)) = cell.split_once(['E', 'e']) else {
        return false;
    };
    let exponent = exponent.trim_start_matches('+').parse::<usize>();
    let shown: String = mantissa
        .chars()
        .filter(|c| !matches!(c, '.' | ','))
        .collect();
    let is_mantissa =
        mantissa.find(['.', ',']).is_none_or(|at| at == 1) && number_key(&shown).is_some();
    if !is_mantissa || exponent != Ok(digits.len().wrapping_sub(1)) || shown.len() > digits.len() {
        return false;
    }
    // The last digit may be rounded.
    let rounded = |digits: &str| digits.parse::<u64>().ok();
    let (Some(shown_number), Some(exact)) = (rounded(&shown), rounded(&digits[..shown.len()]))
    else {
        return false;
    };
    shown_number == exact
        || shown_number == exact + 1 && digits[shown.len()..].starts_with(['5', '6', '7', '8', '9'])
}

/// Whether a cell, which a spreadsheet may have written in another way, is this value of a record.
pub(super) fn is_respelled(cell: &str, value: &str) -> bool {
    is_changed_number(cell, value) || is_changed_date(cell, value)
}

/// Whether a spreadsheet may have written a cell in another way than a person typed it, who was to
/// replace `value`, of which the same is known: a number without its zeros, or a date.
pub(super) fn may_be_respelled(cell: &str, value: &str) -> bool {
    let cell = plain_cell(cell);
    let is_number = number_key(cell).is_some() && number_key(value).is_some();
    is_number && value.starts_with('0') && cell.len() < value.len()
        || is_shortened(cell)
        || is_date(cell)
}

/// Whether a cell is a number with an exponent, as no identifier is written.
pub(super) fn is_shortened(cell: &str) -> bool {
    let Some((mantissa, exponent)) = plain_cell(cell).split_once(['E', 'e']) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, rest)) = mantissa.split_once(['.', ',']) else {
        return false;
    };
    first.len() == 1
        && is_number(first)
        && is_number(rest)
        && exponent.starts_with('+')
        && is_number(&exponent[1..])
}

/// A date, as far as a text states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StatedDate {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
}

/// The beginnings of the names of months in English, German, French, Spanish and Italian.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "mrz"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// Days are counted from 30 December 1899 on. Those of 1954 to 2119 are known.
const DAY_NUMBERS: std::ops::RangeInclusive<u32> = 20_000..=80_000;

/// Returns the dates that numbers, and names of months, may mean. A year of two digits is one of any
/// century.
fn dates(text: &str) -> Vec<StatedDate> {
    let date =
        |year: Option<u32>, month: Option<u32>, day: Option<u32>| StatedDate { year, month, day };
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let number = |part: &str| match part.len() {
        1 | 2 | 4 => part.parse::<u32>().ok(),
        _ => None,
    };
    let numbers: Vec<Option<u32>> = parts.iter().map(|part| number(part)).collect();
    let mut found = match numbers[..] {
        [Some(one), Some(two)] => vec![
            date(None, Some(one), Some(two)),
            date(None, Some(two), Some(one)),
            date(Some(two), Some(one), None),
            date(Some(one), Some(two), None),
        ],
        [Some(one), Some(two), Some(three)] => vec![
            date(Some(one), Some(two), Some(three)),
            date(Some(three), Some(two), Some(one)),
            date(Some(three), Some(one), Some(two)),
        ],
        _ => Vec::new(),
    };
    let lower = text.to_lowercase();
    let is_begun = |names: &&[&str]| {
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| names.iter().any(|name| word.starts_with(name)))
    };
    if let Some(month) = MONTHS.iter().position(is_begun) {
        let month = Some(month as u32 + 1);
        let rest: Vec<u32> = numbers.iter().flatten().copied().collect();
        match rest[..] {
            [one] if numbers.len() == 2 => {
                found.extend([date(None, month, Some(one)), date(Some(one), month, None)])
            }
            [one, two] if numbers.len() == 3 => {
                found.extend([
                    date(Some(two), month, Some(one)),
                    date(Some(one), month, Some(two)),
                ]);
            }
            _ => {}
        }
    }
    found.retain(|date| {
        date.month.is_some_and(|month| (1..=12).contains(&month))
            && date.day.is_none_or(|day| (1..=31).contains(&day))
    });
    found
}

/// Returns a cell without the time of midnight behind a date.
fn without_time(cell: &str) -> &str {
    match cell.split_once([' ', 'T']) {
        Some((date, time)) if time.starts_with("00:00") => date,
        _ => cell,
    }
}

/// Returns the dates that a cell may mean if a spreadsheet wrote it as a date: of three numbers, with
/// the name of a month, or the number of a day.
fn cell_dates(cell: &str) -> Vec<StatedDate> {
    let cell = without_time(cell);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(day) = cell.parse().ok().filter(|day| DAY_NUMBERS.contains(day)) {
        return vec![date_of_day(day)];
    }
    let parts = cell
        .split(['-', '/', '.', ' ', ','])
        .filter(|part| !part.is_empty());
    let (mut numbers, mut words) = (0, 0);
    for part in parts {
        match is_number(part) {
            true => numbers += 1,
            false => words += 1,
        }
    }
    match (numbers, words) {
        (3, 0) | (1 | 2, 1) => dates(cell),
        _ => Vec::new(),
    }
}

/// Returns the date of a day after 30 December 1899 (the proleptic Gregorian calendar).
fn date_of_day(day: u32) -> StatedDate {
    // Counted from 1 March 0000; 30 December 1899 is 693,899 days later.
    let days = day + 693_899;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    StatedDate {
        year: Some(era * 400 + year + u32::from(month <= 2)),
        month: Some(month),
        day: Some(of_year - (153 * shifted + 2) / 5 + 1),
    }
}

/// Whether a cell is a date as spreadsheets write it.
pub(super) fn is_date(cell: &str) -> bool {
    !cell_dates(plain_cell(cell)).is_empty()
}

/// Whether a cell is the date that a spreadsheet made of a value of numbers.
fn is_changed_date(cell: &str, value: &str) -> bool {
    let is_of_date = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ' ');
    if !value.chars().all(is_of_date) {
        return false;
    }
    let is_same_year = |one: u32, two: u32| match one.min(two) < 100 {
        true => one % 100 == two % 100,
        false => one == two,
    };
    let stated = dates(value);
    cell_dates(plain_cell(cell)).iter().any(|cell| {
        stated.iter().any(|value| {
            let has_year = value
                .year
                .is_none_or(|year| cell.year.is_some_and(|own| is_same_year(own, year)));
            // A spreadsheet adds the first day of a month.
            let has_day = match value.day {
                Some(day) => cell.day == Some(day),
                None => cell.day.is_none_or(|day| day == 1),
            };
            has_year && has_day && cell.month == value.month
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_spreadsheets_write_them() {
        assert_eq!(unguarded("'=1"), "=1");
        assert_eq!(unguarded("'x"), "'x");
        assert_eq!([unguarded("'020"), unguarded("=\"020\"")], ["020", "020"]);
        for (cell, value, is_it) in [
            ("451450523", "0451450523", true),
            ("451450523.0", "0451450523", true),
            ("9.78316E+12", "9783161484100", true),
            ("9,78316148E+12", "9783161484100", true),
            ("9.78317E+12", "9783161484100", false),
            ("9.78316E+11", "9783161484100", false),
            ("12345", "123456", false),
            ("a", "a", false),
            ("12-Oct", "10-12", true),
            ("10. Dez", "10-12", true),
            ("2026-10-12", "10-12", true),
            ("2026-10-12 00:00:00", "10-12", true),
            ("12/10/26", "10/12", true),
            ("10/12/2026", "10-12", true),
            ("Dec-04", "2004-12", true),
            ("01.12.2004", "2004-12", true),
            ("2004-12-01", "12/2004", true),
            ("38322", "2004-12-01", true),
            ("1-2-2003", "01.02.03", true),
            ("2026-10-13", "10-12", false),
            ("2004-12-02", "2004-12", false),
            ("10-12", "12-10", false),
            ("12-Oct", "a10-12", false),
            ("12-Oct", "978-3-16", false),
            ("38322", "10-13", false),
        ] {
            assert_eq!(is_respelled(cell, value), is_it, "{cell} {value}");
        }
        assert_eq!(
            date_of_day(36_526),
            StatedDate {
                year: Some(2000),
                month: Some(1),
                day: Some(1)
            }
        );
        for (cell, value, may_be) in [
            ("451450531", "0451450523", true),
            ("0451450531", "0451450523", false),
            ("13-Oct", "10-12", true),
            ("10-13", "10-12", false),
            ("9.78E+12", "9783161484100", true),
            ("9783161484100", "9783161484117", false),
            ("0451450531", "9783161484100", false),
        ] {
            assert_eq!(may_be_respelled(cell, value), may_be, "{cell} {value}");
        }
    }
}
