//! Files that mean harm to whoever reads them: small ones that become large, or that never end.

#![expect(clippy::format_push_string, reason = "it is a short one")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use recrawl_core::model::document::DocumentFormat;

use super::office::package;
use super::pdf::{Pdf, write_objects};

/// A file that means harm.
#[derive(Debug, Clone)]
pub struct Hostile {
    /// What it does.
    pub name: &'static str,
    /// What it claims to be.
    pub format: DocumentFormat,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Returns every file that means harm.
pub fn all() -> Vec<Hostile> {
    let pdf = |name, bytes| Hostile { name, format: DocumentFormat::Pdf, bytes };
    let office = |name, format, bytes| Hostile { name, format, bytes };
    let (docx, xlsx, ods) = (DocumentFormat::Docx, DocumentFormat::Xlsx, DocumentFormat::Ods);
    vec![
        pdf("nested arrays", page_of(format!("{} Tj", "[".repeat(1_000_000)).as_bytes(), &[])),
        pdf("nested dictionaries", write_objects(&catalogue("<</A ".repeat(500_000)), 1)),
        pdf("a gigabyte of spaces", page_of_compressed(&[b' '; 1 << 20], 1_024)),
        pdf("200 MB of operators", page_of_compressed(&b"0 0 m 9 9 l S\n".repeat(10_000), 1_500)),
        pdf("a fan of forms", fan_of_forms()),
        pdf("a form that draws itself", form_that_draws_itself()),
        pdf("a loop of pages", loop_of_pages()),
        pdf("a cut file", cut()),
        pdf("a table of two billion objects", table_of_objects()),
        pdf("a stream of a billion objects", stream_of_objects()),
        pdf("a map of four billion letters", broken_map()),
        pdf("100,000 empty pages", empty_pages()),
        pdf("an encrypted file", encrypted()),
        office("a zip bomb", docx, zip_bomb()),
        office("a laugh of a billion", docx, laughs()),
        office("a tower of elements", docx, tower()),
        office("a cell at the far corner", xlsx, far_corner()),
        office("a bomb of shared texts", xlsx, shared_bomb()),
        office("cells that are repeated", ods, repeated_cells()),
        office("a package that is cut", docx, cut_package()),
    ]
}

fn catalogue(extra: String) -> Vec<String> {
    vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>".to_owned(),
        extra,
    ]
}

/// Returns a document of one page with this content, and what it names.
fn page_of(content: &[u8], further: &[String]) -> Vec<u8> {
    page_with(&format!("/Length {}", content.len()), content, further)
}

/// Returns a document of one page whose content is this so often, compressed.
fn page_of_compressed(content: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..times {
        encoder.write_all(content).expect("memory");
    }
    let content = encoder.finish().expect("memory");
    page_with(&format!("/Length {} /Filter /FlateDecode", content.len()), &content, &[])
}

fn page_with(dictionary: &str, content: &[u8], further: &[String]) -> Vec<u8> {
    // Bytes that are no text go through as Latin-1 and back.
    let content: String = content.iter().map(|byte| char::from(*byte)).collect();
    let mut objects = catalogue("<< /Title (Harm) >>".to_owned());
    objects[2] = String::from(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
                  /Resources << /XObject << /F 6 0 R >> /Font << /T 6 0 R >> >> >>",
    );
    objects.push(format!("<< {dictionary} >>\nstream\n{content}\nendstream"));
    objects.extend_from_slice(further);
    latin(&objects)
}

/// Writes objects of which each letter is a byte.
fn latin(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", number + 1).bytes());
        file.extend(object.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')));
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    file.extend(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1)
            .bytes(),
    );
    file
}

