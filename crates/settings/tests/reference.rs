//! docs/REFERENCE.md says what the table says. `UPDATE_REFERENCE=1` writes it anew.

use std::path::Path;

use recrawl_settings::reference::rewritten;

#[test]
fn the_reference_is_written_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/REFERENCE.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let expected = rewritten(&document).expect("the marks of the part that is written are there");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert_eq!(document, expected, "write it anew: UPDATE_REFERENCE=1 cargo test -p recrawl-settings");
    }
}
