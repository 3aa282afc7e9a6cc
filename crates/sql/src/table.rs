//! The table functions that crawl: `crawl_urls(pages)`, `crawl(site)` and `sitemap(host)`, as virtual tables of SQLite.
//!
//! A statement with `crawl_urls` runs twice. First it is *collected*: no call has a row, and what each would crawl is
//! noted, so that a join with a thousand pages crawls them in parallel and not one after the other. Then it is answered,
//! with the rows as they arrive.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recrawl_core::model::ids::SiteId;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Choice, Choose, ListedPage, StopMode};
use recrawl_supervisor::crawl::All;
use recrawl_supervisor::usage;
use rusqlite::types::{Null, Value};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConnection, VTabCursor, sqlite3_vtab,
    sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error, Result};

use crate::crawling::{Before, Crawling, Received, Surroundings, Wanted, check_contact};
use crate::options::Options;
use crate::rewrite::{CRAWL_SITE, read_options};
use crate::row::{COLUMNS, Row};

/// The site of the store that table functions crawl their pages as.
const SITE: &str = "sql";

/// Which function a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    /// `crawl_urls(pages)`
    Pages,
    /// `crawl(site)`
    Site,
    /// `sitemap(host)`
    Sitemap,
}

/// The columns of `sitemap(host)`.
const SITEMAP: [&str; 6] = ["host", "url", "lastmod", "changefreq", "priority", "discovered_at"];

/// What a statement does when it comes to a table function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    /// It has none, as far as is known.
    #[default]
    Off,
    /// What it would crawl is noted.
    Collect,
    /// It crawls.
    Answer,
}

/// What the table functions of a session share.
pub(crate) struct Shared {
    /// What every crawl needs.
    pub around: Arc<Surroundings>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pass: Pass,
    options: Options,
    named: Vec<PageUrl>,
    /// What calls would crawl, by their options.
    collected: Vec<(String, Vec<PageUrl>)>,
    running: Option<(String, Arc<Mutex<Crawling>>)>,
    /// How many calls of `sitemap` were answered.
    calls: u64,
}

impl Shared {
    /// Shares these surroundings.
    pub(crate) fn new(around: Arc<Surroundings>) -> Self {
        Self { around, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_number(&self) -> u64 {
        let mut state = self.state();
        state.calls += 1;
        state.calls
    }

    /// Begins a pass of a statement, in which these pages are named.
    pub(crate) fn begin(&self, pass: Pass, options: &Options, named: &[PageUrl]) {
        let mut state = self.state();
        (state.pass, state.options, state.named) = (pass, options.clone(), named.to_vec());
        if pass == Pass::Collect {
            state.collected.clear();
        }
    }

    /// Ends a statement, and what it crawled.
    pub(crate) fn end(&self) -> anyhow::Result<()> {
        let running = {
            let mut state = self.state();
            state.pass = Pass::Off;
            state.collected.clear();
            state.running.take()
        };
        running.map_or(Ok(()), |(_, crawling)| lock(&crawling).end())
    }

    /// Returns the crawl of this statement for these calls; begins it if there is none yet.
    fn running(
        &self,
        key: &str,
        begin: impl FnOnce(&Options, &[PageUrl]) -> anyhow::Result<Crawling>,
    ) -> anyhow::Result<Arc<Mutex<Crawling>>> {
        let (options, named) = {
            let state = self.state();
            match &state.running {
                Some((known, crawling)) if known == key => return Ok(crawling.clone()),
                Some((_, crawling)) if !lock(crawling).is_over() => {
                    return Err(usage(
                        "one crawl at a time: give the crawl functions of a statement the same options, and a site to one \
                         of them",
                    ));
                }
                Some(_) | None => (state.options.clone(), state.named.clone()),
            }
        };
        // The one before holds the right to crawl.
        self.state().running = None;
        let crawling = Arc::new(Mutex::new(begin(&options, &named)?));
        self.state().running = Some((key.to_owned(), crawling.clone()));
        Ok(crawling)
    }
}

fn lock(crawling: &Mutex<Crawling>) -> MutexGuard<'_, Crawling> {
    crawling.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds the table functions to a connection.
pub(crate) fn add_to(connection: &Connection, shared: &Arc<Shared>) -> Result<()> {
    const TABLES: Module<'static, Table<'static>> = Module::eponymous_only_module();
    let add =
        |name: &CStr, function| connection.create_module(name, &TABLES, Some((function, shared.clone())));
    add(c"crawl_urls", Function::Pages)?;
    add(&CString::new(CRAWL_SITE).map_err(Error::from)?, Function::Site)?;
    add(c"sitemap", Function::Sitemap)
}

#[repr(C)]
struct Table<'vtab> {
    /// Must be first.
    base: sqlite3_vtab,
    function: Function,
    shared: Arc<Shared>,
    lives: PhantomData<&'vtab ()>,
}

impl Function {
    fn columns(self) -> Vec<&'static str> {
        match self {
            Self::Pages | Self::Site => COLUMNS.iter().map(|(name, _)| *name).collect(),
            Self::Sitemap => SITEMAP.to_vec(),
        }
    }
}

