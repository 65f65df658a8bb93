/* database.c: the SQLite file with past runs (database.h). */
#include "tests/host/history/database.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_MAX   (INT64_C(4) << 30) /* size limit of the file */
#define TEXT_MAX    (1 << 20)          /* size limit of one text or statement */
#define APPLICATION 1634168949         /* "agpu": the application id in the file */
#define SCHEMA      1                  /* version of these tables: a file with another one is refused */

#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

/* Verdicts are the numbers of verdict.h; times are microseconds for a case and Unix seconds for a run. */
static const char schema[] =
    "CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE,"
    " started_at INTEGER NOT NULL, verdict INTEGER NOT NULL, build TEXT NOT NULL, setup TEXT NOT NULL,"
    " place TEXT NOT NULL, fault TEXT NOT NULL, folder TEXT NOT NULL, cases INTEGER NOT NULL,"
    " bad INTEGER NOT NULL);"
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
    "PRAGMA application_id = " AS_TEXT(APPLICATION) "; PRAGMA user_version = " AS_TEXT(SCHEMA);

struct agpu_statement {
    struct agpu_history *history;
    sqlite3_stmt *prepared;
};

static void report_error(const struct agpu_history *history)
{
    switch (history->db != NULL ? sqlite3_errcode(history->db) : SQLITE_NOMEM) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        fprintf(stderr,
                "agpu: another process has locked the history %s: wait until it is done, or name another "
                "with --db\n",
                history->path);
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        fprintf(stderr,
                "agpu: %s is not a valid database (%s): move it away, and the next call makes a new one from "
                "the results\n",
                history->path, sqlite3_errmsg(history->db));
        break;
    case SQLITE_FULL:
        fprintf(stderr,
                "agpu: the history %s has no room: free some on its disk, or, when it is near %" PRId64
                " MiB, leave out old runs with agpu history --keep N\n",
                history->path, BYTES_MAX >> 20);
        break;
    default:
        fprintf(stderr, "agpu: the history %s cannot be used: %s\n", history->path,
                history->db != NULL ? sqlite3_errmsg(history->db) : "memory is exhausted");
    }
}

struct agpu_statement *agpu_history_prepare(struct agpu_history *history, const char *sql)
{
    struct agpu_statement *statement = calloc(1, sizeof *statement);

    if (statement == NULL) {
        fputs("agpu: memory is exhausted\n", stderr);
        return NULL;
    }
    statement->history = history;
    if (sqlite3_prepare_v2(history->db, sql, -1, &statement->prepared, NULL) != SQLITE_OK) {
        report_error(history);
        free(statement);
        return NULL;
    }
    return statement;
}

bool agpu_history_execute(struct agpu_history *history, const char *sql)
{
    if (sqlite3_exec(history->db, sql, NULL, NULL, NULL) == SQLITE_OK) {
        return true;
    }
    report_error(history);
    return false;
}

bool agpu_history_begin(struct agpu_history *history)
{
    return agpu_history_execute(history, "BEGIN IMMEDIATE");
}

bool agpu_history_end(struct agpu_history *history, bool commit)
{
    const bool good = !commit || agpu_history_execute(history, "COMMIT");

    if (!commit || !good) {
        sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return good;
}

bool agpu_statement_row(struct agpu_statement *statement, bool *good)
{
    const int status = sqlite3_step(statement->prepared);

    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE) {
        report_error(statement->history);
        *good = false;
    }
    return false;
}

void agpu_statement_reset(struct agpu_statement *statement)
{
    sqlite3_reset(statement->prepared);
    sqlite3_clear_bindings(statement->prepared);
}

void agpu_statement_end(struct agpu_statement *statement)
{
    if (statement != NULL) {
        sqlite3_finalize(statement->prepared);
        free(statement);
    }
}

void agpu_bind_number(struct agpu_statement *statement, int parameter, int64_t value)
{
    sqlite3_bind_int64(statement->prepared, parameter, value);
}

void agpu_bind_real(struct agpu_statement *statement, int parameter, double value)
{
    sqlite3_bind_double(statement->prepared, parameter, value);
}

void agpu_bind_text(struct agpu_statement *statement, int parameter, const char *text, size_t length)
{
    sqlite3_bind_text64(statement->prepared, parameter, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void agpu_bind_bytes(struct agpu_statement *statement, int parameter, const void *bytes, size_t length)
{
    sqlite3_bind_blob64(statement->prepared, parameter, bytes, length, SQLITE_TRANSIENT);
}

int64_t agpu_column_number(struct agpu_statement *statement, int column)
{
    return sqlite3_column_int64(statement->prepared, column);
}

double agpu_column_real(struct agpu_statement *statement, int column)
{
    return sqlite3_column_double(statement->prepared, column);
}

const char *agpu_column_text(struct agpu_statement *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement->prepared, column);

    return text != NULL ? (const char *)text : "";
}

bool agpu_column_is_null(struct agpu_statement *statement, int column)
{
    return sqlite3_column_type(statement->prepared, column) == SQLITE_NULL;
}

/* Reads a single integer from a query. */
static bool ask(struct agpu_history *history, const char *sql, int64_t *answer)
{
    struct agpu_statement *statement = agpu_history_prepare(history, sql);
    bool good = statement != NULL;

    *answer = 0;
    if (good && agpu_statement_row(statement, &good)) {
        *answer = agpu_column_number(statement, 0);
    }
    agpu_statement_end(statement);
    return good;
}

/* The file may be untrusted: disables everything in it that SQLite would execute. */
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
    snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRId64, BYTES_MAX / page);
    return agpu_history_execute(history, text);
}

/* Creates the tables in an empty file, unless another process was first. */
static bool create_tables(struct agpu_history *history)
{
    int64_t application;

    if (!agpu_history_begin(history)) {
        return false;
    }
    const bool good = ask(history, "PRAGMA application_id", &application) &&
                      (application != 0 || agpu_history_execute(history, schema));
    return agpu_history_end(history, good) && good;
}

/* Checks that the file is a history with this schema; initialises an empty one. */
static bool check_schema(struct agpu_history *history)
{
    int64_t application, tables, version;

    if (!ask(history, "PRAGMA application_id", &application) ||
        !ask(history, "SELECT count(*) FROM sqlite_master", &tables)) {
        return false;
    }
    if (application == 0 && tables == 0 && !history->read_only && !create_tables(history)) {
        return false;
    }
    if (!ask(history, "PRAGMA application_id", &application) ||
        !ask(history, "PRAGMA user_version", &version)) {
        return false;
    }
    if (application != APPLICATION) {
        fprintf(stderr, "agpu: %s is a database of another program: name another with --db\n", history->path);
        return false;
    }
    if (version != SCHEMA) {
        fprintf(stderr,
                "agpu: the history %s has schema %" PRId64
                ", this agpu supports %d: use the one that wrote it, or name another with --db\n",
                history->path, version, SCHEMA);
        return false;
    }
    return true;
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
        report_error(history);
        return false;
    }
    history->read_only = sqlite3_db_readonly(history->db, "main") == 1;
    sqlite3_busy_timeout(history->db, wait_ms);
    return harden(history) && check_schema(history);
}

void agpu_history_close(struct agpu_history *history)
{
    sqlite3_close(history->db); /* NULL: nothing happens */
    history->db = NULL;
}
