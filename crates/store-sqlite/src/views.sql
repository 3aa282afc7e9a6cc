-- What people query. Names and columns are stable; the tables behind them are not.
--
-- Other programs read these views, too. DuckDB writes each anew before SQLite sees it, so operators that it spells otherwise,
-- such as LIKE and GLOB, have no place here.

-- Every crawl, with its figures once it has ended. The crawls of a site were opened in the order of number; names and
-- times say what the clock said. A suspect one is doubted, and nobody has accepted it yet;
-- whether it saw the whole site, its reason tells.
CREATE VIEW crawls AS
SELECT
    s.name AS site,
    c.name AS crawl,
    CASE
        WHEN c.closed_at IS NULL THEN 'open'
        WHEN NOT c.trusted THEN 'suspect'
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
    (c.statistics ->> 'frequency_sum') / nullif(c.statistics ->> 'watched', 0) AS mean_change_frequency,
    c.suspicion,
    strftime('%Y-%m-%dT%H:%M:%fZ', c.accepted_at / 1e6, 'unixepoch') AS accepted_at,
    coalesce(c.statistics ->> 'presumed', iif(c.closed_at IS NULL, NULL, 0)) AS presumed,
    coalesce(c.statistics ->> 'checked', iif(c.closed_at IS NULL, NULL, 0)) AS checked,
    coalesce(c.statistics ->> 'refuted', iif(c.closed_at IS NULL, NULL, 0)) AS refuted,
    coalesce(c.statistics ->> 'stumbled', iif(c.closed_at IS NULL, NULL, 0)) AS stumbled,
    c.number,
    c.site_state ->> 'word' AS site_state
FROM crawl AS c
JOIN site AS s ON s.id = c.site;

-- Every visit of every page. tier says how near a change is to what the page is about: 1 its content, 2 what stands
-- around it, 3 noise; weight, from 0 to 1,000, how much it matters; words_changed of words_of words went or came. While a
-- crawl is open, all of that is provisional.
CREATE VIEW visits AS
SELECT
    s.name AS site,
    c.name AS crawl,
    p.url AS url,
    CASE v.verdict
        WHEN 0 THEN 'new' WHEN 1 THEN 'changed' WHEN 2 THEN 'moved' WHEN 3 THEN 'gone'
        WHEN 4 THEN 'touched' WHEN 5 THEN 'unchanged' WHEN 6 THEN 'missing'
        WHEN 7 THEN 'failed' WHEN 8 THEN 'excluded' WHEN 9 THEN 'shared'
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
        WHEN 5 THEN 'image'
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
    nullif(rtrim(
        iif(v.aspects & 1, 'text, ', '') || iif(v.aspects & 2, 'links, ', '') || iif(v.aspects & 4, 'media, ', '')
        || iif(v.aspects & 8, 'meta, ', ''), ', '
    ), '') AS aspects,
    CASE v.checked WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted' END AS checked,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fresh_until / 1e6, 'unixepoch') AS fresh_until,
    v.observations,
    v.tier,
    v.weight,
    nullif(rtrim(
        iif(v.kinds & 1, 'title, ', '') || iif(v.kinds & 2, 'headings, ', '') || iif(v.kinds & 4, 'text, ', '')
        || iif(v.kinds & 8, 'numbers, ', '') || iif(v.kinds & 16, 'dates, ', '') || iif(v.kinds & 32, 'links, ', '')
        || iif(v.kinds & 64, 'media, ', '') || iif(v.kinds & 128, 'description, ', '')
        || iif(v.kinds & 256, 'canonical, ', '') || iif(v.kinds & 512, 'robots, ', '')
        || iif(v.kinds & 1024, 'document, ', ''), ', '
    ), '') AS kinds,
    v.words_changed,
    v.words_of,
    iif(
        substr(h.host, 1, 1) = '[', substr(h.host, 1, instr(h.host, ']')),
        iif(instr(h.host, ':'), substr(h.host, 1, instr(h.host, ':') - 1), h.host)
    ) AS domain,
    EXISTS (SELECT 1 FROM body AS b WHERE b.content = k.id) AS has_body,
    coalesce(k.noindex, 0) OR coalesce(instr(lower(v.robots_tag), 'noindex') > 0, 0) AS noindex,
    iif(k.canonical <> p.id, (SELECT d.url FROM url AS d WHERE d.id = k.canonical), NULL) AS duplicate_of
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
JOIN (
    -- The host of an address, without its port: what stands between the scheme and the first slash.
    SELECT a.id, substr(a.url, instr(a.url, '://') + 3, instr(substr(a.url, instr(a.url, '://') + 3), '/') - 1) AS host
    FROM url AS a
) AS h ON h.id = p.id
LEFT JOIN url AS r ON r.id = v.referrer
LEFT JOIN word AS t ON t.id = v.content_type
LEFT JOIN content AS k ON k.hash = v.content;

