-- The database of version 2 as version 3 of the format left it. Never edited.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1380143692;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE announcement (
    id INTEGER PRIMARY KEY,
    event BLOB NOT NULL,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    change TEXT NOT NULL, diff TEXT, aspects INTEGER NOT NULL DEFAULT 0,
    UNIQUE (site, crawl, page)
) STRICT;
INSERT INTO "announcement" VALUES(1,X'AA1F65EC2977BA336FCCDF182FC447ABFC58D1A08138DB37102201BC9AEC2C12',1,89189290868737,1,'CHANGE',NULL,1);
INSERT INTO "announcement" VALUES(2,X'4815216BE0A0592104D870DF7B420DEC816DBCB036F002B1C5F1E10D8BE30439',1,89189290868737,7,'CHANGE',NULL,0);
CREATE TABLE archive_request (
    id INTEGER PRIMARY KEY,
    event BLOB NOT NULL,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued', job_id TEXT, captured_at INTEGER, wayback_url TEXT, error TEXT, attempts INTEGER NOT NULL DEFAULT 0, not_before INTEGER,
    UNIQUE (site, crawl, page)
) STRICT;
INSERT INTO "archive_request" VALUES(1,X'A32690D8719CEEBD3158583A129471D06F4AF5693F9E52408C6B71597A792571',1,89159226097665,1,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(2,X'AA1F65EC2977BA336FCCDF182FC447ABFC58D1A08138DB37102201BC9AEC2C12',1,89189290868737,1,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(3,X'925E7CCEA84515DBF16474333D3FA46DADEC62D2EEB16E006D71DE90102D8044',1,89189290868746,1,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(4,X'32A019F768225A32D92F16BF0E85D81535CACF27F2C215A663B7E244BBD37B96',1,89159226097665,7,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(5,X'4815216BE0A0592104D870DF7B420DEC816DBCB036F002B1C5F1E10D8BE30439',1,89189290868737,7,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(6,X'420B82C070E3B72BDCD639E573FE117ABBE7E89A2646316DD6A12DD0167F4602',1,89159226097665,4,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(7,X'6B34454D9CD651469A640434D08726CB7CCE4BC83601FC9BC5266A2504F4DB17',1,89189290868737,4,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
INSERT INTO "archive_request" VALUES(8,X'642BCB2F15B9799F4743780AEFB039FDED93FBE83D6C55B1FE771A07E08D06F5',1,89189290868746,4,1793588765123456,'submitted','spn2-0123',1793588885123456,'https://web.archive.org/web/20261102030905/https://example.org/','once it was slow',2,1793588945123456);
CREATE TABLE body (
    content INTEGER PRIMARY KEY REFERENCES content (id),
    body BLOB NOT NULL
) STRICT;
INSERT INTO "body" VALUES(1,X'28B52FFD20252901003C7469746C653E41207469746C653C2F7469746C653E3C703E6265666F72656265666F7265');
INSERT INTO "body" VALUES(2,X'28B52FFD20231901003C7469746C653E41207469746C653C2F7469746C653E3C703E61667465726166746572');
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
, link_signature INTEGER, media_signature INTEGER) STRICT;
INSERT INTO "content" VALUES(1,X'02B3FB0F6AD0C2082791C0104630BEAAB2FEFC92F5B52B2555B4B004C2ECF564',31,'text/html',X'6DB7D803E74F1FFA7D8F5ADC0BF95B3E15BF4C8373FFFADF546227CC6C6742CB',2,'A title','en',3,1,0,'[4,5,6]',NULL,NULL);
INSERT INTO "content" VALUES(2,X'BED3FCF86DB901FA704D6D8EF939AA079B5DC97B5BD2AAAA588E7C1657C6EE01',30,'text/html',X'F39592393EF0859CB196A52693D2CEA00FB2DF784B3C04AE54AA7CADB8E562F8',2,'A title','en',3,1,0,'[4,5,6]',NULL,NULL);
CREATE TABLE crawl (
    site INTEGER NOT NULL REFERENCES site (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    mode TEXT NOT NULL,
    opened_by TEXT,
    closed_at INTEGER,
    partial_reason TEXT,
    statistics TEXT, suspicion TEXT, accepted_at INTEGER,
    PRIMARY KEY (site, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "crawl" VALUES(1,89159226097665,'crawl-2026-11-02',1793588705123456,'incremental','message-17',1793589245123456,NULL,'{"total":45,"new":1,"changed":2,"touched":3,"unchanged":4,"gone":5,"moved":6,"missing":7,"failed":8,"excluded":9,"not_modified":10,"requests":11,"received_bytes":12,"saved_bytes":13,"last_visit":"2026-11-02T03:13:05.123456Z","frequency_sum":0.30000000000000004}',NULL,NULL);
INSERT INTO "crawl" VALUES(1,89189290868737,'crawl-2026-11-09',1793588705123456,'incremental','message-17',1793589245123456,'stopped','{"total":45,"new":1,"changed":2,"touched":3,"unchanged":4,"gone":5,"moved":6,"missing":7,"failed":8,"excluded":9,"not_modified":10,"requests":11,"received_bytes":12,"saved_bytes":13,"last_visit":"2026-11-02T03:13:05.123456Z","frequency_sum":0.30000000000000004}',NULL,NULL);
INSERT INTO "crawl" VALUES(1,89189290868746,'crawl-2026-11-09-10',1793588705123456,'incremental','message-17',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE frontier (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    page INTEGER NOT NULL,
    found_by INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer INTEGER, priority INTEGER NOT NULL DEFAULT 0,
    UNIQUE (site, crawl, page)
) STRICT;
INSERT INTO "frontier" VALUES(1,1,89189290868746,8,1,2,2,0);
INSERT INTO "frontier" VALUES(2,1,89189290868746,9,1,2,2,0);
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
INSERT INTO "url" VALUES(7,'https://example.org/r');
INSERT INTO "url" VALUES(8,'https://example.org/waits');
INSERT INTO "url" VALUES(9,'https://example.org/waits-longer');
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
    change_frequency REAL, aspects INTEGER NOT NULL DEFAULT 0, checked INTEGER NOT NULL DEFAULT 0, link_signature INTEGER, media_signature INTEGER, fresh_until INTEGER, observations INTEGER NOT NULL DEFAULT 0, mean_interval REAL,
    FOREIGN KEY (site, crawl) REFERENCES crawl (site, number)
) STRICT;
INSERT INTO "visit" VALUES(1,1,89159226097665,1,1,2,2,0,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'02B3FB0F6AD0C2082791C0104630BEAAB2FEFC92F5B52B2555B4B004C2ECF564',X'6DB7D803E74F1FFA7D8F5ADC0BF95B3E15BF4C8373FFFADF546227CC6C6742CB',2,54321,1793588345123456,1793588585123456,1793588765123456,0,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,0,7.0);
INSERT INTO "visit" VALUES(2,1,89189290868737,1,1,2,2,1,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'BED3FCF86DB901FA704D6D8EF939AA079B5DC97B5BD2AAAA588E7C1657C6EE01',X'F39592393EF0859CB196A52693D2CEA00FB2DF784B3C04AE54AA7CADB8E562F8',2,54321,1793588345123456,1793588585123456,1793588765123456,1,1.42857142857142849212e-01,1,0,NULL,NULL,NULL,1,7.0);
INSERT INTO "visit" VALUES(3,1,89189290868746,1,1,2,2,5,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'BED3FCF86DB901FA704D6D8EF939AA079B5DC97B5BD2AAAA588E7C1657C6EE01',X'F39592393EF0859CB196A52693D2CEA00FB2DF784B3C04AE54AA7CADB8E562F8',2,54321,1793588345123456,1793588585123456,1793588765123456,1,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,2,7.0);
INSERT INTO "visit" VALUES(4,1,89159226097665,7,1,2,2,0,200,1,1,'because',1793588765123456,321,2,12345,6789,2,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',NULL,NULL,NULL,54321,1793588345123456,1793588585123456,1793588765123456,0,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,0,7.0);
INSERT INTO "visit" VALUES(5,1,89189290868737,7,1,2,2,1,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'02B3FB0F6AD0C2082791C0104630BEAAB2FEFC92F5B52B2555B4B004C2ECF564',X'6DB7D803E74F1FFA7D8F5ADC0BF95B3E15BF4C8373FFFADF546227CC6C6742CB',2,54321,1793588345123456,1793588585123456,1793588765123456,1,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,1,7.0);
INSERT INTO "visit" VALUES(6,1,89159226097665,4,1,2,2,6,200,1,1,'because',1793588765123456,321,2,12345,6789,0,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',NULL,NULL,NULL,54321,1793588345123456,1793588585123456,1793588765123456,0,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,0,7.0);
INSERT INTO "visit" VALUES(7,1,89189290868737,4,1,2,2,0,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'02B3FB0F6AD0C2082791C0104630BEAAB2FEFC92F5B52B2555B4B004C2ECF564',X'6DB7D803E74F1FFA7D8F5ADC0BF95B3E15BF4C8373FFFADF546227CC6C6742CB',2,54321,1793588345123456,1793588585123456,1793588765123456,0,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,0,7.0);
INSERT INTO "visit" VALUES(8,1,89189290868746,4,1,2,2,7,200,1,1,'because',1793588765123456,321,2,12345,6789,1,'W/"abc"','Mon, 02 Nov 2026 03:04:05 GMT','../elsewhere?a=b#c',1,'noarchive',X'02B3FB0F6AD0C2082791C0104630BEAAB2FEFC92F5B52B2555B4B004C2ECF564',X'6DB7D803E74F1FFA7D8F5ADC0BF95B3E15BF4C8373FFFADF546227CC6C6742CB',2,54321,1793588345123456,1793588585123456,1793588765123456,0,1.42857142857142849212e-01,0,0,NULL,NULL,NULL,0,7.0);
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
        WHEN c.suspicion IS NOT NULL AND c.accepted_at IS NULL THEN 'suspect'
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
    (c.statistics ->> 'frequency_sum') / nullif(c.statistics ->> 'total', 0) AS mean_change_frequency,
    c.suspicion,
    strftime('%Y-%m-%dT%H:%M:%fZ', c.accepted_at / 1e6, 'unixepoch') AS accepted_at,
    coalesce(c.statistics ->> 'presumed', iif(c.closed_at IS NULL, NULL, 0)) AS presumed,
    coalesce(c.statistics ->> 'checked', iif(c.closed_at IS NULL, NULL, 0)) AS checked,
    coalesce(c.statistics ->> 'refuted', iif(c.closed_at IS NULL, NULL, 0)) AS refuted
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
    v.change_frequency,
    CASE v.aspects
        WHEN 1 THEN 'text' WHEN 2 THEN 'links' WHEN 3 THEN 'text, links' WHEN 4 THEN 'media'
        WHEN 5 THEN 'text, media' WHEN 6 THEN 'links, media' WHEN 7 THEN 'text, links, media'
    END AS aspects,
    CASE v.checked WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted' END AS checked,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fresh_until / 1e6, 'unixepoch') AS fresh_until,
    v.observations
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
    lower(hex(v.semantic)) AS semantic_hash,
    v.observations,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fresh_until / 1e6, 'unixepoch') AS fresh_until
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
    site, crawl, url, verdict AS kind, status, title, fetched_at, location, referrer, content_hash, semantic_hash,
    aspects
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
INSERT INTO "sqlite_sequence" VALUES('frontier',2);
COMMIT;
