//! docs/REFERENCE.md lists the noise rules. `UPDATE_REFERENCE=1` writes the list anew.

use std::path::Path;

use recrawl_extract::noise::NoiseRule;

const BEGIN: &str = "<!-- noise rules: written from crates/extract/src/noise, see CONTRIBUTING.md -->\n";
const END: &str = "<!-- end of noise rules -->\n";

#[test]
fn the_reference_lists_the_noise_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/REFERENCE.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once(BEGIN).expect("the list begins");
    let (_, after) = rest.split_once(END).expect("the list ends");
    let rows = NoiseRule::ALL.map(|rule| format!("| `{rule}` | {} |\n", rule.description())).concat();
    let expected = format!("{before}{BEGIN}\n| rule | removes |\n| --- | --- |\n{rows}\n{END}{after}");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert!(document == expected, "write it anew: UPDATE_REFERENCE=1 cargo test -p recrawl-extract");
    }
}
