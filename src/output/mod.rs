//! How is it told? One form per file; each turns one finding into bytes and
//! knows nothing of files, pipes or terminals.

mod count;
mod defang;
mod json;
mod schema;
mod screen;
mod surt;
mod text;

pub use count::Count;
pub use defang::defang;
pub use json::{Json, push_error};
pub use schema::{Key, RECORD, Value, push_schema};
pub use screen::Screen;
pub use surt::surt;
pub use text::Text;

use crate::item::{Finding, Spelling};

/// A form in which findings are told.
///
/// ```
/// use urisieve::{engine::Sieve, item::Finding, output::Form};
/// struct Link;
/// impl Form for Link {
///     fn write(&mut self, finding: &Finding<'_>, name: &[u8], out: &mut Vec<u8>) {
///         out.extend([b"[", name, b"](", finding.uri, b")\n"].concat());
///     }
/// }
/// let mut out = Vec::new();
/// Sieve::builder().build().slice(b"http://a/", &mut |finding: &Finding<'_>| {
///     Link.write(finding, b"f.txt", &mut out);
/// })?;
/// assert_eq!(out, b"[f.txt](http://a/)\n");
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
pub trait Form: Send {
    /// Appends `finding` to `out`; `name` is the name of its input.
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>);

    /// Appends a class with its spellings; by default like any finding.
    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        let _ = spellings;
        self.write(class, name, out);
    }
}
