-- Which pages a crawl visits: "full" or "due". Before, a note said which crawl was opened for pages that were due.
ALTER TABLE crawl ADD COLUMN kind TEXT NOT NULL DEFAULT 'full';
UPDATE crawl SET kind = 'due' WHERE EXISTS (
    SELECT 1 FROM memo JOIN site ON memo.key = 'due ' || site.name
    WHERE site.id = crawl.site AND memo.value = crawl.name
);
DELETE FROM memo WHERE key IN (SELECT 'due ' || name FROM site);
