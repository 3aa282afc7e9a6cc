//! A writer of office files: what the programs write, as little of it as a reader needs.

#![expect(clippy::format_push_string, clippy::format_collect, reason = "the files of tests are short")]

use std::io::{Cursor, Write as _};

use recrawl_core::model::document::DocumentFormat;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// What an office file says.
#[derive(Debug, Clone, Default)]
pub struct Office {
    /// Its title.
    pub title: String,
    /// A heading, or the name of the sheet.
    pub heading: String,
    /// Paragraphs; in a spreadsheet rows of one cell.
    pub paragraphs: Vec<String>,
    /// Rows of a table. In a spreadsheet, cells that are numbers are numbers.
    pub rows: Vec<Vec<String>>,
    /// A note: at the foot of a page, or below a slide.
    pub note: Option<String>,
    /// Where a link leads.
    pub link: Option<String>,
    /// Who saved it, when: another export has others, and its parts in another order.
    pub export: u32,
}

/// Writes an office file.
pub fn office(format: DocumentFormat, says: &Office) -> Vec<u8> {
    let mut parts = match format {
        DocumentFormat::Docx => docx(says),
        DocumentFormat::Xlsx => xlsx(says),
        DocumentFormat::Pptx => pptx(says),
        DocumentFormat::Odt => odt(says),
        DocumentFormat::Ods => ods(says),
        DocumentFormat::Pdf => panic!("a PDF is no office file"),
    };
    if says.export % 2 == 1 {
        parts.reverse();
    }
    package(&parts)
}