-- Every page as its latest visit left it. Suspect crawls count for nothing until somebody accepts them: here, in changes
-- and in versions, as in the commands.
CREATE VIEW pages AS
SELECT
    s.name AS site,
    p.url AS url,
    CASE v.verdict
        WHEN 0 THEN 'new' WHEN 1 THEN 'changed' WHEN 2 THEN 'moved' WHEN 3 THEN 'gone'
        WHEN 4 THEN 'touched' WHEN 5 THEN 'unchanged' WHEN 6 THEN 'missing'
        WHEN 7 THEN 'failed' WHEN 8 THEN 'excluded' WHEN 9 THEN 'shared'
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
    strftime('%Y-%m-%dT%H:%M:%fZ', v.fresh_until / 1e6, 'unixepoch') AS fresh_until,
    v.tier,
    v.weight,
    nullif(rtrim(
        iif(v.kinds & 1, 'title, ', '') || iif(v.kinds & 2, 'headings, ', '') || iif(v.kinds & 4, 'text, ', '')
        || iif(v.kinds & 8, 'numbers, ', '') || iif(v.kinds & 16, 'dates, ', '') || iif(v.kinds & 32, 'links, ', '')
        || iif(v.kinds & 64, 'media, ', '') || iif(v.kinds & 128, 'description, ', '')
        || iif(v.kinds & 256, 'canonical, ', '') || iif(v.kinds & 512, 'robots, ', '')
        || iif(v.kinds & 1024, 'document, ', ''), ', '
    ), '') AS kinds,
    v.words_changed,
    v.words_of,
    iif(
        substr(h.host, 1, 1) = '[', substr(h.host, 1, instr(h.host, ']')),
        iif(instr(h.host, ':'), substr(h.host, 1, instr(h.host, ':') - 1), h.host)
    ) AS domain,
    EXISTS (SELECT 1 FROM body AS b WHERE b.content = k.id) AS has_body,
    coalesce(k.noindex, 0) OR coalesce(instr(lower(v.robots_tag), 'noindex') > 0, 0) AS noindex,
    iif(k.canonical <> p.id, (SELECT d.url FROM url AS d WHERE d.id = k.canonical), NULL) AS duplicate_of,
    v.robots_tag,
    v.fetch_ms
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
JOIN (
    -- The host of an address, without its port: what stands between the scheme and the first slash.
    SELECT a.id, substr(a.url, instr(a.url, '://') + 3, instr(substr(a.url, instr(a.url, '://') + 3), '/') - 1) AS host
    FROM url AS a
) AS h ON h.id = p.id
LEFT JOIN url AS r ON r.id = v.referrer
LEFT JOIN word AS t ON t.id = v.content_type
LEFT JOIN content AS k ON k.hash = v.content
WHERE v.crawl = (
    SELECT max(w.crawl) FROM visit AS w
    JOIN crawl AS d ON d.site = w.site AND d.number = w.crawl
    WHERE w.page = v.page AND w.site = v.site AND d.trusted
);

-- What is new, changed, moved or gone, crawl by crawl.
CREATE VIEW changes AS
SELECT
    site, crawl, url, verdict AS kind, status, title, fetched_at, location, referrer, content_hash, semantic_hash,
    aspects, tier, weight, kinds, words_changed, words_of
FROM visits AS v
WHERE verdict IN ('new', 'changed', 'moved', 'gone')
AND NOT EXISTS (SELECT 1 FROM crawls AS c WHERE c.site = v.site AND c.crawl = v.crawl AND c.state = 'suspect');

