//! Compression of the frames of a trace: Zstandard, in C where there is a C compiler, in Rust for WebAssembly.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{Compressor, decompress};
#[cfg(target_arch = "wasm32")]
pub(crate) use portable::{Compressor, decompress};

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::io;

    /// Fast: a search makes a hundred megabytes a second.
    const LEVEL: i32 = 1;

    /// Compresses frames with their checksums.
    pub struct Compressor(zstd::bulk::Compressor<'static>);

    impl Compressor {
        pub fn new() -> io::Result<Compressor> {
            let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
            compressor.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
            Ok(Compressor(compressor))
        }

        pub fn compress(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
            self.0.compress(plain)
        }
    }

    /// The plain bytes of a frame, at most `most` of them.
    pub fn decompress(packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
        zstd::bulk::decompress(packed, most)
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
mod portable {
    use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::{self, Read};

    /// Compresses frames with their checksums.
    pub struct Compressor;

    impl Compressor {
        pub fn new() -> io::Result<Compressor> {
            Ok(Compressor)
        }

        pub fn compress(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
            Ok(compress_to_vec(plain, CompressionLevel::Fastest))
        }
    }

    /// The plain bytes of a frame, at most `most` of them.
    pub fn decompress(mut packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
        let mut decoder = StreamingDecoder::new(&mut packed).map_err(io::Error::other)?;
        let mut plain = Vec::new();
        // One more shows that there is more than expected.
        decoder.by_ref().take(most as u64 + 1).read_to_end(&mut plain)?;
        let frame: &FrameDecoder = &decoder.decoder;
        if plain.len() > most || frame.get_checksum_from_data() != frame.get_calculated_checksum() {
            return Err(io::Error::other("its checksum or length is wrong"));
        }
        Ok(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::{native, portable};

    /// Traces of the browser are read by the program, and the other way round.
    #[test]
    fn both_compressors_read_each_other() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(|number| (number / 7 % 251).to_le_bytes()).collect();
        let one = native::Compressor::new().and_then(|mut one| one.compress(&text)).expect("memory");
        let other = portable::Compressor::new().and_then(|mut other| other.compress(&text)).expect("memory");
        assert!(one.len() < text.len() / 2 && other.len() < text.len() / 2, "{} {}", one.len(), other.len());
        for packed in [&one, &other] {
            assert_eq!(native::decompress(packed, text.len()).expect("sound"), text);
            assert_eq!(portable::decompress(packed, text.len()).expect("sound"), text);
            let mut damaged = packed.clone();
            let last = damaged.len() - 1;
            damaged[last] ^= 1;
            for found in [native::decompress(&damaged, text.len()), portable::decompress(&damaged, text.len())] {
                found.expect_err("the checksum is wrong");
            }
            for found in [native::decompress(packed, text.len() - 1), portable::decompress(packed, text.len() - 1)] {
                found.expect_err("there is more");
            }
        }
    }
}
