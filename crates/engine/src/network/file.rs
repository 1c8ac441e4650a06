//! The file of a network.
//!
//! All numbers are little endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `QUARTNET` |
//! | 2 | version of the format: 1 |
//! | 2 | N, the neurons of one perspective |
//! | 2 | B, the output buckets |
//! | 4 | scale (pawns/100 for each unit of the output) |
//! | 4 | length of the facts |
//! | | the facts: JSON in UTF-8 |
//! | 2 * I * N | weights of the first layer, N for each of the I = 768 inputs |
//! | 2 * N | biases of the first layer |
//! | 2 * 2N * B | output weights, 2N for each bucket |
//! | 4 * B | output biases |
//! | 4 | CRC-32 of everything before |

use super::{BUCKETS, INPUTS, NEURONS_MAX, NEURONS_STEP, Network, OUTPUT_SUM_MAX, Parts, SCALE_MAX, SIDES, values};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"QUARTNET";
const VERSION: u16 = 1;
/// Bytes before the facts.
const HEAD: usize = MAGIC.len() + 3 * size_of::<u16>() + 2 * size_of::<u32>();
const CHECKSUM: usize = size_of::<u32>();
/// Greatest length of the facts (bytes).
pub const FACTS_MAX: usize = 1 << 16;

/// Why bytes or numbers are not a network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NetworkError {
    #[error(
        "not a Quarterply network: it begins with `{found}`, not with `QUARTNET`; give a file that `quarterply train` wrote"
    )]
    Foreign { found: String },
    #[error(
        "the network has format {version}, but this program reads format {VERSION}; use the Quarterply that wrote it, or train the network again"
    )]
    Version { version: u16 },
    #[error("the network is truncated: {found} of {expected} bytes; copy it again")]
    Truncated { found: usize, expected: usize },
    #[error("the network has {} bytes too many ({found}, expected {expected}); copy it again", .found - .expected)]
    Longer { found: usize, expected: usize },
    #[error("the network is damaged: its bytes have checksum {expected:08x}, not {found:08x}; copy it again")]
    Damaged { found: u32, expected: u32 },
    #[error("the network has {what} {found}: expected {allowed}; train one of that shape")]
    Shape { what: &'static str, found: i64, allowed: String },
    #[error("the facts of the network are not UTF-8 from byte {at} of the file; write it again")]
    Text { at: usize },
    #[error("the network has {length} bytes of facts: expected at most {FACTS_MAX}; shorten them")]
    Facts { length: usize },
    #[error("the network has {found} {what} instead of {expected}; train it again")]
    Count { what: &'static str, found: usize, expected: usize },
    #[error("{what} {column} of row {row} is {found}: {limit} at most, either sign; clip the weights when training")]
    Bound { what: &'static str, row: usize, column: usize, found: i16, limit: i16 },
    #[error(
        "the output weights of one sign add up to {found} in bucket {bucket}: {OUTPUT_SUM_MAX} at most; clip the weights when training"
    )]
    Sum { bucket: usize, found: i32 },
}

/// Returns true if the program supports this shape.
pub(super) fn check_shape(neurons: usize, buckets: usize, scale: i32) -> Result<(), NetworkError> {
    let fail = |what, found: i64, allowed| Err(NetworkError::Shape { what, found, allowed });
    if !neurons.is_multiple_of(NEURONS_STEP) || !(NEURONS_STEP..=NEURONS_MAX).contains(&neurons) {
        let allowed = format!("multiples of {NEURONS_STEP} up to {NEURONS_MAX}");
        return fail("neurons", neurons as i64, allowed);
    }
    if !BUCKETS.contains(&buckets) {
        return fail("output buckets", buckets as i64, BUCKETS.map(|count| count.to_string()).join(", "));
    }
    if !(1..=SCALE_MAX).contains(&scale) {
        return fail("scale", i64::from(scale), format!("1 to {SCALE_MAX}"));
    }
    Ok(())
}

/// The head of a file.
struct FileHeader {
    neurons: usize,
    buckets: usize,
    scale: i32,
    facts: usize,
}

