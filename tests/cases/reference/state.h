/* state.h: the state of the reference. */
#ifndef AGPU_CASES_REFERENCE_STATE_H
#define AGPU_CASES_REFERENCE_STATE_H

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/reference/types.h"

#define AGPU_REF_BINS    48u
#define AGPU_REF_BUCKETS 1024u
/* Fences waiting behind a held one (device.md 4.10). */
#define AGPU_REF_FENCES 4096u
#define AGPU_REF_STAGES 6u
/* Constant registers of a stage that the listed shaders can read. */
#define AGPU_REF_REGISTERS 8u

enum agpu_ref_stage_index {
    AGPU_REF_VERTEX,
    AGPU_REF_PIXEL,
    AGPU_REF_COMPUTE,
    AGPU_REF_GEOMETRY,
    AGPU_REF_HULL,
    AGPU_REF_DOMAIN,
};

/* The arena: blocks of powers of two, a list of free ones for each size. */
struct agpu_ref_heap {
    uint8_t *base;
    size_t size, used;
    void *free[AGPU_REF_BINS];
};

/* A buffer or a texture. bytes: contents in the layout of commands.md 5; NULL: all unspecified. states: AGPU_REF_EXACT,
 * NEAR or ANY of each byte; NULL: all exact. */
struct agpu_ref_resource {
    struct agpu_ref_resource *next;
    uint32_t handle; /* of the original, while it lives */
    uint32_t references;
    uint32_t views; /* made of it; not reduced when they go */
    bool texture;
    bool touched; /* changed behind a draw whose success is not known */
    uint32_t usage, format, width, height, mips, layers, pitch;
    uint64_t size;
    uint32_t alloc_id, alloc_offset;
    uint8_t *bytes, *states;
};

enum agpu_ref_kind {
    AGPU_REF_NONE,
    AGPU_REF_RESOURCE, /* an original or an alias */
    AGPU_REF_RESERVED, /* an original that was destroyed while aliases live */
    AGPU_REF_VIEW,
    AGPU_REF_SHADER,
    AGPU_REF_LAYOUT,
    AGPU_REF_SAMPLER,
};

/* Resources and views have one table, the others one each (commands.md 2). */
enum agpu_ref_table {
    AGPU_REF_RESOURCES,
    AGPU_REF_SHADERS,
    AGPU_REF_LAYOUTS,
    AGPU_REF_SAMPLERS,
    AGPU_REF_TABLES,
};

#define AGPU_REF_ELEMENTS 32u

/* Elements of an input layout. */
struct agpu_ref_layout {
    uint32_t count;
    struct aerogpu_input_layout_element_dxgi elements[AGPU_REF_ELEMENTS];
};

struct agpu_ref_object {
    struct agpu_ref_object *next; /* in its bucket */
    uint32_t handle;
    enum agpu_ref_kind kind;
    struct agpu_ref_resource *resource; /* of a view: NULL after its texture has died */
    uint32_t format, mip, layer;        /* of a view: its format and first subresource */
    uint32_t stage;                     /* of a shader */
    enum agpu_ref_program program;      /* of a shader */
    struct agpu_ref_layout *layout;     /* NULL: a D3D9 declaration */
    uint32_t filter, address[2];        /* of a sampler */
};

/* The bytes of a buffer that a view shows. */
struct agpu_ref_part {
    uint32_t offset, size; /* size 0: the rest */
};

/* Bindings and state of draws and dispatches (commands.md 7 to 10). */
struct agpu_ref_pipeline {
    uint32_t color_count, colors[AEROGPU_MAX_RENDER_TARGETS], depth;
    uint32_t shaders[AGPU_REF_STAGES];
    uint32_t writable[AGPU_REF_STAGES][8]; /* unordered access buffers */
    uint32_t textures[AGPU_REF_STAGES][128];
    struct agpu_ref_part writable_parts[AGPU_REF_STAGES][8], texture_parts[AGPU_REF_STAGES][128];
    uint32_t samplers[AGPU_REF_STAGES][16];
    struct aerogpu_constant_buffer_binding constants[AGPU_REF_STAGES][14];
    uint32_t registers[AGPU_REF_STAGES]
                      [4 * AGPU_REF_REGISTERS]; /* constants 0 while no buffer is bound there */
    struct aerogpu_vertex_buffer_binding vertices[32];
    uint32_t index_buffer, index_format, index_offset;
    uint32_t layout, topology;
    struct aerogpu_blend_state blend;
    struct aerogpu_depth_stencil_state depth_state;
    struct aerogpu_rasterizer_state raster;
    float viewport[6];
    bool viewport_set, scissor_set;
    struct aerogpu_cmd_set_scissor scissor;
};

