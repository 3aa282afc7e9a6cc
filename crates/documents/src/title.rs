//! Titles that people gave, and titles that programs made up.

use crate::limits::MAX_TITLE;

/// Returns a title, white space collapsed, unless it is none or a program made it up.
pub(crate) fn given_title(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let title = words.join(" ");
    (!title.is_empty() && title.len() <= MAX_TITLE && !is_made_up(&title)).then_some(title)
}

/// Tells whether a title is the name of the file from which the document was made, or what a program calls a new file.
fn is_made_up(title: &str) -> bool {
    const NEW: [&str; 4] =
        ["powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "document1"];
    const ENDINGS: [&str; 15] = [
        "doc", "docx", "odt", "rtf", "tex", "dvi", "indd", "qxd", "xls", "xlsx", "ppt", "pptx", "pdf", "pmd",
        "ps",
    ];
    let lower = title.to_lowercase();
    let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
    lower.starts_with("microsoft ")
        || lower.starts_with("untitled")
        || lower.starts_with("file:")
        || NEW.contains(&lower.as_str())
        || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_titles() {
        for title in
            ["Microsoft Word - Plan 3.doc", "plan_final2.indd", "Untitled", "PowerPoint Presentation", " "]
        {
            assert_eq!(given_title(title), None, "{title}");
        }
        assert_eq!(given_title(" Plan 3.\nRoads"), Some("Plan 3. Roads".to_owned()));
    }
}
