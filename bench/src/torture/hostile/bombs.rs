//! Encodings that unfold to far more than was sent, or to nothing.

use std::io::{self, Read as _, Write as _};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

use super::{Case, pieces};
use crate::listener::{Connection, Then};

pub(super) const CASES: &[Case] = &[
    Case::new("gzip-bomb", "1 MB of gzip that is 1 GB of one letter", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        let bomb = BOMB.get_or_init(|| gzip_repeated(b"x", 10 << 20).repeat(100));
        encoded(connection, "gzip", bomb)
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 6.0)
    .heavy(),
    Case::new("gzip-paragraphs", "10 kB of gzip that are 1.2 million paragraphs", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        encoded(connection, "gzip", BOMB.get_or_init(|| gzip_repeated(b"<p>x</p>", 1_200_000)))
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 12.0)
    .heavy(),
    Case::new(
        "formatting-bomb",
        "6 kB of gzip: a hundred open fonts before 1.2 million paragraphs",
        |_, connection| {
            static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
            let bomb = BOMB.get_or_init(|| {
                let fonts = pieces(100, |number| format!("<font color={number} face=a size=3>"));
                // Members of one stream, one behind the other.
                [gzip(format!("<p>{fonts}</p>").as_bytes()), gzip_repeated(b"<p>x</p>", 1_200_000)].concat()
            });
            encoded(connection, "gzip", bomb)
        },
    )
    .bad(&["new", "failed"])
    .seconds(20.0, 12.0)
    .heavy(),
    Case::new("nul-bytes", "gzip of five million letters with NUL bytes between them", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        encoded(connection, "gzip", BOMB.get_or_init(|| gzip_repeated(b"a\0", 5_000_000)))
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 12.0)
    .heavy(),
    Case::new("deflate-bomb", "deflate that is 100 MB of one letter", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        encoded(connection, "deflate", BOMB.get_or_init(|| deflate(100 << 20)))
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 6.0)
    .heavy(),
    Case::new("brotli-bomb", "brotli that is 100 MB of one letter", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        encoded(connection, "br", BOMB.get_or_init(|| brotli(100 << 20)))
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 6.0)
    .heavy(),
    Case::new("zstd-bomb", "zstd that is 100 MB of one letter", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        let bomb =
            BOMB.get_or_init(|| zstd::encode_all(io::repeat(b'x').take(100 << 20), 1).unwrap_or_default());
        encoded(connection, "zstd", bomb)
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 6.0)
    .heavy(),
    Case::new("zstd-window", "zstd that wants a window of 2 GB", |_, connection| {
        // Magic number, a frame header without size, the largest window descriptor that 64 bits allow.
        encoded(connection, "zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00])
    }),
    Case::new("gzip-nested", "gzip in gzip in gzip in gzip", |_, connection| {
        let body = (0..4).fold(b"<p>Deep".to_vec(), |body, _| gzip(&body));
        encoded(connection, "gzip, gzip, gzip, gzip", &body)
    })
    .bad(&["new", "failed"]),
    Case::new("encodings-1000", "a thousand encodings on one body", |_, connection| {
        encoded(connection, &vec!["gzip"; 1_000].join(","), &gzip(b"<p>Deep"))
    }),
    Case::new("gzip-nested-bomb", "a bomb of gzip within gzip", |_, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        let bomb = BOMB.get_or_init(|| gzip(&gzip_repeated(b"x", 10 << 20).repeat(1_000)));
        encoded(connection, "gzip, gzip", bomb)
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 6.0)
    .heavy(),
    Case::new("gzip-cut", "gzip that breaks off", |_, connection| {
        let body = gzip(&b"<p>All work and no play".repeat(1_000));
        encoded(connection, "gzip", &body[..body.len() / 2])
    }),
    Case::new("gzip-lie", "a plain page that claims to be gzip", |_, connection| {
        encoded(connection, "gzip", b"<p>Plain")
    }),
    Case::new("gzip-garbage", "a good head of gzip with garbage behind it", |_, connection| {
        let mut body = gzip(&b"<p>All work".repeat(100));
        body.truncate(12);
        body.extend([0xff; 500]);
        encoded(connection, "gzip", &body)
    }),
    Case::new("gzip-trailing", "gzip with garbage behind its end", |_, connection| {
        encoded(connection, "gzip", &[gzip(b"<p>Good"), vec![0xff; 5_000]].concat())
    })
    .bad(&["new", "failed"]),
    Case::new("encoding-unknown", "an encoding that nobody knows", |_, connection| {
        encoded(connection, "x-evil", b"<p>Plain")
    })
    .bad(&["new", "failed"]),
    Case::new("encoding-empty-body", "gzip of no bytes at all", |_, connection| {
        encoded(connection, "gzip", b"")
    })
    .bad(&["new", "failed"]),
];

fn encoded(connection: &mut Connection, encoding: &str, body: &[u8]) -> io::Result<Option<Then>> {
    let encoding = format!("Content-Encoding: {encoding}");
    connection.respond("200 OK", &["Content-Type: text/html", &encoding], body).map(Some)
}

/// Returns bytes compressed; writing to memory does not fail.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Returns one piece again and again, compressed.
pub(super) fn gzip_repeated(piece: &[u8], count: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = write_repeated(&mut encoder, piece, count);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

fn deflate(notifications: usize) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = write_repeated(&mut encoder, b"x", notifications);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

fn brotli(notifications: usize) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 64 << 10, 1, 22);
    // Writing to memory does not fail; dropping would finish it, too, but its bytes would be gone.
    let _ = write_repeated(&mut encoder, b"x", notifications);
    encoder.into_inner()
}

fn write_repeated(encoder: &mut impl io::Write, piece: &[u8], count: usize) -> io::Result<()> {
    let at_once = 10_000.min(count);
    let chunk = piece.repeat(at_once);
    for _ in 0..count / at_once {
        encoder.write_all(&chunk)?;
    }
    encoder.write_all(&piece.repeat(count % at_once))
}
