/* libpq.h: PostgreSQL's client library, loaded when it is needed: nobody else pays for it, or has to have it. */
#ifndef AGPU_HOST_HISTORY_LIBPQ_H
#define AGPU_HOST_HISTORY_LIBPQ_H

/* Who has not got the header builds without it (tests/host/CMakeLists.txt). */
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>

/* What is used of it. */
#define AGPU_LIBPQ_FUNCTIONS(X)                                                                              \
    X(PQconnectdbParams)                                                                                     \
    X(PQfinish)                                                                                              \
    X(PQstatus)                                                                                              \
    X(PQerrorMessage)                                                                                        \
    X(PQdb)                                                                                                  \
    X(PQhost)                                                                                                \
    X(PQsetNoticeProcessor)                                                                                  \
    X(PQexec)                                                                                                \
    X(PQprepare)                                                                                             \
    X(PQexecPrepared)                                                                                        \
    X(PQresultStatus)                                                                                        \
    X(PQresultErrorField)                                                                                    \
    X(PQntuples)                                                                                             \
    X(PQnfields)                                                                                             \
    X(PQgetvalue)                                                                                            \
    X(PQgetisnull)                                                                                           \
    X(PQclear)

struct agpu_libpq {
#define MEMBER(name) __typeof__(&name) name;
    AGPU_LIBPQ_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The functions, the same each time; NULL with a line on stderr when the library is not on this machine. */
const struct agpu_libpq *agpu_libpq_load(void);
#endif

#endif