/// Writes a package of parts.
pub(super) fn package(parts: &[(&str, String)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in parts {
        writer.start_file(*path, SimpleFileOptions::default()).expect("a short file");
        writer.write_all(content.as_bytes()).expect("memory");
    }
    writer.finish().expect("a short file").into_inner()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn core(says: &Office) -> (&'static str, String) {
    let core = format!(
        "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\" xmlns:dcterms=\"t\"><dc:title>{}</dc:title><dc:language>en-GB</dc:language>\
         <cp:lastModifiedBy>Export {}</cp:lastModifiedBy><dcterms:modified>2026-11-{:02}T10:00:00Z</dcterms:modified>\
         <cp:revision>{}</cp:revision></cp:coreProperties>",
        escaped(&says.title),
        says.export,
        1 + says.export % 28,
        says.export
    );
    ("docProps/core.xml", core)
}

fn relationships(links: &[(&str, &str, &str)]) -> String {
    let links = links.iter().map(|(id, kind, target)| {
        let mode = if *kind == "hyperlink" { " TargetMode=\"External\"" } else { "" };
        format!("<Relationship Id=\"{id}\" Type=\"http://x/{kind}\" Target=\"{}\"{mode}/>", escaped(target))
    });
    format!("<Relationships>{}</Relationships>", links.collect::<String>())
}

fn docx(says: &Office) -> Vec<(&'static str, String)> {
    let text = |text: &str| {
        // Programs cut runs anywhere.
        let middle = text.floor_char_boundary(text.len() * (1 + says.export as usize % 3) / 4);
        let (one, two) = text.split_at(middle);
        let run = |part: &str| {
            format!(
                "<w:r w:rsidR=\"{:08X}\"><w:t xml:space=\"preserve\">{}</w:t></w:r>",
                says.export,
                escaped(part)
            )
        };
        run(one) + &run(two)
    };
    let mut body =
        format!("<w:p><w:pPr><w:pStyle w:val=\"berschrift1\"/></w:pPr>{}</w:p>", text(&says.heading));
    for paragraph in &says.paragraphs {
        body += &format!("<w:p>{}</w:p>", text(paragraph));
    }
    if !says.rows.is_empty() {
        let row = |cells: &Vec<String>| {
            let cells = cells.iter().map(|cell| format!("<w:tc><w:p>{}</w:p></w:tc>", text(cell)));
            format!("<w:tr>{}</w:tr>", cells.collect::<String>())
        };
        body += &format!("<w:tbl>{}</w:tbl>", says.rows.iter().map(row).collect::<String>());
    }
    let field = format!(
        "<w:p><w:r><w:t>Page </w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>{}</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
        says.export
    );
    let note = says.note.as_deref().unwrap_or_default();
    let mut links = vec![("rId1", "styles", "styles.xml")];
    links.extend(says.link.as_deref().map(|link| ("rId9", "hyperlink", link)));
    vec![
        ("word/document.xml", format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>")),
        (
            "word/styles.xml",
            "<w:styles xmlns:w=\"w\"><w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style></w:styles>".to_owned(),
        ),
        ("word/footnotes.xml", format!("<w:footnotes xmlns:w=\"w\"><w:footnote><w:p>{}</w:p></w:footnote></w:footnotes>", text(note))),
        ("word/footer1.xml", format!("<w:ftr xmlns:w=\"w\">{field}</w:ftr>")),
        ("word/_rels/document.xml.rels", relationships(&links)),
        core(says),
    ]
}

fn xlsx(says: &Office) -> Vec<(&'static str, String)> {
    let mut shared: Vec<String> = Vec::new();
    let mut sheet = String::new();
    let single = says.paragraphs.iter().map(|paragraph| vec![paragraph.clone()]);
    for (number, cells) in single.chain(says.rows.iter().cloned()).enumerate() {
        let row = number + 1;
        sheet += &format!("<row r=\"{row}\">");
        for (column, cell) in cells.iter().enumerate() {
            let place = format!("{}{row}", char::from(b'A' + u8::try_from(column).expect("few columns")));
            if cell.is_empty() {
            } else if cell.parse::<f64>().is_ok() {
                sheet += &format!("<c r=\"{place}\" s=\"1\"><v>{cell}</v></c>");
            } else if let Some(days) = cell.strip_prefix("date ") {
                sheet += &format!("<c r=\"{place}\" s=\"2\"><v>{days}</v></c>");
            } else {
                shared.push(cell.clone());
                sheet += &format!("<c r=\"{place}\" t=\"s\"><v>{}</v></c>", shared.len() - 1);
            }
        }
        sheet += "</row>";
    }
    let shared: String = shared.iter().map(|text| format!("<si><t>{}</t></si>", escaped(text))).collect();
    let mut links = Vec::new();
    links.extend(says.link.as_deref().map(|link| ("rId9", "hyperlink", link)));
    vec![
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns:r=\"r\"><sheets><sheet name=\"{}\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
                escaped(&says.heading)
            ),
        ),
        ("xl/_rels/workbook.xml.rels", relationships(&[("rId1", "worksheet", "worksheets/sheet1.xml")])),
        ("xl/worksheets/sheet1.xml", format!("<worksheet><sheetData>{sheet}</sheetData><pageMargins/></worksheet>")),
        ("xl/worksheets/_rels/sheet1.xml.rels", relationships(&links)),
        ("xl/sharedStrings.xml", format!("<sst>{shared}</sst>")),
        (
            "xl/styles.xml",
            "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"#,##0.00&quot; USD&quot;\"/><numFmt numFmtId=\"165\" \
             formatCode=\"d mmmm yyyy\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/></cellXfs></styleSheet>"
                .to_owned(),
        ),
        core(says),
    ]
}

fn pptx(says: &Office) -> Vec<(&'static str, String)> {
    let shape = |kind: &str, lines: &[String]| {
        let lines = lines.iter().map(|line| format!("<a:p><a:r><a:t>{}</a:t></a:r></a:p>", escaped(line)));
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type=\"{kind}\"/></p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>",
            lines.collect::<String>()
        )
    };
    let number = format!(
        "<p:sp><p:txBody><a:p><a:fld type=\"slidenum\"><a:t>{}</a:t></a:fld></a:p></p:txBody></p:sp>",
        says.export
    );
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().map(|cell| {
            format!("<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>", escaped(cell))
        });
        format!("<a:tr>{}</a:tr>", cells.collect::<String>())
    };
    let table = says.rows.iter().map(row).collect::<String>();
    let mut links = vec![("rId1", "notesSlide", "../notesSlides/notesSlide1.xml")];
    links.extend(says.link.as_deref().map(|link| ("rId9", "hyperlink", link)));
    let notes = says.note.iter().cloned().collect::<Vec<_>>();
    vec![
        (
            "ppt/presentation.xml",
            "<p:presentation xmlns:p=\"p\" xmlns:r=\"r\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId2\"/></p:sldIdLst></p:presentation>".to_owned(),
        ),
        ("ppt/_rels/presentation.xml.rels", relationships(&[("rId2", "slide", "slides/slide1.xml")])),
        (
            "ppt/slides/slide1.xml",
            format!(
                "<p:sld xmlns:p=\"p\" xmlns:a=\"a\">{}{}<p:graphicFrame><a:tbl>{table}</a:tbl></p:graphicFrame>{number}</p:sld>",
                shape("title", std::slice::from_ref(&says.heading)),
                shape("body", &says.paragraphs)
            ),
        ),
        ("ppt/slides/_rels/slide1.xml.rels", relationships(&links)),
        ("ppt/notesSlides/notesSlide1.xml", format!("<p:notes xmlns:p=\"p\" xmlns:a=\"a\">{}</p:notes>", shape("body", &notes))),
        core(says),
    ]
}

