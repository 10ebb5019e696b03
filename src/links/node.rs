//! The nodes of a graph of links: pages, hosts or registered domains, by the rules of
//! Common Crawl's web graphs.

use super::label::a_label;
use super::node_rules::NodeRules;
use crate::canonicalize::hosts::{HostKey, with_key};
use unicode_general_category::{GeneralCategory, get_general_category};

/// Longer names of hosts are not nodes (RFC 1035 section 2.3.4).
const HOST_MAX: usize = 253;
/// Longer labels are not valid (RFC 1035 section 2.3.4).
const LABEL_MAX: usize = 63;
/// The label that does not make a name of an address.
const WWW: &[u8] = b"www.";

/// The kind of node in the graph.
///
/// ```
/// use urisieve::links::Node;
/// let mut key = Vec::new();
/// assert!(Node::Host.key(b"https://www.a.example/b", &mut key));
/// assert_eq!(key, b"example.a.www");
/// assert!(Node::Page.key(b"https://www.a.example/b", &mut key));
/// assert_eq!(key, b"https://www.a.example/b");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Node {
    /// A page: the URI itself.
    #[default]
    Page,
    /// The host, its labels in reverse order.
    Host,
    /// The registered domain, by the ICANN section of the public suffix list; its labels
    /// in reverse order.
    #[cfg(feature = "domain")]
    Domain,
    /// The domain by both sections of the list, under which anybody may register
    /// (`user.github.io`); its labels in reverse order.
    #[cfg(feature = "domain")]
    PrivateDomain,
}

impl Node {
    /// Writes the key of the node that `uri`, a canonical form, belongs to into `key`, by
    /// the [rules](NodeRules) without switches. Returns false when `uri` belongs to no
    /// node.
    ///
    /// ```
    /// use urisieve::links::Node;
    /// let mut key = Vec::new();
    /// assert!(Node::Host.key("http://bücher.example/".as_bytes(), &mut key));
    /// assert_eq!(key, b"example.xn--bcher-kva");
    /// assert!(!Node::Host.key(b"http://192.0.2.1/", &mut key));
    /// assert!(!Node::Host.key(b"mailto:joe@a.example", &mut key));
    /// ```
    pub fn key(self, uri: &[u8], key: &mut Vec<u8>) -> bool {
        NodeRules::new(self).key(uri, key)
    }
}

/// Appends the name of a host, in lower case, to the empty `out`. Returns false when the
/// host is not a node.
pub(super) fn push_name(host: &[u8], out: &mut Vec<u8>) -> bool {
    match host.is_ascii() {
        true => out.extend(host.iter().map(u8::to_ascii_lowercase)),
        false => match std::str::from_utf8(host) {
            Ok(host) => out.extend_from_slice(host.to_lowercase().as_bytes()),
            Err(_) => return false,
        },
    }
    if out.len() > HOST_MAX {
        return false;
    }
    if out.last() == Some(&b'.') {
        out.pop();
    }
    if is_address(out.strip_prefix(WWW).unwrap_or(out)) || is_address(out) || is_number(out) {
        return false;
    }
    if memchr::memchr(b'.', out).is_none() {
        return false;
    }
    if out.split(|&b| b == b'.').all(is_label) {
        return true;
    }
    if out.is_ascii() {
        return false;
    }
    let Some(name) = ascii_name(out) else {
        return false;
    };
    out.clear();
    out.extend_from_slice(name.as_bytes());
    true
}

/// Returns a name in which every label is an A-label, where all can be.
fn ascii_name(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let labels = name.split('.').map(|label| match label.is_ascii() {
        true => Some(label.to_owned()),
        false => a_label(label),
    });
    let labels: Vec<String> = labels.collect::<Option<_>>()?;
    let are_valid = labels.iter().all(|label| is_label(label.as_bytes()));
    are_valid.then(|| labels.join("."))
}

/// Whether `label` has 1 to 63 of `a-z 0-9 _ -`, a letter or a digit at both ends.
fn is_label(label: &[u8]) -> bool {
    let is_name = |b: &u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let is_end = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    label.len() <= LABEL_MAX
        && label.iter().all(is_name)
        && is_end(label.first())
        && is_end(label.last())
}

/// Whether `host` has four groups of one to three digits, of any script.
fn is_address(host: &[u8]) -> bool {
    let is_digit = |c: char| get_general_category(c) == GeneralCategory::DecimalNumber;
    let is_group = |group: &[u8]| {
        let group = std::str::from_utf8(group).unwrap_or_default();
        (1..=3).contains(&group.chars().take(4).count()) && group.chars().all(is_digit)
    };
    let mut groups = host.split(|&b| b == b'.');
    let are_groups = groups.by_ref().take(4).filter(|g| is_group(g)).count() == 4;
    are_groups && groups.next().is_none()
}

/// Whether the host parser of the URL Standard makes an address of `host`: `0x7f.1`.
fn is_number(host: &[u8]) -> bool {
    with_key(host, |key| matches!(key, HostKey::Address(_)))
}

