//! The contract of [`Contents`]: what contents say, as pages are compared.

use recrawl_core::model::content::{Content, Reading};
use recrawl_core::model::ids::SemanticHash;
use recrawl_core::model::outline::Outline;
use recrawl_core::model::record::ContentRef;
use recrawl_core::model::region::Mark;
use recrawl_core::ports::{Contents, Store};

use super::Subject;
use super::samples::{FIRST, content, open, outline, record_of, site_id, unstored, without_body};

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be none")]
fn reading(content: &Content) -> Option<Reading> {
    Some(Reading { text: content.extracted.text.clone(), outline: content.extracted.outline.clone() })
}

fn with_outline(content: &Content, outline: Option<Outline>) -> Content {
    let mut content = content.clone();
    content.extracted.outline = outline;
    content
}

async fn write(store: &impl Store, path: &str, content: &Content) {
    store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
}

async fn read(store: &impl Store, contents: &[ContentRef]) -> Vec<Option<Reading>> {
    store.readings(&site_id("a"), contents).await.unwrap()
}

pub async fn a_reading_is_a_text_with_its_outline<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (kept, passing) = (content("with a body"), without_body(&content("without a body")));
    let bare = with_outline(&content("without an outline"), None);
    for (path, content) in [("/kept", &kept), ("/passing", &passing), ("/bare", &bare)] {
        write(store, path, content).await;
    }
    let wanted = [&bare, &kept, &passing, &kept].map(Content::reference);
    let expected = [&bare, &kept, &passing, &kept].map(reading);
    assert_eq!(read(store, &wanted).await, expected);
    assert_eq!(store.body(&site_id("a"), &kept.reference()).await.unwrap(), kept.body, "the body is whole");
    let text = store.text(&site_id("a"), &kept.extracted.semantic).await.unwrap();
    assert_eq!(text.as_deref(), Some("with a body"), "and so is the text");
    assert_eq!(read(store, &[]).await, []);
}

pub async fn the_outline_that_was_written_last_is_read<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let newer = Outline { lines: vec![(Mark::CONTENT, 9)], ..outline() };
    for (name, keeps_body) in [("kept", true), ("passing", false)] {
        let first = content(name);
        let first = if keeps_body { first } else { without_body(&first) };
        write(store, &format!("/{name}/1"), &with_outline(&first, None)).await;
        assert_eq!(read(store, &[first.reference()]).await, [reading(&with_outline(&first, None))]);
        write(store, &format!("/{name}/2"), &first).await;
        assert_eq!(read(store, &[first.reference()]).await, [reading(&first)]);
        let second = with_outline(&first, Some(newer.clone()));
        write(store, &format!("/{name}/3"), &second).await;
        assert_eq!(read(store, &[first.reference()]).await, [reading(&second)], "{name}");
        write(store, &format!("/{name}/4"), &with_outline(&first, None)).await;
        assert_eq!(read(store, &[first.reference()]).await, [reading(&second)], "none takes nothing away");
        write(store, &format!("/{name}/5"), &first).await;
        assert_eq!(read(store, &[first.reference()]).await, [reading(&first)], "and back again");
    }
}

pub async fn a_content_that_gains_a_body_keeps_its_outline<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let content = content("text");
    write(store, "/1", &without_body(&content)).await;
    write(store, "/2", &content).await;
    assert_eq!(read(store, &[content.reference()]).await, [reading(&content)]);
    assert_eq!(store.body(&site_id("a"), &content.reference()).await.unwrap(), content.body);
}

pub async fn a_reading_has_the_text_of_its_meaning<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let first = content("as the first rules read it");
    let mut second = first.clone();
    "as the second rules read it".clone_into(&mut second.extracted.text);
    second.extracted.semantic = SemanticHash::of(second.extracted.text.as_bytes());
    second.extracted.outline = Some(Outline { is_cut: false, ..outline() });
    write(store, "/1", &first).await;
    write(store, "/2", &second).await;
    let mut same = content("never stored");
    same.extracted.semantic = first.extracted.semantic;
    let wanted = [first.reference(), second.reference(), same.reference()];
    let by_second = |text: &Content| reading(&with_outline(text, second.extracted.outline.clone()));
    let alone = reading(&with_outline(&first, None));
    assert_eq!(read(store, &wanted).await, [by_second(&first), by_second(&second), alone]);
}

pub async fn what_has_no_text_has_no_reading<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut empty = content("an image");
    empty.extracted.text.clear();
    let there = content("text");
    write(store, "/empty", &empty).await;
    write(store, "/there", &there).await;
    let wanted = [unstored(), there.reference(), empty.reference()];
    assert_eq!(read(store, &wanted).await, [None, reading(&there), None]);
}
