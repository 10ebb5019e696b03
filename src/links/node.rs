//! The nodes of a graph of links: pages, hosts or registered domains, by the rules of
//! Common Crawl's web graphs, with the switches that make fewer or coarser ones.

use super::host_name::{push_name, reverse};
use crate::syntax::Components;
#[cfg(feature = "domain")]
use crate::syntax::domain;

/// The schemes of the web. Hosts of other ones, such as `android-app:`, are names of other
/// things.
const SCHEMES: [&[u8]; 5] = [b"http", b"https", b"ws", b"wss", b"ftp"];
/// The label that `strip_www` removes.
#[cfg(feature = "domain")]
const WWW: &[u8] = b"www.";

/// The version of the public suffix list that is compiled in: the time at which it was
/// published. Domains may be other ones with another list.
///
/// ```
/// assert!(urisieve::links::SUFFIX_LIST.starts_with("20"));
/// ```
#[cfg(feature = "domain")]
pub const SUFFIX_LIST: &str = "2026-10-22_08-36-41_UTC";

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

/// The nodes of a graph, and which hosts have none.
///
/// ```
/// use urisieve::links::{Node, NodeRules};
/// let mut key = Vec::new();
/// assert!(NodeRules::new(Node::Host).key(b"ftp://www.a.example/b", &mut key));
/// assert_eq!(key, b"example.a.www");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeRules {
    node: Node,
    #[cfg(feature = "domain")]
    strip_www: bool,
    #[cfg(feature = "domain")]
    valid_tld: bool,
}

impl NodeRules {
    /// Returns the rules of Common Crawl's web graphs for nodes of this kind.
    ///
    /// ```
    /// use urisieve::links::{Node, NodeRules};
    /// assert_eq!(NodeRules::new(Node::Page), NodeRules::default());
    /// ```
    pub fn new(node: Node) -> NodeRules {
        NodeRules {
            node,
            #[cfg(feature = "domain")]
            strip_www: false,
            #[cfg(feature = "domain")]
            valid_tld: false,
        }
    }

    /// Sets whether one `www` is removed from the start of a host that has a registered
    /// domain without it; default no.
    ///
    /// ```
    /// use urisieve::links::{Node, NodeRules};
    /// let (hosts, mut key) = (NodeRules::new(Node::Host).strip_www(true), Vec::new());
    /// assert!(hosts.key(b"http://www.a.example/", &mut key) && key == b"example.a");
    /// assert!(hosts.key(b"http://www.co.uk/", &mut key) && key == b"uk.co.www");
    /// ```
    #[cfg(feature = "domain")]
    pub fn strip_www(mut self, strip: bool) -> NodeRules {
        self.strip_www = strip;
        self
    }

    /// Sets whether hosts have nodes only below a top-level domain of the ICANN section of
    /// the public suffix list; default no.
    ///
    /// ```
    /// use urisieve::links::{Node, NodeRules};
    /// let (hosts, mut key) = (NodeRules::new(Node::Host).valid_tld(true), Vec::new());
    /// assert!(hosts.key(b"http://a.com/", &mut key));
    /// assert!(!hosts.key(b"http://printer.local/", &mut key));
    /// ```
    #[cfg(feature = "domain")]
    pub fn valid_tld(mut self, valid: bool) -> NodeRules {
        self.valid_tld = valid;
        self
    }

    /// Writes the key of the node that `uri`, a canonical form, belongs to into `key`.
    /// Returns false when `uri` belongs to no node: its scheme is not one of the web (http,
    /// https, ws, wss, ftp), it has no host, or its host cannot be that of a public web
    /// site. A host in ASCII costs no allocation.
    ///
    /// ```
    /// use urisieve::links::{Node, NodeRules};
    /// let (hosts, mut key) = (NodeRules::new(Node::Host), Vec::new());
    /// assert!(hosts.key("http://bücher.example/".as_bytes(), &mut key));
    /// assert_eq!(key, b"example.xn--bcher-kva");
    /// assert!(!hosts.key(b"http://192.0.2.1/", &mut key));
    /// assert!(!hosts.key(b"android-app://com.example.app/", &mut key));
    /// ```
    pub fn key(&self, uri: &[u8], key: &mut Vec<u8>) -> bool {
        key.clear();
        if self.node == Node::Page {
            key.extend_from_slice(uri);
            return true;
        }
        let parts = Components::parse(uri);
        let is_web = |scheme: &[u8]| SCHEMES.iter().any(|web| scheme.eq_ignore_ascii_case(web));
        if !parts.scheme(uri).is_some_and(is_web) {
            return false;
        }
        let is_name = parts.host(uri).is_some_and(|host| push_name(host, key));
        if !is_name || !self.keep(key) {
            return false;
        }
        reverse(key);
        true
    }

