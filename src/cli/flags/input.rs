//! The flags of what is read, and how.

use crate::cli::flags::memory::{DedupFlags, ResourceFlags};
use crate::cli::flags::seen::SeenFlags;
use crate::cli::inputs::{Input, InputNames, STDIN, inputs};
use crate::cli::known::Known;
use crate::cli::shard::InputShard;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use std::{fs, io};
use urisieve::decode::{FORMATS, InputFormat, Layout};
use urisieve::input::Walk;

/// The name of no format: the input decides.
pub(in crate::cli) const AUTO: &str = "auto";

/// Returns the parser of the names of formats that are `offered`.
pub(in crate::cli) fn format_names(offered: fn(&InputFormat) -> bool) -> PossibleValuesParser {
    let formats = FORMATS.iter().filter(move |format| offered(format));
    let names = formats.map(|format| format.name);
    PossibleValuesParser::new(std::iter::once(AUTO).chain(names))
}

/// The inputs, and how they are read.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Input",
    mut_arg("against", |arg| arg.hide_short_help(true))
)]
pub(in crate::cli) struct InputFlags {
    #[command(flatten)]
    pub resources: ResourceFlags,

    #[command(flatten)]
    pub dedup: DedupFlags,

    /// How to read the input
    ///
    /// auto: by content (HTML and XML by their first tags, catalogues by their first record,
    /// tables by their first four, WARC, ARC and tar, UTF-16 by its byte-order mark or its high bytes),
    /// JSON and tables also by the name of the file; else text. text:
    /// everything is text, also markup and archives. With another name every input but archives
    /// is read in that format; `urisieve formats` says what each is. Decompression comes first
    /// in any case.
    #[arg(short, long, value_name = "FORMAT", default_value = AUTO,
          value_parser = format_names(InputFormat::is_searched), hide_short_help = true)]
    pub input_format: String,

    #[command(flatten)]
    pub decompress: DecompressFlag,

    #[command(flatten)]
    pub against: AgainstFlag,

    #[command(flatten)]
    pub seen: SeenFlags,

    #[command(flatten)]
    pub shard: ShardFlag,

    /// Only records of web archives of these types, comma-separated
    ///
    /// For example response,revisit. Records of ARC are responses. --stats counts the
    /// records that are not read. Other inputs are always read.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub warc_type: Vec<String>,

    /// Only requests in logs and responses in web archives with these status codes: 2xx,404
    ///
    /// URIs of what states no status are left out; --stats counts them as not_selected, and
    /// records of archives that are not read as records_filtered.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub status: Vec<String>,

    /// Only records of web archives of these media types: text/html,image/*
    ///
    /// The type is WARC-Identified-Payload-Type, otherwise the Content-Type of the
    /// content. Parts of mail of these types are read although they hold no text.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub mime: Vec<String>,

    #[command(flatten)]
    pub text: TextFlags,

    #[command(flatten)]
    pub files: FileFlags,
}

/// Whether compressed inputs are decompressed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct DecompressFlag {
    /// Read compressed inputs as they are
    ///
    /// By default gzip, zstd, xz, bzip2 and lz4 are decompressed. They are detected by
    /// the first bytes of an input or of a tar member, also on a pipe, and also one
    /// inside another.
    #[arg(long, hide_short_help = true)]
    pub no_decompress: bool,
}

/// The inputs whose URIs are left out.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct AgainstFlag {
    /// Leave out the URIs that are in FILE; may be repeated
    ///
    /// FILE is read like every input; a directory is walked. Of a Parquet table the column url
    /// or uri is read, or the only one of strings. When FILE is damaged or cannot be read,
    /// nothing is printed. FILE may also be a store of --seen, which is only asked.
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// A missing FILE of --against: error (default), ok
    ///
    /// ok: it counts as an empty one, as in the first run of a script that writes it.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "error",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true,
        requires = "against"
    )]
    against_missing: MissingFlag,
}

/// The meaning of a missing file of `--against`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum MissingFlag {
    #[default]
    Error,
    Ok,
}

impl AgainstFlag {
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.against.is_empty()
    }

    /// Opens the inputs; directories are walked as `walk` says. Of Parquet tables the `column` is
    /// read, if one is named.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn open(self, walk: &Walk, column: Option<&str>) -> Result<Known, String> {
        let is_missing = |path: &PathBuf| {
            let about = fs::metadata(path);
            about.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let mut paths = self.against;
        if self.against_missing == MissingFlag::Ok {
            paths.retain(|path| path.as_os_str() == "-" || !is_missing(path));
        }
        Known::open(paths, walk, column)
    }
}

