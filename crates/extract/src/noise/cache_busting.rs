//! Cache busting: what makes the address of an image new although the image is the same.

use super::rule::{AddressRule, Parameter, Rule, is_among, is_hexadecimal};

pub(super) const RULE: Rule = Rule {
    name: "cache-busting",
    description: "What makes an address of an image new although the image is the same: `?v=3`, `?itok=x1y2`, \
        `logo.3f9a2bc1.png`, folders such as `/2.341.1/` and `/v5c6c2ba835e8720a/`, which of a row of servers sends it \
        (`img2.example.com`), and the addresses that Cloudflare hides. Page text is not touched.",
    attributes: &["data-cfemail"],
    address: Some(AddressRule { only_media: true, host: unnumbered_host, path: stable_path, parameter }),
    ..Rule::NOTHING
};

/// Parameters that make the address of an image new, or sign it.
const BUSTERS: [&str; 35] = [
    "v",
    "ver",
    "version",
    "t",
    "ts",
    "timestamp",
    "cb",
    "cachebuster",
    "cache",
    "nocache",
    "_",
    "rev",
    "revision",
    "hash",
    "itok",
    "rand",
    "random",
    "rnd",
    "mtime",
    "modified",
    "x-amz-*",
    "x-goog-*",
    "expires",
    "signature",
    "sig",
    "key-pair-id",
    "policy",
    "googleaccessid",
    "awsaccesskeyid",
    "hmac",
    "_nc_*",
    "oh",
    "dpl",
    "buildid",
    "assets_version",
];

/// Parameters that sign or bust if their value is a hash; elsewhere they are sizes and names.
const PERHAPS_BUSTERS: [&str; 4] = ["h", "s", "c", "oe"];

fn parameter(parameter: &str) -> Parameter {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    if is_buster(name, value) || is_bare_stamp(parameter) {
        return Parameter::Removed;
    }
    // Servers that resize images are told which one by its own address.
    let path =
        is_among(&["url", "image", "src"], name).then(|| value.replace("%2F", "/").replace("%2f", "/"));
    let stable = path.and_then(|path| stable_path(&path));
    stable.map_or(Parameter::Kept, |path| Parameter::Replaced(format!("{name}={path}")))
}

fn is_buster(name: &str, value: &str) -> bool {
    is_among(&BUSTERS, name)
        || (is_among(&PERHAPS_BUSTERS, name) && value.len() >= 8 && is_hexadecimal(value))
}

/// Tells whether a query is nothing but a number such as `?1699999999`.
fn is_bare_stamp(parameter: &str) -> bool {
    parameter.len() >= 8 && !parameter.contains('=') && is_hexadecimal(parameter)
}

/// Returns a path without hashes and versions; `None` if there are none.
fn stable_path(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stable_file = stable_file(file).or_else(|| {
        // Its hashes may have dots and lines of their own.
        folder.ends_with("/_next/static/media").then(|| file_of_next(file)).flatten()
    });
    let is_dropped = |(at, name): (usize, &str)| at > 0 && is_drawn_folder(name, file);
    let has_drawn_folder = folder.split('/').enumerate().any(is_dropped);
    if stable_file.is_none() && !has_drawn_folder {
        return None;
    }
    let mut stable = String::with_capacity(path.len());
    for (at, name) in folder.split('/').enumerate() {
        if !is_dropped((at, name)) {
            stable.push_str(name);
            stable.push('/');
        }
    }
    stable.push_str(stable_file.as_deref().unwrap_or(file));
    Some(stable)
}

/// Returns `logo.png` for `logo.3f9a2bc1.png`. A name that is nothing but a hash is the image's own.
fn stable_file(file: &str) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    let (name, hash) = stem.rsplit_once(['.', '-', '_'])?;
    (!name.is_empty() && !extension.is_empty() && is_hash(hash)).then(|| format!("{name}.{extension}"))
}

/// Returns `logo.svg` for `logo.0z__apxweb5hb.svg`, whose hash has thirteen characters.
fn file_of_next(file: &str) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    let (name, hash) = stem.split_at_checked(stem.len().checked_sub(14)?)?;
    let is_drawn = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.~-".contains(&byte);
    let hash = hash.strip_prefix('.')?;
    let is_hash = hash.bytes().all(is_drawn) && hash.bytes().any(|byte| byte.is_ascii_digit());
    (is_hash && !name.is_empty()).then(|| format!("{name}.{extension}"))
}

