-- The tables. Nothing of this is promised to anybody but the views in views.sql.
--
-- Times are microseconds since 1970. The words behind verdict, presence, found_by and checked are in codes.rs and in the
-- views. Signatures are unsigned numbers of 64 bits, kept as the signed ones with the same bits.

CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- number: the running number of the crawl in its site, given when it is opened, by which crawls are ordered.
-- kind: which pages it visits, 'full' or 'due'.
-- confirmed_by: the name of the crawl that found the same as a suspect one.
-- site_state: why the site could not be read, or not all of it, as JSON.
-- trusted: the one place that says which crawls are believed; a suspect one counts for nothing until it is accepted.
CREATE TABLE crawl (
    site INTEGER NOT NULL REFERENCES site (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    opened_by TEXT,
    closed_at INTEGER,
    partial_reason TEXT,
    statistics TEXT,
    suspicion TEXT,
    accepted_at INTEGER,
    confirmed_by TEXT,
    site_state TEXT,
    trusted INTEGER NOT NULL AS (suspicion IS NULL OR accepted_at IS NOT NULL),
    PRIMARY KEY (site, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crawl_by_name ON crawl (site, name);

-- Every address that was ever seen, once.
CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE
) STRICT;

-- Values of which there are few: content types, versions of the rules.
CREATE TABLE word (
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;

-- links: a JSON array of url ids, in document order.
-- outline: a fingerprint of what stands beside the text, NULL where that is not known, to tell whether another one came.
CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    semantic BLOB NOT NULL,
    rules INTEGER NOT NULL REFERENCES word (id),
    title TEXT,
    language TEXT,
    canonical INTEGER REFERENCES url (id),
    noindex INTEGER NOT NULL,
    nofollow INTEGER NOT NULL,
    links TEXT NOT NULL,
    link_signature INTEGER,
    media_signature INTEGER,
    meta_signature INTEGER,
    outline INTEGER
) STRICT;
CREATE INDEX content_by_meaning ON content (semantic);

-- Bodies, texts and outlines are zstd frames. They have tables of their own so that the rows above stay small.
-- Behind the content.size bytes of a body stands its text, and behind a byte 255, which no text has, its outline. Table
-- text has the texts that stand behind none, and table outline the outlines; one that is there counts, and not the one
-- behind the body.
CREATE TABLE body (
    content INTEGER PRIMARY KEY REFERENCES content (id),
    body BLOB NOT NULL
) STRICT;

CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    semantic BLOB NOT NULL UNIQUE,
    text BLOB NOT NULL
) STRICT;

CREATE TABLE outline (
    content INTEGER PRIMARY KEY REFERENCES content (id),
    outline BLOB NOT NULL
) STRICT;

-- One row holds a whole page record. content and semantic are hashes and not ids: a visit may name
-- content that is not stored, and the same bytes by a meaning of other rules.
-- aspects: 1 text, 2 links, 4 media, 8 meta, added up. kinds: a bit a kind, in the order of the view visits.
-- memory and edits are JSON. They stand last, edits behind memory: a row is read from its beginning.
CREATE TABLE visit (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL REFERENCES url (id),
    found_by INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer INTEGER,
    verdict INTEGER NOT NULL,
    status INTEGER,
    not_modified INTEGER NOT NULL,
    truncated INTEGER NOT NULL,
    reason TEXT,
    fetched_at INTEGER NOT NULL,
    fetch_ms INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    received_bytes INTEGER NOT NULL,
    saved_bytes INTEGER NOT NULL,
    presence INTEGER NOT NULL,
    etag TEXT,
    last_modified TEXT,
    location TEXT,
    content_type INTEGER,
    robots_tag TEXT,
    content BLOB,
    semantic BLOB,
    rules INTEGER,
    transfer_bytes INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_changed INTEGER,
    last_seen INTEGER NOT NULL,
    changes_detected INTEGER NOT NULL,
    change_frequency REAL,
    aspects INTEGER NOT NULL DEFAULT 0,
    checked INTEGER NOT NULL DEFAULT 0,
    link_signature INTEGER,
    media_signature INTEGER,
    fresh_until INTEGER,
    observations INTEGER NOT NULL DEFAULT 0,
    mean_interval REAL,
    meta_signature INTEGER,
    tier INTEGER,
    weight INTEGER NOT NULL DEFAULT 0,
    words_changed INTEGER NOT NULL DEFAULT 0,
    words_of INTEGER NOT NULL DEFAULT 0,
    kinds INTEGER NOT NULL DEFAULT 0,
    memory TEXT,
    edits TEXT,
    FOREIGN KEY (site, crawl) REFERENCES crawl (site, number)
) STRICT;
CREATE UNIQUE INDEX visit_of_page ON visit (page, site, crawl);
CREATE INDEX visit_of_crawl ON visit (site, crawl);

-- The same edit on several pages, told once. change: JSON.
CREATE TABLE shared_change (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    position INTEGER NOT NULL,
    change TEXT NOT NULL,
    UNIQUE (site, crawl, position)
) STRICT;

-- The queue, in batches: a batch is what was queued at once, found alike and to be visited equally early. A row a page
-- would cost two entries to write and two to delete. Which pages of a batch still wait follows from the visits.
-- pages: a JSON array of url ids, in the order in which they were queued. Ids are never used twice, so that a reader can
-- go on after the last one that it saw.
CREATE TABLE frontier (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    found_by INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer INTEGER,
    priority INTEGER NOT NULL,
    pages TEXT NOT NULL
) STRICT;

-- An event is a hash of crawl and page. The key is those and not the hash: hashes come in no order, and an
-- index of them would cost a page of the file for each row of a large crawl.
CREATE TABLE announcement (
    id INTEGER PRIMARY KEY,
    event BLOB NOT NULL,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    change TEXT NOT NULL,
    diff TEXT,
    aspects INTEGER NOT NULL DEFAULT 0,
    UNIQUE (site, crawl, page)
) STRICT;

CREATE TABLE archive_request (
    id INTEGER PRIMARY KEY,
    event BLOB NOT NULL,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued',
    job_id TEXT,
    captured_at INTEGER,
    wayback_url TEXT,
    error TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER,
    UNIQUE (site, crawl, page)
) STRICT;

-- Caches and decisions, by the keys of the port StateStore.
CREATE TABLE memo (
    key TEXT PRIMARY KEY,
    saved_at INTEGER NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Pages that the program itself could not read, with their bodies, for those who find out why.
-- bytes: the length of the body, NULL where none had come. body: a zstd frame, NULL where it is not kept. The page is
-- named by its address, so that nothing else has to keep that.
CREATE TABLE stumble (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    url TEXT NOT NULL,
    at INTEGER NOT NULL,
    message TEXT NOT NULL,
    place TEXT,
    rules TEXT NOT NULL,
    content_type TEXT,
    bytes INTEGER,
    body BLOB,
    UNIQUE (site, crawl, url)
) STRICT;

-- The index of what pages say (full-text search). Crawls write nothing here: the index is made from the other tables, and
-- brought up to date when somebody searches. Words are taken apart and made alike before they come here, so that the
-- tokenizer sees nothing but words and blanks.
CREATE VIRTUAL TABLE search_word USING fts5 (
    title, address, text, content = '', contentless_delete = 1, tokenize = 'ascii'
);

-- One row a page in the index, and which version of it that is. Its id is the rowid of its words.
CREATE TABLE search_page (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    page INTEGER NOT NULL,
    content BLOB,
    semantic BLOB,
    UNIQUE (site, page)
) STRICT;

-- state names the visits that the index of a site was made from; it is NULL while the index is not complete.
-- pass is that of the process that works on it: another one that takes over writes its own.
CREATE TABLE search_site (
    site INTEGER PRIMARY KEY,
    pass INTEGER NOT NULL,
    state TEXT
) STRICT;
