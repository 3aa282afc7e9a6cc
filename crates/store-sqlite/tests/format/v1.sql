-- A database as version 1 of the format wrote it. Never edited.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1380143692;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
CREATE TABLE body (
    content INTEGER PRIMARY KEY REFERENCES content (id),
    body BLOB NOT NULL
) STRICT;
INSERT INTO "body" VALUES(1,X'28B52FFD20329101003C7469746C653E41207469746C653C2F7469746C653E3C703E74657874206F66207468652066697273742076657273696F6E');
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
INSERT INTO "content" VALUES(1,X'48E98C5F69C905AE34025B49E83DA1474C5A900BE7934B35EE52510BCA73262E',50,'text/html',X'4A6DF23EEC2B67355E4ED77C22E9C95D989E65051F7063677B54F13CEF5C97B4',2,'A title','en',3,1,0,'[4,5,6]');
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
INSERT INTO "crawl" VALUES(1,89159226097665,'crawl-2026-11-02',1793588705123456,'incremental','message-17',NULL,NULL,NULL);
INSERT INTO "crawl" VALUES(1,89189290868737,'crawl-2026-11-09',1793588705123456,'incremental','message-17',NULL,NULL,NULL);
INSERT INTO "crawl" VALUES(1,89189290868746,'crawl-2026-11-09-10',1793588705123456,'incremental','message-17',NULL,NULL,NULL);
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
INSERT INTO "frontier" VALUES(1,1,89189290868737,7,1,2,2);
CREATE TABLE memo (
    key TEXT PRIMARY KEY,
    saved_at INTEGER NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "site" VALUES(1,'a','https://example.org/','{"include":["/a*"],"exclude":["/a/secret*"],"subdomains":true,"extra_hosts":["files.example.org:8443"],"max_depth":7}',1793588645123456);
CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    semantic BLOB NOT NULL UNIQUE,
    text BLOB NOT NULL
) STRICT;
INSERT INTO "text" VALUES(1,X'4A6DF23EEC2B67355E4ED77C22E9C95D989E65051F7063677B54F13CEF5C97B4',X'28B52FFD2019C9000074657874206F66207468652066697273742076657273696F6E');
CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "url" VALUES(1,'https://example.org/x');
INSERT INTO "url" VALUES(2,'https://example.org/');
INSERT INTO "url" VALUES(3,'https://example.org/canonical');
INSERT INTO "url" VALUES(4,'https://example.org/b');
INSERT INTO "url" VALUES(5,'https://example.org/a');
INSERT INTO "url" VALUES(6,'https://example.org/c?x=1&y=2');
INSERT INTO "url" VALUES(7,'https://example.org/waits');
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
INSERT INTO "visit" VALUES(1,1,89159226097665,1,1,2,2,0,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'48E98C5F69C905AE34025B49E83DA1474C5A900BE7934B35EE52510BCA73262E',X'4A6DF23EEC2B67355E4ED77C22E9C95D989E65051F7063677B54F13CEF5C97B4',2,54321,1793588345123456,1793588585123456,1793588765123456,3,1.42857142857142849212e-01);
INSERT INTO "visit" VALUES(2,1,89189290868737,1,1,2,2,0,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',NULL,NULL,NULL,54321,1793588345123456,1793588585123456,1793588765123456,3,1.42857142857142849212e-01);
CREATE TABLE word (
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "word" VALUES(1,'text/html; charset=utf-8');
INSERT INTO "word" VALUES(2,'1');
CREATE INDEX content_by_meaning ON content (semantic);
CREATE UNIQUE INDEX visit_of_page ON visit (page, site, crawl);
CREATE INDEX visit_of_crawl ON visit (site, crawl);
CREATE VIEW crawls AS
SELECT
    s.name AS site,
    c.name AS crawl,
    CASE
        WHEN c.closed_at IS NULL THEN 'open'
        WHEN c.partial_reason IS NULL THEN 'complete'
        ELSE 'partial'
    END AS state,
    c.partial_reason AS reason,
    c.mode,
    strftime('%Y-%m-%dT%H:%M:%fZ', c.opened_at / 1e6, 'unixepoch') AS opened_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', c.closed_at / 1e6, 'unixepoch') AS closed_at,
    (c.closed_at - c.opened_at) / 1e6 AS seconds,
    c.statistics ->> 'total' AS total,
    c.statistics ->> 'new' AS new,
    c.statistics ->> 'changed' AS changed,
    c.statistics ->> 'moved' AS moved,
    c.statistics ->> 'gone' AS gone,
    c.statistics ->> 'touched' AS touched,
    c.statistics ->> 'unchanged' AS unchanged,
    c.statistics ->> 'missing' AS missing,
    c.statistics ->> 'failed' AS failed,
    c.statistics ->> 'excluded' AS excluded,
    c.statistics ->> 'not_modified' AS not_modified,
    c.statistics ->> 'requests' AS requests,
    c.statistics ->> 'received_bytes' AS received_bytes,
    c.statistics ->> 'saved_bytes' AS saved_bytes,
    (c.statistics ->> 'frequency_sum') / nullif(c.statistics ->> 'total', 0) AS mean_change_frequency
FROM crawl AS c
JOIN site AS s ON s.id = c.site;
CREATE VIEW visits AS
SELECT
    s.name AS site,
    c.name AS crawl,
    p.url AS url,
    CASE v.verdict
        WHEN 0 THEN 'new' WHEN 1 THEN 'changed' WHEN 2 THEN 'moved' WHEN 3 THEN 'gone'
        WHEN 4 THEN 'touched' WHEN 5 THEN 'unchanged' WHEN 6 THEN 'missing'
        WHEN 7 THEN 'failed' WHEN 8 THEN 'excluded'
    END AS verdict,
    v.status,
    v.reason,
    k.title,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fetched_at / 1e6, 'unixepoch') AS fetched_at,
    v.fetch_ms,
    v.requests,
    v.received_bytes,
    v.saved_bytes,
    v.not_modified,
    v.truncated,
    CASE v.found_by
        WHEN 0 THEN 'seed' WHEN 1 THEN 'link' WHEN 2 THEN 'redirect' WHEN 3 THEN 'sitemap' WHEN 4 THEN 'memory'
    END AS found_by,
    v.depth,
    r.url AS referrer,
    CASE v.presence
        WHEN 0 THEN 'unknown' WHEN 1 THEN 'present' WHEN 2 THEN 'redirect' WHEN 3 THEN 'gone' WHEN 4 THEN 'goneforgood'
    END AS presence,
    v.etag,
    v.last_modified,
    v.location,
    t.word AS content_type,
    v.robots_tag,
    lower(hex(v.content)) AS content_hash,
    lower(hex(v.semantic)) AS semantic_hash,
    k.language,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.first_seen / 1e6, 'unixepoch') AS first_seen,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.last_seen / 1e6, 'unixepoch') AS last_seen,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.last_changed / 1e6, 'unixepoch') AS last_changed,
    v.changes_detected,
    v.change_frequency
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
LEFT JOIN url AS r ON r.id = v.referrer
LEFT JOIN word AS t ON t.id = v.content_type
LEFT JOIN content AS k ON k.hash = v.content;
CREATE VIEW pages AS
SELECT
    s.name AS site,
    p.url AS url,
    CASE v.verdict
        WHEN 0 THEN 'new' WHEN 1 THEN 'changed' WHEN 2 THEN 'moved' WHEN 3 THEN 'gone'
        WHEN 4 THEN 'touched' WHEN 5 THEN 'unchanged' WHEN 6 THEN 'missing'
        WHEN 7 THEN 'failed' WHEN 8 THEN 'excluded'
    END AS verdict,
    CASE v.presence
        WHEN 0 THEN 'unknown' WHEN 1 THEN 'present' WHEN 2 THEN 'redirect' WHEN 3 THEN 'gone' WHEN 4 THEN 'goneforgood'
    END AS presence,
    v.status,
    v.reason,
    k.title,
    k.language,
    k.size,
    t.word AS content_type,
    c.name AS last_crawl,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fetched_at / 1e6, 'unixepoch') AS last_visited,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.first_seen / 1e6, 'unixepoch') AS first_seen,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.last_seen / 1e6, 'unixepoch') AS last_seen,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.last_changed / 1e6, 'unixepoch') AS last_changed,
    v.changes_detected,
    v.change_frequency,
    v.depth,
    r.url AS referrer,
    v.etag,
    v.last_modified,
    v.location,
    lower(hex(v.content)) AS content_hash,
    lower(hex(v.semantic)) AS semantic_hash
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
LEFT JOIN url AS r ON r.id = v.referrer
LEFT JOIN word AS t ON t.id = v.content_type
LEFT JOIN content AS k ON k.hash = v.content
WHERE v.crawl = (SELECT max(w.crawl) FROM visit AS w WHERE w.page = v.page AND w.site = v.site);
CREATE VIEW changes AS
SELECT
    site, crawl, url, verdict AS kind, status, title, fetched_at, location, referrer, content_hash, semantic_hash
