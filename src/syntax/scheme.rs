//! The table of URI schemes: the IANA registry (permanent, provisional and historical
//! entries, early 2026) and unregistered schemes that are in use. Look-up ignores ASCII
//! case (RFC 3986 section 3.1). The shapes of opaque URIs are rules of extraction, not
//! part of this table.

use super::class::{ALPHA, SCHEME};

/// The source of a scheme's name.
///
/// ```
/// use urisieve::syntax::scheme::{self, Status};
/// assert_eq!(scheme::find(b"https").unwrap().status, Status::Registered);
/// assert_eq!(scheme::find(b"s3").unwrap().status, Status::Conventional);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// An entry of the IANA registry "URI Schemes".
    Registered,
    /// Not registered, but in wide use (`s3`, `hdfs`, `git+ssh` ...).
    Conventional,
}

impl Status {
    /// The name of the status.
    ///
    /// ```
    /// use urisieve::syntax::scheme::{Status, find};
    /// assert_eq!(find(b"http").unwrap().status.name(), "registered");
    /// assert_eq!(Status::Conventional.name(), "conventional");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Status::Registered => "registered",
            Status::Conventional => "conventional",
        }
    }
}

/// One row of the scheme table.
///
/// ```
/// use urisieve::syntax::scheme;
/// let http = scheme::find(b"HTTP").unwrap();
/// assert_eq!((http.name, http.default_port), ("http", 80));
/// assert!(http.needs_host && !scheme::find(b"file").unwrap().needs_host);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scheme {
    /// The name in lower case.
    pub name: &'static str,
    /// Registered or conventional.
    pub status: Status,
    /// The default port in the specification of the scheme; 0 if it has no default
    /// port.
    pub default_port: u16,
    /// Whether `scheme://` must be followed by a host (no empty authority).
    pub needs_host: bool,
}

/// The longest scheme that counts, in bytes (rule S1).
pub const MAX_LEN: usize = 64;

/// Returns the row of `name`, of any case; `None` for a scheme that is neither
/// registered nor conventional.
///
/// ```
/// use urisieve::syntax::scheme;
/// assert_eq!(scheme::find(b"HTTPS").unwrap().default_port, 443);
/// assert!(scheme::find(b"nosuch").is_none());
/// ```
pub fn find(name: &[u8]) -> Option<&'static Scheme> {
    match name {
        b"http" => return Some(&SCHEMES[HTTP]),
        b"https" => return Some(&SCHEMES[HTTPS]),
        _ => {}
    }
    let mut slot = slot_of(name);
    while let Some(row) = SCHEMES.get(usize::from(ROWS[slot])) {
        if row.name.as_bytes().eq_ignore_ascii_case(name) {
            return Some(row);
        }
        slot = next_slot(slot);
    }
    None
}

/// Returns the length of the scheme at the start of `text`, which a colon follows;
/// `None` when rule S1 sees no scheme there. A single letter is the drive of a Windows
/// path.
///
/// ```
/// use urisieve::syntax::scheme;
/// assert_eq!(scheme::prefix_len(b"git+ssh://a.example/"), Some(7));
/// assert_eq!(scheme::prefix_len(b"C:/x"), None);
/// assert_eq!(scheme::prefix_len(b"a/b:c"), None);
/// ```
pub fn prefix_len(text: &[u8]) -> Option<usize> {
    let run = &text[..text.len().min(MAX_LEN + 1)];
    let len = run.iter().take_while(|&&b| SCHEME.has(b)).count();
    let is_scheme = (2..=MAX_LEN).contains(&len) && ALPHA.has(text[0]);
    (is_scheme && text.get(len) == Some(&b':')).then_some(len)
}

/// Returns every row, in byte order of the names.
///
/// ```
/// use urisieve::syntax::scheme;
/// assert!(scheme::all().iter().any(|row| row.name == "urn"));
/// assert!(scheme::all().is_sorted_by_key(|row| row.name));
/// ```
pub fn all() -> &'static [Scheme] {
    &SCHEMES
}

