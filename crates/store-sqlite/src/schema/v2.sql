-- Version 2: what becomes of an archive request, and what an announcement says.

ALTER TABLE archive_request ADD COLUMN job_id TEXT;
ALTER TABLE archive_request ADD COLUMN captured_at INTEGER;
ALTER TABLE archive_request ADD COLUMN wayback_url TEXT;
ALTER TABLE archive_request ADD COLUMN error TEXT;
ALTER TABLE archive_request ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archive_request ADD COLUMN not_before INTEGER;

ALTER TABLE announcement ADD COLUMN diff TEXT;