impl FileHeader {
    fn read(bytes: &[u8]) -> Result<FileHeader, NetworkError> {
        let begin = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(begin) {
            return Err(NetworkError::Foreign { found: begin.escape_ascii().to_string() });
        }
        let mut rest = bytes.get(MAGIC.len()..).unwrap_or_default();
        let short = || NetworkError::Truncated { found: bytes.len(), expected: HEAD };
        let version = take(&mut rest).map(u16::from_le_bytes).ok_or_else(short)?;
        if version != VERSION {
            return Err(NetworkError::Version { version });
        }
        let mut numbers = || Some((take(&mut rest)?, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?));
        let (neurons, buckets, scale, facts) = numbers().ok_or_else(short)?;
        let [neurons, buckets] = [neurons, buckets].map(|number| usize::from(u16::from_le_bytes(number)));
        let (scale, facts) = (i32::from_le_bytes(scale), u32::from_le_bytes(facts) as usize);
        check_shape(neurons, buckets, scale)?;
        if facts > FACTS_MAX {
            return Err(NetworkError::Facts { length: facts });
        }
        Ok(FileHeader { neurons, buckets, scale, facts })
    }

    /// Length of the whole file.
    fn length(&self) -> usize {
        HEAD + self.facts + self.shorts() * size_of::<i16>() + self.buckets * size_of::<i32>() + CHECKSUM
    }

    /// How many 16-bit numbers the file has.
    fn shorts(&self) -> usize {
        self.neurons * (INPUTS + 1 + SIDES * self.buckets)
    }
}

/// Takes the bytes of a number from the front.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

