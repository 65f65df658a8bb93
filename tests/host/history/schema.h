/* schema.h: the tables of the history, once for all kinds of databases, which differ in the names of types. */
#ifndef AGPU_HOST_HISTORY_SCHEMA_H
#define AGPU_HOST_HISTORY_SCHEMA_H

#define AGPU_HISTORY_SCHEMA 1 /* its number: another one is refused */

/* Verdicts are the numbers of verdict.h, times are microseconds of a case and Unix seconds of a run.
 * RUN_ID: numbers that are never given again; ID: numbers. KEYED: of a table that is kept in the order of its key. */
#define AGPU_HISTORY_TABLES(RUN_ID, ID, NUMBER, VALUE, TEXT, BYTES, KEYED)                                   \
    "CREATE TABLE run(id " RUN_ID ", digest " BYTES " NOT NULL UNIQUE, started_at " NUMBER " NOT NULL,"      \
    " verdict " NUMBER " NOT NULL, build " TEXT " NOT NULL, setup " TEXT " NOT NULL, place " TEXT            \
    " NOT NULL,"                                                                                             \
    " fault " TEXT " NOT NULL, folder " TEXT " NOT NULL, cases " NUMBER " NOT NULL, bad " NUMBER             \
    " NOT NULL);"                                                                                            \
    "CREATE TABLE source(path " TEXT " PRIMARY KEY, size " NUMBER " NOT NULL, mtime_ns " NUMBER " NOT NULL," \
    " run_id " NUMBER " NOT NULL)" KEYED ";"                                                                 \
    "CREATE TABLE name(id " ID ", text " TEXT " NOT NULL UNIQUE);"                                           \
    "CREATE TABLE result(case_id " NUMBER " NOT NULL, run_id " NUMBER " NOT NULL, verdict " NUMBER           \
    " NOT NULL,"                                                                                             \
    " us " NUMBER " NOT NULL, reason_id " NUMBER ", PRIMARY KEY(case_id, run_id))" KEYED ";"                 \
    "CREATE INDEX result_bad ON result(case_id) WHERE verdict >= 3;"                                         \
    "CREATE TABLE metric(id " ID ", case_id " NUMBER " NOT NULL, name " TEXT " NOT NULL,"                    \
    " unit " TEXT " NOT NULL, UNIQUE(case_id, name, unit));"                                                 \
    "CREATE TABLE sample(metric_id " NUMBER " NOT NULL, run_id " NUMBER " NOT NULL, value " VALUE            \
    " NOT NULL,"                                                                                             \
    " PRIMARY KEY(metric_id, run_id))" KEYED ";"

#endif
