/* tables.h: submissions with allocation tables, as the memory manager makes them. */
#ifndef AGPU_TESTS_UNIT_RING_LEGACY_TABLES_H
#define AGPU_TESTS_UNIT_RING_LEGACY_TABLES_H

#include "ring/transport.h"

/* Entry i of every table: id i + 1, address (i + 1) << 33, size (i + 1) * 4096. */
#define TABLE_ADDRESS(i) ((uint64_t)((i) + 1) << 33)
#define TABLE_SIZE(i)    (((uint64_t)(i) + 1) * 4096)

/* Returns a submission with a table of this many entries (0: none). The next call reuses its memory. */
struct agpu_submission table_submission(uint32_t entries, uint64_t fence);
/* Makes the submission a present. */
void table_make_present(struct agpu_submission *submission);
/* Damages the table: more entries than it has bytes for; another stride; an entry of 4 GiB. */
void table_overcount(const struct agpu_submission *submission);
void table_restride(const struct agpu_submission *submission);
void table_make_huge(const struct agpu_submission *submission, uint32_t entry);

#endif
