/* foreign.h: records of an image of another build: which version they have, and those that cannot be read. */
#ifndef AGPU_HOST_WIRE_FOREIGN_H
#define AGPU_HOST_WIRE_FOREIGN_H

#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/record.h"
#include "tests/host/wire/run_model.h"
#include "tests/host/wire/source.h"

/* Of a plan record with another version than AGPU_RECORD_VERSION: a problem of the run, once however often it comes. */
void agpu_foreign_plan(struct agpu_run *run, const struct agpu_parsed_record *plan);

/* Of a packet that is no record, because of why (static). True: it has a record's grammar, and *out is a log record of no case with
 * its text, and why= as unread=; the first of them is a problem of the run. Of sources whose bytes may be wrong by themselves none is
 * taken. False: it is malformed, and a problem of the run. Counts both. */
bool agpu_foreign_keep(struct agpu_run *run, struct agpu_source_stats *stats, enum agpu_source source,
                       const struct agpu_packet *packet, const char *why, struct agpu_parsed_record *out);

#endif
