//! How is it told? One form per file; each turns one finding into bytes and
//! knows nothing of files, pipes or terminals.

mod count;
mod json;
mod text;

pub use count::Count;
pub use json::Json;
pub use text::Text;

use crate::item::Finding;

/// A form in which findings are told.
pub trait Form: Send {
    /// Appends `finding` to `out`; `name` is the name of its input.
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>);
}
