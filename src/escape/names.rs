//! The names of character references that the HTML Standard defines (section 13.5), in byte
//! order, in `names.txt`: name, characters, `*` if the name may be written without `;`, `+`
//! if HTML 4 (section 24) or XML also defines it.

/// The length of the longest name.
pub(super) const LONGEST: usize = 31;

/// The lengths of the names that may be written without `;`.
const WITHOUT: std::ops::RangeInclusive<usize> = 2..=6;

static TABLE: &[u8] = include_bytes!("names.txt");

/// The number of places for names, about twice as many as names.
const PLACES: usize = 1 << 12;

/// For the hash of each name, there or in the places that follow: one more than the offset of its
/// line in the table; 0 in empty places.
static LINES: [u16; PLACES] = lines(TABLE);

const fn lines(table: &[u8]) -> [u16; PLACES] {
    let mut lines = [0; PLACES];
    let mut line = 0;
    while line < table.len() {
        let mut end = line;
        while table[end] != b' ' {
            end += 1;
        }
        let mut place = place_of(table, line, end);
        while lines[place] != 0 {
            place = (place + 1) % PLACES;
        }
        lines[place] = line as u16 + 1;
        while table[end] != b'\n' {
            end += 1;
        }
        line = end + 1;
    }
    lines
}

/// The place at which the name in this range of `text` is looked for first (FNV-1a).
const fn place_of(text: &[u8], mut at: usize, end: usize) -> usize {
    let mut hash = 0x811C_9DC5_u32;
    while at < end {
        hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 16) as usize % PLACES
}

/// Whether HTML 4 or XML defines `name`, which is without `&` and `;`.
pub(super) fn is_of_html4(name: &[u8]) -> bool {
    entry(name).is_some_and(|entry| entry.ends_with(b"+"))
}

/// The one or two characters of `name`. If there is one, the second is NUL.
pub(super) fn chars(name: &[u8]) -> Option<[char; 2]> {
    entry(name).map(characters)
}

/// The longest name that `text` begins with and that may be written without `;`: its length
/// and its characters.
pub(super) fn without_semicolon(text: &[u8]) -> Option<(usize, [char; 2])> {
    let most = text.len().min(*WITHOUT.end());
    (*WITHOUT.start()..=most).rev().find_map(|len| {
        let entry = entry(&text[..len]).filter(|entry| entry.contains(&b'*'))?;
        Some((len, characters(entry)))
    })
}

/// The columns after the name.
fn entry(name: &[u8]) -> Option<&'static [u8]> {
    let mut place = place_of(name, 0, name.len());
    loop {
        let line = usize::from(LINES[place]).checked_sub(1)?;
        if let Some([b' ', columns @ ..]) = TABLE[line..].strip_prefix(name) {
            let end = columns.iter().position(|&byte| byte == b'\n');
            return Some(&columns[..end.unwrap_or(columns.len())]);
        }
        place = (place + 1) % PLACES;
    }
}

fn characters(entry: &[u8]) -> [char; 2] {
    let mut columns = entry.split(|&byte| byte == b' ');
    [(); 2].map(|()| {
        let digits = columns.next().unwrap_or_default();
        let digit = |&byte: &u8| (byte as char).to_digit(16);
        let value = digits
            .iter()
            .map_while(digit)
            .fold(0, |value, digit| value * 16 + digit);
        char::from_u32(value).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<&'static [u8]> {
        let lines = TABLE
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        lines
            .map(|line| line.split(|&byte| byte == b' ').next().unwrap())
            .collect()
    }

    #[test]
    fn the_table_is_that_of_the_standards() {
        let names = names();
        assert!(names.is_sorted_by(|one, other| one < other));
        let is_name = |name: &&[u8]| name.iter().all(u8::is_ascii_alphanumeric);
        assert!(names.iter().all(is_name));
        let lengths = || names.iter().map(|name| name.len());
        assert_eq!(lengths().max(), Some(LONGEST));
        let without: Vec<_> = names
            .iter()
            .filter(|name| entry(name).unwrap().contains(&b'*'))
            .collect();
        // With and without `;`, as the HTML Standard counts.
        assert_eq!(names.len() + without.len(), 2_231);
        assert!(without.iter().all(|name| WITHOUT.contains(&name.len())));
        let two = names.iter().filter(|name| chars(name).unwrap()[1] != '\0');
        assert_eq!(two.count(), 93);
        let html4 = names.iter().filter(|name| is_of_html4(name));
        assert_eq!(html4.count(), 253);
        assert!(names.iter().all(|name| chars(name).unwrap()[0] != '\0'));
    }

    #[test]
    fn names_have_their_characters() {
        assert_eq!(chars(b"eacute"), Some(['é', '\0']));
        assert_eq!(chars(b"bne"), Some(['=', '\u{20E5}']));
        assert_eq!(chars(b"AElig"), Some(['Æ', '\0']));
        assert_eq!(chars(b"zwnj"), Some(['\u{200C}', '\0']));
        assert_eq!(chars(b"Afr"), Some(['𝔄', '\0']));
        for none in [&b""[..], b"b", b"AMp", b"zzz", b"amp;"] {
            assert_eq!(chars(none), None);
        }
        assert!(is_of_html4(b"amp") && is_of_html4(b"apos"));
        assert!(!is_of_html4(b"AMP") && !is_of_html4(b"Afr"));
        assert_eq!(without_semicolon(b"notit"), Some((3, ['¬', '\0'])));
        assert_eq!(without_semicolon(b"lambda"), None);
    }
}
