/* report_kcidb.h: kcidb.json: the run as KCIDB I/O (schema 5), for databases of kernel and hardware tests. */
#ifndef AGPU_HOST_REPORT_REPORT_KCIDB_H
#define AGPU_HOST_REPORT_REPORT_KCIDB_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* False when it could not be written. */
bool agpu_report_kcidb(FILE *out, const struct agpu_report *report);

#endif
