//! The shapes of log lines (G3): the register of their names, and what each leaves to be
//! undone in its values.

use super::quoting::ValueQuoting;
use super::url::LogEscape;

/// A shape of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LogShape {
    Clf,
    Npm,
    S3,
    Elb,
    Envoy,
    HaProxy,
    Squid,
    W3c,
    Zeek,
    Csv,
    Json,
    Ltsv,
    Logfmt,
    Cef,
    Leef,
}

/// A row of the register.
#[derive(Debug)]
pub(crate) struct ShapeRow {
    pub shape: LogShape,
    /// The name in `--log-format` and `formats`.
    pub name: &'static str,
    /// Names by which GoAccess knows the shape.
    pub aliases: &'static [&'static str],
    /// The logs that have the shape.
    pub meaning: &'static str,
    pub(super) escape: LogEscape,
    pub(super) quoting: ValueQuoting,
    /// Every line of the shape has a request. Lines of other shapes may state anything.
    pub(super) has_request: bool,
}

const fn row(
    shape: LogShape,
    name: &'static str,
    aliases: &'static [&'static str],
    meaning: &'static str,
    escape: LogEscape,
) -> ShapeRow {
    ShapeRow {
        shape,
        name,
        aliases,
        meaning,
        escape,
        quoting: ValueQuoting::None,
        has_request: false,
    }
}

const fn of_requests(row: ShapeRow) -> ShapeRow {
    ShapeRow {
        has_request: true,
        ..row
    }
}

const fn quoted(row: ShapeRow, quoting: ValueQuoting) -> ShapeRow {
    ShapeRow { quoting, ..row }
}

/// Every shape.
pub(crate) static SHAPES: &[ShapeRow] = &[
    of_requests(row(
        LogShape::Clf,
        "clf",
        &["COMMON", "COMBINED", "VCOMMON", "VCOMBINED", "TRAEFIKCLF"],
        "common, combined and vhost logs of Apache, nginx, Traefik, Varnish; ssl_request_log",
        LogEscape::Clf,
    )),
    of_requests(row(
        LogShape::Npm,
        "npm",
        &[],
        "Nginx Proxy Manager",
        LogEscape::Clf,
    )),
    of_requests(row(
        LogShape::S3,
        "s3",
        &["AWSS3"],
        "Amazon S3",
        LogEscape::Clf,
    )),
    of_requests(row(
        LogShape::Elb,
        "elb",
        &["AWSELB", "AWSALB"],
        "load balancers of Amazon: ALB, classic ELB",
        LogEscape::Clf,
    )),
    of_requests(row(
        LogShape::Envoy,
        "envoy",
        &[],
        "Envoy, Istio",
        LogEscape::Clf,
    )),
    of_requests(row(
        LogShape::HaProxy,
        "haproxy",
        &[],
        "HAProxy, HTTP and HTTPS",
        LogEscape::HaProxy,
    )),
    of_requests(row(
        LogShape::Squid,
        "squid",
        &["SQUID"],
        "Squid, its own format",
        LogEscape::None,
    )),
    quoted(
        row(
            LogShape::W3c,
            "w3c",
            &["W3C", "CLOUDFRONT"],
            "columns after #Fields: IIS, CloudFront, Blue Coat",
            LogEscape::None,
        ),
        ValueQuoting::Doubled,
    ),
    row(
        LogShape::Zeek,
        "zeek",
        &[],
        "http.log of Zeek, after #fields",
        LogEscape::Zeek,
    ),
    quoted(
        row(
            LogShape::Csv,
            "csv",
            &["CLOUDSTORAGE"],
            "a table whose first line names method and target",
            LogEscape::None,
        ),
        ValueQuoting::Doubled,
    ),
    quoted(
        row(
            LogShape::Json,
            "json",
            &["CADDY"],
            "an object of JSON a line: Caddy, Traefik, nginx, Suricata, Cloudflare, GCP, ECS",
            LogEscape::Json,
        ),
        ValueQuoting::Json,
    ),
    row(
        LogShape::Ltsv,
        "ltsv",
        &[],
        "label:value, separated by tabs",
        LogEscape::Clf,
    ),
    quoted(
        row(
            LogShape::Logfmt,
            "logfmt",
            &[],
            "key=value: the router of Heroku",
            LogEscape::None,
        ),
        ValueQuoting::Backslash,
    ),
    quoted(
        row(LogShape::Cef, "cef", &[], "ArcSight CEF", LogEscape::None),
        ValueQuoting::Backslash,
    ),
    quoted(
        row(
            LogShape::Leef,
            "leef",
            &[],
            "QRadar LEEF 1.0, 2.0",
            LogEscape::None,
        ),
        ValueQuoting::Backslash,
    ),
];

impl LogShape {
    /// The row of the shape.
    pub(super) fn row(self) -> &'static ShapeRow {
        &SHAPES[self as usize]
    }

    /// Returns the shape with this name or alias.
    pub(super) fn named(name: &str) -> Option<LogShape> {
        let is_of = |row: &&ShapeRow| row.name == name || row.aliases.contains(&name);
        SHAPES.iter().find(is_of).map(|row| row.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_shapes() {
        for row in SHAPES {
            assert_eq!(row.shape.row().name, row.name);
            assert_eq!(LogShape::named(row.name), Some(row.shape));
        }
        assert_eq!(LogShape::named("VCOMBINED"), Some(LogShape::Clf));
        assert_eq!(LogShape::named("CLF"), None);
    }
}
