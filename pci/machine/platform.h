/* platform.h: all services that the driver layers need from a machine: PCI access, DMA memory, time, waiting, heap,
 * log. efi/ implements them on UEFI, tests/host_platform on the in-process device model. This file depends on no
 * firmware and no OS. */
#ifndef AGPU_PCI_MACHINE_PLATFORM_H
#define AGPU_PCI_MACHINE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result of every fallible call in pci/ and ring/. */
enum agpu_status {
    AGPU_OK = 0,
    AGPU_ERR_INVALID = -1,   /* an argument is outside its documented range */
    AGPU_ERR_NO_DEVICE = -2, /* no such function, or it answers all ones */
    AGPU_ERR_NO_MEMORY = -3, /* heap or DMA memory exhausted */
    AGPU_ERR_TIMEOUT = -4,   /* a bounded wait ran out */
    AGPU_ERR_BUSY = -5,      /* no room now; may succeed later */
    AGPU_ERR_ABI = -6,       /* magic or ABI major is not supported */
    AGPU_ERR_PLATFORM = -7,  /* the machine refused (firmware error) */
    AGPU_ERR_LOST = -8,      /* the device was reset or removed under the caller */
};

/* Location of a PCI function. */
struct agpu_pci_location {
    uint16_t segment;
    uint8_t bus, device, function;
};

/* One PCI function as the platform enumerates it; handle belongs to the platform. */
struct agpu_pci_ref {
    void *handle;
    struct agpu_pci_location location;
};

/* Memory that the device may read and write: contiguous in device address space, page aligned, zeroed. Registers and
 * descriptors hold device_address, which may differ from the CPU address (IOMMU). */
struct agpu_dma {
    void *cpu;
    uint64_t device_address;
    size_t size;
    void *binding; /* the platform's own record of it */
};

/* Placement of DMA memory in device address space. Only memory on both sides of 4 GiB exposes a device that drops half
 * of an address. */
enum agpu_dma_place {
    AGPU_DMA_ANYWHERE, /* the machine chooses: alternately below and above 4 GiB where it can */
    AGPU_DMA_LOW,      /* below 4 GiB */
    AGPU_DMA_HIGH,     /* from 4 GiB on */
    AGPU_DMA_ACROSS,   /* a multiple of 4 GiB lies in the middle, to within a page; only small blocks fit */
};

/* A mapped memory BAR. Only prefetchable BARs are mapped: reading them has no side effects. */
struct agpu_bar_mapping {
    void *cpu;
    uint64_t device_address; /* address by which the device refers to it */
    uint64_t size;
    bool write_combined; /* the CPU may delay, combine and speculate accesses: see bar_order() */
};

/* Reason of a wait; selects how the platform idles between two polls. The comments give the bound and the usual wall
 * time on the model under TCG. */
enum agpu_relax_reason {
    AGPU_RELAX_FENCE,  /* fence page poll: 2 s bound, 0.1-5 ms usual */
    AGPU_RELAX_RESET,  /* ring reset memory part: 2 s bound, below 1 ms usual */
    AGPU_RELAX_ROOM,   /* ring slot frees up: 2 s bound */
    AGPU_RELAX_VBLANK, /* next vblank edge: 200 ms bound, 16.7 ms usual */
    AGPU_RELAX_IDLE,   /* nothing to wait for: keep network and heartbeat alive once */
};

/* Delivery of a function's interrupts to the processor. */
enum agpu_irq_way {
    AGPU_IRQ_LINE, /* INTA#, a level that may be shared */
    AGPU_IRQ_MSI,
    AGPU_IRQ_MSIX, /* through its first vector */
};

/* Skip reasons when the function lacks the capability, which AeroGPU need not have (device.md 1). */
#define AGPU_IRQ_NO_MSI  "a function with an MSI capability (not required)"
#define AGPU_IRQ_NO_MSIX "a function with an MSI-X capability (not required)"

/* Counts of the interrupts taken. */
struct agpu_irq_counts {
    uint64_t taken;    /* the handler found a cause */
    uint64_t spurious; /* it found none: another device on the line, or a stale level */
    bool silenced;     /* the machine has masked the line after too many spurious interrupts in a row */
};

struct agpu_text;

