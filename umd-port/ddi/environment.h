/* environment.h: what the freestanding driver asks of its process instead of a C library: heap, object
 * numbers, log, and the boot options. Handed in with the adapter callbacks (ddi/d3dddicb.h). */
#ifndef AGPU_UMD_DDI_ENVIRONMENT_H
#define AGPU_UMD_DDI_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

/* Who owns the memory behind resources (umd.md 5.3). GUEST and HOST are the reference's portable build, which
 * the numbered cases are written for; WDK is Windows and the default of the image. */
enum agpu_backing_mode {
    AGPU_BACKING_WDK =
        0, /* by usage: DYNAMIC host-owned, everything else guest-backed; allocate and lock required */
    /* everything guest-backed while allocate, lock and unlock callbacks exist, else as HOST */
    AGPU_BACKING_GUEST,
    AGPU_BACKING_HOST, /* nothing has an allocation; contents travel in the command stream */
};

/* Values of trace_level (umd.md 18). */
enum agpu_trace_level { AGPU_TRACE_OFF = 0, AGPU_TRACE_CALLS = 1, AGPU_TRACE_STATE = 2 };

struct agpu_umd_options {
    enum agpu_backing_mode backing_mode;
    /* Copies and clears are repeated on guest allocations by the CPU: only for tests without a device behind
     * the callbacks; with one it would race with the device's write-back (umd.md 7.2). */
    uint8_t mirror_guest_memory;
    /* WDK mode: DYNAMIC resources get guest memory and Discard renames the instance (umd.md 5.3,
     * vidmm.md 4.4). */
    uint8_t dynamic_guest_backed;
    /* Deferred contexts are offered (umd.md 15): caps THREADING reports command lists. */
    uint8_t deferred_contexts;
    /* Hull and domain shaders are bound (umd.md 3.1), for devices that tessellate; caps stay those of 10_0. */
    uint8_t tessellation;
    /* There is a segment of video memory that the CPU reaches: primaries, and what the CPU is not to see, accept it
     * (vidmm.md 2). */
    uint8_t video_memory;
    uint8_t trace_level;     /* enum agpu_trace_level; may be changed while devices live */
    uint8_t trace_resources; /* detail of CreateResource, Rotate, Present */
    uint8_t trace_caps;      /* every caps query */
    uint8_t trace_mic;       /* at each open: who shares the counter of object handles, under which label */
};

/* Outlives every adapter opened with it. heap_alloc, heap_free and options are required. */
struct agpu_umd_environment {
    void *ctx;
    /* Memory aligned to 16 bytes, contents undefined; NULL when exhausted. heap_free(NULL) is a no-op. With
     * deferred contexts on several threads both must be thread safe, and so must log. */
    void *(*heap_alloc)(void *ctx, size_t size);
    void (*heap_free)(void *ctx, void *memory);
    /* Next protocol object handle, unique over the whole device and never 0 in its low 31 bits (umd.md 3.1);
     * NULL: every adapter counts for itself, enough while only one adapter is open. */
    uint32_t (*next_handle)(void *ctx);
    /* Monotonic milliseconds for time limits and trace lines; may be NULL. */
    uint64_t (*now_ms)(void *ctx);
    /* Number of the calling thread for trace lines; NULL: there is one thread, 0. */
    uint32_t (*thread_id)(void *ctx);
    /* One trace line without line break; may be NULL. */
    void (*log)(void *ctx, const char *line);
    const struct agpu_umd_options *options;
    const char *module_path; /* where the driver was loaded from, for the trace; NULL: its registered name */
};

#endif
