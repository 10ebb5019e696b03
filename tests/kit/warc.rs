//! Records of web archives, and the messages in them.

#![allow(dead_code)] // Not every test has every kind of record.

/// A record of this kind with `more` fields.
pub fn record(kind: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:0000-{kind}>\r\n\
         WARC-Date: 2024-01-01T00:00:00Z\r\n{more}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A record of the answer to a request for `uri`.
pub fn response(uri: &str, message: &[u8]) -> Vec<u8> {
    let more =
        format!("WARC-Target-URI: {uri}\r\nContent-Type: application/http; msgtype=response\r\n");
    record("response", &more, message)
}

/// An HTTP message with these fields.
pub fn message(fields: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
}
