-- Whether a row's figure may stand for the disk; of runs that an older version kept nobody
-- has decided it.
ALTER TABLE rows ADD COLUMN stands_for_disk INTEGER;
