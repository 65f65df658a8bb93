/* debugcon.h: record sink on the hypervisor's debug port (QEMU's isa-debugcon at 0x402): synchronous, loses
 * nothing. */
#ifndef AGPU_EFI_DEBUGCON_H
#define AGPU_EFI_DEBUGCON_H

#include "tests/cases/harness/stream.h"

/* Adds the sink and returns true if the port answers; real hardware has none there. */
bool agpu_debugcon_add(struct agpu_stream *stream);

#endif