fn form(content: &str, resources: &str) -> String {
    format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << {resources} >> /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// Each form draws the next one ten times, forty deep.
fn fan_of_forms() -> Vec<u8> {
    let forms: Vec<String> = (0..40)
        .map(|number| form(&"/F Do ".repeat(10), &format!("/XObject << /F {} 0 R >>", 7 + number)))
        .collect();
    page_of(b"/F Do", &forms)
}

fn form_that_draws_itself() -> Vec<u8> {
    page_of(b"/F Do", &[form("/F Do /F Do", "/XObject << /F 6 0 R >>")])
}

fn loop_of_pages() -> Vec<u8> {
    let mut objects = catalogue("<< /Title (Harm) >>".to_owned());
    objects[1] = String::from("<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>");
    objects[2] = String::from("<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 1000000000 /Parent 3 0 R >>");
    latin(&objects)
}

fn cut() -> Vec<u8> {
    let mut file = Pdf::of_paragraphs("A town", &["The bridge is closed."; 50]).write();
    file.truncate(file.len() / 2);
    file
}

fn table_of_objects() -> Vec<u8> {
    let text = String::from_utf8_lossy(&latin(&catalogue("<< >>".to_owned()))).into_owned();
    text.replace("xref\n0 5", "xref\n0 2147483647").into_bytes()
}

fn stream_of_objects() -> Vec<u8> {
    let mut objects = catalogue("<< >>".to_owned());
    let content = "1 0 2 9 3 18 << >>";
    objects.push(format!(
        "<< /Type /ObjStm /N 1000000000 /First 12 /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    ));
    latin(&objects)
}

fn broken_map() -> Vec<u8> {
    let map = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00000000> <FFFFFFFF> \
               endcodespacerange 2 beginbfrange <00000000> <FFFFFFFF> <0000> <00> <FF> [<41> endbfrange endcmap";
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R \
                /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo \
                << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>";
    let map = format!("<< /Length {} >>\nstream\n{map}\nendstream", map.len());
    page_of(b"BT /T 10 Tf 50 700 Td <00410042004300440045> Tj ET", &[font.to_owned(), map])
}

fn empty_pages() -> Vec<u8> {
    let mut objects = catalogue("<< /Title (Harm) >>".to_owned());
    objects[1] = format!("<< /Type /Pages /Kids [{}] /Count 100000 >>", "<</Type/Page>>".repeat(100_000));
    latin(&objects)
}

fn encrypted() -> Vec<u8> {
    let file = Pdf::of_paragraphs("A town", &["Secret."]).write();
    let key = "41".repeat(32);
    let encrypt = format!("/Encrypt << /Filter /Standard /V 1 /R 2 /O <{key}> /U <{key}> /P -44 >> ");
    // Behind the places of all objects, which stay where they are.
    let mark = b"/Root 1 0 R";
    let at = file.windows(mark.len()).position(|window| window == mark).expect("a trailer");
    [&file[..at], encrypt.as_bytes(), &file[at..]].concat()
}

fn zip_bomb() -> Vec<u8> {
    let content = format!("<w:document><w:body><w:p><w:t>{}", " ".repeat(200 << 20));
    package(&[("word/document.xml", content)])
}

fn laughs() -> Vec<u8> {
    let mut entities = String::from("<!ENTITY a0 \"ha\">");
    for number in 1..30 {
        entities += &format!("<!ENTITY a{number} \"{}\">", format!("&a{};", number - 1).repeat(10));
    }
    let content = format!(
        "<!DOCTYPE x [{entities}]><w:document><w:body><w:p><w:r><w:t>One &a29; two</w:t></w:r></w:p></w:body></w:document>"
    );
    package(&[("word/document.xml", content)])
}

fn tower() -> Vec<u8> {
    package(&[("word/document.xml", format!("<w:document>{}", "<w:tbl><w:tr><w:tc>".repeat(500_000)))])
}

fn workbook(sheet: &str, shared: String) -> Vec<u8> {
    package(&[
        (
            "xl/workbook.xml",
            "<workbook xmlns:r=\"r\"><sheets><sheet name=\"Fees\" r:id=\"rId1\"/></sheets></workbook>".to_owned(),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"rId1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
                .to_owned(),
        ),
        ("xl/worksheets/sheet1.xml", format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>")),
        ("xl/sharedStrings.xml", shared),
    ])
}

fn far_corner() -> Vec<u8> {
    let sheet = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    workbook(sheet, "<sst/>".to_owned())
}

fn shared_bomb() -> Vec<u8> {
    let sheet = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>";
    workbook(sheet, format!("<sst>{}</sst>", "<si><t>x</t></si>".repeat(3_000_000)))
}

fn repeated_cells() -> Vec<u8> {
    let row = format!(
        "<table:table-row table:number-rows-repeated=\"1048576\">{}</table:table-row>",
        "<table:table-cell table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell>"
            .repeat(100)
    );
    let content = format!(
        "<office:document-content><table:table table:name=\"T\">{}</table:table></office:document-content>",
        row.repeat(100)
    );
    package(&[("content.xml", content)])
}

fn cut_package() -> Vec<u8> {
    let mut file = package(&[("word/document.xml", "<w:document/>".to_owned())]);
    file.truncate(file.len() / 2);
    file
}
