/* kmd.h: stand-in for the kernel-mode driver (vidmm.md 6, 7): contexts, submission, fences, errors, timeout detection.
 * It never waits: the caller passes the time; it reads the progress from the transport and returns what the caller must
 * wait for. */
#ifndef AGPU_MM_KMD_KMD_H
#define AGPU_MM_KMD_KMD_H

#include "mm/kmd/dma_pool.h"
#include "mm/kmd/hang_clock.h"
#include "mm/vidmm/table.h"
#include "ring/transport.h"

/* Fence numbers (vidmm.md 6.3): the 32-bit number of a DMA buffer, extended to the 64 bits of the ring. */
struct agpu_fence_number {
    uint32_t previous; /* last 32-bit number */
    uint32_t epoch;    /* number of wraps so far */
};

/* Limits and times; zero members take the default in parentheses. */
struct agpu_kmd_config {
    uint32_t max_dma_bytes;    /* largest command stream (32 MiB), clamped to 256 KiB .. 256 MiB */
    uint32_t max_meta_records; /* tables of pending submissions (4096) */
    uint64_t max_meta_bytes;   /* their memory (256 MiB) */
    uint32_t first_fence;      /* 32-bit number of the first submission (1) */
    uint64_t tdr_timeout_ns;   /* a submission that makes no progress for this long hangs (2 s) */
    uint64_t tdr_window_ns;    /* hangs within this time count together (60 s) */
    uint32_t tdr_limit;        /* number of such hangs that removes the device (2) */
};

/* A submission between post and completion. */
struct agpu_pending {
    uint64_t fence;
    uint32_t context;     /* 0 = the kernel driver's own */
    uint32_t table_block; /* in the pool; AGPU_SLAB_NONE = none */
    uint32_t table_bytes;
    uint32_t stream_block; /* block of a stream of the kernel driver itself */
};

/* Perf and error counters of the escapes (vidmm.md 7, 10). */
struct agpu_kmd_counters {
    uint64_t submits, presents, pagings, internals, completions;
    uint64_t errors, faults_notified, error_codes[4]; /* by code: decode, out of bounds, backend, internal */
    uint64_t table_entries, table_readonly, tables;
    uint64_t resets, last_reset_ns;
    uint64_t irq_fence, irq_vblank, irq_error;
    uint64_t irq_lost; /* fences that completed without the interrupt that should have reported them */
};

/* A context: the unit of ordering, and of blame for a hang. The caller owns it; it is linked while registered. */
struct agpu_kmd_context {
    struct agpu_kmd_context *next;
    uint32_t id; /* from 1 */
    uint16_t process;
    bool has_state; /* the device holds objects of this context */
    HRESULT lost;   /* S_OK, or the reason why its device must be created again */
    uint64_t last_fence;
};

struct agpu_kmd {
    struct agpu_memory *memory;
    const struct agpu_transport *transport;
    struct agpu_kmd_config config;
    struct agpu_vidmm vm;
    struct agpu_dma_pool pool;
    struct agpu_fence_number numbers;
    uint64_t submitted, completed; /* 64-bit fences */
    struct agpu_pending pending[AGPU_VIDMM_WINDOW];
    uint32_t pending_first, pending_count;
    uint64_t meta_bytes;
    uint32_t meta_records;
    uint64_t meta_serial;
    uint32_t paging_block;             /* the paging stream, made at its first use */
    uint64_t paging_submitted;         /* evictions and page-ins covered by paging submissions so far */
    struct agpu_hang_clock hang_clock; /* of the oldest submission */
    struct agpu_kmd_context *contexts;
    uint32_t next_context;
    bool in_d0;              /* powered */
    bool accepting;          /* false while a reset runs */
    bool latched;            /* a device error was seen; cleared by agpu_kmd_restart */
    bool removed;            /* permanently */
    uint64_t last_fault;     /* fence of the last error notification */
    uint32_t notified_fence; /* its low 32 bits: what DMA_FAULTED reports */
    uint64_t hang_ns[8];     /* times of the last hangs */
    uint32_t hangs;
    struct agpu_kmd_counters counters;
};