FROM visits
WHERE verdict IN ('new', 'changed', 'moved', 'gone');
CREATE VIEW versions AS
WITH evidence AS (
    SELECT
        v.site, v.page, v.crawl, v.fetched_at, v.content, v.semantic, v.rules,
        v.presence = 1 AND v.semantic IS NOT NULL AS present,
        lag(v.presence = 1 AND v.semantic IS NOT NULL) OVER earlier AS was_present,
        lag(v.semantic) OVER earlier AS was_semantic,
        lag(v.rules) OVER earlier AS was_rules
    FROM visit AS v
    WHERE v.verdict NOT IN (7, 8)
    WINDOW earlier AS (PARTITION BY v.site, v.page ORDER BY v.crawl)
), numbered AS (
    SELECT
        e.*,
        sum(
            e.was_present IS NOT 1
            OR (
                e.semantic <> e.was_semantic
                AND (
                    e.rules = e.was_rules
                    OR 'bytes' IN (SELECT w.word FROM word AS w WHERE w.id IN (e.rules, e.was_rules))
                )
            )
        ) OVER (PARTITION BY e.site, e.page ORDER BY e.crawl) AS version
    FROM evidence AS e
    WHERE e.present
), stretch AS (
    -- The bare columns are those of the visit with the smallest crawl.
    SELECT
        n.site, n.page, n.version, min(n.crawl) AS first_crawl, n.content, n.semantic, n.fetched_at AS since
    FROM numbered AS n
    GROUP BY n.site, n.page, n.version
), finish AS (
    SELECT
        n.site, n.page, n.version, max(n.crawl) AS last_crawl, n.fetched_at AS until, count(*) AS visits
    FROM numbered AS n
    GROUP BY n.site, n.page, n.version
)
SELECT
    s.name AS site,
    p.url AS url,
    b.version,
    strftime('%Y-%m-%dT%H:%M:%fZ', b.since / 1e6, 'unixepoch') AS since,
    strftime('%Y-%m-%dT%H:%M:%fZ', f.until / 1e6, 'unixepoch') AS until,
    c.name AS first_crawl,
    d.name AS last_crawl,
    f.visits,
    k.title,
    lower(hex(b.content)) AS content_hash,
    lower(hex(b.semantic)) AS semantic_hash
FROM stretch AS b
JOIN finish AS f ON f.site = b.site AND f.page = b.page AND f.version = b.version
JOIN site AS s ON s.id = b.site
JOIN url AS p ON p.id = b.page
JOIN crawl AS c ON c.site = b.site AND c.number = b.first_crawl
JOIN crawl AS d ON d.site = b.site AND d.number = f.last_crawl
LEFT JOIN content AS k ON k.hash = b.content;
CREATE VIEW links AS
SELECT
    s.name AS site,
    c.name AS crawl,
    p.url AS source,
    t.url AS target,
    l.key + 1 AS position
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
JOIN content AS k ON k.hash = v.content
JOIN json_each(k.links) AS l
JOIN url AS t ON t.id = l.value
WHERE v.presence = 1 AND v.verdict NOT IN (7, 8);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('frontier',1);
COMMIT;
