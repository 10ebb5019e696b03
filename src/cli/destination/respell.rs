//! URIs that are printed in another form than they are compared in: defanged (R1), or
//! as the sort keys of web archives.

use clap::ValueEnum;
use urisieve::item::{Context, Finding, IdentifierKind, Spelling};
use urisieve::output::{archive_surt, defang, defang_bare, plain_surt};

/// A form of SURT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Surt {
    Archive,
    Plain,
}

/// Returns the function that writes a form of SURT.
pub(in crate::cli) fn transform(form: Surt) -> fn(&[u8], &mut Vec<u8>) {
    match form {
        Surt::Archive => archive_surt,
        Surt::Plain => plain_surt,
    }
}

/// Appends a text in another spelling.
type Respell = fn(&[u8], &mut Vec<u8>);

fn copy(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
}

/// Whether a finding is reported without a scheme (I12).
pub(in crate::cli) fn is_bare(finding: &Finding) -> bool {
    let kinds = [
        IdentifierKind::Email,
        IdentifierKind::Host,
        IdentifierKind::Ip,
    ];
    let kind = finding.marks.identifier;
    kind.is_some_and(|kind| kinds.contains(&kind))
}

/// Respells URIs; reuses its buffers.
pub(in crate::cli) struct Respelling {
    uri: Respell,
    original: Respell,
    /// For what is reported without a scheme.
    bare: Respell,
    /// The URI, its original, and the spellings of its class.
    buffers: (Vec<u8>, Vec<u8>, Vec<Vec<u8>>),
    /// The target URI of an archive's record.
    target: Vec<u8>,
    /// The alternative spelling of a finding.
    alternative: Vec<u8>,
    /// The URI that a nested one stands inside.
    nested_in: Vec<u8>,
    /// The source of a link.
    source: Vec<u8>,
}

impl Respelling {
    /// Defangs URIs and their originals, as security reports do.
    pub(in crate::cli) fn defanged() -> Respelling {
        Respelling {
            uri: defang,
            original: defang,
            bare: defang_bare,
            buffers: Default::default(),
            target: Vec::new(),
            alternative: Vec::new(),
            nested_in: Vec::new(),
            source: Vec::new(),
        }
    }

    /// Writes the canonical form as a sort key; originals are unchanged.
    pub(in crate::cli) fn surt(form: Surt) -> Respelling {
        Respelling {
            uri: transform(form),
            original: copy,
            bare: copy,
            buffers: Default::default(),
            target: Vec::new(),
            alternative: Vec::new(),
            nested_in: Vec::new(),
            source: Vec::new(),
        }
    }

    pub(in crate::cli) fn finding<'f>(&'f mut self, finding: &Finding<'f>) -> Finding<'f> {
        let (uri, original, _) = &mut self.buffers;
        uri.clear();
        original.clear();
        let [of_uri, of_original] = match is_bare(finding) {
            true => [self.bare; 2],
            false => [self.uri, self.original],
        };
        of_uri(finding.uri, uri);
        of_original(finding.original, original);
        let mut respelled = *finding;
        respelled.uri = uri;
        respelled.original = original;
        respelled.alternative = respell(self.uri, finding.alternative, &mut self.alternative);
        respelled.nested_in = respell(self.uri, finding.nested_in, &mut self.nested_in);
        respelled.context = context(self.original, finding, &mut self.target);
        respelled.source = respell(self.original, finding.source, &mut self.source);
        respelled
    }

    /// Respells a class and its spellings.
    pub(in crate::cli) fn group<'f>(
        &'f mut self,
        class: &Finding<'f>,
        spellings: &[Spelling<'f>],
    ) -> (Finding<'f>, Vec<Spelling<'f>>) {
        let (uri, original, texts) = &mut self.buffers;
        uri.clear();
        original.clear();
        let [of_uri, of_original] = match is_bare(class) {
            true => [self.bare; 2],
            false => [self.uri, self.original],
        };
        of_uri(class.uri, uri);
        of_original(class.original, original);
        texts.clear();
        texts.extend(spellings.iter().map(|spelling| {
            let mut text = Vec::new();
            of_original(spelling.text, &mut text);
            text
        }));
        let mut respelled = *class;
        respelled.uri = uri;
        respelled.original = original;
        respelled.alternative = respell(self.uri, class.alternative, &mut self.alternative);
        respelled.nested_in = respell(self.uri, class.nested_in, &mut self.nested_in);
        respelled.context = context(self.original, class, &mut self.target);
        respelled.source = respell(self.original, class.source, &mut self.source);
        let mut spellings = spellings.to_vec();
        for (spelling, text) in spellings.iter_mut().zip(texts) {
            spelling.text = text;
        }
        (respelled, spellings)
    }
}

/// Respells a text that a finding may have.
fn respell<'f>(respell: Respell, text: Option<&[u8]>, out: &'f mut Vec<u8>) -> Option<&'f [u8]> {
    out.clear();
    respell(text?, out);
    Some(out)
}

/// Returns the context of a finding, with the target URI respelled like an original.
fn context<'f>(respell: Respell, finding: &Finding<'f>, target: &'f mut Vec<u8>) -> Context<'f> {
    target.clear();
    let mut context = finding.context;
    if let Some(warc) = &mut context.warc {
        respell(warc.target_uri, target);
        warc.target_uri = target;
    }
    context
}
