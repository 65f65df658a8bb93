/* database.c: the database that past runs are kept in: which kind it is, and whose (database.h). */
#include "tests/host/history/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/history/place.h"
#include "tests/host/history/schema.h"
#include "tests/host/history/sqlite.h"
#ifdef AGPU_HISTORY_POSTGRES
#include "tests/host/history/postgres.h"
#endif

/* The back end of a path; NULL with a line on stderr. */
static const struct agpu_backend *backend_of(const char *path)
{
    if (!agpu_history_is_url(path)) {
        return &agpu_backend_sqlite;
    }
#ifdef AGPU_HISTORY_POSTGRES
    return &agpu_backend_postgres;
#else
    fputs("agpu: this agpu was built without PostgreSQL: install libpq-dev, configure and build it again, or "
          "name a file with --db\n",
          stderr);
    return NULL;
#endif
}

/* Whose the database is; an empty one becomes ours. */
static bool check_schema(struct agpu_history *history)
{
    struct agpu_history_found found = {0};

    if (!history->backend->look(history, &found)) {
        return false;
    }
    if (found.empty && !history->read_only &&
        (!history->backend->create(history) || !history->backend->look(history, &found))) {
        return false;
    }
    if (!found.ours) {
        fprintf(stderr,
                "agpu: %s is not the history of agpu, but some other database: name another with --db\n",
                history->path);
        return false;
    }
    if (found.version != AGPU_HISTORY_SCHEMA) {
        fprintf(stderr,
                "agpu: the history %s has schema %" PRId64
                ", this agpu knows %d: use the one that wrote it, or name another with --db\n",
                history->path, found.version, AGPU_HISTORY_SCHEMA);
        return false;
    }
    return true;
}

bool agpu_history_open(struct agpu_history *history, const char *path, int wait_ms)
{
    *history = (struct agpu_history){.backend = backend_of(path)};
    return history->backend != NULL && history->backend->open(history, path, wait_ms) &&
           check_schema(history);
}

void agpu_history_close(struct agpu_history *history)
{
    if (history->backend != NULL && history->connection != NULL) {
        history->backend->close(history);
    }
    history->connection = NULL;
}

struct agpu_statement *agpu_history_prepare(struct agpu_history *history, const char *sql)
{
    return history->backend->prepare(history, sql);
}

bool agpu_history_execute(struct agpu_history *history, const char *sql)
{
    return history->backend->execute(history, sql);
}

bool agpu_history_begin(struct agpu_history *history)
{
    return agpu_history_execute(history, history->backend->begin);
}

bool agpu_history_end(struct agpu_history *history, bool commit)
{
    const bool good = !commit || agpu_history_execute(history, "COMMIT");

    if (!commit || !good) {
        history->backend->undo(history);
    }
    return good;
}

bool agpu_history_shrink(struct agpu_history *history)
{
    return history->backend->shrink == NULL || agpu_history_execute(history, history->backend->shrink);
}

void agpu_bind_number(struct agpu_statement *statement, int parameter, int64_t value)
{
    statement->history->backend->bind_number(statement, parameter, value);
}

void agpu_bind_real(struct agpu_statement *statement, int parameter, double value)
{
    statement->history->backend->bind_real(statement, parameter, value);
}

void agpu_bind_text(struct agpu_statement *statement, int parameter, const char *text, size_t length)
{
    statement->history->backend->bind_text(statement, parameter, text, length);
}

void agpu_bind_bytes(struct agpu_statement *statement, int parameter, const void *bytes, size_t length)
{
    statement->history->backend->bind_bytes(statement, parameter, bytes, length);
}

bool agpu_statement_row(struct agpu_statement *statement, bool *good)
{
    return statement->history->backend->row(statement, good);
}

int64_t agpu_column_number(struct agpu_statement *statement, int column)
{
    return statement->history->backend->number(statement, column);
}

double agpu_column_real(struct agpu_statement *statement, int column)
{
    return statement->history->backend->real(statement, column);
}

const char *agpu_column_text(struct agpu_statement *statement, int column)
{
    const char *text = statement->history->backend->text(statement, column);

    return text != NULL ? text : "";
}

bool agpu_column_is_null(struct agpu_statement *statement, int column)
{
    return statement->history->backend->text(statement, column) == NULL;
}

void agpu_statement_reset(struct agpu_statement *statement)
{
    statement->history->backend->reset(statement);
}

void agpu_statement_end(struct agpu_statement *statement)
{
    if (statement != NULL) {
        statement->history->backend->end(statement);
    }
}
