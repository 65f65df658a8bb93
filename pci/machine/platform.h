/* platform.h: everything that the driver layers ask of a machine: PCI access, DMA memory, time, waiting,
 * heap, log. Bound to UEFI by efi/, to the in-process device model by tests/host_platform. It names no
 * firmware, no OS. */
#ifndef AGPU_PCI_MACHINE_PLATFORM_H
#define AGPU_PCI_MACHINE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result of every fallible call in pci/ and ring/: 0 or one of these. */
enum agpu_status {
    AGPU_OK = 0,
    AGPU_ERR_INVALID = -1,   /* an argument is outside its documented range */
    AGPU_ERR_NO_DEVICE = -2, /* no such function, or it answers all ones */
    AGPU_ERR_NO_MEMORY = -3, /* heap or DMA memory exhausted */
    AGPU_ERR_TIMEOUT = -4,   /* a bounded wait ran out */
    AGPU_ERR_BUSY = -5,      /* no room now; may succeed later */
    AGPU_ERR_ABI = -6,       /* magic or ABI major is not ours */
    AGPU_ERR_PLATFORM = -7,  /* the machine refused (firmware error) */
    AGPU_ERR_LOST = -8,      /* the device was reset or removed under the caller */
};

/* Where a function sits. */
struct agpu_pci_location {
    uint16_t segment;
    uint8_t bus, device, function;
};

/* One PCI function as the platform hands it out; handle belongs to the platform. */
struct agpu_pci_ref {
    void *handle;
    struct agpu_pci_location location;
};

/* Memory that the device may read and write: contiguous in device address space, page aligned, zeroed. The
 * device address is what goes into registers and descriptors; it need not equal the CPU address (IOMMU). */
struct agpu_dma {
    void *cpu;
    uint64_t device_address;
    size_t size;
    void *binding; /* the platform's own record of it */
};

/* Where DMA memory lies in device address space. A device that keeps half of an address shows only with
 * memory on both sides. */
enum agpu_dma_place {
    AGPU_DMA_ANYWHERE, /* the machine's choice: below and above by turns where it can */
    AGPU_DMA_LOW,      /* below 4 GiB */
    AGPU_DMA_HIGH,     /* from 4 GiB on */
    AGPU_DMA_ACROSS, /* a multiple of 4 GiB is in the middle, give or take a page: what is small finds room */
};

/* A memory BAR as memory: only for prefetchable ones, where reads have no side effects. */
struct agpu_bar_mapping {
    void *cpu;
    uint64_t device_address; /* as the device is to name it */
    uint64_t size;
    bool write_combined; /* accesses are gathered and made early or late: bar_order() */
};

/* Why a wait waits: selects how the platform idles between two polls. The comment gives the bound and the
 * usual wall time on the model under TCG. */
enum agpu_relax_reason {
    AGPU_RELAX_FENCE,  /* fence page poll: 2 s bound, 0.1-5 ms usual */
    AGPU_RELAX_RESET,  /* ring reset memory part: 2 s bound, below 1 ms usual */
    AGPU_RELAX_ROOM,   /* ring slot frees up: 2 s bound */
    AGPU_RELAX_VBLANK, /* next vblank edge: 200 ms bound, 16.7 ms usual */
    AGPU_RELAX_IDLE,   /* nothing to wait for: keep network and heartbeat alive once */
};

/* How a function's interrupts reach the processor. */
enum agpu_irq_way {
    AGPU_IRQ_LINE, /* INTA#, a level that may be shared */
    AGPU_IRQ_MSI,
    AGPU_IRQ_MSIX, /* by its first vector */
};

/* Reasons why a function's do not come by message: AeroGPU need not have the capability (device.md 1). */
#define AGPU_IRQ_NO_MSI  "a function with an MSI capability (not required)"
#define AGPU_IRQ_NO_MSIX "a function with an MSI-X capability (not required)"

