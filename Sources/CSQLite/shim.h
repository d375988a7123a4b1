#pragma once
#include <sqlite3.h>

// sqlite3_config is variadic, too. Without this each connection takes room for twenty pages at its start.
static inline int hapsim_sqlite3_allocate_pages_singly(void) {
  return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

// sqlite3_db_config is variadic, which Swift can't call.
static inline int hapsim_sqlite3_keep_log_on_close(sqlite3 *db, int on) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

// Makes the write-ahead log durable. A log that is empty or absent needs nothing.
static inline int hapsim_sqlite3_sync_log(sqlite3 *db) {
  sqlite3_file *log = 0;
  sqlite3_int64 size = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code != SQLITE_OK || !log || !log->pMethods) return code;
  code = log->pMethods->xFileSize(log, &size);
  if (code != SQLITE_OK || size == 0) return code;
  return log->pMethods->xSync(log, SQLITE_SYNC_FULL);
}

// Seeds the generator that SQLite's databases of this process share. For simulated disks, whose bytes must depend on a seed alone.
static inline int hapsim_sqlite3_seed(unsigned int seed) {
  return sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, (int)seed, (sqlite3 *)0);
}
