//! How often each URI occurs: the number, a tab, the URI.

use super::Form;
use crate::item::Finding;

/// `COUNT<TAB>URI` and a line feed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count;

impl Form for Count {
    fn write(&mut self, finding: &Finding, _name: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(finding.count.unwrap_or(1).to_string().as_bytes());
        out.push(b'\t');
        out.extend_from_slice(finding.uri);
        out.push(b'\n');
    }
}