#[expect(
    unsafe_code,
    reason = "the table is repr(C) and begins with SQLite's own part, which is what the trait asks for"
)]
// SAFETY: see the reason.
unsafe impl<'vtab> VTab<'vtab> for Table<'vtab> {
    type Aux = (Function, Arc<Shared>);
    type Cursor = Cursor<'vtab>;

    fn connect(
        _: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let (function, shared) = aux.cloned().ok_or_else(|| Error::ModuleError("no session".to_owned()))?;
        let columns = function.columns().join(", ");
        let schema = CString::new(format!("CREATE TABLE x({columns}, target HIDDEN, options HIDDEN)"))?;
        Ok((schema.into(), Self { base: sqlite3_vtab::default(), function, shared, lives: PhantomData }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let hidden = c_int::try_from(self.function.columns().len()).unwrap_or(c_int::MAX);
        let (mut found, mut unusable) = ([None, None], false);
        for (place, constraint) in info.constraints().enumerate() {
            let Ok(argument) = usize::try_from(constraint.column() - hidden) else { continue };
            if constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ {
                unusable |= !constraint.is_usable();
                found[argument.min(1)] = Some(place).filter(|_| constraint.is_usable());
            }
        }
        if unusable {
            return Ok(false);
        }
        let mut number = 0;
        for place in found.iter().flatten() {
            number += 1;
            let mut usage = info.constraint_usage(*place);
            usage.set_argv_index(number);
            usage.set_omit(true);
        }
        info.set_idx_num(c_int::from(found[0].is_some()) | c_int::from(found[1].is_some()) << 1);
        // Dear: whatever can be known without crawling is looked at before.
        info.set_estimated_cost(1e9);
        info.set_estimated_rows(100);
        Ok(true)
    }

    fn open(&'vtab mut self) -> Result<Cursor<'vtab>> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            function: self.function,
            shared: self.shared.clone(),
            rows: Rows::None,
            current: None,
            number: 0,
            lives: PhantomData,
        })
    }
}

/// A call of a table function that is being answered.
#[repr(C)]
struct Cursor<'vtab> {
    /// Must be first.
    base: sqlite3_vtab_cursor,
    function: Function,
    shared: Arc<Shared>,
    rows: Rows,
    current: Option<Current>,
    number: i64,
    lives: PhantomData<&'vtab ()>,
}

/// Where rows come from.
enum Rows {
    None,
    /// Pages that were asked for.
    Wanted(Arc<Mutex<Crawling>>, Box<Wanted>),
    /// All pages of a site, and how many of them had a row.
    All(Arc<Mutex<Crawling>>, usize),
    /// What sitemaps list.
    Listed(Arc<Mutex<Crawling>>, Receiver<[Value; 6]>),
}

enum Current {
    Page(Box<Row>),
    Entry([Value; 6]),
}

#[expect(
    unsafe_code,
    reason = "the cursor is repr(C) and begins with SQLite's own part, which is what the trait asks for"
)]
// SAFETY: see the reason.
unsafe impl VTabCursor for Cursor<'_> {
    fn filter(&mut self, number: c_int, _: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        (self.rows, self.current) = (Rows::None, None);
        let targets = if number & 1 == 1 { arguments.get::<Option<String>>(0)? } else { None };
        if number & 1 == 0 {
            let sentence = "a crawl function needs what it crawls, as in crawl_urls('https://example.org/')";
            return Err(Error::ModuleError(sentence.to_owned()));
        }
        let options = if number & 2 == 2 { arguments.get::<Option<String>>(1)? } else { None };
        if let Some(targets) = targets {
            self.begin(&targets, &options.unwrap_or_default()).map_err(|error| module_error(&error))?;
        }
        self.next()
    }

    fn next(&mut self) -> Result<()> {
        self.number += 1;
        self.current = self.advance().map_err(|error| module_error(&error))?;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.current.is_none()
    }

    fn column(&self, context: &mut Context, place: c_int) -> Result<()> {
        let Ok(place) = usize::try_from(place) else { return context.set_result(Null) };
        let Some(name) = self.function.columns().get(place).copied() else {
            return context.set_result(Null);
        };
        let value = match &self.current {
            None => Value::Null,
            Some(Current::Entry(entry)) => entry[place].clone(),
            Some(Current::Page(row)) => match (row.value(name), &self.rows) {
                (Some(value), _) => value,
                (None, Rows::Wanted(crawling, _) | Rows::All(crawling, _)) => {
                    let contents = lock(crawling).contents.clone();
                    contents
                        .column(name, row.content(), row.content_type())
                        .map_err(|error| module_error(&error))?
                }
                (None, Rows::None | Rows::Listed(..)) => Value::Null,
            },
        };
        context.set_result(&value)
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.number)
    }
}

