/* sqlite.c: the history in a file of SQLite's (sqlite.h). */
#include "tests/host/history/sqlite.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/host/history/schema.h"

#define APPLICATION 1634168949 /* "agpu": what sort of database the file says it is */

#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

static const char schema[] = AGPU_HISTORY_TABLES(
    "INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER PRIMARY KEY", "INTEGER", "REAL", "TEXT", "BLOB",
    " WITHOUT ROWID") "PRAGMA application_id = " AS_TEXT(APPLICATION) ";"
                                                                      "PRAGMA user_version = " AS_TEXT(
                                                                          AGPU_HISTORY_SCHEMA) ";";

struct sqlite_statement {
    struct agpu_statement base;
    sqlite3_stmt *prepared;
};

static sqlite3_stmt *prepared(struct agpu_statement *statement)
{
    return ((struct sqlite_statement *)statement)->prepared;
}

static void say_error(const struct agpu_history *history)
{
    sqlite3 *db = history->connection;

    switch (db != NULL ? sqlite3_errcode(db) : SQLITE_NOMEM) {
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
                history->path, sqlite3_errmsg(db));
        break;
    case SQLITE_FULL:
        fprintf(stderr,
                "agpu: the history %s has no room: free some on its disk, or, when it is near %" PRId64
                " MiB, leave out old runs with agpu history --keep N\n",
                history->path, AGPU_HISTORY_BYTES_MAX >> 20);
        break;
    default:
        fprintf(stderr, "agpu: the history %s cannot be used: %s\n", history->path,
                db != NULL ? sqlite3_errmsg(db) : "memory is exhausted");
    }
}

static struct agpu_statement *prepare_statement(struct agpu_history *history, const char *sql)
{
    struct sqlite_statement *statement = calloc(1, sizeof *statement);

    if (statement == NULL) {
        fputs("agpu: memory is exhausted\n", stderr);
        return NULL;
    }
    statement->base.history = history;
    if (sqlite3_prepare_v2(history->connection, sql, -1, &statement->prepared, NULL) != SQLITE_OK) {
        say_error(history);
        free(statement);
        return NULL;
    }
    return &statement->base;
}

static bool execute(struct agpu_history *history, const char *sql)
{
    if (sqlite3_exec(history->connection, sql, NULL, NULL, NULL) == SQLITE_OK) {
        return true;
    }
    say_error(history);
    return false;
}

static void undo(struct agpu_history *history)
{
    sqlite3_exec(history->connection, "ROLLBACK", NULL, NULL, NULL);
}

static bool next_row(struct agpu_statement *statement, bool *good)
{
    const int status = sqlite3_step(prepared(statement));

    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE) {
        say_error(statement->history);
        *good = false;
    }
    return false;
}

static void end_statement(struct agpu_statement *statement)
{
    sqlite3_finalize(prepared(statement));
    free(statement);
}

static void reset_statement(struct agpu_statement *statement)
{
    sqlite3_reset(prepared(statement));
    sqlite3_clear_bindings(prepared(statement));
}

/* One whole number that a query answers with. */
static bool ask(struct agpu_history *history, const char *sql, int64_t *answer)
{
    struct agpu_statement *statement = prepare_statement(history, sql);
    bool good = statement != NULL;

    *answer = 0;
    if (good && next_row(statement, &good)) {
        *answer = sqlite3_column_int64(prepared(statement), 0);
    }
    if (statement != NULL) {
        end_statement(statement);
    }
    return good;
}

static bool look_at_file(struct agpu_history *history, struct agpu_history_found *found)
{
    int64_t application, tables;

    if (!ask(history, "PRAGMA application_id", &application) ||
        !ask(history, "PRAGMA user_version", &found->version) ||
        !ask(history, "SELECT count(*) FROM sqlite_master", &tables)) {
        return false;
    }
    found->empty = application == 0 && tables == 0;
    found->ours = application == APPLICATION;
    return true;
}

static bool create_tables(struct agpu_history *history)
{
    int64_t application;

    /* Another process may be doing the same: who comes second finds it done. */
    if (!execute(history, "BEGIN IMMEDIATE")) {
        return false;
    }
    const bool good =
        ask(history, "PRAGMA application_id", &application) && (application != 0 || execute(history, schema));
    return execute(history, good ? "COMMIT" : "ROLLBACK") && good;
}

/* The file may come from anybody: nothing in it is carried out. */
static bool harden(struct agpu_history *history)
{
    char text[96];
    int64_t page = 0;
    sqlite3 *db = history->connection;

    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, AGPU_HISTORY_TEXT_MAX);
    if (!execute(history, "PRAGMA cell_size_check = ON; PRAGMA synchronous = NORMAL;"
                          "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768") ||
        !ask(history, "PRAGMA page_size", &page) || page <= 0) {
        return false;
    }
    snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRId64, AGPU_HISTORY_BYTES_MAX / page);
    return execute(history, text);
}

static bool open_file(struct agpu_history *history, const char *path, int wait_ms)
{
    sqlite3 *db = NULL;

    snprintf(history->path, sizeof history->path, "%s", path);
    int status =
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (status == SQLITE_CANTOPEN) {
        sqlite3_close(db);
        status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    history->connection = db;
    if (status != SQLITE_OK) {
        say_error(history);
        return false;
    }
    history->read_only = sqlite3_db_readonly(db, "main") == 1;
    sqlite3_busy_timeout(db, wait_ms);
    return harden(history);
}

static void close_file(struct agpu_history *history)
{
    sqlite3_close(history->connection);
}

static void bind_number(struct agpu_statement *statement, int parameter, int64_t value)
{
    sqlite3_bind_int64(prepared(statement), parameter, value);
}

static void bind_real(struct agpu_statement *statement, int parameter, double value)
{
    sqlite3_bind_double(prepared(statement), parameter, value);
}

static void bind_text(struct agpu_statement *statement, int parameter, const char *text, size_t length)
{
    sqlite3_bind_text64(prepared(statement), parameter, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void bind_bytes(struct agpu_statement *statement, int parameter, const void *bytes, size_t length)
{
    sqlite3_bind_blob64(prepared(statement), parameter, bytes, length, SQLITE_TRANSIENT);
}

static int64_t number_of(struct agpu_statement *statement, int column)
{
    return sqlite3_column_int64(prepared(statement), column);
}

static double real_of(struct agpu_statement *statement, int column)
{
    return sqlite3_column_double(prepared(statement), column);
}

static const char *text_of(struct agpu_statement *statement, int column)
{
    return (const char *)sqlite3_column_text(prepared(statement), column);
}

const struct agpu_backend agpu_backend_sqlite = {
    .open = open_file,
    .close = close_file,
    .look = look_at_file,
    .create = create_tables,
    .execute = execute,
    .undo = undo,
    .begin = "BEGIN IMMEDIATE",
    .shrink = "VACUUM",
    .prepare = prepare_statement,
    .bind_number = bind_number,
    .bind_real = bind_real,
    .bind_text = bind_text,
    .bind_bytes = bind_bytes,
    .row = next_row,
    .number = number_of,
    .real = real_of,
    .text = text_of,
    .reset = reset_statement,
    .end = end_statement,
};