/* What became of them. */
struct agpu_irq_counts {
    uint64_t taken;    /* the handler found a cause */
    uint64_t spurious; /* it found none: another device on the line, or a stale level */
    bool silenced;     /* so many were spurious, one after the other, that the machine has masked the line */
};

struct agpu_text;

enum agpu_log_level { AGPU_LOG_ERROR = 3, AGPU_LOG_WARNING = 4, AGPU_LOG_INFO = 6, AGPU_LOG_DEBUG = 7 };

struct agpu_test_system;

/* The machine. All callbacks but bar_map, bar_order, irq_open, irq_close and dma_place are required.
 * Single threaded: none but bar_read, bar_write and now_ns is called from an interrupt (irq_open). */
struct agpu_platform {
    void *ctx;

    /* The index-th PCI function of the machine in scan order; false past the last one. */
    bool (*pci_function)(void *ctx, unsigned index, struct agpu_pci_ref *out);
    /* Configuration space, size 1, 2 or 4, naturally aligned. A failed read yields all ones, as the bus
     * does. */
    uint32_t (*config_read)(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size);
    void (*config_write)(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value);
    /* Memory BAR access, size 1, 2, 4 or 8. A failed read yields all ones at the width. */
    uint64_t (*bar_read)(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size);
    void (*bar_write)(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value);
    /* The whole of a prefetchable memory BAR, as firmware placed it; valid while the function decodes memory.
     * False when there is none or the machine cannot map it; NULL: it maps none. */
    bool (*bar_map)(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                    struct agpu_bar_mapping *out);
    /* Between writes to a write-combined mapping and telling the device of them, and between learning what the device
     * did and reading it there: earlier writes have arrived, later reads were not made yet. NULL: no mapping is
     * write-combined. */
    void (*bar_order)(void *ctx);
    /* Level of the function's INTA# line: 1 asserted, 0 not, negative when this machine cannot see it, or not now
     * because another function holds it. */
    int (*intx_level)(void *ctx, const struct agpu_pci_ref *function);

    /* From now on the function's interrupts are taken: handler is called between any two steps of whatever runs, true when
     * it found a cause in the function. It may call bar_read, bar_write and now_ns. One function at a time. AGPU_ERR_PLATFORM
     * when that is not possible, why says what was tried; AGPU_ERR_BUSY. NULL, both: the machine takes none. */
    enum agpu_status (*irq_open)(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                 bool (*handler)(void *handler_ctx), void *handler_ctx,
                                 struct agpu_text *why);
    /* Everything is as before irq_open. Without one it does nothing, and the counts are the last ones; out may be NULL. */
    void (*irq_close)(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out);

    /* DMA memory for one function; size is rounded up to 4 KiB pages. free takes what alloc filled, once. */
    enum agpu_status (*dma_alloc)(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out);
    void (*dma_free)(void *ctx, struct agpu_dma *dma);
    /* Where the allocations after this call are to lie; ANYWHERE at first. They fail rather than lie elsewhere.
     * False, with nothing changed, when the machine has no memory there that the function reaches. NULL: it
     * offers no choice. */
    bool (*dma_place)(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place);

    /* Ordinary memory, 16-byte aligned, zeroed; NULL when exhausted. heap_free(NULL) is a no-op. */
    void *(*heap_alloc)(void *ctx, size_t size);
    void (*heap_free)(void *ctx, void *memory);

    /* Monotonic nanoseconds since an arbitrary start. */
    uint64_t (*now_ns)(void *ctx);
    /* Called between two polls of every bounded wait: pumps network and heartbeat, services an in-process
     * device. */
    void (*relax)(void *ctx, enum agpu_relax_reason reason);
    /* One line of text for the engineer; becomes a log record. */
    void (*log)(void *ctx, enum agpu_log_level level, const char *text);

    /* What a test system adds (test_system.h); NULL around a plain driver. */
    const struct agpu_test_system *test;
};

#endif
