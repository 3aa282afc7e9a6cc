//! Which pages a crawl visits; a crawl that is resumed goes on as it was opened.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::ports::{StateEntry, StateKey, StateStore};
use recrawl_engine::{Event, Observer, Selection};

use crate::settings::Settings;

/// Returns which pages `crawl` visits: those that are due if it was opened so, else all.
pub(super) async fn of(
    settings: &Settings,
    due: bool,
    crawl: &Crawl,
    resumed: bool,
    memos: &dyn StateStore,
    observer: &dyn Observer,
) -> anyhow::Result<Selection> {
    let key = StateKey::due_crawl(&crawl.site);
    let opened_as_due = if resumed {
        memos.state(&key).await?.is_some_and(|memo| memo.value == crawl.id.to_string())
    } else {
        if due {
            let memo = StateEntry { saved_at: crawl.opened_at, value: crawl.id.to_string() };
            memos.save_state(&key, &memo).await?;
        }
        due
    };
    if opened_as_due != due {
        let as_opened = if opened_as_due { "for pages that are due" } else { "for all pages" };
        let goes_on = format!("{} was opened {as_opened}, and goes on so", crawl.id);
        observer.on(Event::Warning(goes_on));
    }
    let at_most = settings.crawl.budget.map(|requests| usize::try_from(requests).unwrap_or(usize::MAX));
    Ok(if opened_as_due { Selection::Due { at_most } } else { Selection::Everything })
}
