/* environment.h: services that the freestanding driver needs from its process instead of a C library: heap, object
 * numbers, log, and the boot options. Passed with the adapter callbacks (ddi/d3dddicb.h). */
#ifndef AGPU_UMD_DDI_ENVIRONMENT_H
#define AGPU_UMD_DDI_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

/* Owner of the memory of resources (umd.md 5.3). GUEST and HOST are the modes of the reference driver's portable build,
 * for which the numbered cases are written; WDK is Windows and the default of the image. */
enum agpu_backing_mode {
    AGPU_BACKING_WDK =
        0, /* by usage: DYNAMIC host-owned, everything else guest-backed; allocate and lock required */
    /* everything guest-backed if allocate, lock and unlock callbacks exist, else as HOST */
    AGPU_BACKING_GUEST,
    AGPU_BACKING_HOST, /* no allocations; contents are sent in the command stream */
};

/* Values of trace_level (umd.md 18). */
enum agpu_trace_level { AGPU_TRACE_OFF = 0, AGPU_TRACE_CALLS = 1, AGPU_TRACE_STATE = 2 };

/* Largest: what is saved of a lost submission (umd.md 12.3). */
#define AGPU_COMMAND_LIMIT_MIN     4096u
#define AGPU_COMMAND_LIMIT_DEFAULT (8u << 20)
#define AGPU_COMMAND_LIMIT_MAX     (64u << 20)

struct agpu_umd_options {
    enum agpu_backing_mode backing_mode;
    /* The CPU repeats copies and clears on guest allocations. Only for tests whose callbacks have no device: it would
     * race with a device's write-back (umd.md 7.2). */
    uint8_t mirror_guest_memory;
    /* WDK mode: DYNAMIC resources get guest memory and Discard renames the instance (umd.md 5.3,
     * vidmm.md 4.4). */
    uint8_t dynamic_guest_backed;
    /* Deferred contexts are offered (umd.md 15): caps THREADING reports command lists. */
    uint8_t deferred_contexts;
    /* Hull and domain shaders are bound (umd.md 3.1), for devices that tessellate; the caps remain those of 10_0. */
    uint8_t tessellation;
    /* There is a segment of video memory that the CPU can access: primaries and allocations without CPU access accept
     * it (vidmm.md 2). */
    uint8_t video_memory;
    /* Bytes of recorded packets after which the next operation submits them (umd.md 12.4): 0 = 8 MiB, else
     * AGPU_COMMAND_LIMIT_MIN to AGPU_COMMAND_LIMIT_MAX. */
    uint32_t command_limit;
    uint8_t trace_level;     /* enum agpu_trace_level; may change while devices exist */
    uint8_t trace_resources; /* detail of CreateResource, Rotate, Present */
    uint8_t trace_caps;      /* every caps query */
    uint8_t trace_mic;       /* at each open: scope and label of the object handle counter */
};

/* Outlives every adapter opened with it. heap_alloc, heap_free and options are required. */
struct agpu_umd_environment {
    void *ctx;
    /* Memory aligned to 16 bytes, contents undefined; NULL when exhausted. heap_free(NULL) does nothing. With deferred
     * contexts on several threads both must be thread safe, and log as well. */
    void *(*heap_alloc)(void *ctx, size_t size);
    void (*heap_free)(void *ctx, void *memory);
    /* A lock for all devices of the environment, which an entry of Direct3D 11 holds while it uses a device. Creations
     * and destructions may then run on another thread than the immediate context (umd.md 3.3). Never taken twice by one
     * thread. Both NULL: no two calls run at the same time. */
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
    /* Returns the next protocol object handle, unique on the device and never 0 in its low 31 bits (umd.md 3.1). NULL:
     * every adapter counts for itself, which suffices while only one adapter is open. */
    uint32_t (*next_handle)(void *ctx);
    /* Monotonic milliseconds for time limits and trace lines; may be NULL. */
    uint64_t (*now_ms)(void *ctx);
    /* Returns the number of the calling thread for trace lines; NULL: there is one thread, 0. */
    uint32_t (*thread_id)(void *ctx);
    /* One trace line without line break; may be NULL. */
    void (*log)(void *ctx, const char *line);
    const struct agpu_umd_options *options;
    const char *module_path; /* path of the driver's module, for the trace; NULL: its registered name */
};

#endif
