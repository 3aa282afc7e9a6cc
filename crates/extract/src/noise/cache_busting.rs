//! File names into which bundlers and image servers write a hash.

/// Returns a path without hashes and versions; `None` if there are none.
pub(super) fn stable_path(path: &str) -> Option<String> {
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

pub(super) fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}
