/* runtime.h: the Windows runtime's stand-in: opens an adapter on a transport; creates devices (device.h) and
 * implements the callback table that a user-mode driver lives on (umd.md 4). The thin outer part of mm/: it
 * alone waits (wait.h). */
#ifndef AGPU_MM_RUNTIME_RUNTIME_H
#define AGPU_MM_RUNTIME_RUNTIME_H

#include "mm/runtime/config.h"
#include "mm/runtime/device.h"
#include "mm/runtime/wait.h"
#include "ring/protocol/aerogpu_umd_private.h"

/* Why an adapter with this configuration is refused, NULL when it is not: caps that no driver, or none of this
 * device, may report (vidmm.md 9). */
const char *agpu_runtime_refusal(const struct agpu_runtime_config *config);
/* Opens an adapter; NULL when it is refused, which is logged, memory is exhausted, or the VRAM window is
 * unusable. */
struct agpu_runtime *agpu_runtime_open(const struct agpu_runtime_config *config);
/* Ends it: waits for the device (bounded; resets it if that fails), frees everything, also what was
 * not freed before, and reports that (leaks may be NULL). Devices must have been destroyed by the driver
 * before. */
void agpu_runtime_close(struct agpu_runtime *runtime, struct agpu_runtime_leaks *leaks);
/* For a test system that has taken back the memory of every adapter of this process, whatever was going on: what is known of
 * their devices is known no more. */
void agpu_runtime_forget_all(void);

/* For OpenAdapter: hRTAdapter is the runtime itself. */
const D3DDDI_ADAPTERCALLBACKS *agpu_runtime_adapter_callbacks(const struct agpu_runtime *runtime);
D3D10DDI_HRTADAPTER agpu_runtime_adapter_handle(struct agpu_runtime *runtime);

/* The driver can allocate so many more blocks and then none, as in a process short of memory. UINT64_MAX = no
 * limit, as at the start. */
void agpu_runtime_limit_umd_heap(struct agpu_runtime *runtime, uint64_t blocks);

/* The kernel side, for tests and escapes. */
struct agpu_kmd *agpu_runtime_kmd(struct agpu_runtime *runtime);
const struct agpu_memory *agpu_runtime_memory(const struct agpu_runtime *runtime);
void agpu_runtime_umd_private(const struct agpu_runtime *runtime, struct aerogpu_umd_private_v1 *out);

#endif
