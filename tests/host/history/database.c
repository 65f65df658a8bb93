/* database.c: the file that past runs are kept in (database.h). */
#include "tests/host/history/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define APPLICATION 0x61677075 /* "agpu": what sort of database the file says it is */
#define SCHEMA      1
#define TEXT_MAX    (1 << 20)

/* Verdicts are the numbers of verdict.h, times are microseconds of a case and Unix seconds of a run. */
static const char schema[] =
    "CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, started_at INTEGER "
    "NOT NULL,"
    " verdict INTEGER NOT NULL, build TEXT NOT NULL, setup TEXT NOT NULL, place TEXT NOT NULL,"
    " fault TEXT NOT NULL, folder TEXT NOT NULL, cases INTEGER NOT NULL, bad INTEGER NOT NULL);"
    "CREATE TABLE source(path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,"
    " run_id INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE result(case_id INTEGER NOT NULL, run_id INTEGER NOT NULL, verdict INTEGER NOT NULL,"
    " us INTEGER NOT NULL, reason_id INTEGER, PRIMARY KEY(case_id, run_id)) WITHOUT ROWID;"
    "CREATE INDEX result_bad ON result(case_id) WHERE verdict >= 3;"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, UNIQUE(case_id, name, unit));"
    "CREATE TABLE sample(metric_id INTEGER NOT NULL, run_id INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(metric_id, run_id)) WITHOUT ROWID;"
    "PRAGMA application_id = 1634168949;"
    "PRAGMA user_version = 1;";
_Static_assert(APPLICATION == 1634168949 && SCHEMA == 1, "the numbers in the text above");

static void say_error(const struct agpu_history *history)
{
    switch (history->db != NULL ? sqlite3_errcode(history->db) : SQLITE_NOMEM) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        fprintf(stderr,
                "agpu: another process holds the history %s: wait until it is done, or name another with "
                "--db\n",
                history->path);
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        fprintf(stderr,
                "agpu: %s is no sound database (%s): move it away, and the next call makes a new one of the "
                "results\n",
                history->path, sqlite3_errmsg(history->db));
        break;
    case SQLITE_FULL:
        fprintf(stderr,
                "agpu: the history %s has no room: free some on its disk, or, when it is near %" PRId64
                " MiB, leave out old runs with agpu history --keep N\n",
                history->path, AGPU_HISTORY_BYTES_MAX >> 20);
        break;
    default:
        fprintf(stderr, "agpu: the history %s cannot be used: %s\n", history->path,
                history->db != NULL ? sqlite3_errmsg(history->db) : "memory is exhausted");
    }
}

sqlite3_stmt *agpu_history_prepare(struct agpu_history *history, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        say_error(history);
    }
    return statement;
}

bool agpu_history_execute(struct agpu_history *history, const char *sql)
{
    if (sqlite3_exec(history->db, sql, NULL, NULL, NULL) == SQLITE_OK) {
        return true;
    }
    say_error(history);
    return false;
}

bool agpu_history_row(struct agpu_history *history, sqlite3_stmt *statement, bool *good)
{
    const int status = sqlite3_step(statement);

    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE) {
        say_error(history);
        *good = false;
    }
    return false;
}

/* One whole number that a query answers with. */
static bool ask(struct agpu_history *history, const char *sql, int64_t *answer)
{
    sqlite3_stmt *statement = agpu_history_prepare(history, sql);
    bool good = statement != NULL;

    *answer = 0;
    if (good && agpu_history_row(history, statement, &good)) {
        *answer = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return good;
}

/* Whose the file is; an empty one becomes ours. */
static bool check_schema(struct agpu_history *history)
{
    int64_t application, version, tables;

    if (!ask(history, "PRAGMA application_id", &application) ||
        !ask(history, "PRAGMA user_version", &version) ||
        !ask(history, "SELECT count(*) FROM sqlite_master", &tables)) {
        return false;
    }
    if (application == 0 && tables == 0 && !history->read_only) {
        /* Another process may be doing the same: who comes second finds it done. */
        if (!agpu_history_execute(history, "BEGIN IMMEDIATE")) {
            return false;
        }
        const bool good = ask(history, "PRAGMA application_id", &application) &&
                          (application != 0 || agpu_history_execute(history, schema));
        return agpu_history_execute(history, good ? "COMMIT" : "ROLLBACK") && good &&
               (application == 0 || check_schema(history));
    }
    if (application != APPLICATION) {
        fprintf(stderr,
                "agpu: %s is not the history of agpu, but some other database: name another with --db\n",
                history->path);
        return false;
    }
    if (version != SCHEMA) {
        fprintf(stderr,
                "agpu: the history %s has schema %" PRId64
                ", this agpu knows %d: use the one that wrote it, or name another with --db\n",
                history->path, version, SCHEMA);
        return false;
    }
    return true;
}

/* The file may come from anybody: nothing in it is carried out. */
static bool harden(struct agpu_history *history)
{
    char text[96];
    int64_t page = 0;

    sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(history->db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    if (!agpu_history_execute(history, "PRAGMA cell_size_check = ON; PRAGMA synchronous = NORMAL;"
                                       "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768") ||
        !ask(history, "PRAGMA page_size", &page) || page <= 0) {
        return false;
    }
    snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRId64, AGPU_HISTORY_BYTES_MAX / page);
    return agpu_history_execute(history, text);
}

bool agpu_history_open(struct agpu_history *history, const char *path, int wait_ms)
{
    *history = (struct agpu_history){0};
    snprintf(history->path, sizeof history->path, "%s", path);
    int status = sqlite3_open_v2(path, &history->db,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (status == SQLITE_CANTOPEN) {
        sqlite3_close(history->db);
        status = sqlite3_open_v2(path, &history->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    if (status != SQLITE_OK) {
        say_error(history);
        return false;
    }
    history->read_only = sqlite3_db_readonly(history->db, "main") == 1;
    sqlite3_busy_timeout(history->db, wait_ms);
    return harden(history) && check_schema(history);
}

void agpu_history_close(struct agpu_history *history)
{
    sqlite3_close(history->db);
    history->db = NULL;
}
