/* world.h: the generator's knowledge of the device's state, from the work that it generated: objects, allocations,
 * bindings that decide whether a packet is valid. */
#ifndef AGPU_HOST_COMPARE_WORLD_H
#define AGPU_HOST_COMPARE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/plan.h"
#include "tests/host/compare/program.h"
#include "tests/host/compare/random.h"

#define WORLD_RESOURCES 24u
#define WORLD_VIEWS     6u
#define WORLD_ALLOCS    12u
#define WORLD_READ_BACK 0x10000u /* size of region 3, which is for reading back */
#define WORLD_PLACE     0x4000u  /* guest memory that an allocation may use, in bytes */
#define WORLD_OBJECTS   8u       /* for each other kind */
#define WORLD_TOKENS    8u
#define WORLD_TARGETS   8u
#define WORLD_PALETTE   3u

struct world_format {
    uint32_t number;
    uint32_t edge, bytes; /* dimensions of a block */
};

struct world_alloc {
    uint32_t id;
    uint32_t place; /* region place / 4, offset place % 4 * WORLD_PLACE */
    uint32_t skew;  /* offset from the start of its place, in bytes */
    uint32_t size;
    bool readonly;
};

struct world_resource {
    uint32_t handle; /* 0: none */
    uint32_t alias;  /* another handle of the same resource, 0: none */
    bool texture;
    bool original_gone; /* the original handle was destroyed while the alias exists */
    const struct world_format *format;
    uint32_t width, height, mips, layers, pitch;
    uint32_t usage;
    uint64_t size;
    int32_t alloc; /* index, -1: owned by the device */
    uint32_t offset;
};

struct world_view {
    uint32_t handle, resource, mip, mips, layer, layers; /* resource: index */
};

/* An exported surface: token 0: none. */
struct world_token {
    uint64_t token;
    int32_t resource; /* -1: retired */
};

enum world_object { WORLD_SHADER, WORLD_LAYOUT, WORLD_SAMPLER, WORLD_KINDS };

struct agpu_cmp_generator {
    struct agpu_random random;
    struct agpu_cmp_plan plan;
    struct agpu_cmp_program *program;
    struct world_alloc allocs[WORLD_ALLOCS];
    struct world_resource resources[WORLD_RESOURCES];
    struct world_view views[WORLD_VIEWS];
    struct world_token tokens[WORLD_TOKENS];
    uint32_t objects[WORLD_KINDS][WORLD_OBJECTS];
    uint32_t colors[WORLD_TARGETS]; /* bound targets, by handle */
    uint32_t depth;
    const struct world_format *palette[WORLD_PALETTE];
    uint32_t next_handle;
    uint32_t gone_handle; /* to be destroyed in the next submission */
    uint32_t submissions; /* so far */
    uint32_t ring_count, ring_tail, posted;
    /* last fence used; fences from held_below on wait for vblank edges, 0: none does */
    uint64_t fence, held_below;
    uint32_t batch; /* submissions until the next doorbell */
    bool open;      /* a submission is under construction */
    bool scanout_on, half_phase;
    bool damaged; /* the state may differ from the world's records */
};

/* Random numbers of the session. */
static inline uint32_t world_below(struct agpu_cmp_generator *g, uint32_t below)
{
    return agpu_random_below(&g->random, below);
}
static inline uint32_t world_between(struct agpu_cmp_generator *g, uint32_t least, uint32_t most)
{
    return agpu_random_between(&g->random, least, most);
}
static inline bool world_one_in(struct agpu_cmp_generator *g, uint32_t n)
{
    return agpu_random_one_in(&g->random, n);
}
static inline bool world_may(const struct agpu_cmp_generator *g, enum agpu_cmp_choice choice)
{
    return agpu_cmp_may(g->plan.common.choices, choice);
}
/* Registers of a feature may be used when both devices have it. */
static inline bool world_feature(const struct agpu_cmp_generator *g, uint64_t feature)
{
    return (g->plan.common.features & feature) != 0;
}
/* A packet of a feature that only one device has is executed by one, and skipped by the other. */
static inline bool world_apart(const struct agpu_cmp_generator *g, uint64_t feature)
{
    return (g->plan.common.features_apart & feature) != 0;
}
static inline bool world_has(const struct agpu_cmp_generator *g, enum agpu_cmp_area area)
{
    return (g->plan.areas >> area & 1) != 0;
}

