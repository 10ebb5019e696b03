//! Records of ISO 2709, byte by byte.

/// Returns a record of ISO 2709 with these fields.
pub fn record(coding: char, fields: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut directory, mut data) = (Vec::new(), Vec::new());
    for (tag, field) in fields {
        let entry = format!("{tag}{:04}{:05}", field.len() + 1, data.len());
        directory.extend_from_slice(entry.as_bytes());
        data.extend_from_slice(field);
        data.push(0x1E);
    }
    let base = 24 + directory.len() + 1;
    let length = base + data.len() + 1;
    let head = format!("{length:05}nam {coding}22{base:05} a 4500");
    [head.as_bytes(), &directory, b"\x1E", &data, b"\x1D"].concat()
}
