-- controller.db of schema version 1, as hapctl 0.1 leaves it. Never changed: a new version gets a dump of its own.
PRAGMA application_id = 1214345283;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE pairings (
  alias TEXT NOT NULL PRIMARY KEY,
  accessory_id BLOB NOT NULL, accessory_key BLOB NOT NULL,
  controller_id BLOB NOT NULL, controller_seed BLOB NOT NULL,
  addresses TEXT NOT NULL  -- where it was last, one HOST:PORT a line
) STRICT;
INSERT INTO "pairings" VALUES('garage',X'41413A42423A43433A44443A45453A4646',X'0101010101010101010101010101010101010101010101010101010101010101',X'6D65',X'0707070707070707070707070707070707070707070707070707070707070707','127.0.0.1:1');
COMMIT;
