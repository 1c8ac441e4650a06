//! Fingerprints that are the same on every machine and for ever: FNV-1a in 64 bits.

/// A hash that grows with what is added.
pub struct Fingerprint(pub u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint::new()
    }
}

impl Fingerprint {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// The hash of nothing.
    pub fn new() -> Fingerprint {
        Fingerprint(Fingerprint::BASIS)
    }

    /// Goes on with these bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(Fingerprint::PRIME));
    }
}

/// A short fingerprint of bytes in hexadecimal.
pub fn fingerprint(bytes: &[u8]) -> String {
    let mut hash = Fingerprint::new();
    hash.add(bytes);
    format!("{:016x}", hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_the_published_ones() {
        for (text, expected) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
            assert_eq!(fingerprint(text.as_bytes()), expected, "{text}");
        }
    }
}
