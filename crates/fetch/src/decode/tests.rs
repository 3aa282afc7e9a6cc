use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
    encoder.write_all(bytes).unwrap();
    encoder.into_inner()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

type Encode = fn(&[u8]) -> Vec<u8>;

const CODINGS: [(&str, Encode); 7] = [
    ("identity", <[u8]>::to_vec),
    ("gzip", gzip),
    ("X-GZIP", gzip),
    ("deflate", zlib),
    ("deflate", raw_deflate),
    ("br", brotli),
    ("zstd", zstandard),
];

/// Decodes `bytes`, arriving `step` at a time.
fn decode(codings: &str, bytes: &[u8], step: usize, limit: usize) -> Result<(Vec<u8>, Limit), DecodeError> {
    let mut decoder = Decoder::new(Some(codings), limit, None)?;
    for chunk in bytes.chunks(step) {
        if decoder.push(chunk)? == Limit::Reached {
            return Ok((decoder.take(), Limit::Reached));
        }
    }
    let room = decoder.end(!bytes.is_empty())?;
    Ok((decoder.take(), room))
}

fn sample() -> Vec<u8> {
    (0..60_000_u32).flat_map(|number| (number % 1009 * 7).to_le_bytes()).collect()
}

#[test]
fn every_coding_gives_back_what_was_coded_however_it_arrives() {
    let sample = sample();
    for (name, code) in CODINGS {
        let coded = code(&sample);
        for step in [1, 2, 3, 1000, coded.len()] {
            let (decoded, room) = decode(name, &coded, step, sample.len()).unwrap();
            assert!(decoded == sample, "{name} in steps of {step}");
            assert_eq!(room, Limit::Within, "{name} in steps of {step}");
        }
    }
}

#[test]
fn a_body_over_the_limit_is_cut_at_it() {
    let sample = sample();
    for (name, code) in CODINGS {
        let limit = sample.len() - 1;
        let (decoded, room) = decode(name, &code(&sample), 1000, limit).unwrap();
        assert!(decoded == sample[..limit], "{name}");
        assert_eq!(room, Limit::Reached, "{name}");
    }
}

#[test]
fn a_coded_body_without_its_end_is_broken() {
    let sample = sample();
    for (name, code) in &CODINGS[1..] {
        let coded = code(&sample);
        for missing in [1, 5, coded.len() / 2, coded.len() - 1] {
            let result = decode(name, &coded[..coded.len() - missing], 1000, 1 << 20);
            assert!(matches!(result, Err(DecodeError::Broken(_))), "{name} without {missing} bytes");
        }
    }
}

#[test]
fn what_is_not_coded_as_it_says_is_broken() {
    for name in ["gzip", "deflate", "br", "zstd"] {
        let result = decode(name, b"<!doctype html><p>not coded at all</p>", 7, 1000);
        assert!(matches!(result, Err(DecodeError::Broken(_))), "{name}");
    }
}

#[test]
fn an_empty_body_is_empty_in_every_coding() {
    for name in ["", "gzip", "deflate", "br", "zstd", "gzip, br"] {
        let (decoded, room) = decode(name, b"", 1, 1000).unwrap();
        assert_eq!((decoded.len(), room), (0, Limit::Within), "{name}");
    }
}

#[test]
fn stacked_codings_are_undone_from_the_last() {
    let sample = sample();
    let coded = zstandard(&brotli(&gzip(&sample)));
    let (decoded, _) = decode("gzip, br , identity,zstd", &coded, 100, sample.len()).unwrap();
    assert!(decoded == sample);
}

#[test]
fn unknown_and_endless_codings_are_refused() {
    assert!(
        matches!(decode("gzip, compress", b"", 1, 10), Err(DecodeError::Unknown(name)) if name == "compress")
    );
    assert!(matches!(decode("gzip, gzip, gzip, gzip, gzip", b"", 1, 10), Err(DecodeError::TooMany)));
}

#[test]
fn gzip_members_are_joined_and_what_follows_them_is_ignored() {
    let mut coded = [gzip(b"one "), gzip(b"two")].concat();
    for rest in [b"".as_slice(), b"\0\0\0\0", b"garbage"] {
        coded.extend_from_slice(rest);
        for step in [1, 1000] {
            assert_eq!(decode("gzip", &coded, step, 100).unwrap().0, b"one two");
        }
    }
}

#[test]
fn a_gzip_with_a_wrong_checksum_is_broken() {
    let mut coded = gzip(b"one two three");
    let checksum = coded.len() - 8;
    coded[checksum] ^= 1;
    assert!(matches!(decode("gzip", &coded, 1000, 100), Err(DecodeError::Broken(_))));
}

#[test]
fn a_bomb_stops_at_the_limit_with_its_first_bytes() {
    let zeros = vec![0_u8; 64 << 20];
    for (name, code) in CODINGS {
        let coded = code(&zeros);
        let limit = 1 << 16;
        let mut decoder = Decoder::new(Some(name), limit, None).unwrap();
        assert_eq!(decoder.push(&coded).unwrap(), Limit::Reached, "{name}");
        let body = decoder.take();
        assert_eq!(body.len(), limit, "{name}");
        assert!(body.capacity() <= 4 * limit, "{name} holds {}", body.capacity());
    }
}

#[test]
fn what_follows_a_brotli_stream_is_ignored_also_inside_another() {
    let coded = [brotli(b"one"), b"garbage".to_vec()].concat();
    for step in [1, 1000] {
        assert_eq!(decode("br", &coded, step, 100).unwrap().0, b"one");
        assert_eq!(decode("br, br", &brotli(&coded), step, 100).unwrap().0, b"one");
    }
}
