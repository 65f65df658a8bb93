/* gauges.h: resource use of firmware and network, read between two rounds of the catalogue. */
#ifndef AGPU_EFI_GAUGES_H
#define AGPU_EFI_GAUGES_H

#include "tests/cases/harness/rounds.h"

/* Callback of struct agpu_rounds_config; ctx is unused. */
unsigned agpu_gauges_read(void *ctx, struct agpu_gauge *out, unsigned max);

#endif