/* Discards everything that a ring reset discards. */
void world_clear(struct agpu_cmp_generator *g);
uint32_t world_new_handle(struct agpu_cmp_generator *g);

/* ---- submissions ---- */

/* Returns the submission under construction, starting one if needed; memory contents must have been added before. */
struct agpu_cmp_step *world_open(struct agpu_cmp_generator *g);
/* Ends it; rings the doorbell when its batch is complete, or at once if doorbell. */
void world_close(struct agpu_cmp_generator *g, bool doorbell);
/* Adds another step, after closing the open submission. */
struct agpu_cmp_step *world_do(struct agpu_cmp_generator *g, enum agpu_cmp_op op);
/* The step of the open submission. */
struct agpu_cmp_step *world_step(struct agpu_cmp_generator *g);
/* Adds a packet of the table's size, sometimes with trailing bytes. */
void *world_packet(struct agpu_cmp_generator *g, uint32_t opcode);
/* Adds a packet with this many bytes of payload after the structure, padded. */
void *world_packet_with(struct agpu_cmp_generator *g, uint32_t opcode, uint32_t payload);
/* Adds CREATE_INPUT_LAYOUT for handle; returns its elements, all zero, to be filled in (commands.md 7). */
struct aerogpu_input_layout_element_dxgi *world_input_layout(struct agpu_cmp_generator *g, uint32_t handle,
                                                             uint32_t elements);
uint32_t world_packet_size(uint32_t opcode);
/* Adds the allocation to the open submission's table. */
void world_entry(struct agpu_cmp_generator *g, int32_t alloc);
void world_look(struct agpu_cmp_generator *g);
void world_register(struct agpu_cmp_generator *g, uint32_t offset, uint32_t value);
void world_read(struct agpu_cmp_generator *g, uint32_t offset);

/* ---- memory and layout (commands.md 5) ---- */

extern const struct world_format world_formats[];
extern const uint32_t world_format_count;
bool world_is_depth(const struct world_format *format);
bool world_is_x8(const struct world_format *format);
bool world_is_srgb(const struct world_format *format);
uint32_t world_mip(uint32_t edge, uint32_t mip);
uint32_t world_tight(const struct world_format *format, uint32_t width, uint32_t mip);
uint32_t world_rows(const struct world_format *format, uint32_t height, uint32_t mip);
uint64_t world_texture_bytes(const struct world_resource *texture);
uint64_t world_subresource_at(const struct world_resource *texture, uint32_t mip, uint32_t layer,
                              uint64_t *size);
void world_place(const struct agpu_cmp_generator *g, int32_t alloc, uint32_t *region, uint32_t *offset);
/* Adds a step that fills part of an allocation with new bytes. */
void world_fill(struct agpu_cmp_generator *g, int32_t alloc, uint32_t offset, uint32_t size);

/* ---- choosing ---- */

/* Returns a random live resource; NULL when there is none. kind: 0 any, 1 buffer, 2 texture. */
struct world_resource *world_pick(struct agpu_cmp_generator *g, unsigned kind);
struct world_resource *world_free_slot(struct agpu_cmp_generator *g);
/* Returns one of the resource's handles. */
uint32_t world_name(struct agpu_cmp_generator *g, const struct world_resource *resource);

/* An action of a session: adds steps, or packets to the open submission. */
typedef void world_action(struct agpu_cmp_generator *g);

#endif
