/* debugcon.h: record sink on the hypervisor's debug port (QEMU's isa-debugcon at 0x402): synchronous, never
 * loses. */
#ifndef AGPU_EFI_DEBUGCON_H
#define AGPU_EFI_DEBUGCON_H

#include "tests/cases/harness/stream.h"

/* Adds the sink if the port answers; real hardware has none there. Returns whether it does. */
bool agpu_debugcon_add(struct agpu_stream *stream);

#endif
