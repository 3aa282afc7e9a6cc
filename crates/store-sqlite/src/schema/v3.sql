-- Version 3: from which sides a page changed, what came of checking a 304, when a page is due, which crawls
-- are doubted, and in which order pages are visited.
--
-- aspects: 1 text, 2 links, 4 media, added up. checked: see codes.rs. Signatures are unsigned numbers of 64
-- bits, kept as the signed ones with the same bits.

ALTER TABLE crawl ADD COLUMN suspicion TEXT;
ALTER TABLE crawl ADD COLUMN accepted_at INTEGER;

ALTER TABLE content ADD COLUMN link_signature INTEGER;
ALTER TABLE content ADD COLUMN media_signature INTEGER;

ALTER TABLE visit ADD COLUMN aspects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN checked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN link_signature INTEGER;
ALTER TABLE visit ADD COLUMN media_signature INTEGER;
ALTER TABLE visit ADD COLUMN fresh_until INTEGER;
ALTER TABLE visit ADD COLUMN observations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN mean_interval REAL;

ALTER TABLE frontier ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

ALTER TABLE announcement ADD COLUMN aspects INTEGER NOT NULL DEFAULT 0;

-- Until now only texts were compared; a redirect that became a page was not compared with anything.
UPDATE visit SET aspects = 1 WHERE verdict = 1 AND 1 = (
    SELECT w.presence FROM visit AS w
    WHERE w.page = visit.page AND w.site = visit.site AND w.crawl < visit.crawl
    ORDER BY w.crawl DESC LIMIT 1
);
UPDATE announcement SET aspects = 1 WHERE EXISTS (
    SELECT 1 FROM visit AS v
    WHERE v.page = announcement.page AND v.site = announcement.site AND v.crawl = announcement.crawl
        AND v.aspects = 1
);

-- Every visit with evidence after the first could have seen a change, and each that saw one did. A week is
-- assumed to lie between two, as it is for a page that was seen once.
UPDATE visit SET mean_interval = 7.0, observations = max(changes_detected, (
    SELECT count(*) FROM visit AS w
    WHERE w.page = visit.page AND w.site = visit.site AND w.crawl <= visit.crawl
        AND w.verdict NOT IN (7, 8) AND w.presence <> 0
) - 1);
