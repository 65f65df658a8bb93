/* foreign.h: records of an image of another build: reports their version, and stores those that cannot be parsed as
 * text. */
#ifndef AGPU_HOST_WIRE_FOREIGN_H
#define AGPU_HOST_WIRE_FOREIGN_H

#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/record.h"
#include "tests/host/wire/run_model.h"
#include "tests/host/wire/source.h"

/* Adds a problem to the run when a plan record has another version than AGPU_RECORD_VERSION; once, even if it is
 * repeated. */
void agpu_foreign_plan(struct agpu_run *run, const struct agpu_parsed_record *plan);

/* Takes a packet that failed to parse for the reason why (static). Returns true when it still has the grammar of a
 * record: *out is then a log record without a case, with its text and why as unread=. The first such record adds a
 * problem to the run. Returns false when it is malformed, which also adds a problem. Records from sources whose
 * bytes may be corrupt are never accepted. Counts both kinds. */
bool agpu_foreign_keep(struct agpu_run *run, struct agpu_source_stats *stats, enum agpu_source source,
                       const struct agpu_packet *packet, const char *why, struct agpu_parsed_record *out);

#endif
