//! A hash of rules that a caller may choose. Stores of known keys keep it, so it depends on what
//! the rules say alone: neither on the machine, nor on the compiler, nor on names in this code.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// Hashes rules in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct RulesDigest(SipHasher13);

impl RulesDigest {
    /// Adds a rule with its fields.
    pub(super) fn add<'f>(&mut self, fields: impl IntoIterator<Item = &'f str>) {
        // No byte of UTF-8 is either of these: no two lists of fields have the same bytes.
        for field in fields {
            self.0.write(field.as_bytes());
            self.0.write_u8(0xFF);
        }
        self.0.write_u8(0xFE);
    }

    pub(super) fn number(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::gateway::Gateways;
    use crate::canonicalize::params::ParamRules;
    use crate::canonicalize::resolver::Resolvers;

    /// A store that another version has written is opened by these.
    #[test]
    fn digests_stay_as_they_are() {
        let mut digest = RulesDigest::default();
        digest.add(["a", ""]);
        digest.add([]);
        let mut rules = ParamRules::default();
        rules.add_filter("||a.example^$removeparam=b");
        let gateways = Gateways::parse("own\tgo.a.example\t/out\tto u\tpercent\n").unwrap();
        let digests = [digest.number(), rules.digest(), gateways.digest()];
        let wanted = [
            17_589_930_607_610_287_879,
            656_180_108_960_039_316,
            16_478_431_169_269_663_231,
        ];
        assert_eq!(digests, wanted);
        let mut resolvers = Resolvers::built_in();
        let before = resolvers.digest();
        resolvers.add("a.example/id/ urn").unwrap();
        assert_ne!(resolvers.digest(), before);
    }

    #[test]
    fn fields_are_apart() {
        let number = |rules: &[&[&str]]| {
            let mut digest = RulesDigest::default();
            for rule in rules {
                digest.add(rule.iter().copied());
            }
            digest.number()
        };
        let other = [
            number(&[&["ab", "c"]]),
            number(&[&["a", "bc"]]),
            number(&[&["abc"]]),
            number(&[&["ab"], &["c"]]),
            number(&[&["ab", "c"], &[]]),
        ];
        for (at, one) in other.iter().enumerate() {
            assert!(!other[at + 1..].contains(one));
        }
    }
}
