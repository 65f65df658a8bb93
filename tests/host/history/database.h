/* database.h: the SQLite file that holds past runs: opening, checking, statements. Errors go to stderr as one line. */
#ifndef AGPU_HOST_HISTORY_DATABASE_H
#define AGPU_HOST_HISTORY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_HISTORY_WAIT_MS 5000 /* for another process that writes */

struct agpu_history {
    struct sqlite3 *db;
    char path[4096];
    bool read_only; /* nothing can be imported */
};

struct agpu_statement;

/* Opens the database at path: a file, made when it is not there; ":memory:" for one that is gone afterwards. A file that can
 * only be read is opened so. False with a line on stderr: locked, of a newer schema, not ours, damaged; close in both cases. */
bool agpu_history_open(struct agpu_history *history, const char *path, int wait_ms);
void agpu_history_close(struct agpu_history *history);

/* A statement with parameters ?1, ?2; to be ended with agpu_statement_end(). NULL with a line on stderr. */
struct agpu_statement *agpu_history_prepare(struct agpu_history *history, const char *sql);
/* Statements without rows and parameters. False with a line on stderr. */
bool agpu_history_execute(struct agpu_history *history, const char *sql);

/* A transaction that writes: no other process writes meanwhile. False with a line on stderr. commit false undoes it. */
bool agpu_history_begin(struct agpu_history *history);
bool agpu_history_end(struct agpu_history *history, bool commit);

/* Parameters, kept until agpu_statement_reset(); texts are UTF-8 and are copied. Those not given are NULL. */
void agpu_bind_number(struct agpu_statement *statement, int parameter, int64_t value);
void agpu_bind_real(struct agpu_statement *statement, int parameter, double value);
void agpu_bind_text(struct agpu_statement *statement, int parameter, const char *text, size_t length);
void agpu_bind_bytes(struct agpu_statement *statement, int parameter, const void *bytes, size_t length);

/* True while there is another row; false at the end, and *good becomes false, with a line on stderr, when it is an error. */
bool agpu_statement_row(struct agpu_statement *statement, bool *good);
/* Columns of that row. A text is valid until the next row; "" for NULL. */
int64_t agpu_column_number(struct agpu_statement *statement, int column);
double agpu_column_real(struct agpu_statement *statement, int column);
const char *agpu_column_text(struct agpu_statement *statement, int column);
bool agpu_column_is_null(struct agpu_statement *statement, int column);

/* Back before the first row, all parameters forgotten. */
void agpu_statement_reset(struct agpu_statement *statement);
void agpu_statement_end(struct agpu_statement *statement); /* NULL: nothing happens */

#endif