struct agpu_ref_token {
    struct agpu_ref_token *next;
    uint64_t token;
    struct agpu_ref_resource *resource; /* NULL: retired */
};

/* Aligned memory with predicted writes. */
struct agpu_ref_chunk {
    struct agpu_ref_chunk *next;    /* in its bucket */
    struct agpu_ref_chunk *earlier; /* of all chunks */
    uint64_t address;
    uint8_t bytes[AGPU_REF_CHUNK], states[AGPU_REF_CHUNK];
};

/* An address whose low half is staged until the high half is written (device.md 4.5). */
struct agpu_ref_address {
    uint64_t committed;
    bool staged;
};

struct agpu_ref_fence {
    uint64_t value;
    bool interrupts, held;
};

/* The entries of one doorbell, and the ring's geometry at that time. */
struct agpu_ref_batch {
    uint64_t ring;
    uint32_t head, end, count, stride;
};

/* The submission that is being executed. */
struct agpu_ref_work {
    const uint8_t *stream;
    uint32_t size, minor;
    const uint8_t *table; /* NULL: none */
    uint32_t entries, entry_stride;
    uint64_t fence;
    bool present;
    bool unresolved; /* has packets whose success or result is not predicted */
};

struct agpu_ref {
    struct agpu_ref_config config;
    struct agpu_ref_heap heap;
    struct agpu_ref_counts counts;
    uint32_t command;
    uint32_t registers[0x530 / 4];
    struct agpu_ref_address scanout, cursor;

    uint64_t completed, next_edge_ns;
    bool doorbell, reset_due;
    bool code_open; /* ERROR_CODE is any of 1, 2, 3 (device.md 4.6) */
    struct agpu_ref_batch batch;
    struct agpu_ref_fence fences[AGPU_REF_FENCES];
    uint32_t fence_count;

    struct agpu_ref_work work;
    uint32_t unresolved; /* since the last settle: packets whose success is not known */
    /* Objects or targets changed after such a packet: if it was refused, what exists is unknown until a ring reset. */
    bool structure_touched, lost;
    struct agpu_ref_object *objects[AGPU_REF_TABLES][AGPU_REF_BUCKETS];
    struct agpu_ref_resource *resources;
    struct agpu_ref_token *tokens;
    uint64_t contents;
    struct agpu_ref_pipeline pipeline;

    struct agpu_ref_chunk *chunks[AGPU_REF_BUCKETS], *last_chunk;
};

/* Returns whether [start, start + size) ends at or beyond 2^64 (device.md 0). */
static inline bool agpu_ref_wraps(uint64_t start, uint64_t size)
{
    return start + size < start;
}

static inline uint32_t *agpu_ref_register(struct agpu_ref *ref, enum aerogpu_mmio_reg at)
{
    return &ref->registers[at / 4];
}

static inline uint64_t agpu_ref_pair(const struct agpu_ref *ref, enum aerogpu_mmio_reg low)
{
    return ref->registers[low / 4] | (uint64_t)ref->registers[low / 4 + 1] << 32;
}

/* Returns the state of what is written now. */
static inline enum agpu_ref_byte agpu_ref_state(const struct agpu_ref *ref)
{
    return ref->lost ? AGPU_REF_ANY : ref->unresolved != 0 ? AGPU_REF_MAYBE : AGPU_REF_EXACT;
}

/* Call at each change of objects and targets. */
static inline void agpu_ref_touch(struct agpu_ref *ref)
{
    ref->structure_touched = ref->structure_touched || ref->unresolved != 0;
}

/* A packet whose success is not known. */
static inline void agpu_ref_unresolved(struct agpu_ref *ref)
{
    ref->work.unresolved = true;
    ref->unresolved++;
    ref->counts.unresolved++;
}

/* Packets return AEROGPU_ERROR_NONE or their error. */
#define AGPU_REF_INVALID AEROGPU_ERROR_CMD_DECODE

#endif