impl Network {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`NetworkError`], for whatever is wrong first: kind of file, version, shape, length, checksum, and the numbers.
    pub fn read(bytes: &[u8]) -> Result<Network, NetworkError> {
        let head = FileHeader::read(bytes)?;
        let (found, expected) = (bytes.len(), head.length());
        if found < expected {
            return Err(NetworkError::Truncated { found, expected });
        }
        if found > expected {
            return Err(NetworkError::Longer { found, expected });
        }
        let (body, mut end) = bytes.split_at(found - CHECKSUM);
        let (found, expected) = (take(&mut end).map_or(0, u32::from_le_bytes), crc32fast::hash(body));
        if found != expected {
            return Err(NetworkError::Damaged { found, expected });
        }
        let facts = std::str::from_utf8(&body[HEAD..HEAD + head.facts])
            .map_err(|error| NetworkError::Text { at: HEAD + error.valid_up_to() })?
            .to_owned();
        let FileHeader { neurons, buckets, scale, .. } = head;
        // The length is right, so that nothing can be missing.
        let (shorts, longs) = body[HEAD + head.facts..].split_at(head.shorts() * size_of::<i16>());
        let mut shorts = shorts.as_chunks().0.iter().map(|&short| i16::from_le_bytes(short));
        let mut next = |count| shorts.by_ref().take(count).collect::<Vec<_>>();
        let (weights, biases) = (next(INPUTS * neurons), next(neurons));
        let output_weights = next(SIDES * neurons * buckets);
        let output_biases = longs.as_chunks().0.iter().map(|&long| i32::from_le_bytes(long)).collect();
        Network::new(&Parts { neurons, buckets, scale, facts, weights, biases, output_weights, output_biases })
    }

    /// The bytes of its file.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.body();
        bytes.extend_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// The file without its checksum.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.neurons as u16, self.buckets() as u16] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        bytes.extend_from_slice(&(self.facts.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.facts.as_bytes());
        for part in [&self.weights, &self.biases, &self.output_weights] {
            bytes.extend(values(part).flat_map(i16::to_le_bytes));
        }
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    fn small() -> Vec<u8> {
        Network::new(&random(32, 2, 3)).unwrap().encode()
    }

    /// With its checksum made right again.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let body = bytes.len() - CHECKSUM;
        let sum = crc32fast::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn with(at: usize, new: &[u8]) -> Vec<u8> {
        let mut bytes = small();
        bytes[at..at + new.len()].copy_from_slice(new);
        sealed(bytes)
    }

    #[test]
    fn a_network_comes_back_as_it_was_written() {
        for (neurons, buckets) in [(32, 1), (64, 2), (96, 4), (256, 8)] {
            let parts = random(neurons, buckets, 5);
            let network = Network::new(&parts).unwrap();
            let bytes = network.encode();
            let read = Network::read(&bytes).unwrap();
            assert_eq!((read.parts(), read.encode()), (parts, bytes));
            assert_eq!(read, network);
        }
        assert_ne!(Network::read(&small()).unwrap().name(), Network::new(&random(32, 2, 4)).unwrap().name());
    }

    #[test]
    fn faults_of_a_file_are_reported_with_the_remedy() {
        let whole = small();
        let facts = HEAD + "{\"seed\":3}".len();
        let output = whole.len() - CHECKSUM - 2 * 4 - 2 * 2 * 2 * 32;
        let mut damaged = whole.clone();
        damaged[5000] ^= 1;
        for (name, bytes, message) in [
            ("another file", b"PNG and so on".to_vec(), "it begins with `PNG and `"),
            (
                "another format",
                with(8, &[2]),
                "has format 2, but this program reads format 1; use the Quarterply that wrote it",
            ),
            ("nothing", vec![], "the network is truncated: 0 of 22 bytes; copy it again"),
            ("half a head", whole[..12].to_vec(), "12 of 22 bytes"),
            ("half a file", whole[..9000].to_vec(), "9000 of 49516 bytes"),
            ("more", [whole.as_slice(), b"xyz"].concat(), "3 bytes too many"),
            ("a flipped bit", damaged, "the network is damaged: its bytes have checksum"),
            ("odd neurons", with(10, &[33]), "neurons 33: expected multiples of 32 up to 1024"),
            ("no neurons", with(10, &[0]), "neurons 0"),
            ("three buckets", with(12, &[3]), "output buckets 3: expected 1, 2, 4, 8"),
            ("no scale", with(14, &[0; 4]), "scale 0"),
            ("a negative scale", with(14, &[255; 4]), "scale -1"),
            ("endless facts", with(18, &[255; 4]), "4294967295 bytes of facts"),
            ("facts in latin-1", with(HEAD + 2, &[0xe4]), "not UTF-8 from byte 24"),
            ("a large weight", with(facts + 2 * 33, &501i16.to_le_bytes()), "weight 1 of row 1 is 501: 500 at most"),
            ("a large bias", with(facts + 2 * 768 * 32, &[0, 0x80]), "bias 0 of row 0 is -32768: 700 at most"),
            ("a large output", with(output + 2 * 64, &[128, 0]), "output weight 0 of row 1 is 128: 127 at most"),
        ] {
            let error = Network::read(&bytes).expect_err(name).to_string();
            assert!(error.contains(message), "{name}: {error}");
        }
    }

    #[test]
    fn output_weights_that_could_overflow_together_are_refused() {
        let wide = random(1024, 1, 9);
        let row = |sign: i16| (0..2048).map(|i| if i < 261 { sign * 127 } else { 0 }).collect::<Vec<_>>();
        for sign in [1, -1] {
            let parts = Parts { output_weights: row(sign), ..wide.clone() };
            let found = i32::from(sign) * 261 * 127;
            assert_eq!(Network::check(&parts), Err(NetworkError::Sum { bucket: 0, found }));
        }
        let mixed = row(1).into_iter().enumerate().map(|(i, weight)| if i % 2 == 0 { weight } else { -weight });
        assert_eq!(Network::check(&Parts { output_weights: mixed.collect(), ..wide }), Ok(()));
    }

    #[test]
    fn missing_numbers_are_reported() {
        let mut parts = random(32, 1, 1);
        parts.biases.pop();
        let error = Network::new(&parts).expect_err("one bias is missing");
        assert_eq!(error, NetworkError::Count { what: "biases", found: 31, expected: 32 });
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let whole = small();
        for length in (0..64).chain((64..whole.len()).step_by(997)) {
            assert!(Network::read(&whole[..length]).is_err(), "{length}");
        }
        for at in (0..64).chain((64..whole.len()).step_by(1499)) {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                assert!(Network::read(&bytes).is_err(), "byte {at}, bit {bit}");
                // With a right checksum it may be another network, or an error, but nothing else.
                let _ = Network::read(&sealed(bytes));
            }
        }
    }
}