    /// Keeps the part of a host that is the name of its node; returns whether there is one.
    #[cfg(feature = "domain")]
    fn keep(&self, host: &mut Vec<u8>) -> bool {
        let last = memchr::memrchr(b'.', host).map_or(0, |at| at + 1);
        if self.valid_tld && !domain::is_delegated(&host[last..]) {
            return false;
        }
        let has_domain = |name: &[u8]| domain::registered_domain(name).is_some();
        if self.strip_www && host.strip_prefix(WWW).is_some_and(has_domain) {
            host.drain(..WWW.len());
        }
        let domain = match self.node {
            Node::Page | Node::Host => return true,
            Node::Domain => domain::registered_domain(host),
            Node::PrivateDomain => domain::private_domain(host),
        };
        let Some(domain) = domain else {
            return false;
        };
        let before = host.len() - domain.len();
        host.drain(..before);
        true
    }

    #[cfg(not(feature = "domain"))]
    fn keep(&self, _: &mut Vec<u8>) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_name::is_label;
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

    #[cfg(feature = "domain")]
    #[track_caller]
    fn check(rules: NodeRules, hosts: &[(&str, Option<&str>)]) {
        for (host, wanted) in hosts {
            let (uri, mut key) = (format!("http://{host}/"), Vec::new());
            let key = rules.key(uri.as_bytes(), &mut key).then_some(key);
            let key = key.map(|key| String::from_utf8(key).unwrap());
            assert_eq!(key.as_deref(), *wanted, "{host}");
        }
    }

    #[cfg(feature = "domain")]
    #[test]
    fn www_is_removed_where_a_domain_remains() {
        let rules = NodeRules::new(Node::Host).strip_www(true);
        check(
            rules,
            &[
                ("www.a.com", Some("com.a")),
                ("WWW.a.co.uk.", Some("uk.co.a")),
                ("www.www.a.com", Some("com.a.www")),
                ("www.bücher.example", Some("example.xn--bcher-kva")),
                ("www.a.github.io", Some("io.github.a")),
                // No domain remains.
                ("www.co.uk", Some("uk.co.www")),
                ("www.com", Some("com.www")),
                // Other names.
                ("wwww.a.com", Some("com.a.wwww")),
                ("www2.a.com", Some("com.a.www2")),
                ("a.www.com", Some("com.www.a")),
            ],
        );
        check(
            NodeRules::new(Node::Host),
            &[("www.a.com", Some("com.a.www"))],
        );
    }

    #[cfg(feature = "domain")]
    #[test]
    fn hosts_below_no_row_of_the_list_are_dropped() {
        check(
            NodeRules::new(Node::Host).valid_tld(true),
            &[
                ("a.com", Some("com.a")),
                ("a.ck", Some("ck.a")),
                ("a.b.kobe.jp", Some("jp.kobe.b.a")),
                ("例.中国", Some("xn--fiqs8s.xn--fsq")),
                ("a.github.io", Some("io.github.a")),
                ("a.local", None),
                ("a.example", None),
                ("a.html", None),
                ("1.2.3.4.5", None),
                ("0x7f.1", None),
            ],
        );
    }

    #[cfg(feature = "domain")]
    #[test]
    fn domains_of_both_sections() {
        check(
            NodeRules::new(Node::PrivateDomain),
            &[
                ("a.user.github.io", Some("io.github.user")),
                ("github.io", None),
                ("a.b.example.co.uk", Some("uk.co.example")),
                ("x.bucket.s3.amazonaws.com", Some("com.amazonaws.s3.bucket")),
                ("www.amazonaws.com", Some("com.amazonaws")),
                ("co.uk", None),
            ],
        );
    }
}