fn meta(says: &Office) -> (&'static str, String) {
    let meta = format!(
        "<office:document-meta xmlns:office=\"o\" xmlns:dc=\"d\" xmlns:meta=\"m\"><office:meta><dc:title>{}</dc:title>\
         <meta:generator>Office/{}</meta:generator><meta:editing-cycles>{}</meta:editing-cycles></office:meta></office:document-meta>",
        escaped(&says.title),
        says.export,
        says.export
    );
    ("meta.xml", meta)
}

fn odf(kind: &str, body: &str, says: &Office) -> Vec<(&'static str, String)> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\" xmlns:xlink=\"x\"><office:body>\
         <office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    );
    let styles = format!(
        "<office:document-styles xmlns:office=\"o\" xmlns:text=\"t\" xmlns:style=\"s\"><style:footer><text:p>Page \
         <text:page-number>{}</text:page-number></text:p></style:footer></office:document-styles>",
        says.export
    );
    let manifest = "<manifest:manifest xmlns:manifest=\"m\"/>".to_owned();
    vec![
        ("mimetype", format!("application/vnd.oasis.opendocument.{kind}")),
        ("content.xml", content),
        ("styles.xml", styles),
        ("META-INF/manifest.xml", manifest),
        meta(says),
    ]
}

fn odt(says: &Office) -> Vec<(&'static str, String)> {
    let mut body = format!("<text:h text:outline-level=\"1\">{}</text:h>", escaped(&says.heading));
    for (number, paragraph) in says.paragraphs.iter().enumerate() {
        let note = says.note.as_deref().filter(|_| number == 0).map_or_else(String::new, |note| {
            format!(
                "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note>",
                escaped(note)
            )
        });
        let link =
            says.link.as_deref().filter(|_| number == 0).map_or_else(String::new, |link| {
                format!("<text:a xlink:href=\"{}\"></text:a>", escaped(link))
            });
        body += &format!("<text:p>{}{note}{link}</text:p>", escaped(paragraph));
    }
    let row = |cells: &Vec<String>| {
        let cells = cells
            .iter()
            .map(|cell| format!("<table:table-cell><text:p>{}</text:p></table:table-cell>", escaped(cell)));
        format!("<table:table-row>{}</table:table-row>", cells.collect::<String>())
    };
    if !says.rows.is_empty() {
        body += &format!("<table:table>{}</table:table>", says.rows.iter().map(row).collect::<String>());
    }
    odf("text", &body, says)
}

fn ods(says: &Office) -> Vec<(&'static str, String)> {
    let single = says.paragraphs.iter().map(|paragraph| vec![paragraph.clone()]);
    let rows = single.chain(says.rows.iter().cloned()).map(|cells| {
        let cells = cells.iter().map(|cell| {
            if cell.is_empty() {
                "<table:table-cell/>".to_owned()
            } else {
                format!("<table:table-cell><text:p>{}</text:p></table:table-cell>", escaped(cell))
            }
        });
        let end = "<table:table-cell table:number-columns-repeated=\"16370\"/>";
        format!("<table:table-row>{}{end}</table:table-row>", cells.collect::<String>())
    });
    let empty = "<table:table-row table:number-rows-repeated=\"1048500\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>";
    let body = format!(
        "<table:table table:name=\"{}\">{}{empty}</table:table>",
        escaped(&says.heading),
        rows.collect::<String>()
    );
    odf("spreadsheet", &body, says)
}
