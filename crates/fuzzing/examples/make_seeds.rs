//! Makes the seeds that nobody can write by hand: compressed bodies and sitemaps.
//!
//! `cargo run -p recrawl-fuzzing --example make_seeds`

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

type Encode = fn(&[u8]) -> Vec<u8>;

const PAGE: &[u8] =
    b"<!doctype html><title>A page</title><p>It says the same, the same, the same thing again.</p>";
const SITEMAP: &[u8] =
    b"<urlset><url><loc>https://example.com/a</loc><lastmod>2026-11-16</lastmod></url></urlset>";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 11, 22);
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.into_inner()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 19).expect("memory takes everything")
}

fn main() {
    let codings: [(&str, Encode); 5] =
        [("gzip", gzip), ("deflate", zlib), ("Deflate", raw_deflate), ("br", brotli), ("zstd", zstandard)];
    for (number, (name, encode)) in codings.into_iter().enumerate() {
        let zeros = vec![0; 4 << 20];
        let whole = encode(PAGE);
        write("decoding", &format!("{number}-whole"), name, &whole);
        write("decoding", &format!("{number}-broken-off"), name, &whole[..whole.len() / 2]);
        write("decoding", &format!("{number}-twice"), name, &[&*whole, &*whole].concat());
        write("decoding", &format!("{number}-bomb"), name, &encode(&zeros));
        write("decoding", &format!("{number}-inside-gzip"), &format!("{name}, gzip"), &gzip(&whole));
    }
    write("decoding", "plain", "", PAGE);
    write("decoding", "not-coded", "gzip", PAGE);
    write("decoding", "chain", "gzip, br , identity,zstd", &zstandard(&brotli(&gzip(PAGE))));
    write("decoding", "too-many", "gzip,gzip,gzip,gzip,gzip", PAGE);
    write("decoding", "garbage-behind", "x-gzip", &[&*gzip(PAGE), b"\0\0\0garbage"].concat());
    write("sitemap", "gzip", "application/gzip", &gzip(SITEMAP));
    write("sitemap", "gzip-twice", "application/gzip", &gzip(&gzip(SITEMAP)));
    write("sitemap", "gzip-broken-off", "", &gzip(SITEMAP)[..40]);
    let blanks = [b"<urlset>".as_slice(), &vec![b' '; 2 << 20]].concat();
    write("sitemap", "gzip-bomb", "", &gzip(&blanks));
}

fn write(target: &str, name: &str, first_line: &str, rest: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let seed = [first_line.as_bytes(), b"\n", rest].concat();
    fs::write(folder.join(name), seed).expect("the folder is there");
}
