-- Version 6: pages that the program itself could not read, with their bodies, for those who find out why.
--
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
