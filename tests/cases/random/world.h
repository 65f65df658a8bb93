/* world.h: the generator's knowledge of the device's state, from the work that it generated: objects, allocations,
 * bindings that decide whether a packet is valid. */
#ifndef AGPU_CASES_RANDOM_WORLD_H
#define AGPU_CASES_RANDOM_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/cases/random/plan.h"
#include "tests/cases/random/program.h"
#include "tests/cases/random/random.h"

#define AGPU_GEN_RESOURCES 24u
#define AGPU_GEN_VIEWS     6u
#define AGPU_GEN_ALLOCS    12u
#define AGPU_GEN_READ_BACK 0x10000u /* size of region 3, which is for reading back */
#define AGPU_GEN_PLACE     0x4000u  /* guest memory that an allocation may use, in bytes */
#define AGPU_GEN_OBJECTS   8u       /* for each other kind */
#define AGPU_GEN_TOKENS    8u
#define AGPU_GEN_TARGETS   8u
#define AGPU_GEN_RETIRED   8u
#define AGPU_GEN_PALETTE   3u

struct agpu_gen_format {
    uint32_t number;
    uint32_t edge, bytes; /* dimensions of a block */
};

struct agpu_gen_alloc {
    uint32_t id;
    uint32_t place; /* region place / 4, offset place % 4 * AGPU_GEN_PLACE */
    uint32_t skew;  /* offset from the start of its place, in bytes */
    uint32_t size;
    bool readonly;
};

struct agpu_gen_resource {
    uint32_t handle; /* 0: none */
    uint32_t alias;  /* another handle of the same resource, 0: none */
    bool texture;
    bool original_gone; /* the original handle was destroyed while the alias exists */
    const struct agpu_gen_format *format;
    uint32_t width, height, mips, layers, pitch;
    uint32_t usage;
    uint64_t size;
    int32_t alloc; /* index, -1: owned by the device */
    uint32_t offset;
};

struct agpu_gen_view {
    uint32_t handle, resource, mip, mips, layer, layers; /* resource: index */
};

/* An exported surface: token 0: none. */
struct agpu_gen_token {
    uint64_t token;
    int32_t resource; /* -1: retired */
};

enum agpu_gen_object { AGPU_GEN_SHADER, AGPU_GEN_LAYOUT, AGPU_GEN_SAMPLER, AGPU_GEN_KINDS };

struct agpu_gen {
    struct agpu_gen_random random;
    struct agpu_gen_plan plan;
    struct agpu_gen_program *program;
    struct agpu_gen_alloc allocs[AGPU_GEN_ALLOCS];
    struct agpu_gen_resource resources[AGPU_GEN_RESOURCES];
    struct agpu_gen_view views[AGPU_GEN_VIEWS];
    struct agpu_gen_token tokens[AGPU_GEN_TOKENS];
    uint32_t objects[AGPU_GEN_KINDS][AGPU_GEN_OBJECTS];
    uint32_t colors[AGPU_GEN_TARGETS]; /* bound targets, by handle */
    uint32_t depth;
    const struct agpu_gen_format *palette[AGPU_GEN_PALETTE];
    uint32_t next_handle;
    uint32_t retired[AGPU_GEN_RETIRED]; /* handles of destroyed resources, for new ones */
    uint32_t named;                     /* index of the resource that a packet named last */
    uint64_t last_size;                 /* of a buffer */
    bool long_edges;                    /* many textures have one long edge */
    uint64_t aperture_at;               /* last written offset in BAR1 */
    uint32_t gone_handle;               /* to be destroyed in the next submission */
    uint32_t submissions;               /* so far */
    uint32_t ring_count, ring_tail, posted;
    /* last fence used; fences from held_below on wait for vblank edges, 0: none does */
    uint64_t fence, held_below;
    uint32_t batch; /* submissions until the next doorbell */
    bool open;      /* a submission is under construction */
    bool scanout_on, half_phase;
    uint32_t row;    /* of the covering array, from which state is taken: index + 1; 0: random state */
    uint32_t worked; /* areas, one bit each, that added steps or packets to the session */
    bool damaged;    /* the state may differ from the world's records */
};

/* Random numbers of the session. */
static inline uint32_t agpu_gen_below(struct agpu_gen *g, uint32_t below)
{
    return agpu_gen_random_below(&g->random, below);
}
static inline uint32_t agpu_gen_between(struct agpu_gen *g, uint32_t least, uint32_t most)
{
    return agpu_gen_random_between(&g->random, least, most);
}
static inline bool agpu_gen_one_in(struct agpu_gen *g, uint32_t n)
{
    return agpu_gen_random_one_in(&g->random, n);
}
static inline bool agpu_gen_may(const struct agpu_gen *g, enum agpu_gen_choice choice)
{
    return agpu_gen_is_compared(g->plan.common.choices, choice);
}
/* Registers of a feature may be used when both devices have it. */
static inline bool agpu_gen_feature(const struct agpu_gen *g, uint64_t feature)
{
    return (g->plan.common.features & feature) != 0;
}
/* A packet of a feature that only one device has is executed by one, and skipped by the other. */
static inline bool agpu_gen_apart(const struct agpu_gen *g, uint64_t feature)
{
    return (g->plan.common.features_apart & feature) != 0;
}
static inline bool agpu_gen_has(const struct agpu_gen *g, enum agpu_gen_area area)
{
    return (g->plan.areas >> area & 1) != 0;
}

