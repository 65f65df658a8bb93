/* fake_machine.h: a machine and a device for unit tests of mm/: memory that fails on request, a clock that the test
 * advances, and a transport whose completions the test decides. */
#ifndef AGPU_TESTS_UNIT_MM_FAKE_MACHINE_H
#define AGPU_TESTS_UNIT_MM_FAKE_MACHINE_H

#include "mm/runtime/runtime.h"
#include "mm/vidmm/records.h"
#include "mm/vidmm/create.h"
#include "mm/vidmm/lock.h"
#include "mm/vidmm/residency.h"
#include "mm/vidmm/share.h"
#include "mm/vidmm/table.h"
#include "mm/vidmm/vidmm.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"

#define FAKE_RING_LOG 4096u

struct fake_mm_machine {
    struct agpu_platform platform;
    struct agpu_transport transport;
    uint64_t now;
    /* Memory. */
    uint64_t heap_live, dma_live, dma_live_bytes;
    uint64_t calls;           /* heap and DMA allocations so far */
    uint64_t fail_at;         /* this call (counted from 1) fails; 0: none */
    uint64_t fail_from;       /* all calls from this one on fail; 0: none */
    bool fail_dma;            /* all DMA allocations fail */
    uint64_t dma_bytes_limit; /* 0: unlimited */
    uint64_t next_address;    /* address of the next DMA block */
    /* Device. */
    uint32_t slots;     /* size of the ring */
    uint64_t completed; /* fence that the device reports */
    bool automatic;     /* a submission completes when it is posted */
    bool lost;          /* all registers read as all ones */
    bool reset_fails;
    uint32_t resets;
    uint64_t posted;                           /* submissions so far */
    struct agpu_submission log[FAKE_RING_LOG]; /* posted submissions, modulo */
    uint64_t head;                             /* consumed so far: fences up to completed */
    /* Called on each relax; may be NULL. */
    void (*on_relax)(struct fake_mm_machine *machine);
    uint64_t relaxes;
    enum agpu_relax_reason last_reason;
    uint64_t relax_step; /* each relax advances the clock by this, in ns */
};

/* Prepares a machine with 256 ring slots, 1 ms per relax, and a device that completes nothing by itself. */
void fake_machine_init(struct fake_mm_machine *machine);
/* Fails the test if memory is still allocated. */
void fake_machine_check_empty(const struct fake_mm_machine *machine);

/* Completes all submissions up to this fence. */
void fake_complete(struct fake_mm_machine *machine, uint64_t fence);
/* A callback for on_relax that completes one more submission each time. */
void fake_complete_next(struct fake_mm_machine *machine);

/* The last posted submission, and its table at its CPU address (NULL: none). */
const struct agpu_submission *fake_last(const struct fake_mm_machine *machine);
const struct aerogpu_alloc_table_header *fake_table(const struct agpu_submission *submission);
const struct aerogpu_alloc_entry *fake_entries(const struct agpu_submission *submission);

/* Returns the CPU pointer of a device address. Fails the test if nothing is mapped there. */
void *fake_cpu(uint64_t device_address);

struct agpu_memory fake_memory(struct fake_mm_machine *machine);
struct agpu_runtime_config fake_runtime_config(struct fake_mm_machine *machine);

#endif
