-- What a run has answered, such as NOT OK; until now a tag said so.
ALTER TABLE runs ADD COLUMN answer TEXT;
UPDATE runs SET answer = (SELECT substr(tag, 8) FROM tags WHERE run = id AND tag GLOB 'answer=*')
    WHERE id IN (SELECT run FROM tags WHERE tag GLOB 'answer=*');
DELETE FROM tags WHERE tag GLOB 'answer=*';
