-- Version 5: pages wait in lots. A lot is what was queued at once, found alike and to be visited equally early.
--
-- A row a page would cost two entries to write and two to delete. Which pages of a lot still wait follows from the
-- visits. pages: a JSON array of url ids, in the order in which they were queued.

ALTER TABLE frontier RENAME TO waiting_page;

-- Ids are never used twice, so that a reader can go on after the last one that it saw.
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

INSERT INTO frontier (id, site, crawl, found_by, depth, referrer, priority, pages)
SELECT id, site, crawl, found_by, depth, referrer, priority, json_array(page) FROM waiting_page ORDER BY id;

DROP TABLE waiting_page;
