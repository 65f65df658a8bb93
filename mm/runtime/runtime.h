/* runtime.h: the Windows runtime's stand-in: opens an adapter on a transport, creates devices, and implements
 * the callback table that a user-mode driver lives on (umd.md 4). The thin outer part of mm/: it alone
 * waits. */
#ifndef AGPU_MM_RUNTIME_RUNTIME_H
#define AGPU_MM_RUNTIME_RUNTIME_H

#include "mm/kmd/kmd.h"
#include "ring/protocol/aerogpu_umd_private.h"
#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/d3dddicb.h"
#include "umd-port/ddi/environment.h"

struct agpu_runtime_config {
    const struct agpu_platform *platform;   /* outlives the runtime */
    struct agpu_pci_ref function;           /* DMA memory is mapped for it */
    const struct agpu_transport *transport; /* opened; outlives the runtime */
    /* Identity of the device, for the adapter's private record. */
    uint32_t mmio_magic, abi_version;
    uint64_t features;
    bool fence_page; /* configured, not merely supported */
    /* One pass of the interrupt handler: fills *out and returns true when a cause was pending. NULL: the
     * device's interrupts are nobody's business, errors are not seen. */
    bool (*service_interrupt)(void *ctx, struct agpu_kmd_interrupt *out);
    void *interrupt_ctx;
    struct agpu_vidmm_config vidmm;
    struct agpu_kmd_config kmd;
    struct agpu_umd_options options; /* handed to the driver through its environment */
    uint32_t command_buffers;        /* of each context; 0 = 4, at least 2 */
    uint32_t command_buffer_bytes;   /* 0 = 256 KiB */
    uint32_t allocation_list;        /* entries; 0 = 1024 */
    bool no_flush_check;             /* do not fail locks of what unsubmitted commands name (vidmm.md 4.3) */
};

/* What was still there at close; all zero is a clean end. */
struct agpu_runtime_leaks {
    uint32_t devices, contexts;
    uint32_t allocations, resources; /* handles never deallocated */
    uint64_t locks;
    uint64_t umd_heap_blocks;         /* taken through the environment */
    uint64_t heap_blocks, dma_blocks; /* of mm/ itself, after everything was torn down */
    uint64_t committed_bytes, swap_bytes;
};

struct agpu_runtime;
struct agpu_runtime_device;

/* Opens an adapter; NULL when memory is exhausted or the VRAM window is unusable. */
struct agpu_runtime *agpu_runtime_open(const struct agpu_runtime_config *config);
/* Ends it: waits for the device (bounded; resets it if that fails), frees everything, also what others
 * forgot, and says what that was (leaks may be NULL). Devices must have been destroyed by the driver
 * before. */
void agpu_runtime_close(struct agpu_runtime *runtime, struct agpu_runtime_leaks *leaks);

/* For OpenAdapter: hRTAdapter is the runtime itself. */
const D3DDDI_ADAPTERCALLBACKS *agpu_runtime_adapter_callbacks(const struct agpu_runtime *runtime);
D3D10DDI_HRTADAPTER agpu_runtime_adapter_handle(struct agpu_runtime *runtime);

/* A device of a process (1 .. AGPU_PROCESS_LIMIT - 1; devices of one process share handles). NULL when memory
 * is exhausted or the number is out of range. */
struct agpu_runtime_device *agpu_runtime_device_create(struct agpu_runtime *runtime, uint16_t process);
/* Frees it and its contexts; call after the driver's DestroyDevice. Allocations belong to the process and
 * stay. */
void agpu_runtime_device_destroy(struct agpu_runtime_device *device);

/* For CreateDevice. The same callback table serves every device. */
const D3DDDI_DEVICECALLBACKS *agpu_runtime_device_callbacks(void);
const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_runtime_core_callbacks(void);
D3D10DDI_HRTDEVICE agpu_runtime_device_handle(struct agpu_runtime_device *device);
D3D10DDI_HRTCORELAYER agpu_runtime_core_handle(struct agpu_runtime_device *device);

/* Errors that the driver reported through SetErrorCb. */
struct agpu_runtime_errors {
    uint32_t count;
    HRESULT first, last;
};
struct agpu_runtime_errors agpu_runtime_errors(const struct agpu_runtime_device *device);
void agpu_runtime_errors_clear(struct agpu_runtime_device *device);
/* Why the device is lost, S_OK while it is not: 887A0005, 887A0006 (its work hung) or 887A0007 (someone
 * else's did). */
HRESULT agpu_runtime_device_lost(const struct agpu_runtime_device *device);

/* Opens a shared allocation for OpenResource: the handle, and the creator's private data. */
HRESULT agpu_runtime_open_shared(struct agpu_runtime_device *device, uint64_t token,
                                 D3DKMT_HANDLE *allocation, uint8_t blob[64], uint32_t *blob_size);

/* The driver's heap gives so many more blocks and then none: what a process short of memory is to it.
 * UINT64_MAX = no limit, as at the start. */
void agpu_runtime_limit_umd_heap(struct agpu_runtime *runtime, uint64_t blocks);

/* Takes note of time, completions and interrupts; every wait does this by itself. */
void agpu_runtime_poll(struct agpu_runtime *runtime);
/* Waits until everything submitted is complete; false when that did not happen within the bound. */
bool agpu_runtime_wait_idle(struct agpu_runtime *runtime);

/* The kernel side, for tests and escapes. */
struct agpu_kmd *agpu_runtime_kmd(struct agpu_runtime *runtime);
const struct agpu_memory *agpu_runtime_memory(const struct agpu_runtime *runtime);
void agpu_runtime_umd_private(const struct agpu_runtime *runtime, struct aerogpu_umd_private_v1 *out);

#endif
