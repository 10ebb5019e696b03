//! URIs that are told otherwise than they are compared: defanged (R1), or in the
//! order that web archives sort by.

use clap::ValueEnum;
use urisieve::item::{Context, Finding, Spelling};
use urisieve::output::{archive_surt, defang, plain_surt};

/// Which sort-friendly form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Surt {
    Archive,
    Plain,
}

/// The function that writes a form of SURT.
pub(super) fn transform(form: Surt) -> fn(&[u8], &mut Vec<u8>) {
    match form {
        Surt::Archive => archive_surt,
        Surt::Plain => plain_surt,
    }
}

/// Tells URIs otherwise; has buffers that it uses again.
pub(super) struct Respelling {
    uri: fn(&[u8], &mut Vec<u8>),
    original: fn(&[u8], &mut Vec<u8>),
    /// The URI, its original, and the spellings of its class.
    buffers: (Vec<u8>, Vec<u8>, Vec<Vec<u8>>),
    /// What the record of an archive is about.
    target: Vec<u8>,
    /// The other spelling of a place.
    alternative: Vec<u8>,
}

impl Respelling {
    /// As security reports write it, the originals too.
    pub(super) fn defanged() -> Respelling {
        Respelling {
            uri: defang,
            original: defang,
            buffers: Default::default(),
            target: Vec::new(),
            alternative: Vec::new(),
        }
    }

    /// The canonical form for sorting; originals stay as they are.
    pub(super) fn surt(form: Surt) -> Respelling {
        Respelling {
            uri: transform(form),
            original: |text, out| out.extend_from_slice(text),
            buffers: Default::default(),
            target: Vec::new(),
            alternative: Vec::new(),
        }
    }

    pub(super) fn finding<'f>(&'f mut self, finding: &Finding<'f>) -> Finding<'f> {
        let (uri, original, _) = &mut self.buffers;
        uri.clear();
        original.clear();
        (self.uri)(finding.uri, uri);
        (self.original)(finding.original, original);
        let mut respelled = *finding;
        respelled.uri = uri;
        respelled.original = original;
        respelled.alternative = alternative(self.uri, finding, &mut self.alternative);
        respelled.context = context(self.original, finding, &mut self.target);
        respelled
    }

    /// A class with its spellings.
    pub(super) fn group<'f>(
        &'f mut self,
        class: &Finding<'f>,
        spellings: &[Spelling<'f>],
    ) -> (Finding<'f>, Vec<Spelling<'f>>) {
        let (uri, original, texts) = &mut self.buffers;
        uri.clear();
        original.clear();
        (self.uri)(class.uri, uri);
        (self.original)(class.original, original);
        texts.clear();
        texts.extend(spellings.iter().map(|spelling| {
            let mut text = Vec::new();
            (self.original)(spelling.text, &mut text);
            text
        }));
        let mut respelled = *class;
        respelled.uri = uri;
        respelled.original = original;
        respelled.alternative = alternative(self.uri, class, &mut self.alternative);
        respelled.context = context(self.original, class, &mut self.target);
        let mut spellings = spellings.to_vec();
        for (spelling, text) in spellings.iter_mut().zip(texts) {
            spelling.text = text;
        }
        (respelled, spellings)
    }
}

/// The other spelling of a finding's place.
fn alternative<'f>(
    tell: fn(&[u8], &mut Vec<u8>),
    finding: &Finding<'f>,
    told: &'f mut Vec<u8>,
) -> Option<&'f [u8]> {
    told.clear();
    tell(finding.alternative?, told);
    Some(told)
}

/// The context of a finding, the target of its record told as an original is.
fn context<'f>(
    tell: fn(&[u8], &mut Vec<u8>),
    finding: &Finding<'f>,
    target: &'f mut Vec<u8>,
) -> Context<'f> {
    target.clear();
    let mut context = finding.context;
    if let Some(warc) = &mut context.warc {
        tell(warc.target_uri, target);
        warc.target_uri = target;
    }
    context
}