/* Binds the manager to memory and transport, which must outlive it. False when the heap is exhausted or vram is
 * unusable; nothing stays allocated then. */
bool agpu_kmd_init(struct agpu_kmd *kmd, struct agpu_memory *memory, const struct agpu_transport *transport,
                   const struct agpu_kmd_config *config, const struct agpu_vidmm_config *vm_config);
/* Frees everything. The device must not read memory any more: it is idle (agpu_kmd_idle) or its ring was reset. */
void agpu_kmd_fini(struct agpu_kmd *kmd);

void agpu_kmd_context_add(struct agpu_kmd *kmd, struct agpu_kmd_context *context, uint16_t process);
void agpu_kmd_context_remove(struct agpu_kmd *kmd, struct agpu_kmd_context *context);

/* Returns what the device's state allows (vidmm.md 4.1 steps 3 and 4): STATUS_SUCCESS, STATUS_DEVICE_REMOVED,
 * STATUS_DEVICE_NOT_READY. */
static inline NTSTATUS agpu_kmd_gate(const struct agpu_kmd *kmd)
{
    if (kmd->removed || kmd->latched) {
        return STATUS_DEVICE_REMOVED;
    }
    return kmd->in_d0 && kmd->accepting ? STATUS_SUCCESS : STATUS_DEVICE_NOT_READY;
}

/* ---- time and completion ---- */

/* Reads the completed fence, frees what is done, detects a hang and recovers from it (vidmm.md 7). */
void agpu_kmd_poll(struct agpu_kmd *kmd, uint64_t now_ns);
/* Counts time without reading the device. True when the running submission has taken as long as a hang. */
bool agpu_kmd_is_late(struct agpu_kmd *kmd, uint64_t now_ns);
/* True when no submission is pending: the device reads no memory any more. */
static inline bool agpu_kmd_idle(const struct agpu_kmd *kmd)
{
    return kmd->pending_count == 0;
}

/* True while a context's submission is pending. It raises an interrupt; those of the kernel driver itself do not. */
bool agpu_kmd_awaits_interrupt(const struct agpu_kmd *kmd);

/* ---- submission ---- */

struct agpu_kmd_submission {
    struct agpu_kmd_context *context;
    const void *stream; /* the commands, at their CPU address */
    uint64_t stream_address;
    uint32_t stream_length;
    const D3DDDI_ALLOCATIONLIST *list;
    uint32_t list_count;
    AGPU_DMA_PRIV *private_data; /* type in, MetaHandle out */
    uint32_t private_size;
    /* out */
    uint64_t fence;
};

/* Queues one submission or does nothing: a failure uses up neither a fence number nor memory (vidmm.md 6.1).
 * STATUS_PENDING: the ring is full, or the device uses the memory. */
NTSTATUS agpu_kmd_submit(struct agpu_kmd *kmd, struct agpu_kmd_submission *submission, uint64_t now_ns);

/* Submits the release of share tokens that ended (vidmm.md 3.5). Those that do not fit are left for a later call. */
void agpu_kmd_release_tokens(struct agpu_kmd *kmd, uint64_t now_ns);

/* Queues an empty submission with its own fence if otherwise nothing would show that the device has read the kernel
 * driver's own streams. STATUS_PENDING when there is no room. */
NTSTATUS agpu_kmd_flush_internal(struct agpu_kmd *kmd, uint64_t now_ns);

/* ---- errors, reset, power ---- */

/* ResetFromTimeout: everything queued counts as complete, contexts with state on the device are lost (the guilty one as
 * hung; NULL = none), allocations stay. Submissions are refused until agpu_kmd_restart. */
void agpu_kmd_reset(struct agpu_kmd *kmd, const struct agpu_kmd_context *guilty, uint64_t now_ns);
/* RestartFromTimeout: clears the error latch and accepts work again. Fence numbers continue. */
void agpu_kmd_restart(struct agpu_kmd *kmd);

/* SetPowerState: outside D0 it submits and locks nothing (vidmm.md 7). */
void agpu_kmd_power(struct agpu_kmd *kmd, bool in_d0);

#endif
