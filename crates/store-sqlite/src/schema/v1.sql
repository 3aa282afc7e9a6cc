-- Version 1. Never edited after a release: a change is a new file that alters these tables.
--
-- Times are microseconds since 1970. A crawl is numbered by its day since 1970 and, in the low 32
-- bits, by which one of that day it is, so that the numbers of a site are in order of opening.
-- The words behind verdict, presence and found_by are in codes.rs and in the views.

CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE crawl (
    site INTEGER NOT NULL REFERENCES site (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    mode TEXT NOT NULL,
    opened_by TEXT,
    closed_at INTEGER,
    partial_reason TEXT,
    statistics TEXT,
    PRIMARY KEY (site, number)
) STRICT, WITHOUT ROWID;

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
    links TEXT NOT NULL
) STRICT;
CREATE INDEX content_by_meaning ON content (semantic);

-- Bodies and texts are zstd frames. They have tables of their own so that the rows above stay small.
-- Behind the content.size bytes of a body stands its text; table text has those that stand behind none.
CREATE TABLE body (
    content INTEGER PRIMARY KEY REFERENCES content (id),
    body BLOB NOT NULL
) STRICT;

CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    semantic BLOB NOT NULL UNIQUE,
    text BLOB NOT NULL
) STRICT;

-- One row holds a whole page record. content and semantic are hashes and not ids: a visit may name
-- content that is not stored, and the same bytes by a meaning of other rules.
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
    FOREIGN KEY (site, crawl) REFERENCES crawl (site, number)
) STRICT;
CREATE UNIQUE INDEX visit_of_page ON visit (page, site, crawl);
CREATE INDEX visit_of_crawl ON visit (site, crawl);

-- Ids are never used twice, so that a reader can go on after the last one that it saw.
CREATE TABLE frontier (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    found_by INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer INTEGER,
    UNIQUE (site, crawl, page)
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
    UNIQUE (site, crawl, page)
) STRICT;

CREATE TABLE memo (
    key TEXT PRIMARY KEY,
    saved_at INTEGER NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
