//! Tables of Parquet as inputs (C10): every codec, nested columns, NULL, the choice of a column.

use crate::program::run;
use parquet::basic::Type as Physical;
use parquet::basic::{BrotliLevel, Compression, ConvertedType, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A column of values with their levels of definition and repetition.
enum Column<'c> {
    Strings(&'c [&'c str], &'c [i16], &'c [i16]),
    Numbers(&'c [i64]),
}

/// Writes a table of one group of rows.
fn write(path: &Path, schema: &str, codec: Compression, columns: &[Column]) {
    let schema = parse_message_type(schema).unwrap();
    write_as(path, schema, codec, columns);
}

fn write_as(path: &Path, schema: Type, codec: Compression, columns: &[Column]) {
    let schema = Arc::new(schema);
    let properties = WriterProperties::builder().set_compression(codec).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in columns {
        let mut next = group.next_column().unwrap().unwrap();
        let levels = |levels: &'_ [i16]| (!levels.is_empty()).then(|| levels.to_vec());
        match column {
            Column::Strings(values, definitions, repetitions) => {
                let values: Vec<ByteArray> = values.iter().map(|text| (*text).into()).collect();
                let (definitions, repetitions) = (levels(definitions), levels(repetitions));
                next.typed::<ByteArrayType>()
                    .write_batch(&values, definitions.as_deref(), repetitions.as_deref())
                    .unwrap();
            }
            Column::Numbers(values) => {
                next.typed::<Int64Type>()
                    .write_batch(values, None, None)
                    .unwrap();
            }
        }
        next.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

const SCHEMA: &str = "message m {
    required int64 id;
    optional binary note (UTF8);
    optional binary link (UTF8);
    optional group tags (LIST) { repeated group list { optional binary element (UTF8); } }
}";

/// Writes a table of three rows: the second has no link, the first has two tags.
fn table(root: &TempDir, name: &str, codec: Compression) -> PathBuf {
    let path = root.path().join(name);
    let columns = [
        Column::Numbers(&[1, 2, 3]),
        Column::Strings(
            &["see http://n.example/1.", "a \"quoted\" note", "x,y"],
            &[1, 1, 1],
            &[],
        ),
        Column::Strings(
            &["HTTP://A.example/f.", "http://a.example/f."],
            &[1, 0, 1],
            &[],
        ),
        Column::Strings(
            &["http://t.example/1", "http://t.example/2"],
            &[3, 3, 1, 0],
            &[0, 1, 0, 0],
        ),
    ];
    write(&path, SCHEMA, codec, &columns);
    path
}

fn codecs() -> [Compression; 6] {
    [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::BROTLI(BrotliLevel::default()),
    ]
}

#[test]
fn searches_read_all_columns_of_strings() {
    let root = tempfile::tempdir().unwrap();
    for codec in codecs() {
        let path = table(&root, "t.parquet", codec);
        let path = path.to_str().unwrap();
        let ran = run(&["--all", "-f", "csv", path], b"");
        assert_eq!((ran.code, &*ran.err), (0, ""), "{codec:?}");
        let mut lines = ran
            .out
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
        let (uri, row, field) = (at("uri"), at("row"), at("field"));
        let cells: Vec<[&str; 3]> = lines
            .map(|line| [line[uri], line[row], line[field]])
            .collect();
        let wanted = [
            ["http://n.example/1", "2", "note"],
            ["http://a.example/f.", "2", "link"],
            ["http://t.example/1", "2", "tags"],
            ["http://t.example/2", "2", "tags"],
            ["http://a.example/f.", "4", "link"],
        ];
        assert_eq!(cells, wanted, "{codec:?}");
        let ran = run(&["--field", "link", path], b"");
        assert_eq!((ran.code, &*ran.out), (0, "http://a.example/f.\n"));
        let ran = run(&["--field", "none", path], b"");
        assert_eq!((ran.code, &*ran.out), (2, ""));
        assert!(
            ran.err.contains("\"note\", \"link\", \"tags\""),
            "{}",
            ran.err
        );
    }
    let folder = root.path().to_str().unwrap();
    assert_eq!(
        run(&["--field", "link", folder], b"").out,
        "http://a.example/f.\n"
    );
}

/// What is not searched is not read: it may even be damaged, and it moves no offset.
#[test]
fn columns_that_are_not_chosen_are_not_read() {
    let root = tempfile::tempdir().unwrap();
    let path = table(&root, "t.parquet", Compression::UNCOMPRESSED);
    let name = path.to_str().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let note = b"see http://n.example/1.";
    let at = bytes.windows(note.len()).position(|part| part == note);
    // The length of the first value.
    bytes[at.unwrap() - 1] = 0x7F;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(run(&["--all", name], b"").code, 2);
    let ran = run(&["--all", "-b", "--field", "link", name], b"");
    let csv = "\"link\"\r\n\"HTTP://A.example/f.\"\r\n\"\"\r\n\"http://a.example/f.\"\r\n";
    let offsets = ["HTTP:", "http:"].map(|scheme| csv.find(scheme).unwrap());
    let lines = offsets.map(|at| format!("{at}:http://a.example/f.\n"));
    assert_eq!((ran.code, ran.out), (0, lines.concat()), "{}", ran.err);
    let both = run(&["--all", "--field", "link", "--field", "tags", name], b"");
    let found =
        "http://a.example/f.\nhttp://t.example/1\nhttp://t.example/2\nhttp://a.example/f.\n";
    assert_eq!((both.code, &*both.out), (0, found), "{}", both.err);
    // Numbers count all columns.
    assert_eq!(run(&["--csv-column", "2", name], b"").code, 2);
}

/// A table of Parquet has names, whatever they are, and cells that no flag for CSV divides.
#[test]
fn any_name_is_that_of_a_column() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("n.parquet");
    let name = path.to_str().unwrap();
    let names = ["http://schema.example/url", " page ", "page"];
    let fields = names.map(|name| {
        let column = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
        let column = column.with_converted_type(ConvertedType::UTF8);
        Arc::new(column.build().unwrap())
    });
    let schema = Type::group_type_builder("m").with_fields(fields.to_vec());
    let cells = [
        "http://a.example/",
        "http://b.example/",
        "http://c.example/",
    ];
    let column = |cell| Column::Strings(std::slice::from_ref(cell), &[1], &[]);
    let columns: Vec<Column> = cells.iter().map(column).collect();
    write_as(
        &path,
        schema.build().unwrap(),
        Compression::SNAPPY,
        &columns,
    );
    let found = |args: &[&str]| {
        let ran = run(&[args, &[name]].concat(), b"");
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    // The name is a URI itself.
    let of_uri = "http://schema.example/url\nhttp://a.example/\n";
    assert_eq!(found(&["--field", names[0]]), of_uri);
    // Blanks around names do not count, so these are two columns of one name.
    let pages = "http://b.example/\nhttp://c.example/\n";
    assert_eq!(found(&["--field", "page"]), pages);
    let tab = ["--csv-delimiter", "tab", "--field", "page"];
    assert_eq!(found(&tab), pages);
}

#[test]
fn lists_are_one_column() {
    let root = tempfile::tempdir().unwrap();
    for codec in codecs() {
        let path = table(&root, "t.pq", codec);
        let path = path.to_str().unwrap();
        let ran = run(&["dedup", "--csv-column", "link", path], b"");
        assert_eq!(
            (ran.code, &*ran.out),
            (0, "HTTP://A.example/f.\n\n"),
            "{codec:?}"
        );
        let ran = run(&["normalize", "--csv-column", "link", path], b"");
        assert_eq!(ran.out, "http://a.example/f.\n\nhttp://a.example/f.\n");
        let ran = run(&["normalize", "--csv-column", "tags", path], b"");
        assert_eq!(ran.out, "http://t.example/1\nhttp://t.example/2\n\n\n");
        // There is no column url, and more than one of strings.
        for command in ["dedup", "normalize"] {
            let ran = run(&[command, path], b"");
            assert_eq!((ran.code, &*ran.out), (2, ""));
            assert!(
                ran.err.contains("\"note\", \"link\", \"tags\""),
                "{}",
                ran.err
            );
            let ran = run(&[command, "--csv-column", "id", path], b"");
            assert_eq!((ran.code, &*ran.out), (2, ""));
        }
        let ran = run(
            &["dedup", "--csv-column", "link", "--against", path, "-"],
            b"link\nhttp://A.example/f.\nhttp://b.example/\n",
        );
        assert_eq!(
            (ran.code, &*ran.out),
            (0, "link\nhttp://b.example/\n"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_column_is_chosen() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("c.parquet");
    let name = path.to_str().unwrap();
    let both = [
        Column::Strings(&["http://u.example/"], &[], &[]),
        Column::Strings(&["http://l.example/"], &[], &[]),
    ];
    let number = |column| [Column::Numbers(&[7]), column];
    let of = |name: &str| format!("required binary {name} (UTF8);");
    for (first, second, wanted) in [
        ("other", "url", "http://l.example/\n"),
        ("uri", "other", "http://u.example/\n"),
        ("uri", "url", "http://l.example/\n"),
    ] {
        let schema = format!("message m {{ {} {} }}", of(first), of(second));
        write(&path, &schema, Compression::SNAPPY, &both);
        assert_eq!(run(&["dedup", name], b"").out, wanted);
        assert_eq!(
            run(&["--against", name], b"http://z.example/").out,
            "http://z.example/\n"
        );
    }
    let only = number(Column::Strings(&["http://o.example/"], &[], &[]));
    for kind in ["(UTF8)", ""] {
        let schema = format!("message m {{ required int64 id; required binary page {kind}; }}");
        write(&path, &schema, Compression::SNAPPY, &only);
        assert_eq!(run(&["dedup", name], b"").out, "http://o.example/\n");
        assert_eq!(run(&["--against", name], b"http://o.example/").code, 1);
    }
}

#[test]
fn tables_are_a_format() {
    let root = tempfile::tempdir().unwrap();
    // Neither the name nor a flag states what the first and the last bytes show.
    let path = table(&root, "t.data", Compression::SNAPPY);
    let mut found = Vec::new();
    let sieve = urisieve::Sieve::builder().build();
    sieve
        .for_each_in([&*path], |finding| found.push(finding.context.row))
        .unwrap();
    assert_eq!(found, [2, 2, 2, 2].map(Some));
    let path = path.to_str().unwrap();
    let ran = run(&["-v", "-i", "parquet", "--field", "link", path], b"");
    assert_eq!((ran.code, &*ran.out), (0, "http://a.example/f.\n"));
    assert!(ran.err.contains("read as Parquet"), "{}", ran.err);
    let list = root.path().join("list.csv");
    std::fs::write(&list, "url\nhttp://a.example/\n").unwrap();
    for args in [
        &["-i", "parquet"][..],
        &["-i", "parquet", list.to_str().unwrap()],
    ] {
        let ran = run(args, b"http://a.example/\n");
        assert_eq!((ran.code, &*ran.out), (2, ""));
        assert!(
            ran.err.contains("no file that is a table of Parquet"),
            "{}",
            ran.err
        );
    }
}

/// The rows of a table as text, and its codec.
fn rows_of(path: &Path) -> (Vec<String>, Compression) {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let rows = rows.map(|row| row.unwrap().to_string()).collect();
    let codec = reader.metadata().row_group(0).column(1).compression();
    (rows, codec)
}

#[test]
fn whole_rows_are_copied() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out.parquet");
    let to = out.to_str().unwrap();
    for codec in codecs() {
        let path = table(&root, "t.parquet", codec);
        let path = path.to_str().unwrap();
        let args = ["dedup", "--field", "link", path, "-o", to];
        let ran = run(&args, b"");
        // The row without a link is equal to none, and is named.
        assert_eq!(ran.code, 0, "{codec:?}: {}", ran.err);
        assert!(ran.err.contains("line 2: no URI"), "{}", ran.err);
        let all = rows_of(Path::new(path));
        let copied = rows_of(&out);
        assert_eq!(copied.0, all.0[..2], "{codec:?}");
        assert_eq!(copied.1, all.1);
    }
    // A second table adds its row without a link, and --against leaves out what it has.
    let path = table(&root, "t.parquet", Compression::SNAPPY);
    let other = table(&root, "u.parquet", Compression::GZIP(GzipLevel::default()));
    let (path, other) = (path.to_str().unwrap(), other.to_str().unwrap());
    let ran = run(
        &["dedup", "--field", "link", path, other, "-o", to, "-j2"],
        b"",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let all = rows_of(Path::new(path)).0;
    assert_eq!(
        rows_of(&out).0,
        [0, 1, 1].map(|row: usize| all[row].clone())
    );
    let known = [
        "dedup",
        "--field",
        "link",
        path,
        "--against",
        other,
        "-o",
        to,
    ];
    assert_eq!(run(&known, b"").code, 0);
    assert_eq!(rows_of(&out).0, [&*all[1]]);
    // The table itself may be replaced.
    let same = ["dedup", "--field", "note", path, "-o", path];
    assert_eq!(run(&same, b"").code, 0);
    assert_eq!(rows_of(Path::new(path)).0, all);
}

#[test]
fn rows_are_copied_from_tables_alone() {
    let root = tempfile::tempdir().unwrap();
    let path = table(&root, "t.parquet", Compression::SNAPPY);
    let path = path.to_str().unwrap();
    let put = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let list = put("list.txt");
    std::fs::write(&list, "http://a.example/\n").unwrap();
    let small = put("small.parquet");
    let schema = "message m { required binary link (UTF8); }";
    let link = [Column::Strings(&["http://l.example/"], &[], &[])];
    write(Path::new(&small), schema, Compression::SNAPPY, &link);
    let (to, packed) = (put("out.parquet"), put("out.parquet.gz"));
    for (args, cause) in [
        (
            &["dedup", "--field", "link", path, &list, "-o", &to][..],
            "list.txt: no table",
        ),
        (
            &["dedup", "--field", "link", path, &small, "-o", &to],
            "small.parquet: its columns",
        ),
        (
            &["dedup", "--field", "tags", path, "-o", &to],
            "several values",
        ),
        (
            &["dedup", "--field", "none", path, "-o", &to],
            "\"note\", \"link\", \"tags\"",
        ),
        (
            &["dedup", "--field", "link", path, "-o", &packed],
            "compressed inside",
        ),
        (
            &["dedup", "--field", "link", "--canonical", path, "-o", &to],
            "--canonical",
        ),
        (
            &["dedup", "--field", "link", "--groups", path, "-o", &to],
            "--groups",
        ),
        (
            &["dedup", "--field", "link", "--redact", path, "-o", &to],
            "--redact",
        ),
        (&["dedup", "--field", "link", "-o", &to], "name one"),
        (&["normalize", "--field", "link", path, "-o", &to], "-o"),
    ] {
        let ran = run(args, b"");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}");
        assert!(ran.err.contains(cause), "{args:?}: {}", ran.err);
        assert!(!Path::new(&to).exists(), "{args:?}");
    }
}

/// The pages of a damaged table never become lines.
#[test]
fn damage_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let path = table(&root, "t.parquet", Compression::SNAPPY);
    let whole = std::fs::read(&path).unwrap();
    let name = path.to_str().unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    for args in [
        &["dedup", name][..],
        &["normalize", name],
        &["--against", name],
    ] {
        let ran = run(args, b"");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}");
        assert!(ran.err.contains("Parquet"), "{}", ran.err);
    }
    for at in (4..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xFF;
        std::fs::write(&path, &bytes).unwrap();
        for args in [
            &["dedup", "--csv-column", "link", name][..],
            &["--all", name],
        ] {
            let ran = run(args, b"");
            assert!(
                ran.code <= 2 && !ran.out.contains("PAR1"),
                "{at}: {}",
                ran.err
            );
            assert!(!ran.err.contains("RUST_BACKTRACE"), "{at}: {}", ran.err);
        }
    }
}
