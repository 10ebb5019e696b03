//! Tables as workbooks of spreadsheets (Office Open XML, ECMA-376 part 1, chapter 18). A cell
//! of a text has the format of texts, so that no spreadsheet takes it for a number or a date.

mod zip;

use super::form::FormError;
use super::sheet::{CellForm, SheetColumn, number};
use zip::ZipWriter;

/// The most rows of a sheet, and characters of a cell, that spreadsheets read.
const ROWS: usize = 1 << 20;
const CELL_MAX: usize = 32_767;
/// The number of bytes of a sheet after which another one begins.
const SHEET_MAX: u64 = 2 << 30;
/// XML is compressed when there is this much of it.
const PIECE: usize = 64 << 10;

const LONG_CELL: &str = "a cell has more than 32,767 characters, which a workbook cannot hold: \
                         -f csv or -f jsonl writes it";
const LONG_BOOK: &str = "the workbook is longer than 4 GiB: -f csv or -f jsonl writes the rows";

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// A table as a workbook: a sheet with the names of the columns in its first row; another sheet
/// follows after 1,048,576 rows.
///
/// ```
/// use urisieve::output::{CellForm, SheetColumn, Workbook};
/// let columns = [SheetColumn::new("n", true), SheetColumn::new("a", false)];
/// let (mut workbook, mut out) = (Workbook::new(columns.to_vec()), Vec::new());
/// workbook.begin(&mut out);
/// workbook.row(&[b"7", b"020"], &mut out);
/// workbook.finish(&mut out)?;
/// assert!(out.starts_with(b"PK\x03\x04"));
/// # Ok::<(), urisieve::output::FormError>(())
/// ```
#[derive(Debug)]
pub struct Workbook {
    columns: Vec<SheetColumn>,
    zip: ZipWriter,
    sheets: usize,
    /// The number of rows of the sheet, and of its bytes.
    rows: usize,
    len: u64,
    /// XML that is not compressed yet.
    xml: Vec<u8>,
    /// The name of the column of each cell: `A`, `B` …
    letters: Vec<String>,
    has_long_cell: bool,
}

impl Workbook {
    /// Creates a workbook with these columns.
    ///
    /// ```
    /// # drop(urisieve::output::Workbook::new(Vec::new()));
    /// ```
    pub fn new(columns: Vec<SheetColumn>) -> Workbook {
        Workbook {
            letters: (0..columns.len()).map(letters).collect(),
            columns,
            zip: ZipWriter::default(),
            sheets: 0,
            rows: 0,
            len: 0,
            xml: Vec::new(),
            has_long_cell: false,
        }
    }

    fn begin_sheet(&mut self, out: &mut Vec<u8>) {
        self.sheets += 1;
        let name = format!("xl/worksheets/sheet{}.xml", self.sheets);
        self.zip.begin(&name, out);
        // The first row stays visible, and empty cells are of texts, too.
        push(
            &mut self.xml,
            &[
                XML,
                "<worksheet xmlns=\"",
                MAIN,
                "\"><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" \
             activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>",
            ],
        );
        for (at, column) in self.columns.iter().enumerate() {
            let (at, style) = (
                (at + 1).to_string(),
                if column.is_number() { "0" } else { "1" },
            );
            let parts = [
                "<col min=\"",
                &at,
                "\" max=\"",
                &at,
                "\" width=\"16\" style=\"",
                style,
                "\"/>",
            ];
            push(&mut self.xml, &parts);
        }
        push(&mut self.xml, &["</cols><sheetData><row r=\"1\">"]);
        for (column, letter) in self.columns.iter().zip(&self.letters) {
            push_cell((letter, "1"), column.name().as_bytes(), &mut self.xml);
        }
        push(&mut self.xml, &["</row>"]);
        (self.rows, self.len) = (1, self.xml.len() as u64);
    }

