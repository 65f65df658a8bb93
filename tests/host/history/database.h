/* database.h: the file that past runs are kept in: opened, checked, its errors said in words. */
#ifndef AGPU_HOST_HISTORY_DATABASE_H
#define AGPU_HOST_HISTORY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <sqlite3.h>

#define AGPU_HISTORY_WAIT_MS   5000               /* for another process that writes */
#define AGPU_HISTORY_BYTES_MAX (INT64_C(4) << 30) /* of the file */

struct agpu_history {
    sqlite3 *db;
    char path[4096];
    bool read_only; /* nothing can be imported */
};

/* Opens the database at path, ":memory:" for one that is gone afterwards; makes it when it is not there. One that can only be
 * read is opened so. False with a line on stderr: locked, of a newer schema, not ours, damaged; close in both cases. */
bool agpu_history_open(struct agpu_history *history, const char *path, int wait_ms);
void agpu_history_close(struct agpu_history *history);

/* A statement, to be ended with sqlite3_finalize(). NULL with a line on stderr. */
sqlite3_stmt *agpu_history_prepare(struct agpu_history *history, const char *sql);
/* Statements without rows. False with a line on stderr. */
bool agpu_history_execute(struct agpu_history *history, const char *sql);
/* True while there is another row; false at the end, and *good becomes false, with a line on stderr, when it is an error. */
bool agpu_history_row(struct agpu_history *history, sqlite3_stmt *statement, bool *good);

#endif
