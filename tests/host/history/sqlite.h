/* sqlite.h: the history in a file of SQLite's. */
#ifndef AGPU_HOST_HISTORY_SQLITE_H
#define AGPU_HOST_HISTORY_SQLITE_H

#include "tests/host/history/backend.h"

extern const struct agpu_backend agpu_backend_sqlite;

#endif
