//! Sites with what is rare: words without end, weeks without changes, first and unfinished crawls.

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;

use crate::history::{Answer, Recorder, page};

/// Records such sites in `store`, beside what it has.
pub(crate) async fn beside(store: MemoryStore) -> MemoryStore {
    let store = first(quiet(store).await).await;
    long(store).await
}

async fn quiet(store: MemoryStore) -> MemoryStore {
    let mut site = Recorder::new(store, "quiet.example", "https://quiet.example/").await;
    for id in ["crawl-2026-11-09", "crawl-2026-11-16"] {
        let answers =
            [("/", page("Quiet", &["Nothing happens here."])), ("/more", page("More", &["Of it."]))];
        site.crawl(id, &answers, Some(Ending::Complete)).await;
    }
    site.into_store()
}

async fn first(store: MemoryStore) -> MemoryStore {
    let mut site = Recorder::new(store, "first.example", "https://first.example/").await;
    let answers =
        [("/", page("First", &["Seen for the first time."])), ("/more", page("More", &["And this."]))];
    site.crawl("crawl-2026-11-16", &answers, Some(Ending::Complete)).await;
    site.into_store()
}

async fn long(store: MemoryStore) -> MemoryStore {
    let root = "https://a-very-long-name-of-a-host-that-somebody-chose.department.example/";
    let mut site = Recorder::new(store, "a-very-long-name-of-a-host.department.example", root).await;
    let title = "A title that goes on and on ".repeat(11);
    let word = "Donaudampfschifffahrtsgesellschaft".repeat(9);
    let path = format!("/documents/{}.html?{}", "x".repeat(220), "key=value&".repeat(27));
    for (number, id) in ["crawl-2026-11-02", "crawl-2026-11-09", "crawl-2026-11-16"].into_iter().enumerate() {
        let file = vec![b'%'; 22_000 + number * 2_400];
        let said =
            format!("{word}{number} is one word. {}", "Many small words follow it. ".repeat(number + 30));
        let answers = [
            ("/", page(&title, &["[/documents/plan.pdf]", &format!("Edition {number} of this page.")])),
            (&*path, page(&word, &[&said, &format!("https://long.example{path}&edition={number}")])),
            ("/documents/plan.pdf", Answer::Bytes("application/pdf", file)),
        ];
        let ending =
            if number == 1 { Ending::Partial("stopped by hand".to_owned()) } else { Ending::Complete };
        site.crawl(id, &answers, Some(ending)).await;
    }
    site.into_store()
}
