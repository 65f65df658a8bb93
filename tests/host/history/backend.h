/* backend.h: what a kind of database does for database.h: a table of functions for each kind. */
#ifndef AGPU_HOST_HISTORY_BACKEND_H
#define AGPU_HOST_HISTORY_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_HISTORY_BYTES_MAX (INT64_C(4) << 30) /* of a file */
#define AGPU_HISTORY_TEXT_MAX  (1 << 20)          /* of one text or statement in it */

struct agpu_history {
    const struct agpu_backend *backend;
    void *connection; /* the back end's */
    char path[4096];  /* as messages call it: no password is in it */
    bool read_only;   /* nothing can be imported */
};

/* One statement; its columns and parameters count from 0 and from 1, as SQL's interfaces have it. */
struct agpu_statement {
    struct agpu_history *history;
};

/* What is there, of what agpu keeps. */
struct agpu_history_found {
    bool empty;      /* nothing: it may be made ours */
    bool ours;       /* of agpu */
    int64_t version; /* of its schema, when it is */
};

/* Each says what is wrong on stderr. What database.h says of the functions of these names holds. */
struct agpu_backend {
    /* False: connection, when not NULL, is closed by close(). */
    bool (*open)(struct agpu_history *history, const char *path, int wait_ms);
    void (*close)(struct agpu_history *history);
    bool (*look)(struct agpu_history *history, struct agpu_history_found *found);
    /* Makes what look() found empty ours, unless another process was first. */
    bool (*create)(struct agpu_history *history);
    bool (*execute)(struct agpu_history *history, const char *sql);
    void (*undo)(struct agpu_history *history); /* the transaction, if there still is one; says nothing */
    const char *begin;                          /* statements of agpu_history_begin() */
    const char *shrink;                         /* NULL: it does so by itself */

    struct agpu_statement *(*prepare)(struct agpu_history *history, const char *sql);
    void (*bind_number)(struct agpu_statement *statement, int parameter, int64_t value);
    void (*bind_real)(struct agpu_statement *statement, int parameter, double value);
    void (*bind_text)(struct agpu_statement *statement, int parameter, const char *text, size_t length);
    void (*bind_bytes)(struct agpu_statement *statement, int parameter, const void *bytes, size_t length);
    bool (*row)(struct agpu_statement *statement, bool *good);
    int64_t (*number)(struct agpu_statement *statement, int column);
    double (*real)(struct agpu_statement *statement, int column);
    const char *(*text)(struct agpu_statement *statement, int column); /* NULL for NULL */
    void (*reset)(struct agpu_statement *statement);
    void (*end)(struct agpu_statement *statement);
};

#endif
