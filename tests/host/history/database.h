/* database.h: the SQLite file with past runs: opening, checking, statements. Errors are written to stderr as one
 * line. */
#ifndef AGPU_HOST_HISTORY_DATABASE_H
#define AGPU_HOST_HISTORY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_HISTORY_WAIT_MS 5000 /* wait for another writing process */

struct agpu_history {
    struct sqlite3 *db;
    char path[4096];
    bool read_only; /* nothing can be imported */
};

struct agpu_statement;

/* Opens the database at path: a file, created if missing, or ":memory:" for a temporary one. A write-protected file
 * is opened read-only. Returns false with a line on stderr: locked, of a newer schema, another kind of file,
 * damaged; close in both cases. */
bool agpu_history_open(struct agpu_history *history, const char *path, int wait_ms);
void agpu_history_close(struct agpu_history *history);

/* Prepares a statement with parameters ?1, ?2; finish it with agpu_statement_end(). Returns NULL with a line on
 * stderr. */
struct agpu_statement *agpu_history_prepare(struct agpu_history *history, const char *sql);
/* Executes statements without rows and parameters. Returns false with a line on stderr. */
bool agpu_history_execute(struct agpu_history *history, const char *sql);

/* Starts a writing transaction, which excludes other writers. Returns false with a line on stderr. commit false
 * rolls it back. */
bool agpu_history_begin(struct agpu_history *history);
bool agpu_history_end(struct agpu_history *history, bool commit);

/* Bind parameters, which stay valid until agpu_statement_reset(); texts are UTF-8 and are copied. Unbound parameters
 * are NULL. */
void agpu_bind_number(struct agpu_statement *statement, int parameter, int64_t value);
void agpu_bind_real(struct agpu_statement *statement, int parameter, double value);
void agpu_bind_text(struct agpu_statement *statement, int parameter, const char *text, size_t length);
void agpu_bind_bytes(struct agpu_statement *statement, int parameter, const void *bytes, size_t length);

/* Returns true while there is another row; false at the end, or on an error, which sets *good to false with a line
 * on stderr. */
bool agpu_statement_row(struct agpu_statement *statement, bool *good);
/* Return columns of the current row. A text is valid until the next row; "" for NULL. */
int64_t agpu_column_number(struct agpu_statement *statement, int column);
double agpu_column_real(struct agpu_statement *statement, int column);
const char *agpu_column_text(struct agpu_statement *statement, int column);
bool agpu_column_is_null(struct agpu_statement *statement, int column);

/* Rewinds the statement, and clears all parameters. */
void agpu_statement_reset(struct agpu_statement *statement);
void agpu_statement_end(struct agpu_statement *statement); /* NULL: nothing happens */

#endif
