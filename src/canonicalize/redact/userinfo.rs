//! Secrets in userinfo.

use crate::syntax::nested::Site;
use std::ops::Range;

/// Calls `add` with the secret in a userinfo, and with the rest of a password that continues
/// after it.
pub(super) fn add_userinfo(bytes: &[u8], site: &Site, add: &mut impl FnMut(Range<usize>)) {
    let end = site.password_rest.as_ref().map(|rest| rest.end);
    let Some(userinfo) = &site.userinfo else {
        if let Some(rest) = &site.password_rest {
            add(rest.clone());
        }
        return;
    };
    let colon = memchr::memchr(b':', &bytes[userinfo.clone()]).map(|at| userinfo.start + at);
    let end_of_password = end.unwrap_or(userinfo.end);
    match colon {
        // In defanged text the mark "[:]" replaces the colon.
        Some(colon) if bytes[..colon].ends_with(b"[") && bytes[colon + 1..].starts_with(b"]") => {
            add(userinfo.end.min(colon + 2)..end_of_password);
        }
        // API keys are users without a password: `https://KEY:@host/`.
        Some(colon) if colon + 1 == end_of_password && !site.is_address => {
            add(userinfo.start..colon);
        }
        Some(colon) => add(colon + 1..end_of_password),
        None => {
            if !site.is_address {
                add(userinfo.clone());
            }
            if let Some(rest) = &site.password_rest {
                add(rest.clone());
            }
        }
    }
}
