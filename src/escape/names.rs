//! The names of character references that the HTML Standard defines (section 13.5), in byte
//! order, in `names.txt`: name, characters, `*` if the name may be written without `;`, `+`
//! if HTML 4 (section 24) or XML also defines it.

/// The length of the longest name.
pub(super) const LONGEST: usize = 31;

/// The lengths of the names that may be written without `;`.
const WITHOUT: std::ops::RangeInclusive<usize> = 2..=6;

static TABLE: &[u8] = include_bytes!("names.txt");

/// Offsets into the table: the names that begin with byte `b` are from `BEGINS[b]` to
/// `BEGINS[b + 1]`.
static BEGINS: [usize; 257] = begins(TABLE);

const fn begins(table: &[u8]) -> [usize; 257] {
    let mut begins = [0; 257];
    let (mut line, mut at) = (0, 0);
    while at < table.len() {
        if table[at] == b'\n' {
            begins[table[line] as usize + 1] = at + 1;
            line = at + 1;
        }
        at += 1;
    }
    let mut byte = 1;
    while byte < begins.len() {
        if begins[byte] < begins[byte - 1] {
            begins[byte] = begins[byte - 1];
        }
        byte += 1;
    }
    begins
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
    let first = usize::from(*name.first()?);
    let mut table = &TABLE[BEGINS[first]..BEGINS[first + 1]];
    while !table.is_empty() {
        let middle = table.len() / 2;
        let start = memchr::memrchr(b'\n', &table[..middle]).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &table[middle..]).map_or(table.len(), |at| middle + at);
        let line = &table[start..end];
        let known = memchr::memchr(b' ', line).unwrap_or(line.len());
        match name.cmp(&line[..known]) {
            std::cmp::Ordering::Equal => return line.get(known + 1..),
            std::cmp::Ordering::Less => table = &table[..start],
            std::cmp::Ordering::Greater => table = table.get(end + 1..).unwrap_or_default(),
        }
    }
    None
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