    fn end_sheet(&mut self, out: &mut Vec<u8>) {
        push(&mut self.xml, &["</sheetData></worksheet>"]);
        self.pack(out);
        self.zip.end(out);
    }

    fn pack(&mut self, out: &mut Vec<u8>) {
        self.zip.write(&self.xml, out);
        self.xml.clear();
    }
}

impl CellForm for Workbook {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.begin_sheet(out);
    }

    fn row(&mut self, cells: &[&[u8]], out: &mut Vec<u8>) {
        if self.rows >= ROWS || self.len >= SHEET_MAX {
            self.end_sheet(out);
            self.begin_sheet(out);
        }
        self.rows += 1;
        let row = self.rows.to_string();
        let xml = &mut self.xml;
        let before = xml.len();
        push(xml, &["<row r=\"", &row, "\">"]);
        let columns = self.columns.iter().zip(&self.letters);
        for (cell, (column, letter)) in cells.iter().zip(columns) {
            match number(cell).filter(|_| column.is_number()) {
                _ if cell.is_empty() => {}
                Some(number) => {
                    let number = number.to_string();
                    push(
                        xml,
                        &["<c r=\"", letter, &row, "\"><v>", &number, "</v></c>"],
                    );
                }
                None => {
                    self.has_long_cell |= push_cell((letter, &row), cell, xml);
                }
            }
        }
        push(xml, &["</row>"]);
        self.len += (self.xml.len() - before) as u64;
        if self.xml.len() >= PIECE {
            self.pack(out);
        }
    }

    /// Fails for a cell or a file that is longer than a workbook may have.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.end_sheet(out);
        let sheets = |of_sheet: &dyn Fn(String) -> String| -> String {
            (1..=self.sheets)
                .map(|number| of_sheet(number.to_string()))
                .collect()
        };
        let types = sheets(&|n| {
            format!(
                "<Override PartName=\"/xl/worksheets/sheet{n}.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
            )
        });
        let listed =
            sheets(&|n| format!("<sheet name=\"rows{n}\" sheetId=\"{n}\" r:id=\"s{n}\"/>"));
        let linked = sheets(&|n| {
            format!(
                "<Relationship Id=\"s{n}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>"
            )
        });
        let parts = [
            (
                "xl/workbook.xml",
                format!(
                    "{XML}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{listed}</sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                format!(
                    "{XML}<Relationships xmlns=\"{RELATIONS}\">{linked}\
                 <Relationship Id=\"styles\" Type=\"{OFFICE}/styles\" Target=\"styles.xml\"/></Relationships>"
                ),
            ),
            (
                "xl/styles.xml",
                format!("{XML}{}", STYLES.replace("MAIN", MAIN)),
            ),
            (
                "_rels/.rels",
                format!(
                    "{XML}<Relationships xmlns=\"{RELATIONS}\"><Relationship Id=\"book\" \
                 Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
                ),
            ),
            (
                "[Content_Types].xml",
                format!("{XML}{}", TYPES.replace("SHEETS", &types)),
            ),
        ];
        for (name, content) in parts {
            self.zip.begin(name, out);
            self.zip.write(content.as_bytes(), out);
            self.zip.end(out);
        }
        let is_short = self.zip.finish(out);
        match (self.has_long_cell, is_short) {
            (true, _) => Err(FormError::new(LONG_CELL)),
            (false, false) => Err(FormError::new(LONG_BOOK)),
            (false, true) => Ok(()),
        }
    }
}

/// Style 0 is of numbers, 1 of texts. Readers expect two fills (18.8.21).
const STYLES: &str = "<styleSheet xmlns=\"MAIN\">\
    <fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
    <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
    <fill><patternFill patternType=\"gray125\"/></fill></fills>\
    <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
    <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
    <cellXfs count=\"2\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
    <xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>\
    <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>";
const TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
    <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>\
    SHEETS</Types>";

