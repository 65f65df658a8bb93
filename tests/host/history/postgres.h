/* postgres.h: the history in a database of PostgreSQL's: there when agpu is built with libpq's header. */
#ifndef AGPU_HOST_HISTORY_POSTGRES_H
#define AGPU_HOST_HISTORY_POSTGRES_H

#include "tests/host/history/backend.h"

extern const struct agpu_backend agpu_backend_postgres;

#endif
