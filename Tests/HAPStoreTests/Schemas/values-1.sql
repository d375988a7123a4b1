-- values.db of schema version 1, as hapsim 0.1 leaves it. Never changed: a new version gets a dump of its own.
PRAGMA application_id = 1214345302;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE characteristic_values (
  owner INTEGER NOT NULL,
  aid INTEGER NOT NULL,  -- the bits of an unsigned number, as iid
  iid INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  value ANY,
  PRIMARY KEY (owner, aid, iid)
) STRICT, WITHOUT ROWID;
INSERT INTO "characteristic_values" VALUES(1,1,9,1,1);
INSERT INTO "characteristic_values" VALUES(1,1,10,2,1);
CREATE TABLE owners (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO "owners" VALUES(1,'garage');
INSERT INTO "owners" VALUES(2,'lamp');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('owners',2);
COMMIT;
