//! Rows of a table and the values that they are for.

use super::*;
use crate::catalog::FieldChoice;
use crate::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep, TableColumn};

const RECORD: &str = "=001  x\n=856  40$uhttp://a.example/.$zsee http://n.example/, http://m.example/\n\
    =856  40$ua.example/b$ua.example/b$uC\n=020  \\\\$a978\u{200E}3 (pbk.)\n=100  1\\$aA$0(DE-588)1.\n";

fn record() -> CatalogRecord {
    let mut record = CatalogRecord::default();
    let step = CatalogReader::new(CatalogFormat::Mrk).read(RECORD.as_bytes(), true, &mut record);
    assert_eq!(step, RecordStep::Record(RECORD.len()));
    record
}

/// Returns the rows of a table.
fn table(format: CatalogFormat, text: &str) -> Result<EditedTable, String> {
    let reader = CatalogReader::new(format);
    let mut reader = reader.with_id_column(TableColumn::Name("suggestion".to_owned()));
    let (mut record, mut rest) = (CatalogRecord::default(), text.as_bytes());
    let mut table = EditedTable::default();
    loop {
        let len = match reader.read(rest, true, &mut record) {
            RecordStep::Record(len) => {
                table.push(EditedRow::of(&record)?);
                len
            }
            RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => len,
            RecordStep::Hungry => break,
        };
        rest = &rest[len..];
    }
    table.settle();
    Ok(table)
}

/// Fixes the record by rows of a table, and returns the result and the refusals.
fn fixed(rules: &FixRules) -> (String, Vec<String>) {
    let (mut out, mut values) = (Vec::new(), Vec::new());
    let record = record();
    let mut fixer = RecordFixer::default();
    let changed = fixer.fix(
        rules,
        b"a.mrk",
        (&record, RECORD.as_bytes()),
        &mut out,
        &mut values,
    );
    assert_eq!(changed, out != RECORD.as_bytes());
    let refused = values.into_iter().map(|value| value.refused);
    let out = String::from_utf8(out).unwrap();
    (out, refused.filter(|refused| !refused.is_empty()).collect())
}

const HEADER: &str = "suggestion,file,record_no,tag,subfield,occurrence,original\r\n";

fn edited(rows: &str) -> (String, Vec<String>) {
    let text = format!("\u{FEFF}{HEADER}{}", rows.replace('\n', "\r\n"));
    fixed(&FixRules::Table(table(CatalogFormat::Csv, &text).unwrap()))
}

#[test]
fn rows_change_the_values_that_they_name() {
    let (out, refused) = edited(
        "http://x.example/,a.mrk,1,856,u,1,http://a.example/.\n,a.mrk,1,856,u,2,C\nC,a.mrk,1,856,u,2,C\n",
    );
    // Two rows for C: neither is applied, even if one does not change it.
    assert_eq!(refused, Vec::<String>::new());
    assert_eq!(
        out,
        RECORD.replace("http://a.example/.", "http://x.example/")
    );
    let (out, refused) = edited("y,a.mrk,1,856,u,2,C\nz,a.mrk,1,856,u,2,C\n");
    assert_eq!(
        refused,
        [
            "row 2: another row is for this value",
            "row 3: another row is for this value"
        ]
    );
    assert_eq!(out, RECORD);
}

#[test]
fn equal_values_are_in_the_order_of_the_rows() {
    let (out, refused) = edited(",a.mrk,1,856,u,2,a.example/b\nb,a.mrk,1,856,u,2,a.example/b\n");
    assert!(refused.is_empty());
    assert_eq!(out, RECORD.replace("$ua.example/b$uC", "$ub$uC"));
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    for (row, difference) in [
        (
            "b,a.mrk,1,856,u,1,http://a.example/",
            "856 #1 $u is \"http://a.example/.\", which differs from character 18 on",
        ),
        (
            "b,a.mrk,1,856,u,2,http://a.example/.",
            "856 #2 $u is \"a.example/b\", which differs from character 1 on",
        ),
        (
            "b,a.mrk,1,856,x,1,http://a.example/.",
            "it has no 856 #1 $x, but 2 of 856",
        ),
        (
            "b,a.mrk,1,857,u,1,http://a.example/.",
            "it has no field 857",
        ),
    ] {
        let (out, refused) = edited(&format!("{row}\n"));
        let said = format!("row 2: the original is not what the record has: {difference}");
        assert_eq!(refused, [said], "{row}");
        assert_eq!(out, RECORD);
    }
    // Rows of other files and records.
    assert_eq!(
        edited("b,b.mrk,1,856,u,1,http://a.example/.\n"),
        (RECORD.to_owned(), Vec::new())
    );
    assert_eq!(
        edited("b,a.mrk,2,856,u,1,http://a.example/.\n"),
        (RECORD.to_owned(), Vec::new())
    );
}