impl Cursor<'_> {
    /// Begins to answer a call.
    fn begin(&mut self, targets: &str, said: &str) -> anyhow::Result<()> {
        let pass = self.shared.state().pass;
        match (pass, self.function) {
            (Pass::Off, _) => Err(usage("crawl functions cannot stand in views and triggers")),
            (Pass::Collect, Function::Site | Function::Sitemap) => Ok(()),
            (Pass::Collect, Function::Pages) => {
                let pages = pages(targets)?.into_iter().map(|(_, page)| page);
                let mut state = self.shared.state();
                if let Some((_, collected)) = state.collected.iter_mut().find(|(options, _)| options == said)
                {
                    collected.extend(pages);
                } else {
                    let pages = pages.collect();
                    state.collected.push((said.to_owned(), pages));
                }
                Ok(())
            }
            (Pass::Answer, Function::Pages) => self.begin_pages(&pages(targets)?, said),
            (Pass::Answer, Function::Site) => self.begin_site(targets, said),
            (Pass::Answer, Function::Sitemap) => self.begin_sitemap(targets, said),
        }
    }

    fn begin_pages(&mut self, pages: &[(String, PageUrl)], said: &str) -> anyhow::Result<()> {
        let shared = self.shared.clone();
        let collected = {
            let mut state = shared.state();
            let place = state.collected.iter().position(|(options, _)| options == said);
            place.map(|place| state.collected.swap_remove(place).1).unwrap_or_default()
        };
        let crawling = shared.running(&format!("pages {said}"), |options, named| {
            let settings =
                with(options, said)?.of_list(&SITE.parse::<SiteId>()?, named, &shared.around.file)?;
            check_contact(&settings, collected.iter().chain(pages.iter().map(|(_, page)| page)))?;
            let stop_mode = StopMode::Close("it was stopped");
            Crawling::of_list(&shared.around, settings, Before::IsClosed, stop_mode, Arc::new(All))
        })?;
        let mut wanted = Box::<Wanted>::default();
        {
            let mut crawling = lock(&crawling);
            crawling.give(collected);
            crawling.give(pages.iter().map(|(_, page)| page.clone()));
            for (given, page) in pages {
                wanted.want(given.clone(), page.clone(), &crawling);
            }
        }
        self.rows = Rows::Wanted(crawling, wanted);
        Ok(())
    }

    fn begin_site(&mut self, target: &str, said: &str) -> anyhow::Result<()> {
        let (shared, root) = (self.shared.clone(), page(target)?);
        let crawling = shared.running(&format!("site {root} {said}"), |options, named| {
            let settings = with(options, said)?.of_site(&root, &shared.around.file)?;
            let is_named =
                settings.scope.allow_private || named.iter().any(|page| page.host_key() == root.host_key());
            if !is_named && recrawl_core::address::is_written_as_inside(root.host()) {
                return Err(usage(format!(
                    "{root} is inside: write its address into the statement, or allow_private := true"
                )));
            }
            check_contact(&settings, std::iter::once(&root))?;
            Crawling::of_site(&shared.around, settings)
        })?;
        self.rows = Rows::All(crawling, 0);
        Ok(())
    }

    fn begin_sitemap(&mut self, target: &str, said: &str) -> anyhow::Result<()> {
        let (shared, root) = (self.shared.clone(), host(target)?);
        let (sender, entries) = channel();
        let number = shared.next_number();
        // What sitemaps list is remembered for a while, so that the same host again costs nothing.
        let crawling = shared.running(&format!("sitemap {number}"), |options, named| {
            let settings =
                with(options, said)?.of_list(&SITE.parse::<SiteId>()?, named, &shared.around.file)?;
            check_contact(&settings, std::iter::once(&root))?;
            let (stop_mode, choose) =
                (StopMode::Close("it was stopped"), Arc::new(Lists(Mutex::new(sender))));
            let mut crawling =
                Crawling::of_list(&shared.around, settings, Before::IsClosed, stop_mode, choose)?;
            crawling.give_host(root.clone());
            crawling.give_no_more();
            Ok(crawling)
        })?;
        self.rows = Rows::Listed(crawling, entries);
        Ok(())
    }

    /// Returns the next row, once there is one.
    fn advance(&mut self) -> anyhow::Result<Option<Current>> {
        match &mut self.rows {
            Rows::None => Ok(None),
            Rows::Wanted(crawling, wanted) => {
                let mut crawling = lock(crawling);
                loop {
                    if let Some(row) = wanted.next(&crawling) {
                        return Ok(Some(Current::Page(Box::new(row))));
                    }
                    if !wanted.awaits() {
                        return Ok(None);
                    }
                    if crawling.receive(None)? == Received::Over {
                        wanted.settle(&crawling);
                        return Ok(wanted.next(&crawling).map(|row| Current::Page(Box::new(row))));
                    }
                }
            }
            Rows::All(crawling, had) => {
                let mut crawling = lock(crawling);
                while crawling.order().len() <= *had {
                    if crawling.receive(None)? == Received::Over {
                        return Ok(None);
                    }
                }
                let page = &crawling.order()[*had];
                *had += 1;
                let row =
                    crawling.seen().get(page).map(|seen| Row { url: page.to_string(), seen: seen.clone() });
                Ok(row.map(|row| Current::Page(Box::new(row))))
            }
            Rows::Listed(crawling, entries) => {
                let entry = entries.recv().ok();
                if entry.is_none() {
                    // What went wrong with the crawl is said here.
                    lock(crawling).receive(None)?;
                }
                Ok(entry.map(Current::Entry))
            }
        }
    }
}

