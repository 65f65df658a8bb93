/* runtime.h: stand-in for the Windows runtime: opens an adapter on a transport, creates devices (device.h) and
 * implements the callback table of a user-mode driver (umd.md 4). The thin outer layer of mm/, and the only part that
 * waits (wait.h). */
#ifndef AGPU_MM_RUNTIME_RUNTIME_H
#define AGPU_MM_RUNTIME_RUNTIME_H

#include "mm/runtime/config.h"
#include "mm/runtime/device.h"
#include "mm/runtime/wait.h"
#include "ring/protocol/aerogpu_umd_private.h"

/* Returns why an adapter with this configuration is refused, NULL when it is not: caps that no driver, or no driver of
 * this device, may report (vidmm.md 9). */
const char *agpu_runtime_refusal(const struct agpu_runtime_config *config);
/* Opens an adapter. NULL when it is refused (the reason is logged), memory is exhausted, or the VRAM window is
 * unusable. */
struct agpu_runtime *agpu_runtime_open(const struct agpu_runtime_config *config);
/* Closes the adapter: waits for the device (bounded; resets it on timeout), frees everything and reports what the
 * driver had not freed (leaks may be NULL). The driver must have destroyed its devices before. */
void agpu_runtime_close(struct agpu_runtime *runtime, struct agpu_runtime_leaks *leaks);

/* Arguments of OpenAdapter: hRTAdapter is the runtime itself. */
const D3DDDI_ADAPTERCALLBACKS *agpu_runtime_adapter_callbacks(const struct agpu_runtime *runtime);
D3D10DDI_HRTADAPTER agpu_runtime_adapter_handle(struct agpu_runtime *runtime);

/* Lets the driver allocate this many more blocks and then none, like a process short of memory. UINT64_MAX = no limit,
 * the initial state. */
void agpu_runtime_limit_umd_heap(struct agpu_runtime *runtime, uint64_t blocks);

/* The kernel side, for tests and escapes. */
struct agpu_kmd *agpu_runtime_kmd(struct agpu_runtime *runtime);
const struct agpu_memory *agpu_runtime_memory(const struct agpu_runtime *runtime);
void agpu_runtime_umd_private(const struct agpu_runtime *runtime, struct aerogpu_umd_private_v1 *out);

#endif
