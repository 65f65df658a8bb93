/* config.h: configuration of an adapter of the runtime, and the leaks reported at its close. */
#ifndef AGPU_MM_RUNTIME_CONFIG_H
#define AGPU_MM_RUNTIME_CONFIG_H

#include "mm/kmd/interrupt.h"
#include "umd-port/ddi/environment.h"

/* Maximum of SetMaximumFrameLatency in DXGI. */
#define AGPU_PRESENT_LATENCY_MAX 16u

struct agpu_runtime_config {
    const struct agpu_platform *platform;   /* outlives the runtime */
    struct agpu_pci_ref function;           /* DMA memory is mapped for this function */
    const struct agpu_transport *transport; /* open; outlives the runtime */
    /* Identity of the device, for the adapter's private record. */
    uint32_t mmio_magic, abi_version;
    uint64_t features;
    bool fence_page; /* configured, not merely supported */
    /* One pass of the interrupt service routine: fills *out and returns true when a cause was pending
     * (agpu_kmd_adapter_service_interrupt). NULL: interrupts are not serviced and device errors not seen. */
    bool (*service_interrupt)(void *ctx, struct agpu_kmd_interrupt *out);
    void *interrupt_ctx;
    /* Work completes by interrupt (agpu_kmd_isr_take() as service_interrupt): the runtime reads the fence after an
     * interrupt, for work that raises none, and when a hang is due. False: it reads the fence in each wait. */
    bool interrupt_driven;
    /* Called when the runtime opens; interrupts may occur from then on. NULL: nothing to do. */
    void (*arm_interrupts)(void *ctx);
    struct agpu_vidmm_config vidmm;
    struct agpu_kmd_config kmd;
    struct agpu_umd_options options; /* passed to the driver through its environment */
    uint32_t command_buffers;        /* of each context; 0 = 4, at least 2 */
    uint32_t command_buffer_bytes;   /* 0 = 256 KiB */
    uint32_t allocation_list;        /* entries; 0 = 1024 */
    uint32_t present_latency;        /* presents outstanding, at most AGPU_PRESENT_LATENCY_MAX; 0 = 3 */
    const char *module_path;         /* path of the driver's module, for its trace; NULL: unknown */
    /* Changes the driver's environment before the driver sees it, for one that several processors share; NULL: nothing
     * to change. */
    void (*share)(struct agpu_umd_environment *environment);
    bool no_flush_check; /* allow locks of memory that unsubmitted commands name (vidmm.md 4.3) */
};

/* Objects left at close; all zero after a clean end. */
struct agpu_runtime_leaks {
    uint32_t devices, contexts, syncs;
    uint32_t allocations, resources; /* handles never deallocated */
    uint64_t locks;
    uint64_t umd_heap_blocks;                     /* allocated through the environment */
    uint64_t heap_blocks, heap_bytes, dma_blocks; /* of mm/ itself, after teardown */
    uint64_t committed_bytes, swap_bytes;
    uint64_t resets; /* resets of a device that did not complete its remaining work */
};

/* Errors that the driver reported through SetErrorCb. */
struct agpu_runtime_error_record {
    uint32_t count;
    HRESULT first, last;
};

#endif