-- Stretches of visits in which a page said the same. A visit without evidence (failed, excluded)
-- neither begins nor ends one; going and redirecting end one. Hashes by different rules are not
-- compared, so a change of rules begins none.
CREATE VIEW versions AS
WITH evidence AS (
    SELECT
        v.site, v.page, v.crawl, v.fetched_at, v.content, v.semantic, v.rules,
        v.presence = 1 AND v.semantic IS NOT NULL AS present,
        lag(v.presence = 1 AND v.semantic IS NOT NULL) OVER earlier AS was_present,
        lag(v.semantic) OVER earlier AS was_semantic,
        lag(v.rules) OVER earlier AS was_rules
    FROM visit AS v
    JOIN crawl AS d ON d.site = v.site AND d.number = v.crawl
    WHERE v.verdict NOT IN (7, 8) AND d.trusted
    WINDOW earlier AS (PARTITION BY v.site, v.page ORDER BY v.crawl)
), numbered AS (
    SELECT
        e.*,
        sum(
            coalesce(e.was_present, 0) <> 1
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

-- The links of every visit that found content, in document order, counted from 1.
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
JOIN json_each(k.links) AS l ON 1 = 1
JOIN url AS t ON t.id = l.value
WHERE v.presence = 1 AND v.verdict NOT IN (7, 8);

-- What went and came on a page, the heaviest edit first. The texts went and came are kept of the heaviest ones alone. state
-- says whether an edit is the page's own, or else shared, template, shifted, learnt, rotating or lively. Edits with the
-- same id are the same on all pages; edits of the same shape differ in nothing but numbers, dates and the like.
CREATE VIEW edits AS
SELECT
    s.name AS site,
    c.name AS crawl,
    p.url AS url,
    e.value ->> 'a' AS aspect,
    e.value ->> 'r' AS region,
    nullif(e.value ->> '$.t[0]', '') AS went,
    nullif(e.value ->> '$.t[1]', '') AS came,
    coalesce(e.value ->> '$.w.words', 0) + coalesce(e.value ->> '$.c.words', 0) AS words,
    coalesce(e.value ->> 's', 'own') AS state,
    e.value ->> 'id' AS id,
    e.value ->> 'shape' AS shape
FROM visit AS v
JOIN site AS s ON s.id = v.site
JOIN crawl AS c ON c.site = v.site AND c.number = v.crawl
JOIN url AS p ON p.id = v.page
JOIN json_each(v.edits, '$.list') AS e ON 1 = 1
WHERE v.edits IS NOT NULL;

-- The same edit on several pages of a crawl, told once. samples is a JSON array with the addresses of some of its pages.
CREATE VIEW shared_changes AS
SELECT
    s.name AS site,
    c.name AS crawl,
    h.change ->> 'id' AS id,
    h.change ->> 'tier' AS tier,
    h.change ->> 'region' AS region,
    h.change ->> 'template' AS template,
    h.change ->> 'noise' AS noise,
    h.change ->> 'pages' AS pages,
    h.change ->> 'went' AS went,
    h.change ->> 'came' AS came,
    (
        SELECT json_group_array(u.value)
        FROM (SELECT value FROM json_each(h.change, '$.urls') ORDER BY key LIMIT 10) AS u
    ) AS samples
FROM shared_change AS h
JOIN site AS s ON s.id = h.site
JOIN crawl AS c ON c.site = h.site AND c.number = h.crawl
ORDER BY h.site, h.crawl, h.position;

-- Every host of every site, with the figures of its pages as their latest visits left them.
CREATE VIEW hosts AS
SELECT
    g.site,
    g.domain,
    count(g.url) AS pages,
    sum(g.presence = 'present') AS present,
    sum(g.presence = 'redirect') AS redirects,
    sum(g.presence IN ('gone', 'goneforgood')) AS gone,
    sum(g.verdict = 'failed') AS failed,
    sum(g.verdict = 'excluded') AS excluded,
    avg(iif(g.verdict IN ('failed', 'excluded'), NULL, g.fetch_ms)) AS mean_ms,
    sum(g.size) AS bytes,
    max(g.last_visited) AS last_visited
FROM pages AS g
GROUP BY g.site, g.domain;

-- What the sitemaps that were read last list. lastmod is the latest moment that the date in it can mean.
CREATE VIEW sitemap_entries AS
SELECT
    substr(
        e.url, instr(e.url, '://') + 3, instr(substr(e.url, instr(e.url, '://') + 3), '/') - 1
    ) AS host,
    e.url,
    e.lastmod,
    e.changefreq,
    e.priority,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.saved_at / 1e6, 'unixepoch') AS discovered_at,
    e.sitemap
FROM (
    SELECT
        iif(l.type = 'text', l.value, l.value ->> 'url') AS url,
        iif(l.type = 'text', NULL, l.value ->> 'changed_by') AS lastmod,
        iif(l.type = 'text', NULL, l.value ->> 'frequency') AS changefreq,
        iif(l.type = 'text', NULL, l.value ->> 'priority') AS priority,
        m.saved_at,
        substr(m.key, instr(m.key, 'http')) AS sitemap
    FROM memo AS m
    JOIN json_each(m.value, '$.document.pages') AS l ON 1 = 1
    WHERE substr(m.key, 1, 9) = 'document '
) AS e;