/// Reverses the order of the labels.
pub(super) fn reverse(name: &mut [u8]) {
    name.reverse();
    name.split_mut(|&b| b == b'.').for_each(<[u8]>::reverse);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(node: Node, uri: &str) -> Option<String> {
        // The earlier content of the buffer does not matter.
        let mut key = b"x".to_vec();
        let is_node = node.key(uri.as_bytes(), &mut key);
        is_node.then(|| String::from_utf8(key).unwrap())
    }

    #[test]
    fn hosts() {
        let long = "a".repeat(63);
        let longest = format!("{}.{long}.{long}.{long}", "a".repeat(61));
        for (host, wanted) in [
            ("a.example", Some("example.a")),
            ("A.Example", Some("example.a")),
            ("u:p@a.example:80", Some("example.a")),
            ("www.com", Some("com.www")),
            ("www.a.com", Some("com.a.www")),
            ("www.www.a.com", Some("com.a.www.www")),
            ("wwww.a.com", Some("com.a.wwww")),
            ("www.", None),
            ("www.com.", Some("com.www")),
            ("a.b.", Some("b.a")),
            ("a.b..", None),
            ("a..b", None),
            (".a.b", None),
            ("com", None),
            ("localhost.", None),
            ("", None),
            ("xn--zz.de", Some("de.xn--zz")),
            ("a_b.c-d.e", Some("e.c-d.a_b")),
            ("_x.a.b", None),
            ("x_.a.b", None),
            ("-a.b", None),
            ("ex%41mple.com", None),
            ("a b.com", None),
            ("☃.net", None),
            ("例。com", None),
            ("例.com", Some("com.xn--fsq")),
            ("BÜCHER.example", Some("example.xn--bcher-kva")),
            ("www.bücher.example", Some("example.xn--bcher-kva.www")),
            ("1.2.3.4", None),
            ("www.1.2.3.4", None),
            ("1.2.3.4.", None),
            ("www.1.2.3.4.", None),
            ("999.2.3.4", None),
            ("1234.2.3.4", Some("4.3.2.1234")),
            ("1.2.3", None),
            ("0x7f.1", None),
            ("0X7F.1.", None),
            ("127.0x1", None),
            ("1.2.3.4.5", Some("5.4.3.2.1")),
            ("0x7f.face", Some("face.0x7f")),
            ("[2001:db8::1]", None),
            ("[::1.2.3.4]", None),
            (&format!("{long}.de"), Some(&format!("de.{long}")[..])),
            (&format!("{long}a.de"), None),
            (&format!("a{longest}"), None),
        ] {
            let uri = format!("http://{host}/p");
            assert_eq!(key(Node::Host, &uri).as_deref(), wanted, "{host}");
        }
        assert!(key(Node::Host, &format!("http://{longest}/")).is_some());
        for uri in ["urn:a-b:c", "file:///x", "mailto:a@b.example"] {
            assert_eq!(key(Node::Host, uri), None, "{uri}");
        }
        for scheme in ["https", "HTTP", "ws", "wss", "ftp"] {
            let wanted = Some("example.a");
            assert_eq!(
                key(Node::Host, &format!("{scheme}://a.example/")).as_deref(),
                wanted
            );
        }
        for scheme in [
            "android-app",
            "ios-app",
            "intent",
            "file",
            "httpx",
            "smb",
            "git",
        ] {
            let uri = format!("{scheme}://com.example.app/x");
            assert_eq!(key(Node::Host, &uri), None, "{uri}");
        }
        let mut buffer = Vec::new();
        assert!(!Node::Host.key(b"http://\xFF.com/", &mut buffer));
    }

    #[cfg(feature = "domain")]
    #[test]
    fn domains() {
        for (host, wanted) in [
            ("a.b.example.co.uk", Some("uk.co.example")),
            ("example.co.uk", Some("uk.co.example")),
            ("co.uk", None),
            ("www.co.uk", Some("uk.co.www")),
            ("a.b.github.io", Some("io.github")),
            ("www.com", Some("com.www")),
            ("www.食狮.公司.cn", Some("cn.xn--55qx5d.xn--85x722f")),
            ("1.2.3.4", None),
        ] {
            let uri = format!("http://{host}/");
            assert_eq!(key(Node::Domain, &uri).as_deref(), wanted, "{host}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_a_name_in_reverse(host in "(www\\.)?[a-cA-C0-9é☃_%-]{0,3}(\\.[a-z0-9-]{0,3}){0,4}") {
            let uri = format!("http://{host}/");
            if let Some(reversed) = key(Node::Host, &uri) {
                prop_assert!(reversed.is_ascii() && reversed.contains('.'));
                prop_assert!(reversed.split('.').all(|label| is_label(label.as_bytes())));
                // The name of the key has the same key.
                let name: Vec<&str> = reversed.split('.').rev().collect();
                let again = key(Node::Host, &format!("http://{}/", name.join(".")));
                prop_assert_eq!(again, Some(reversed));
            }
        }
    }
}
