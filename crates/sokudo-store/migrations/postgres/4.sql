-- What a run has answered, such as NOT OK; until now a tag said so.
ALTER TABLE runs ADD COLUMN answer TEXT;
UPDATE runs SET answer = substr(tag, 8) FROM tags WHERE run = runs.id AND tag LIKE 'answer=%';
DELETE FROM tags WHERE tag LIKE 'answer=%';