const fn reg(name: &'static str) -> Scheme {
    row(name, Status::Registered, 0, false)
}

const fn conv(name: &'static str) -> Scheme {
    row(name, Status::Conventional, 0, false)
}

const fn row(name: &'static str, status: Status, default_port: u16, needs_host: bool) -> Scheme {
    Scheme {
        name,
        status,
        default_port,
        needs_host,
    }
}

use Status::{Conventional as C, Registered as R};

/// The number of a row for each hash, with the rows of equal hashes behind each other. Most
/// slots are empty, so most words that are not schemes are rejected without comparing a
/// letter.
static ROWS: [u16; 1 << SLOT_BITS] = rows();
const SLOT_BITS: u32 = 11;
/// A number that no row has.
const EMPTY: u16 = u16::MAX;

const fn rows() -> [u16; 1 << SLOT_BITS] {
    let mut rows = [EMPTY; 1 << SLOT_BITS];
    let mut number = 0;
    while number < SCHEMES.len() {
        let mut slot = slot_of(SCHEMES[number].name.as_bytes());
        while rows[slot] != EMPTY {
            slot = next_slot(slot);
        }
        rows[slot] = number as u16;
        number += 1;
    }
    rows
}

const fn next_slot(slot: usize) -> usize {
    (slot + 1) % (1 << SLOT_BITS)
}

/// Returns a hash of the first and the last eight bytes of `name`, the same for any case.
#[inline]
const fn slot_of(name: &[u8]) -> usize {
    /// The bit that makes letters of both cases equal. In a scheme, digits and signs
    /// already have it.
    const CASE: u64 = u64::from_le_bytes([0x20; 8]);
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (first, last) = if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        (
            u32::from_le_bytes(*first) as u64,
            u32::from_le_bytes(*last) as u64,
        )
    } else if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        (
            u16::from_le_bytes(*first) as u64,
            u16::from_le_bytes(*last) as u64,
        )
    } else {
        return 0;
    };
    let mixed = (first | CASE)
        .wrapping_mul(FACTOR)
        .wrapping_add(last | CASE)
        .wrapping_add(name.len() as u64);
    (mixed.wrapping_mul(FACTOR) >> (u64::BITS - SLOT_BITS)) as usize
}

/// The rows of the two most frequent schemes.
const HTTP: usize = 185;
const HTTPS: usize = 187;