fn push(xml: &mut Vec<u8>, parts: &[&str]) {
    parts
        .iter()
        .for_each(|part| xml.extend_from_slice(part.as_bytes()));
}

/// Writes a cell of a text. Returns whether it is too long.
fn push_cell((letter, row): (&str, &str), cell: &[u8], xml: &mut Vec<u8>) -> bool {
    push(
        xml,
        &[
            "<c r=\"",
            letter,
            row,
            "\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">",
        ],
    );
    let text = String::from_utf8_lossy(cell);
    let mut len = 0;
    for (at, char) in text.char_indices() {
        len += char.len_utf16();
        match char {
            '&' => push(xml, &["&amp;"]),
            '<' => push(xml, &["&lt;"]),
            '>' => push(xml, &["&gt;"]),
            // XML makes a line feed of it.
            '\r' => push(xml, &["&#13;"]),
            // What XML cannot hold, and what would be read as such (22.4.2.4).
            '\0'..'\t' | '\u{B}'..' ' | '\u{FFFE}' | '\u{FFFF}' => push_code(char, xml),
            '_' if is_code(&text.as_bytes()[at..]) => push_code(char, xml),
            _ => xml.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    push(xml, &["</t></is></c>"]);
    len > CELL_MAX
}

fn push_code(char: char, xml: &mut Vec<u8>) {
    push(xml, &[&format!("_x{:04X}_", u32::from(char))]);
}

/// Whether `text` begins with the code of a character: `_x000A_`.
fn is_code(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', digits @ .., ] if digits.len() > 4
        && digits[..4].iter().all(u8::is_ascii_hexdigit) && digits[4] == b'_')
}

/// Returns the name of a column: `A` to `Z`, `AA` …
fn letters(mut at: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.insert(0, char::from(b'A' + (at % 26) as u8));
        match at / 26 {
            0 => return letters.into_iter().collect(),
            rest => at = rest - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read;

    /// Returns the first sheet of a workbook that a row of these cells is written to.
    fn sheet(cells: &[&str]) -> String {
        let columns = cells.iter().map(|_| SheetColumn::new("a", false));
        let mut workbook = Workbook::new(columns.collect());
        let mut out = Vec::new();
        workbook.begin(&mut out);
        let cells: Vec<&[u8]> = cells.iter().map(|cell| cell.as_bytes()).collect();
        workbook.row(&cells, &mut out);
        workbook.finish(&mut out).unwrap();
        let name = usize::from(u16::from_le_bytes([out[26], out[27]]));
        let mut text = String::new();
        DeflateDecoder::new(&out[30 + name..])
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn columns_have_letters() {
        assert_eq!(
            [0, 25, 26, 701, 702].map(letters),
            ["A", "Z", "AA", "ZZ", "AAA"]
        );
    }

    #[test]
    fn cells_are_texts() {
        for (cell, written) in [
            ("020", "020"),
            ("=1+1", "=1+1"),
            ("a&b<c>", "a&amp;b&lt;c&gt;"),
            ("a\r\nb", "a&#13;\nb"),
            ("\u{1F}", "_x001F_"),
            ("_x001F_", "_x005F_x001F_"),
            ("_x_", "_x_"),
            (" é ", " é "),
        ] {
            let wanted = format!(
                "<c r=\"A2\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{written}</t></is></c></row>"
            );
            let sheet = sheet(&[cell]);
            assert!(sheet.contains(&wanted), "{cell:?}: {sheet}");
        }
    }

    #[test]
    fn more_rows_than_a_sheet_has_are_in_another_one() {
        let mut workbook = Workbook::new(vec![SheetColumn::new("n", true)]);
        let mut out = Vec::new();
        workbook.begin(&mut out);
        workbook.rows = ROWS;
        workbook.row(&[b"1"], &mut out);
        workbook.finish(&mut out).unwrap();
        assert_eq!((workbook.sheets, workbook.rows), (2, 2));
    }
}
