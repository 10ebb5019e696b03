//! The formats of catalogues: their names, and by which media types the engine knows
//! them.

use crate::item::Part;

/// A format of catalogue records.
///
/// ```
/// use urisieve::decode::CatalogueFormat;
/// assert_eq!(CatalogueFormat::named("marc"), Some(CatalogueFormat::Marc));
/// assert_eq!(CatalogueFormat::Mrk.name(), "mrk");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CatalogueFormat {
    /// ISO 2709: MARC 21 and UNIMARC.
    #[default]
    Marc,
    /// MARCXML, in any wrapper.
    MarcXml,
    /// The text format of MARCBreaker and MarcEdit.
    Mrk,
    /// PICA+: plain, normalized, binary and import.
    Pica,
    /// PICA+ as picaXML or ppxml.
    PicaXml,
    /// MODS.
    Mods,
    /// Dublin Core in XML.
    DublinCore,
    /// A table: comma, semicolon, tab or `|` between cells.
    Csv,
    /// A table with tabs.
    Tsv,
    /// JSON Lines: an object a line.
    JsonLines,
}

impl CatalogueFormat {
    /// The formats that an input is recognised by: all but tables.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogueFormat::ALL.len(), 7);
    /// ```
    pub const ALL: [CatalogueFormat; 7] = [
        CatalogueFormat::Marc,
        CatalogueFormat::MarcXml,
        CatalogueFormat::Mrk,
        CatalogueFormat::Pica,
        CatalogueFormat::PicaXml,
        CatalogueFormat::Mods,
        CatalogueFormat::DublinCore,
    ];

    /// The formats of tables.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// assert!(CatalogueFormat::TABLES.iter().all(|format| format.is_table()));
    /// ```
    pub const TABLES: [CatalogueFormat; 3] = [
        CatalogueFormat::Csv,
        CatalogueFormat::Tsv,
        CatalogueFormat::JsonLines,
    ];

    /// Whether its records are the rows of a table.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// assert!(CatalogueFormat::Tsv.is_table() && !CatalogueFormat::Marc.is_table());
    /// ```
    pub const fn is_table(self) -> bool {
        matches!(
            self,
            CatalogueFormat::Csv | CatalogueFormat::Tsv | CatalogueFormat::JsonLines
        )
    }

    /// Returns the format with this name.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// assert_eq!(CatalogueFormat::named("pica"), Some(CatalogueFormat::Pica));
    /// assert_eq!(CatalogueFormat::named("csv"), None);
    /// ```
    pub fn named(name: &str) -> Option<CatalogueFormat> {
        let mut all = CatalogueFormat::ALL.into_iter();
        all.find(|format| format.name() == name)
    }

    /// Its name.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogueFormat::DublinCore.name(), "dc");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            CatalogueFormat::Marc => "marc",
            CatalogueFormat::MarcXml => "marcxml",
            CatalogueFormat::Mrk => "mrk",
            CatalogueFormat::Pica => "pica",
            CatalogueFormat::PicaXml => "picaxml",
            CatalogueFormat::Mods => "mods",
            CatalogueFormat::DublinCore => "dc",
            CatalogueFormat::Csv => "csv",
            CatalogueFormat::Tsv => "tsv",
            CatalogueFormat::JsonLines => "jsonl",
        }
    }

    /// What it is called in reports.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogueFormat::Marc.title(), "ISO 2709");
    /// ```
    pub const fn title(self) -> &'static str {
        match self {
            CatalogueFormat::Marc => "ISO 2709",
            CatalogueFormat::MarcXml => "MARCXML",
            CatalogueFormat::Mrk => "MARCBreaker text",
            CatalogueFormat::Pica => "PICA+",
            CatalogueFormat::PicaXml => "PICA+ in XML",
            CatalogueFormat::Mods => "MODS",
            CatalogueFormat::DublinCore => "Dublin Core",
            CatalogueFormat::Csv => "CSV",
            CatalogueFormat::Tsv => "TSV",
            CatalogueFormat::JsonLines => "JSON Lines",
        }
    }

    /// Returns the format with this media type.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// let format = CatalogueFormat::of_media_type(b"application/marc; x=y");
    /// assert_eq!(format, Some(CatalogueFormat::Marc));
    /// ```
    pub fn of_media_type(media_type: &[u8]) -> Option<CatalogueFormat> {
        let essence = Part::essence(media_type);
        let mut all = CatalogueFormat::ALL.into_iter();
        all.find(|format| essence.eq_ignore_ascii_case(format.media_type().as_bytes()))
    }

    /// What it is.
    ///
    /// ```
    /// assert!(urisieve::decode::CatalogueFormat::Mods.meaning().contains("MODS"));
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            CatalogueFormat::Marc => {
                "ISO 2709: MARC 21 (MARC-8, UTF-8) and UNIMARC (ISO 5426, UTF-8), by the first leader"
            }
            CatalogueFormat::MarcXml => "MARCXML, also in OAI-PMH and SRU, by its first elements",
            CatalogueFormat::Mrk => "MARCBreaker and MarcEdit text, by its first line",
            CatalogueFormat::Pica => {
                "PICA+ plain, normalized, binary and import, by its first field"
            }
            CatalogueFormat::PicaXml => "PICA+ as picaXML and ppxml, by its first elements",
            CatalogueFormat::Mods => "MODS, by its namespace",
            CatalogueFormat::DublinCore => "Dublin Core in XML, by its namespace",
            CatalogueFormat::Csv => "a table with comma, semicolon, tab or | between its cells",
            CatalogueFormat::Tsv => "a table with tabs between its cells",
            CatalogueFormat::JsonLines => "an object of JSON a line",
        }
    }

    /// The media type by which a body is read in this format. Only some are registered.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// assert_eq!(CatalogueFormat::Marc.media_type(), "application/marc");
    /// ```
    pub const fn media_type(self) -> &'static str {
        match self {
            CatalogueFormat::Marc => "application/marc",
            CatalogueFormat::MarcXml => "application/marcxml+xml",
            CatalogueFormat::Mrk => "text/x-mrk",
            CatalogueFormat::Pica => "application/x-pica",
            CatalogueFormat::PicaXml => "application/x-pica+xml",
            CatalogueFormat::Mods => "application/mods+xml",
            CatalogueFormat::DublinCore => "application/x-dublin-core+xml",
            CatalogueFormat::Csv => "text/csv",
            CatalogueFormat::Tsv => "text/tab-separated-values",
            CatalogueFormat::JsonLines => "application/jsonl",
        }
    }

    /// Whether its records lie in XML.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// assert!(CatalogueFormat::Mods.is_xml() && !CatalogueFormat::Mrk.is_xml());
    /// ```
    pub const fn is_xml(self) -> bool {
        matches!(
            self,
            CatalogueFormat::MarcXml
                | CatalogueFormat::PicaXml
                | CatalogueFormat::Mods
                | CatalogueFormat::DublinCore
        )
    }
}
