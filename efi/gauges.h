/* gauges.h: what firmware and network hold, read between two rounds of the catalogue. */
#ifndef AGPU_EFI_GAUGES_H
#define AGPU_EFI_GAUGES_H

#include "tests/cases/harness/rounds.h"

/* For struct agpu_rounds_config; ctx is unused. */
unsigned agpu_gauges_read(void *ctx, struct agpu_gauge *out, unsigned max);

#endif