#[test]
fn addresses_in_notes_change_within_them() {
    let (out, refused) = edited(
        "http://n2.example/,a.mrk,1,856,z,1,http://n.example/\nhttp://m2.example/,a.mrk,1,856,z,1,http://m.example/\n",
    );
    assert!(refused.is_empty(), "{refused:?}");
    assert_eq!(
        out,
        RECORD.replace(
            "see http://n.example/, http://m.example/",
            "see http://n2.example/, http://m2.example/"
        )
    );
}

#[test]
fn spreadsheets_guard_cells() {
    let header = HEADER.trim().replace(',', ";");
    let text = format!(
        "{header}\nb;other.mrk;1;100;a;1;A\n'@y;a.mrk;1;100;a;1;'A\n'@y;a.mrk;1;100;a;1;A\n"
    );
    let rules = FixRules::Table(table(CatalogFormat::Csv, &text).unwrap());
    let (out, refused) = fixed(&rules);
    // A quote before a letter is not a guard.
    let said = "row 3: the original is not what the record has: 100 #1 $a is \"A\", \
                which differs from character 1 on";
    assert_eq!(refused, [said]);
    assert_eq!(out, RECORD.replace("$aA$0", "$a@y$0"));
    let FixRules::Table(table) = &rules else {
        unreachable!("it is a table")
    };
    let file = table.file(b"other.mrk").unwrap();
    let (other, _) = table.rows(file, 1);
    let unused: Vec<_> = table.unused(|place| place != other, |_| false).collect();
    assert_eq!((unused.len(), unused[0].1), (1, "no input has this name"));
}

#[test]
fn tables_with_tabs_escape_backslashes() {
    let record = br"=856  40$uhttp:\a\example/$uhttp:\\b/";
    let mut read = CatalogRecord::default();
    CatalogReader::new(CatalogFormat::Mrk).read(record, true, &mut read);
    for original in [r"http:\a\example/", r"http:\\a\\example/"] {
        let header = HEADER.trim().replace(',', "\t");
        let text = format!("{header}\nx\ta.mrk\t1\t856\tu\t1\t{original}\n");
        let rules = FixRules::Table(table(CatalogFormat::Tsv, &text).unwrap());
        let (mut out, mut values) = (Vec::new(), Vec::new());
        RecordFixer::default().fix(&rules, b"a.mrk", (&read, record), &mut out, &mut values);
        assert_eq!(out, br"=856  40$ux$uhttp:\\b/", "{original} {values:?}");
    }
}

#[test]
fn tables_need_their_columns() {
    let error = table(
        CatalogFormat::Csv,
        "suggestion,file,record_no,tag,subfield,original\na,b,1,856,u,c\n",
    );
    assert_eq!(
        error.unwrap_err(),
        "row 2: the column occurrence is missing"
    );
    let error = table(CatalogFormat::Csv, &format!("{HEADER}a,b,x,856,u,1,c\n"));
    assert_eq!(error.unwrap_err(), "row 2: record_no is not a number: x");
    let error = table(CatalogFormat::JsonLines, "{\"suggestion\":\"a\"}\n");
    assert_eq!(error.unwrap_err(), "row 1: the column file is missing");
}

#[test]
fn repairs_are_made_by_their_codes_alone() {
    let repaired = |fields: &str, codes: &str| {
        let choice = FieldChoice::parse(fields).unwrap();
        fixed(&FixRules::Repairs(
            choice,
            RepairCodes::parse(codes).unwrap(),
        ))
    };
    let replaced = |from: &str, to: &str| (RECORD.replace(from, to), Vec::<String>::new());
    assert_eq!(
        repaired("", "trailing-punct"),
        replaced("example/.", "example/")
    );
    assert_eq!(
        repaired("", "missing-scheme"),
        replaced("$ua.ex", "$uhttp://a.ex")
    );
    assert_eq!(repaired("", "control-char"), replaced("\u{200E}", ""));
    assert_eq!(
        repaired("020", "trailing-punct"),
        (RECORD.to_owned(), Vec::new())
    );
}