/// The part of the inputs that is read.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct ShardFlag {
    /// Read one of N parts of the inputs: I/N, with I from 1
    ///
    /// An input is in the part that CRC-32 of its name, below the directory that is named, mod N
    /// says, so that N machines need not share a list. --stats prints the digest of all names,
    /// which must be the same for each.
    #[arg(
        long,
        value_name = "I/N",
        help_heading = "Input",
        hide_short_help = true
    )]
    shard: Option<String>,
}

impl ShardFlag {
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn shard(&self) -> Result<InputShard, String> {
        InputShard::named(self.shard.as_deref())
    }

    /// Checks that all `inputs` have names.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn check(&self, inputs: &[Input]) -> Result<(), String> {
        let is_stdin = |input: &Input| matches!(input, Input::Stdin);
        match self.shard.is_some() && inputs.iter().any(is_stdin) {
            true => Err("--shard: standard input has no name by which it is in a part".to_owned()),
            false => Ok(()),
        }
    }
}

/// The name of standard input.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct StdinFlag {
    /// The name of standard input wherever inputs are named
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    label: Option<String>,
}

impl StdinFlag {
    /// Returns the names of the inputs, none of which is known yet.
    pub(in crate::cli) fn names(&self) -> InputNames {
        InputNames::new(self.label.as_deref().unwrap_or(STDIN))
    }
}

/// Properties of inputs that these do not state.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct TextFlags {
    #[command(flatten)]
    pub stdin: StdinFlag,

    /// Read every text as UTF-16, also without a byte-order mark
    ///
    /// By default text is UTF-16 when it begins with a byte-order mark, or when 90 % of
    /// every second byte of the first 4 KiB are at most 6, as in Latin, Greek, Cyrillic, Hebrew and
    /// Arabic letters. The output is UTF-8.
    #[arg(long, hide_short_help = true)]
    pub utf16: bool,
}

/// The ends of lines, in lists of any kind.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct LineEndFlag {
    /// Lines end with NUL, in the input and in the output
    #[arg(short = 'z', long, alias = "zero-terminated")]
    pub null_data: bool,
}

impl LineEndFlag {
    /// The layout of lists of lines.
    pub(in crate::cli) fn layout(&self) -> Layout {
        match self.null_data {
            true => Layout::Zero,
            false => Layout::Lines,
        }
    }

    /// The byte that ends a line.
    pub(in crate::cli) fn byte(&self) -> u8 {
        if self.null_data { 0 } else { b'\n' }
    }
}

/// The inputs, and which files of directories are among them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct FileFlags {
    /// Files and directories; without them, or with -, standard input
    ///
    /// A directory is walked whole, in byte order of the paths; hidden files are
    /// skipped.
    #[arg(value_name = "FILE", help_heading = None::<&'static str>)]
    pub files: Vec<PathBuf>,

    /// Only files of directories that match GLOB; ! excludes
    #[arg(short, long, value_name = "GLOB")]
    glob: Vec<String>,

    /// Walk hidden files of directories, too
    #[arg(long, hide_short_help = true)]
    hidden: bool,

    /// Respect .gitignore and .ignore in directories
    #[arg(long, hide_short_help = true)]
    gitignore: bool,

    /// Walk directories N levels deep; 1 is the files in them
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_depth: Option<usize>,

    /// Follow symbolic links in directories
    #[arg(long, hide_short_help = true)]
    follow: bool,

    /// Read names of inputs from F, one a line or each ended by NUL; - is standard
    /// input
    #[arg(long, value_name = "F", hide_short_help = true)]
    files_from: Option<PathBuf>,
}

/// The inputs of a run.
#[derive(Debug)]
pub(in crate::cli) struct NamedInputs {
    pub inputs: Vec<Input>,
    pub walk: Walk,
    /// Whether one was named, or a list of them.
    pub is_named: bool,
}

impl FileFlags {
    /// Returns how directories are walked.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn walk(&self) -> Result<Walk, String> {
        Walk::default()
            .hidden(self.hidden)
            .ignore_files(self.gitignore)
            .follow(self.follow)
            .max_depth(self.max_depth)
            .globs(self.glob.iter().cloned())
            .map_err(|error| format!("-g: {error}"))
    }

    /// Returns the inputs, whose directories are walked as `walk` says. Names in a list end
    /// with NUL where `zero` is set.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn inputs(self, walk: Walk, zero: bool) -> Result<NamedInputs, String> {
        Ok(NamedInputs {
            is_named: !self.files.is_empty() || self.files_from.is_some(),
            inputs: inputs(self.files, self.files_from, zero)?,
            walk,
        })
    }
}

impl NamedInputs {
    /// Whether an input is named, and there is one.
    pub(in crate::cli) fn has_inputs(&self) -> bool {
        self.is_named && !self.inputs.is_empty()
    }
}
