//! The formats of records. Their names and descriptions are in the register of formats.

/// A format of catalogue records.
///
/// ```
/// use urisieve::decode::CatalogFormat;
/// use urisieve::decode::InputFormat;
/// let format = InputFormat::named("marc").unwrap();
/// assert_eq!(format.records, Some(CatalogFormat::Marc));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CatalogFormat {
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

impl CatalogFormat {
    /// Whether the records of the format are rows of a table.
    ///
    /// ```
    /// use urisieve::decode::CatalogFormat;
    /// assert!(CatalogFormat::Tsv.is_table() && !CatalogFormat::Marc.is_table());
    /// ```
    pub const fn is_table(self) -> bool {
        matches!(
            self,
            CatalogFormat::Csv | CatalogFormat::Tsv | CatalogFormat::JsonLines
        )
    }

    /// Whether the records of the format are in XML.
    ///
    /// ```
    /// use urisieve::decode::CatalogFormat;
    /// assert!(CatalogFormat::Mods.is_xml() && !CatalogFormat::Mrk.is_xml());
    /// ```
    pub const fn is_xml(self) -> bool {
        matches!(
            self,
            CatalogFormat::MarcXml
                | CatalogFormat::PicaXml
                | CatalogFormat::Mods
                | CatalogFormat::DublinCore
        )
    }
}
