//! The command `formats`: what the program reads, writes and reports, printed from the
//! tables that it uses. One entry a line: `KIND<TAB>NAME<TAB>DESCRIPTION`.

use std::io::{self, Write};
use urisieve::canonicalize::gateway::Gateways;
use urisieve::canonicalize::{Level, TRACKING_PARAMS, namespace, well_known_secrets};
use urisieve::catalog::check::CHECKS;
use urisieve::catalog::{GroupReason, ROW_COLUMNS};
use urisieve::decode::{DEFAULT_FIELDS, DefaultField, FORMATS, InputFormat};
use urisieve::item::{IdentifierKind, Problem};
use urisieve::output::{FIELDS, LINK_FIELDS, OUTPUT_FORMATS, OutputFormat, Parquet, push_schema};
use urisieve::syntax::scheme;
use urisieve::syntax::urn;
use urisieve::{ARCHIVES, Compression, INDICATOR_FORMS, LogFormat};

/// The flags of `formats`.
#[derive(Debug, clap::Args)]
pub(super) struct Formats {
    /// Print the JSON Schema of the records that --json prints
    #[arg(long)]
    pub schema: bool,
}

/// Text with counts, which flags choose.
const COUNT: (&str, &str) = (
    "count",
    "COUNT<TAB>URI (-c), with <TAB>COUNT<TAB>SPELLING lines (--groups); COUNT<TAB>PART (--by)",
);

/// Prints the tables.
///
/// Returns an error when standard output cannot be written.
pub(super) fn print(args: &Formats) -> io::Result<()> {
    let mut out = Vec::new();
    if args.schema {
        push_schema(&mut out);
        return io::stdout().write_all(&out);
    }
    let gateways = Gateways::names();
    let mut rows: Vec<(&str, &str, String)> = Vec::new();
    let input = |name, what: &str| ("input", name, what.to_owned());
    let text = InputFormat::text();
    rows.push(input(text.name, text.meaning));
    let utf16 = "UTF-16 text, by its byte-order mark or its NULs (--utf16: all text)";
    rows.push(input("utf16", utf16));
    rows.extend(Compression::ALL.iter().map(|compression| {
        let what = "decompressed, by the first bytes, up to eight times (--no-decompress)";
        input(compression.name(), what)
    }));
    rows.extend(
        ARCHIVES
            .iter()
            .map(|archive| input(archive.name, archive.meaning)),
    );
    let formats = FORMATS.iter().filter(|format| !format.is_text());
    rows.extend(formats.map(|format| match format.is_searched() {
        true => input(format.name, format.meaning),
        false => input(format.name, &format!("with catalog, {}", format.meaning)),
    }));
    let outputs = OUTPUT_FORMATS.iter().chain([OutputFormat::XLSX]);
    let outputs = outputs.flat_map(|format| {
        let counts = (format == OutputFormat::TEXT).then_some(COUNT);
        std::iter::once((format.name, format.meaning)).chain(counts)
    });
    rows.extend(outputs.map(|(name, what)| ("output", name, what.to_owned())));
    rows.extend(
        Level::ALL
            .iter()
            .map(|level| ("level", level.name(), level.meaning().to_owned())),
    );
    rows.extend(
        FIELDS
            .iter()
            .map(|field| ("key", field.name, field.meaning.to_owned())),
    );
    rows.extend(
        LINK_FIELDS
            .iter()
            .map(|field| ("link", field.name, field.meaning.to_owned())),
    );
    rows.extend(
        ROW_COLUMNS
            .iter()
            .map(|column| ("row", column.name, column.meaning.to_owned())),
    );
    rows.extend(
        GroupReason::ALL
            .iter()
            .map(|reason| ("group", reason.code(), reason.words().to_owned())),
    );
    rows.extend(DEFAULT_FIELDS.iter().map(|row| {
        let DefaultField {
            rules, tags, codes, ..
        } = row;
        let what = format!("{tags} ${codes}: {}", row.role.name());
        ("field", rules.name(), what)
    }));
    rows.extend(Parquet::columns().map(|(name, what)| ("column", name, what.to_owned())));
    rows.extend(
        Problem::ALL
            .iter()
            .map(|p| ("problem", p.code(), p.meaning().to_owned())),
    );
    rows.extend(CHECKS.iter().map(|row| {
        let fix = if row.may_fix { ", fixable" } else { "" };
        let what = format!("{}: {}{fix}", row.severity.name(), row.words);
        ("check", row.code, what)
    }));
    rows.extend(
        IdentifierKind::ALL
            .iter()
            .map(|kind| ("bare", kind.name(), kind.meaning().to_owned())),
    );
    rows.extend(INDICATOR_FORMS.iter().map(|(form, what)| {
        let what = format!("with --match: {what}");
        ("indicator", *form, what)
    }));
    rows.extend(LogFormat::shapes().map(|(name, what)| ("log", name, what)));
    rows.extend(LogFormat::parts().map(|(name, fields)| ("log-part", name, fields.join(" "))));
    rows.extend(well_known_secrets().map(|(name, what)| {
        let what = format!("with --redact=@secrets: {what}");
        ("secret", name, what)
    }));
    rows.extend(TRACKING_PARAMS.iter().map(|&name| {
        let what = "left out with --drop-param @tracking".to_owned();
        ("tracking", name, what)
    }));
    rows.extend(gateways.iter().map(|name| {
        let what = "replaced by their target with --unwrap-gateways".to_owned();
        ("gateway", &name[..], what)
    }));
    rows.extend(
        scheme::all()
            .iter()
            .map(|row| ("scheme", row.name, about(row))),
    );
    rows.extend(urn::namespaces().map(|(nid, reference)| {
        let rule = namespace::rule(nid.as_bytes()).map(|rule| rule.summary());
        let parts = [reference, rule.unwrap_or_default()];
        let known: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        ("namespace", nid, known.join("; "))
    }));
    for (kind, name, what) in rows {
        writeln!(out, "{kind}\t{name}\t{what}")?;
    }
    io::stdout().write_all(&out)
}

fn about(row: &scheme::Scheme) -> String {
    let mut what = row.status.name().to_owned();
    if row.default_port != 0 {
        what += &format!(", port {}", row.default_port);
    }
    if row.needs_host {
        what += ", needs a host";
    }
    what
}