enum agpu_log_level { AGPU_LOG_ERROR = 3, AGPU_LOG_WARNING = 4, AGPU_LOG_INFO = 6, AGPU_LOG_DEBUG = 7 };

struct agpu_test_system;

/* The machine. All callbacks except bar_map, bar_order, irq_open, irq_close, dma_place and run_beside are required.
 * Single threaded: only bar_read, bar_write and now_ns may be called from an interrupt (irq_open). */
struct agpu_platform {
    void *ctx;

    /* The index-th PCI function of the machine in scan order; false past the last one. */
    bool (*pci_function)(void *ctx, unsigned index, struct agpu_pci_ref *out);
    /* Configuration space, size 1, 2 or 4, naturally aligned. A failed read yields all ones, as on the bus. */
    uint32_t (*config_read)(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size);
    void (*config_write)(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value);
    /* Memory BAR access, size 1, 2, 4 or 8. A failed read yields all ones of that size. */
    uint64_t (*bar_read)(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size);
    void (*bar_write)(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value);
    /* Maps the whole of a prefetchable memory BAR where firmware placed it; valid while the function decodes memory.
     * False when there is none or the machine cannot map it. NULL: the machine maps none. */
    bool (*bar_map)(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                    struct agpu_bar_mapping *out);
    /* Orders a write-combined mapping: earlier writes have arrived, later reads have not started. Call it after writing
     * and before notifying the device, and after learning of the device's progress and before reading. NULL: no mapping
     * is write-combined. */
    void (*bar_order)(void *ctx);
    /* Returns the level of the function's INTA# line: 1 asserted, 0 not asserted, negative when the machine cannot tell
     * (in general, or now because another function holds the line). */
    int (*intx_level)(void *ctx, const struct agpu_pci_ref *function);

    /* Starts to take the function's interrupts. The machine calls handler between any two instructions of the
     * interrupted code; it returns true when it found a cause in the function and may call bar_read, bar_write and
     * now_ns. One function at a time. AGPU_ERR_PLATFORM when it is not possible, with what was tried in why;
     * AGPU_ERR_BUSY. NULL, together with irq_close: the machine takes no interrupts. */
    enum agpu_status (*irq_open)(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                 bool (*handler)(void *handler_ctx), void *handler_ctx,
                                 struct agpu_text *why);
    /* Undoes irq_open. Without one it does nothing and reports the last counts; out may be NULL. */
    void (*irq_close)(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out);

    /* DMA memory for one function; size is rounded up to 4 KiB pages. dma_free takes what dma_alloc filled, once. */
    enum agpu_status (*dma_alloc)(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out);
    void (*dma_free)(void *ctx, struct agpu_dma *dma);
    /* Sets the placement of later allocations, initially ANYWHERE. An allocation that cannot be placed there fails.
     * False, with nothing changed, when the machine has no such memory that the function can reach. NULL: the machine
     * offers no choice. */
    bool (*dma_place)(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place);

    /* Ordinary memory, 16-byte aligned, zeroed; NULL when exhausted. heap_free(NULL) is a no-op. */
    void *(*heap_alloc)(void *ctx, size_t size);
    void (*heap_free)(void *ctx, void *memory);

    /* Monotonic nanoseconds since an arbitrary start. */
    uint64_t (*now_ns)(void *ctx);
    /* Called between two polls of every bounded wait: pumps network and heartbeat, runs an in-process device. */
    void (*relax)(void *ctx, enum agpu_relax_reason reason);
    /* One line of text for the engineer; becomes a log record. */
    void (*log)(void *ctx, enum agpu_log_level level, const char *text);

    /* Runs task(arg) on another processor while here(arg) runs on this one; returns after both. task returns within
     * seconds; it calls only bar_read and bar_write, and only while here(arg) waits for it. AGPU_ERR_PLATFORM: nothing
     * ran, the reason is in why. AGPU_ERR_TIMEOUT: the task has not returned. NULL: the machine gives no other
     * processor. */
    enum agpu_status (*run_beside)(void *ctx, void (*task)(void *arg), void (*here)(void *arg), void *arg,
                                   struct agpu_text *why);

    /* Additions of a test system (test_system.h); NULL for a plain driver. */
    const struct agpu_test_system *test;
};

#endif
