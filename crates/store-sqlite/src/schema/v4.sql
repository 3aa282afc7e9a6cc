-- Version 4: an index of what pages say, for those who look for something.
--
-- Crawls write nothing here: the index is made from the other tables, and brought up to date when somebody
-- searches. Words are taken apart and made alike before they come here, so that the tokenizer sees nothing but
-- words and blanks.

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