#[rustfmt::skip]
static SCHEMES: [Scheme; 586] = [
    reg("aaa"), reg("aaas"), row("abfs", C, 0, true), row("abfss", C, 0, true), reg("about"), reg("acap"),
    reg("acct"), reg("acd"), reg("acr"), reg("adiumxtra"), conv("adl"), reg("adt"), reg("afp"), reg("afs"),
    reg("aim"), conv("akka"), conv("akka.ssl.tcp"), conv("akka.tcp"), conv("alluxio"),
    row("amqp", C, 0, true), row("amqps", C, 0, true), reg("amss"), reg("android"), conv("android-app"),
    conv("app"), reg("appdata"), reg("apt"), reg("ar"), reg("ari"), reg("ark"), conv("asset"), reg("at"),
    reg("attachment"), reg("aw"), conv("b2"), reg("barion"), reg("bb"), reg("beshare"), reg("bitcoin"),
    reg("bitcoincash"), reg("bl"), reg("blob"), reg("bluetooth"), reg("bolo"), conv("bolt"), conv("bolt+s"),
    reg("brid"), reg("browserext"), conv("bzr"), row("bzr+http", C, 0, true), row("bzr+https", C, 0, true),
    row("bzr+ssh", C, 0, true), conv("bzz"), reg("cabal"), reg("caip"), reg("calculator"), reg("callto"),
    reg("cap"), conv("cassandra"), reg("cast"), reg("casts"), conv("ceph"), reg("chrome"),
    reg("chrome-extension"), conv("chrome-search"), conv("chrome-untrusted"), reg("cid"),
    row("cifs", C, 0, true), conv("clickhouse"), row("coap", R, 5683, true), row("coap+tcp", R, 0, true),
    row("coap+ws", R, 0, true), row("coaps", R, 5684, true), row("coaps+tcp", R, 0, true),
    row("coaps+ws", R, 0, true), reg("com-eventbrite-attendee"), conv("consul"), reg("content"),
    reg("content-type"), conv("cos"), conv("couchbase"), conv("couchbases"), reg("crid"), reg("cstr"),
    reg("cvs"), reg("dab"), reg("dat"), reg("data"), reg("dav"), conv("dav+http"), conv("dbfs"),
    conv("devtools"), row("dhttp", R, 0, true), reg("diaspora"), row("dict", R, 2628, false), reg("did"),
    reg("dis"), conv("discord"), reg("dlna-playcontainer"), reg("dlna-playsingle"), reg("dnp"),
    row("dns", R, 53, false), reg("dntp"), conv("docker"), conv("docker-daemon"), reg("doi"), reg("donau"),
    reg("dpp"), reg("drm"), reg("drop"), reg("dtmi"), reg("dtn"), reg("dvb"), reg("dvx"), reg("dweb"),
    reg("ed2k"), conv("edge"), reg("eid"), conv("elasticsearch"), conv("electron"), reg("elsi"),
    reg("embedded"), reg("ens"), reg("esim"), conv("etcd"), reg("ethereum"), conv("evernote"), reg("example"),
    reg("facetime"), reg("fax"), conv("fb"), reg("feed"), reg("feedready"), reg("fido"), conv("figma"),
    reg("file"), reg("filesystem"), row("finger", R, 0, true), reg("first-run-pen-experience"), reg("fish"),
    reg("fm"), conv("fossil"), row("ftp", R, 21, true), row("ftpes", C, 0, true), row("ftps", C, 0, true),
    reg("fuchsia-pkg"), row("gcs", C, 0, true), conv("gem"), row("gemini", C, 0, true), reg("geo"), reg("gg"),
    row("git", R, 0, true), conv("git+file"), row("git+http", C, 0, true), row("git+https", C, 0, true),
    row("git+ssh", C, 0, true), conv("github-mac"), conv("gitlab"), reg("gitoid"), reg("gizmoproject"),
    conv("gluster"), reg("go"), row("gopher", R, 70, true), row("gophers", C, 0, true), reg("graph"),
    reg("grd"), conv("grpc"), conv("grpcs"), row("gs", C, 0, true), conv("gsiftp"), reg("gtalk"), reg("h323"),
    conv("hadoop"), reg("ham"), conv("har"), reg("hcap"), reg("hcp"), conv("hdfs"), conv("hdl"), conv("hg"),
    row("hg+http", C, 0, true), row("hg+https", C, 0, true), row("hg+ssh", C, 0, true), conv("hive2"),
    reg("hs20"), row("http", R, 80, true), conv("http+unix"), row("https", R, 443, true), conv("https+unix"),
    row("hxxp", R, 0, true), row("hxxps", R, 0, true), reg("hydrazone"), reg("hyper"), reg("i0"), reg("iax"),
    reg("icap"), reg("icon"), reg("ilstring"), reg("im"), row("imap", R, 143, true), reg("info"),
    conv("instagram"), conv("intent"), conv("ionic"), reg("iotdisco"), reg("ipfs"), reg("ipn"), reg("ipns"),
    row("ipp", R, 631, true), row("ipps", R, 0, true), row("irc", R, 0, true), row("irc6", R, 0, true),
    row("ircs", R, 0, true), reg("iris"), reg("iris.beep"), reg("iris.lwz"), reg("iris.xpc"),
    reg("iris.xpcs"), conv("isbn"), reg("isostore"), conv("issn"), reg("itms"), conv("itms-apps"),
    conv("itms-services"), reg("jabber"), reg("jar"), conv("jdbc"), conv("jetbrains"), reg("jms"),
    conv("kafka"), reg("keyparc"), reg("lastfm"), reg("lbry"), row("ldap", R, 389, false), conv("ldapi"),
    row("ldaps", R, 0, false), reg("leaptofrogans"), reg("lid"), conv("line"), reg("linkid"), reg("lorawan"),
    reg("lpa"), reg("lvlt"), reg("machineprovisioningprogressreporter"), reg("magnet"), reg("mailserver"),
    reg("mailto"), conv("maprfs"), reg("maps"), conv("mariadb"), reg("market"), reg("matrix"),
    conv("memcached"), reg("message"), reg("microsoft.windows.camera"),
    reg("microsoft.windows.camera.multipicker"), reg("microsoft.windows.camera.picker"), reg("mid"),
    reg("mms"), reg("modem"), reg("mongodb"), conv("mongodb+srv"), reg("moz"), conv("moz-extension"),
    row("mqtt", R, 0, true), row("mqtts", R, 0, true), reg("ms-access"), reg("ms-appinstaller"),
    reg("ms-browser-extension"), reg("ms-calculator"), reg("ms-drive-to"), reg("ms-enrollment"),
    reg("ms-excel"), reg("ms-eyecontrolspeech"), reg("ms-gamebarservices"), reg("ms-gamingoverlay"),
    reg("ms-getoffice"), reg("ms-help"), reg("ms-infopath"), reg("ms-inputapp"),
    reg("ms-launchremotedesktop"), reg("ms-lockscreencomponent-config"), reg("ms-media-stream-id"),
    reg("ms-meetnow"), reg("ms-mixedrealitycapture"), reg("ms-mobileplans"), reg("ms-newsandinterests"),
    reg("ms-officeapp"), reg("ms-people"), reg("ms-personacard"), reg("ms-powerpoint"), reg("ms-project"),
    reg("ms-publisher"), reg("ms-recall"), reg("ms-remotedesktop"), reg("ms-remotedesktop-launch"),
    reg("ms-restoretabcompanion"), reg("ms-screenclip"), reg("ms-screensketch"), reg("ms-search"),
    reg("ms-search-repair"), reg("ms-secondary-screen-controller"), reg("ms-secondary-screen-setup"),
    reg("ms-settings"), reg("ms-settings-airplanemode"), reg("ms-settings-bluetooth"),
    reg("ms-settings-camera"), reg("ms-settings-cellular"), reg("ms-settings-cloudstorage"),
    reg("ms-settings-connectabledevices"), reg("ms-settings-displays-topology"),
    reg("ms-settings-emailandaccounts"), reg("ms-settings-language"), reg("ms-settings-location"),
    reg("ms-settings-lock"), reg("ms-settings-nfctransactions"), reg("ms-settings-notifications"),
    reg("ms-settings-power"), reg("ms-settings-privacy"), reg("ms-settings-proximity"),
    reg("ms-settings-screenrotation"), reg("ms-settings-wifi"), reg("ms-settings-workplace"), reg("ms-spd"),
    reg("ms-stickers"), reg("ms-sttoverlay"), reg("ms-transit-to"), reg("ms-useractivityset"), reg("ms-uup"),
    reg("ms-virtualtouchpad"), reg("ms-visio"), reg("ms-walk-to"), reg("ms-whiteboard"),
    reg("ms-whiteboard-cmd"), reg("ms-widgetboard"), reg("ms-widgets"), reg("ms-word"), reg("msnim"),
    reg("msrp"), reg("msrps"), reg("mss"), conv("mssql"), reg("mt"), reg("mtqp"), reg("mtrust"),
    reg("mumble"), reg("mupdate"), reg("mvn"), reg("mvrp"), reg("mvrps"), conv("mysql"), conv("nats"),
    conv("neo4j"), conv("neo4j+s"), reg("news"), row("nfs", R, 2049, false), reg("ni"), reg("nih"),
    row("nntp", R, 119, true), reg("notes"), conv("notion"), conv("npm"), reg("num"), conv("o3fs"),
    conv("obsidian"), reg("ocf"), conv("oci"), conv("odbc"), conv("ofs"), reg("oid"), reg("onenote"),
    reg("onenote-cmd"), reg("opaquelocktoken"), reg("openid"), reg("openpgp4fpr"), conv("opera"),
    conv("oracle"), conv("oss"), reg("otpauth"), reg("p1"), reg("pack"), reg("palm"), reg("paparazzi"),
    reg("payment"), reg("payto"), row("persistent-http", C, 0, true), row("persistent-https", C, 0, true),
    reg("pkcs11"), conv("pkg"), reg("platform"), row("pop", R, 110, true), conv("postgres"),
    conv("postgresql"), reg("pres"), conv("presto"), row("prospero", R, 0, true), reg("proxy"),
    conv("pserver"), reg("psyc"), reg("pttp"), conv("pulsar"), conv("pulsar+ssl"), conv("purl"), reg("pwid"),
    conv("pypi"), reg("qb"), conv("qemu"), conv("qemu+ssh"), reg("query"), reg("quic-transport"), conv("rbd"),
    reg("redis"), conv("redis+sentinel"), reg("rediss"), row("registry+http", C, 0, true),
    row("registry+https", C, 0, true), reg("reload"), reg("res"), reg("resource"), reg("rmi"),
    conv("rsocket"), row("rsync", R, 0, true), reg("rtmfp"), row("rtmp", R, 0, true),
    row("rtmpe", C, 0, true), row("rtmps", C, 0, true), row("rtmpt", C, 0, true), row("rtmpte", C, 0, true),
    conv("rtp"), row("rtsp", R, 554, true), row("rtsps", R, 0, true), reg("rtspu"), row("s3", C, 0, true),
    row("s3a", C, 0, true), row("s3n", C, 0, true), conv("safari-extension"), conv("safari-web-extension"),
    reg("sarif"), conv("scm+git"), conv("scm+svn"), row("scp", C, 0, true), reg("secondlife"),
    reg("secret-token"), reg("service"), reg("session"), row("sftp", R, 0, true), reg("sgn"), reg("shc"),
    reg("shelter"), reg("sieve"), reg("simpleledger"), reg("simplex"), reg("sip"), reg("sips"), reg("skype"),
    conv("slack"), row("smb", R, 0, true), row("smbs", C, 0, true), reg("smp"), reg("sms"), reg("smtp"),
    reg("snews"), reg("snmp"), conv("snowflake"), reg("soap.beep"), reg("soap.beeps"),
    row("socks", C, 0, true), row("socks4", C, 0, true), row("socks4a", C, 0, true),
    row("socks5", C, 0, true), row("socks5h", C, 0, true), reg("soldat"), reg("spacify"),
    row("sparse+http", C, 0, true), row("sparse+https", C, 0, true), row("spartan", C, 0, true),
    reg("spiffe"), reg("spotify"), conv("sqlite"), conv("sqlserver"), conv("srt"), reg("ssb"),
    row("ssh", R, 0, true), conv("ssl"), conv("stan"), reg("starknet"), reg("steam"), reg("stun"),
    reg("stuns"), reg("submit"), row("svn", R, 0, true), conv("svn+file"), row("svn+http", C, 0, true),
    row("svn+https", C, 0, true), row("svn+ssh", C, 0, true), reg("swh"), reg("swid"), reg("swidpath"),
    conv("swift"), conv("tachyon"), reg("tag"), reg("taler"), conv("tauri"), conv("tcp"), reg("teamspeak"),
    reg("teapot"), reg("teapots"), reg("tel"), reg("teliaeid"), row("telnet", R, 23, true),
    row("telnets", C, 0, true), reg("tftp"), conv("tg"), reg("things"), reg("thismessage"), conv("thrift"),
    reg("thzp"), reg("tip"), row("titan", C, 0, true), conv("tls"), reg("tn3270"), reg("tool"), conv("trino"),
    reg("turn"), reg("turns"), reg("tv"), conv("twitter"), reg("udp"), conv("unix"), reg("unreal"),
    reg("upt"), reg("urn"), reg("ut2004"), reg("uuid-in-package"), reg("v-event"), reg("vemmi"),
    reg("ventrilo"), reg("ves"), reg("videotex"), reg("view-source"), row("view-source+http", C, 0, true),
    row("view-source+https", C, 0, true), conv("viewfs"), conv("vivaldi"), row("vnc", R, 0, true),
    reg("vscode"), conv("vscode-file"), reg("vscode-insiders"), reg("vsls"), reg("w3"),
    row("wais", R, 0, true), row("wasb", C, 0, true), row("wasbs", C, 0, true), reg("wasm"), reg("wasm-js"),
    reg("wcr"), reg("web+ap"), reg("web3"), reg("webcal"), conv("webhdfs"), conv("weixin"), conv("whatsapp"),
    reg("wifi"), reg("wpid"), row("ws", R, 80, true), row("wss", R, 443, true), reg("wtai"), reg("wyciwyg"),
    reg("xcompute"), reg("xcon"), reg("xcon-userid"), reg("xfire"), reg("xftp"), reg("xmlrpc.beep"),
    reg("xmlrpc.beeps"), reg("xmpp"), reg("xrcp"), reg("xri"), reg("ymsgr"), reg("z39.50"),
    row("z39.50r", R, 0, true), row("z39.50s", R, 0, true), conv("zmq"), conv("zookeeper"), conv("zoommtg"),
    conv("zotero"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_lower_case_and_well_formed() {
        for pair in SCHEMES.windows(2) {
            assert!(pair[0].name < pair[1].name, "{}", pair[1].name);
        }
        for row in &SCHEMES {
            let name = row.name.as_bytes();
            assert!((2..=MAX_LEN).contains(&name.len()), "{}", row.name);
            assert!(name[0].is_ascii_lowercase(), "{}", row.name);
            assert!(
                name.iter()
                    .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.'))
            );
        }
    }

    #[test]
    fn short_cuts_point_at_their_rows() {
        assert_eq!(SCHEMES[HTTP].name, "http");
        assert_eq!(SCHEMES[HTTPS].name, "https");
    }

    /// Names that differ from a row in one or two bytes, and names of every short
    /// length.
    #[test]
    fn find_is_a_search_of_all_rows() {
        let by_search = |name: &[u8]| {
            let is_same = |row: &&Scheme| row.name.as_bytes().eq_ignore_ascii_case(name);
            SCHEMES.iter().find(is_same)
        };
        let check = |name: &[u8]| assert_eq!(find(name), by_search(name), "{name:?}");
        for row in &SCHEMES {
            let name = row.name.as_bytes();
            check(&name[1..]);
            check(&name[..name.len() - 1]);
            check(&[name, b"s"].concat());
            for at in 0..name.len() {
                for other in [b'x', b'S', b'-', name[at] ^ 0x20, name[at] ^ 0x80] {
                    let mut near = name.to_vec();
                    near[at] = other;
                    check(&near);
                }
            }
        }
        (0..MAX_LEN + 9).for_each(|len| check(&b"s3".repeat(MAX_LEN)[..len]));
    }

    #[test]
    fn every_row_is_found_in_any_case() {
        for row in &SCHEMES {
            assert_eq!(find(row.name.as_bytes()).map(|r| r.name), Some(row.name));
            let upper = row.name.to_ascii_uppercase();
            assert_eq!(find(upper.as_bytes()).map(|r| r.name), Some(row.name));
        }
        assert!(find(b"").is_none());
        assert!(find(&[b'a'; 65]).is_none());
    }
}