/* Returns the bits of a float, as packets have it. */
static inline uint32_t agpu_gen_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Discards everything that a ring reset discards. */
void agpu_gen_clear(struct agpu_gen *g);
uint32_t agpu_gen_new_handle(struct agpu_gen *g);
/* Returns a handle for a resource: sometimes that of a destroyed one. */
uint32_t agpu_gen_resource_handle(struct agpu_gen *g);
void agpu_gen_retire(struct agpu_gen *g, uint32_t handle);
/* Returns a value at the edge of a range: a power of two, or one less or more. */
uint32_t agpu_gen_limit(struct agpu_gen *g);

/* ---- submissions ---- */

/* Returns the submission under construction, starting one if needed; memory contents must have been added before. */
struct agpu_gen_step *agpu_gen_open(struct agpu_gen *g);
/* Ends the open submission; rings the doorbell when its batch is complete, or at once if doorbell. */
void agpu_gen_close(struct agpu_gen *g, bool doorbell);
/* Adds another step, after closing the open submission. */
struct agpu_gen_step *agpu_gen_do(struct agpu_gen *g, enum agpu_gen_op op);
/* The step of the open submission. */
struct agpu_gen_step *agpu_gen_last(struct agpu_gen *g);
/* Adds a packet of the table's size, sometimes with trailing bytes. */
void *agpu_gen_packet(struct agpu_gen *g, uint32_t opcode);
/* Adds a packet with this many bytes of payload after the structure, padded. */
void *agpu_gen_packet_with(struct agpu_gen *g, uint32_t opcode, uint32_t payload);
/* Adds CREATE_INPUT_LAYOUT for handle; returns its elements, all zero, to be filled in (commands.md 7). */
struct aerogpu_input_layout_element_dxgi *agpu_gen_input_layout(struct agpu_gen *g, uint32_t handle,
                                                                uint32_t elements);
uint32_t agpu_gen_packet_size(uint32_t opcode);
/* Chooses address, size and access of an allocation that no resource uses; its id stays. */
void agpu_gen_choose_bytes(struct agpu_gen *g, struct agpu_gen_alloc *alloc);
/* Adds the allocation to the open submission's table. */
void agpu_gen_entry(struct agpu_gen *g, int32_t alloc);
void agpu_gen_compare(struct agpu_gen *g);
void agpu_gen_register(struct agpu_gen *g, uint32_t offset, uint32_t value);
void agpu_gen_read(struct agpu_gen *g, uint32_t offset);

/* ---- memory and layout (commands.md 5) ---- */

extern const struct agpu_gen_format agpu_gen_formats[];
extern const uint32_t agpu_gen_format_count;
bool agpu_gen_is_depth(const struct agpu_gen_format *format);
bool agpu_gen_is_x8(const struct agpu_gen_format *format);
bool agpu_gen_is_srgb(const struct agpu_gen_format *format);
uint32_t agpu_gen_mip(uint32_t edge, uint32_t mip);
uint32_t agpu_gen_tight(const struct agpu_gen_format *format, uint32_t width, uint32_t mip);
uint32_t agpu_gen_rows(const struct agpu_gen_format *format, uint32_t height, uint32_t mip);
uint64_t agpu_gen_texture_bytes(const struct agpu_gen_resource *texture);
uint64_t agpu_gen_subresource_at(const struct agpu_gen_resource *texture, uint32_t mip, uint32_t layer,
                                 uint64_t *size);
void agpu_gen_place(const struct agpu_gen *g, int32_t alloc, uint32_t *region, uint32_t *offset);
/* Adds a step that fills part of an allocation with new bytes. */
void agpu_gen_fill(struct agpu_gen *g, int32_t alloc, uint32_t offset, uint32_t size);

/* ---- choosing ---- */

/* Returns a random live resource, often the one that was named last; NULL when there is none. kind: 0 any, 1 buffer,
 * 2 texture. */
struct agpu_gen_resource *agpu_gen_pick(struct agpu_gen *g, unsigned kind);
struct agpu_gen_resource *agpu_gen_free_slot(struct agpu_gen *g);
/* Returns one of the resource's handles. */
uint32_t agpu_gen_name(struct agpu_gen *g, const struct agpu_gen_resource *resource);

/* An action of a session: adds steps, or packets to the open submission. */
typedef void agpu_gen_action(struct agpu_gen *g);

#endif