/// Names that say nothing about an image: the folder does, which many images have one of each.
const ANY_FILE: [&str; 20] = [
    "image",
    "img",
    "photo",
    "picture",
    "pic",
    "original",
    "thumb",
    "thumbnail",
    "small",
    "medium",
    "large",
    "full",
    "master",
    "default",
    "cover",
    "avatar",
    "preview",
    "poster",
    "file",
    "main",
];

/// Tells whether a file is called as any other: `medium.jpg`, `640x480.jpg`.
fn is_any_file(file: &str) -> bool {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    is_among(&ANY_FILE, stem) || stem.bytes().all(|byte| byte.is_ascii_digit() || b"xwhp@_-".contains(&byte))
}

/// Tells whether a folder is a signature or version of an image server, or a cache's key.
///
/// A hash can also be the name of what the image shows, as are the ids of databases, which have 24 digits.
fn is_drawn_folder(name: &str, file: &str) -> bool {
    let is_signature = name.len() > 6 && name.starts_with("s--") && name.ends_with("--");
    let digits = name.strip_prefix('v').unwrap_or_default();
    let is_version = digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Salesforce: `dw2bf80622`.
    let is_deployment =
        name.strip_prefix("dw").is_some_and(|hash| hash.len() == 8 && is_hexadecimal(hash) && is_mixed(hash));
    let is_build = digits.len() >= 16 && is_hexadecimal(digits) && is_mixed(digits);
    let is_hash = matches!(name.len(), 16 | 20 | 32 | 40 | 64) && is_hexadecimal(name) && is_mixed(name);
    is_signature
        || is_version
        || is_deployment
        || is_build
        || is_release(name)
        || (is_hash && !is_any_file(file))
}

fn is_mixed(hash: &str) -> bool {
    hash.bytes().any(|byte| byte.is_ascii_digit()) && hash.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Tells whether a folder is a version of the software, such as `2.341.1`: three numbers or more, unlike a date's.
fn is_release(name: &str) -> bool {
    let numbers = name.strip_prefix('v').unwrap_or(name);
    let is_number =
        |part: &str| (1..=6).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() >= 3 && numbers.split('.').all(is_number) && !is_date(numbers)
}

/// Tells whether three numbers are a day, such as `2026.11.18`.
fn is_date(numbers: &str) -> bool {
    let lengths: Vec<usize> = numbers.split('.').map(str::len).collect();
    matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4])
}

/// Names of servers that stand in a row, of which any sends the same.
const IN_A_ROW: [&str; 13] = [
    "img",
    "image",
    "images",
    "i",
    "cdn",
    "static",
    "assets",
    "media",
    "s",
    "lh",
    "encrypted-tbn",
    "thumbs",
    "photos",
];

/// Returns a host without the number of a server: `img.example.com` for `img2.example.com`.
///
/// Nodes of a network are named by their place as well, as in `scontent-lhr8-1`.
fn unnumbered_host(host: &str) -> Option<String> {
    let (server, network) = host.split_once('.')?;
    let name = server.trim_end_matches(|character: char| character.is_ascii_digit());
    let name = if name.len() == server.len() || !network.contains('.') {
        return None;
    } else if IN_A_ROW.contains(&name) {
        name
    } else {
        node_name(name)?
    };
    Some(format!("{name}.{network}"))
}

/// Returns `scontent` for `scontent-lhr8-`: a name, an airport with a number, and what the number of the node followed.
fn node_name(name: &str) -> Option<&str> {
    let (name, place) = name.strip_suffix('-')?.split_once('-')?;
    let (airport, number) = place.split_at_checked(3)?;
    let is_place = airport.bytes().all(|byte| byte.is_ascii_lowercase())
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_place && !name.is_empty()).then_some(name)
}

/// Tells whether a part of a name is a hash and no word, date or number.
///
/// Short ones must mix kinds of characters more than people do: `Summer24` and `2024Nov3` are names.
fn is_hash(text: &str) -> bool {
    let changes = text.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    match text.len() {
        20 | 32 | 40 | 64 if is_hexadecimal(text) => changes > 0,
        8..=64 if is_hexadecimal(text) => changes >= 3,
        8 => changes >= 4 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        _ => false,
    }
}

fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_keeps_media, assert_reduces_media};

    #[test]
    fn what_busts_caches_is_no_part_of_an_image() {
        assert_reduces_media(
            NoiseRule::CacheBusting,
            &[
                ("https://a.b/c.png?v=3", "https://a.b/c.png"),
                ("https://a.b/c.png?ver=6.4.1&w=300", "https://a.b/c.png?w=300"),
                ("https://a.b/c.png?1699999999", "https://a.b/c.png"),
                ("https://a.b/c.png?h=0a1b2c3d4e", "https://a.b/c.png"),
                (
                    "https://a.b/styles/large/public/2024-05/c.jpg?itok=Xy_z12-4",
                    "https://a.b/styles/large/public/2024-05/c.jpg",
                ),
                ("https://a.b/c.jpg?X-Amz-Date=1&X-Amz-Signature=2&Expires=3", "https://a.b/c.jpg"),
                (
                    "https://a.imgix.net/c.jpg?w=9&s=0123456789abcdef0123456789abcdef",
                    "https://a.imgix.net/c.jpg?w=9",
                ),
                ("https://a.b/logo.3f9a2bc1.png", "https://a.b/logo.png"),
                ("https://a.b/logo-5d41402abc4b2a76b9719d911017c592.png", "https://a.b/logo.png"),
                ("https://a.b/hero-aB3xY9zQ.webp", "https://a.b/hero.webp"),
                (
                    "https://a.b/image/upload/s--Ab_1-cd2--/v1699999999/c.jpg",
                    "https://a.b/image/upload/c.jpg",
                ),
                (
                    "https://a.b/media/cache/0123456789abcdef0123456789abcdef/c.jpg",
                    "https://a.b/media/cache/c.jpg",
                ),
                ("https://a.b/assets/2.341.1/images/badge.png", "https://a.b/assets/images/badge.png"),
                ("https://a.b/prod/v5c6c2ba835e8720a8eaa6bc4810fa5ca/logo.svg", "https://a.b/prod/logo.svg"),
                (
                    "https://a.b/_next/static/media/logo.0z__apxweb5hb.svg",
                    "https://a.b/_next/static/media/logo.svg",
                ),
                ("https://a.b/default/dw2bf80622/images/logo.svg", "https://a.b/default/images/logo.svg"),
                ("https://a.b/c.png?dpl=dpl_8ZkQm2wX0pL4", "https://a.b/c.png"),
                (
                    "https://a.b/resize/?s=c&image=image%2Fupload%2Fv1774890277%2Flogo.svg",
                    "https://a.b/resize/?s=c&image=image/upload/logo.svg",
                ),
                ("https://img2.example.com/c.png", "https://img.example.com/c.png"),
                ("https://scontent-lhr8-1.cdn.example.net/c.jpg", "https://scontent.cdn.example.net/c.jpg"),
                (
                    "https://a.b/_next/image?url=%2F_next%2Fstatic%2Fmedia%2Fhero.3f9a2bc1.png&w=640&q=75",
                    "https://a.b/_next/image?url=/_next/static/media/hero.png&w=640&q=75",
                ),
            ],
        );
        assert_keeps_media(&[
            "https://a.b/c.png",
            "https://a.b/c.png?w=300&h=200",
            "https://a.b/image.php?id=7",
            "https://a.b/0123456789abcdef0123456789abcdef.png",
            "https://a.b/photo-20240501.jpg",
            "https://a.b/photo-Summer24.jpg",
            "https://a.b/photo-2024Nov3.jpg",
            "https://a.b/IMG-face2024.jpg",
            "https://a.b/bridge-decade90.jpg",
            "https://a.b/c.tar.gz",
            "https://a.b/v2/c.jpg",
            "https://a.b/map?s=5",
            "https://a.b/image?url=%2Fc.png",
            "https://a.b/2026.11.18/c.jpg",
            "https://a.b/1.2/c.jpg",
            "https://a.b/12345678901234567890/c.jpg",
            "https://a.b/facadefacadefacade/c.jpg",
            "https://a.b/dwellers/c.jpg",
            "https://a.b/5e9f1fbf7a3de90008a1e2b4/c.jpg",
            "https://a.b/0123456789abcdef0123456789abcdef/medium.jpg",
            "https://a.b/0123456789abcdef0123456789abcdef/640x480.jpg",
            "https://a.b/media/logo.0z__apxweb5hb.svg",
            "https://a.b/_next/static/media/logo.thirteenchars.svg",
            "https://img2.com/c.png",
            "https://photo2.example.com/c.png",
            "https://team-sea8.example.com/c.png",
            "https://web-2026-1.example.com/c.png",
        ]);
    }
}
