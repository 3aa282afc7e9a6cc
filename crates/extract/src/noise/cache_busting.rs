//! Cache busting: what makes the address of an image new although the image is the same.

use super::rule::{AddressRule, Parameter, Rule, is_among, is_hexadecimal};

pub(super) const RULE: Rule = Rule {
    name: "cache-busting",
    description: "What makes an address of an image new although the image is the same: `?v=3`, `?itok=x1y2`, \
        `logo.3f9a2bc1.png`, and the addresses that Cloudflare hides. Page text is not touched.",
    attributes: &["data-cfemail"],
    address: Some(AddressRule { only_media: true, path: stable_path, parameter }),
    ..Rule::NOTHING
};

/// Parameters that make the address of an image new, or sign it.
const BUSTERS: [&str; 32] = [
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
];

/// Parameters that sign or bust if their value is a hash; elsewhere they are sizes and names.
const PERHAPS_BUSTERS: [&str; 4] = ["h", "s", "c", "oe"];

fn parameter(parameter: &str) -> Parameter {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    if is_buster(name, value) || is_bare_stamp(parameter) {
        return Parameter::Removed;
    }
    // Servers that resize images are told which one by its own address.
    let path = (name == "url").then(|| value.replace("%2F", "/").replace("%2f", "/"));
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
    let stable_file = stable_file(file);
    let has_drawn_folder = folder.split('/').enumerate().any(|(at, name)| at > 0 && is_drawn_folder(name));
    if stable_file.is_none() && !has_drawn_folder {
        return None;
    }
    let mut stable = String::with_capacity(path.len());
    for (at, name) in folder.split('/').enumerate() {
        if at == 0 || !is_drawn_folder(name) {
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

/// Tells whether a folder is a signature or version of an image server, or a cache's key.
fn is_drawn_folder(name: &str) -> bool {
    let is_signature = name.len() > 6 && name.starts_with("s--") && name.ends_with("--");
    let is_version = name
        .strip_prefix('v')
        .is_some_and(|digits| digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit()));
    is_signature || is_version || (name.len() == 32 && is_hexadecimal(name))
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
        ]);
    }
}
