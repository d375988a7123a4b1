-- home.db of schema version 1, as a hub of hapctl 0.1 leaves it. Never changed: a new version gets a dump of its own.
PRAGMA application_id = 1214345288;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE objects (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE, home TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE TABLE trigger_states (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
CREATE TABLE people (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
CREATE TABLE controllers (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,  -- the user
  identifier BLOB NOT NULL, public_key BLOB NOT NULL,
  seed BLOB  -- NULL: the person has another hub
) STRICT;
CREATE TABLE pairings (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,  -- the device ID
  accessory_id BLOB NOT NULL, accessory_key BLOB NOT NULL,
  controller TEXT NOT NULL,
  addresses TEXT NOT NULL  -- the last known ones, one HOST:PORT a line
) STRICT;
CREATE TABLE databases (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,  -- the device ID
  configuration_number INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;
INSERT INTO objects VALUES(2,'H','H','home','My Home','{"zone":"Europe/Berlin"}');
INSERT INTO objects VALUES(3,'R','H','room','Hall','{}');
INSERT INTO trigger_states VALUES(1,'T','{"lastFire":1}');
INSERT INTO people VALUES(1,'anna','{"isHome":true}');
INSERT INTO controllers VALUES(1,'anna',X'6D65',X'EA4A6C63E29C520ABEF5507B132EC5F9954776AEBEBE7B92421EEA691446D22C',X'0707070707070707070707070707070707070707070707070707070707070707');
INSERT INTO controllers VALUES(2,'ben',X'796F75',X'0202020202020202020202020202020202020202020202020202020202020202',NULL);
INSERT INTO pairings VALUES(1,'AA:BB:CC:DD:EE:01',X'41413A42423A43433A44443A45453A3031',X'0101010101010101010101010101010101010101010101010101010101010101','anna','127.0.0.1:1
[fd00::1]:2');
INSERT INTO databases VALUES(1,'AA:BB:CC:DD:EE:01',3,X'7B7D');
COMMIT;