/// Notes what sitemaps list, and visits none of it.
struct Lists(Mutex<Sender<[Value; 6]>>);

impl Choose for Lists {
    fn choose(&self, page: &ListedPage, root: &PageUrl) -> Choice {
        let text = |text: Option<String>| text.map_or(Value::Null, Value::Text);
        let entry = [
            Value::Text(root.host().to_owned()),
            Value::Text(page.url.to_string()),
            text(page.changed_by().map(|time| time.to_string())),
            text(page.frequency().map(|frequency| frequency.word().to_owned())),
            page.importance().map_or(Value::Null, Value::Real),
            Value::Text(format!("{:.3}", jiff::Timestamp::now())),
        ];
        // Nobody may want more.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(entry);
        Choice::Skip
    }
}

/// Reads what a call names: a page, or a JSON array of pages.
fn pages(targets: &str) -> anyhow::Result<Vec<(String, PageUrl)>> {
    let listed: Vec<Option<String>> = if targets.trim_start().starts_with('[') {
        serde_json::from_str(targets).map_err(|_| usage(format!("{targets} is no list of addresses")))?
    } else {
        vec![Some(targets.to_owned())]
    };
    listed.into_iter().flatten().map(|given| Ok((given.clone(), page(&given)?))).collect()
}

/// Reads the address of a page.
pub(crate) fn page(text: &str) -> anyhow::Result<PageUrl> {
    recrawl_settings::page(text.trim()).map_err(|recrawl_settings::Bad(expected)| {
        usage(format!("'{text}' is no page to crawl: give {expected}"))
    })
}

/// Reads a host, or the address of any of its pages.
pub(crate) fn host(text: &str) -> anyhow::Result<PageUrl> {
    let text = text.trim();
    let address = if text.contains("://") {
        text.to_owned()
    } else {
        let name = text.split(['/', '?', '#']).next().unwrap_or_default();
        let is_inside = format!("http://{name}/")
            .parse()
            .is_ok_and(|page: PageUrl| recrawl_core::address::is_written_as_inside(page.host()));
        format!("{}://{text}", if is_inside { "http" } else { "https" })
    };
    recrawl_settings::page(&address)
        .map_err(|_| usage(format!("'{text}' is no host: give one such as example.org, or an address")))
}

fn with(options: &Options, said: &str) -> anyhow::Result<Options> {
    let said = if said.is_empty() { Vec::new() } else { read_options(said).unwrap_or_default() };
    options.with(&said)
}

fn module_error(error: &anyhow::Error) -> Error {
    Error::ModuleError(format!("{error:#}"))
}
