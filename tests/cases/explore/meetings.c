/* meetings.c: states of the device, from the reference's knowledge, and what meets them. A submission counts when it is
 * posted, so work in front of it may not be done yet; its packets count when the reference executes them. */
#include "tests/cases/explore/meetings.h"

#include <string.h>

#include "pci/protocol/register_table.h"
#include "tests/cases/explore/observe.h"
#include "tests/cases/reference/handles.h"

enum meeting_fact {
    FACT_HELD,
    FACT_QUEUED, /* fences behind the held one */
    FACT_EDGE_DUE,
    FACT_VBLANK_PENDING,
    FACT_FENCE_PENDING,
    FACT_ERROR_PENDING,
    FACT_LINE_OFF,
    FACT_POSTED,
    FACT_SEVERAL_POSTED,
    FACT_RING_ON,
    FACT_RING_OFF,
    FACT_MASTER_OFF,
    FACT_RETIRED, /* the handle of a destroyed object */
    FACT_TARGET,  /* the resource is bound */
    FACT_TEXTURE,
    FACT_BUFFER,
    FACT_VIEWED,
    FACT_SHARED,
    FACT_BACKED,
    FACT_SCISSOR,
    FACT_DEPTH_TARGET,
    FACT_SEVERAL_TARGETS,
    FACT_TARGET_VIEW,
};

enum meeting_event {
    EVENT_ACK_VBLANK,
    EVENT_ACK_FENCE,
    EVENT_MASK,
    EVENT_NARROW_IRQ,
    EVENT_NARROW_DOORBELL,
    EVENT_DOORBELL,
    EVENT_RESET,
    EVENT_SCANOUT_OFF,
    EVENT_FENCE_PAGE,
    EVENT_TIME,
    EVENT_FAULT,
    EVENT_PACED,
    EVENT_NO_IRQ,
    EVENT_NO_FENCE,
    EVENT_SMALLER_TABLE,
    EVENT_CREATE,
    EVENT_DESTROY,
    EVENT_UPLOAD,
    EVENT_DIRTY,
    EVENT_COPY_TO,
    EVENT_COPY_FROM,
    EVENT_CLEAR,
    EVENT_DRAW,
};

static const struct {
    const char *name;
    enum meeting_fact fact;
    enum meeting_event event;
} rows[] = {
#define AGPU_MEETING(constant, name, section, fact, event) {"meeting." name, FACT_##fact, EVENT_##event},
#include "tests/cases/choice/meetings.def"
#undef AGPU_MEETING
};
_Static_assert(sizeof rows / sizeof rows[0] == AGPU_EXPLORE_MEETINGS,
               "beside.h has the number of meetings.def");

static uint32_t if_true(bool held, enum meeting_fact fact)
{
    return held ? UINT32_C(1) << fact : 0;
}

static void count_event(struct agpu_explore *explore, uint32_t facts, enum meeting_event event)
{
    for (unsigned i = 0; i < AGPU_EXPLORE_MEETINGS; i++) {
        explore->meetings[i] += rows[i].event == event && (facts >> rows[i].fact & 1) != 0;
    }
}

static uint32_t facts_of_function(const struct agpu_explore *explore)
{
    const struct agpu_ref *ref = explore->ref;
    const uint32_t status = agpu_explore_register(explore, AEROGPU_MMIO_REG_IRQ_STATUS);
    const bool ring = agpu_explore_register(explore, AEROGPU_MMIO_REG_RING_CONTROL) != 0;

    return if_true(ref->fence_count > 0, FACT_HELD) | if_true(ref->fence_count > 2, FACT_QUEUED) |
           if_true(explore->edge_due, FACT_EDGE_DUE) |
           if_true((status & AEROGPU_IRQ_SCANOUT_VBLANK) != 0, FACT_VBLANK_PENDING) |
           if_true((status & AEROGPU_IRQ_FENCE) != 0, FACT_FENCE_PENDING) |
           if_true((status & AEROGPU_IRQ_ERROR) != 0, FACT_ERROR_PENDING) |
           if_true((explore->command & AGPU_PCI_COMMAND_INTX_OFF) != 0, FACT_LINE_OFF) |
           if_true(explore->posting.since_doorbell > 0, FACT_POSTED) |
           if_true(explore->posting.since_doorbell > 1, FACT_SEVERAL_POSTED) | if_true(ring, FACT_RING_ON) |
           if_true(!ring, FACT_RING_OFF) |
           if_true((explore->command & AGPU_PCI_COMMAND_MASTER) == 0, FACT_MASTER_OFF);
}

/* ---- packets ---- */

/* The packet's resource, for a comparison with what is bound. */
struct sought {
    struct agpu_ref *ref;
    uint32_t handle;
    const struct agpu_ref_resource *resource; /* NULL: the handle names none */
};

/* Returns whether a slot has the handle, or a name or view of the same resource. Most slots are empty. */
static inline bool holds(const struct sought *sought, uint32_t slot)
{
    const struct agpu_ref_object *object;

    if (slot == 0 || slot == sought->handle || sought->resource == NULL) {
        return slot != 0 && slot == sought->handle;
    }
    object = agpu_ref_find(sought->ref, AGPU_REF_RESOURCES, slot);
    return object != NULL && object->kind != AGPU_REF_RESERVED && object->resource == sought->resource;
}

/* Looks into one member of each element of an array. */
static bool is_in(const struct sought *sought, const uint32_t *slots, size_t count, size_t stride)
{
    bool found = false;

    for (size_t i = 0; i < count && !found; i++) {
        found = holds(sought, slots[i * stride]);
    }
    return found;
}

static bool is_input(const struct sought *sought)
{
    const struct agpu_ref_pipeline *now = &sought->ref->pipeline;

    return holds(sought, now->index_buffer) ||
           is_in(sought, &now->vertices[0].buffer, 32, sizeof now->vertices[0] / 4) ||
           is_in(sought, &now->constants[0][0].buffer, AGPU_REF_STAGES * 14, sizeof now->constants[0][0] / 4);
}

static uint32_t facts_of_resource(struct agpu_explore *explore, uint32_t handle)
{
    const struct sought sought = {explore->ref, handle, agpu_ref_named(explore->ref, handle)};
    const struct agpu_ref_resource *resource = sought.resource;
    const struct agpu_ref_pipeline *now = &explore->ref->pipeline;
    const uint32_t bound =
        if_true(holds(&sought, now->depth) || is_in(&sought, now->colors, AEROGPU_MAX_RENDER_TARGETS, 1),
                FACT_TARGET) |
        if_true(is_in(&sought, now->textures[0], AGPU_REF_STAGES * 128, 1), FACT_TEXTURE) |
        if_true(is_input(&sought), FACT_BUFFER);

    return resource == NULL ? bound
                            : bound | if_true(resource->views > 0, FACT_VIEWED) |
                                  if_true(resource->references > 1, FACT_SHARED) |
                                  if_true(resource->alloc_id != 0, FACT_BACKED);
}

static uint32_t facts_of_pipeline(struct agpu_explore *explore)
{
    const struct agpu_ref_pipeline *now = &explore->ref->pipeline;
    const struct agpu_ref_object *first = agpu_ref_find(explore->ref, AGPU_REF_RESOURCES, now->colors[0]);

    return if_true(now->raster.scissor_enable != 0 && now->scissor_set, FACT_SCISSOR) |
           if_true(now->depth != 0, FACT_DEPTH_TARGET) | if_true(now->color_count > 1, FACT_SEVERAL_TARGETS) |
           if_true(first != NULL && first->kind == AGPU_REF_VIEW, FACT_TARGET_VIEW);
}

void agpu_meetings_packet(void *ctx, const uint32_t *packet)
{
    struct agpu_explore *explore = ctx;
    uint32_t *retired = explore->retired;

    if (explore->repeated) {
        return;
    }
    switch (packet[0]) {
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        for (unsigned i = 0; i < AGPU_EXPLORE_RETIRED; i++) {
            count_event(explore, if_true(packet[2] != 0 && retired[i] == packet[2], FACT_RETIRED),
                        EVENT_CREATE);
        }
        break;
    case AEROGPU_CMD_DESTROY_RESOURCE:
        count_event(explore, facts_of_resource(explore, packet[2]), EVENT_DESTROY);
        retired[explore->retired_next++ % AGPU_EXPLORE_RETIRED] = packet[2];
        break;
    case AEROGPU_CMD_UPLOAD_RESOURCE:
        count_event(explore, facts_of_resource(explore, packet[2]), EVENT_UPLOAD);
        break;
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
        count_event(explore, facts_of_resource(explore, packet[2]), EVENT_DIRTY);
        break;
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D:
        count_event(explore, facts_of_resource(explore, packet[2]), EVENT_COPY_TO);
        count_event(explore, facts_of_resource(explore, packet[3]), EVENT_COPY_FROM);
        break;
    case AEROGPU_CMD_CLEAR:
        count_event(explore, facts_of_pipeline(explore), EVENT_CLEAR);
        break;
    case AEROGPU_CMD_DRAW:
    case AEROGPU_CMD_DRAW_INDEXED:
        count_event(explore, facts_of_pipeline(explore), EVENT_DRAW);
        break;
    default:
        break;
    }
}

/* ---- steps ---- */

static bool asks_for_vsync(const uint32_t *packet)
{
    return (packet[0] == AEROGPU_CMD_PRESENT || packet[0] == AEROGPU_CMD_PRESENT_EX) && packet[1] >= 16 &&
           (packet[3] & AEROGPU_PRESENT_FLAG_VSYNC) != 0;
}

static void count_submission(struct agpu_explore *explore, uint32_t facts, const struct agpu_gen_step *step)
{
    const uint32_t *packet;
    uint32_t at = 0;
    bool paced = false;

    while ((packet = agpu_gen_packet_next(explore->program, step, &at)) != NULL) {
        paced = paced || (packet[1] >= 16 && asks_for_vsync(packet));
    }
    if (paced) {
        count_event(explore, facts, EVENT_PACED);
    }
    if (step->invalid) {
        count_event(explore, facts, EVENT_FAULT);
    }
    if ((step->flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) != 0) {
        count_event(explore, facts, EVENT_NO_IRQ);
    }
    if (step->fence == 0) {
        count_event(explore, facts, EVENT_NO_FENCE);
    }
    if (step->entries != 0 && step->entries < explore->table_entries) {
        count_event(explore, facts, EVENT_SMALLER_TABLE);
    }
    explore->table_entries = step->entries;
}

static void count_register(struct agpu_explore *explore, uint32_t facts, const struct agpu_gen_step *step)
{
    const uint32_t offset = step->offset & ~3u;

    if (step->size < 4 && offset == AEROGPU_MMIO_REG_DOORBELL) {
        count_event(explore, facts, EVENT_NARROW_DOORBELL);
    } else if (step->size < 4 &&
               (offset == AEROGPU_MMIO_REG_IRQ_ENABLE || offset == AEROGPU_MMIO_REG_IRQ_ACK)) {
        count_event(explore, facts, EVENT_NARROW_IRQ);
    } else if (offset == AEROGPU_MMIO_REG_IRQ_ENABLE) {
        count_event(explore, facts, EVENT_MASK);
    } else if (offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE && step->value == 0) {
        count_event(explore, facts, EVENT_SCANOUT_OFF);
    } else if (offset == AEROGPU_MMIO_REG_RING_CONTROL && (step->value & AEROGPU_RING_CONTROL_RESET) != 0) {
        count_event(explore, facts, EVENT_RESET);
    } else if (offset == AEROGPU_MMIO_REG_IRQ_ACK) {
        if ((step->value & AEROGPU_IRQ_SCANOUT_VBLANK) != 0) {
            count_event(explore, facts, EVENT_ACK_VBLANK);
        }
        if ((step->value & AEROGPU_IRQ_FENCE) != 0) {
            count_event(explore, facts, EVENT_ACK_FENCE);
        }
    }
}

void agpu_meetings_count(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const uint32_t facts = facts_of_function(explore);

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        count_register(explore, facts, step);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        if (step->offset == AEROGPU_MMIO_REG_FENCE_GPA_LO) {
            count_event(explore, facts, EVENT_FENCE_PAGE);
        }
        break;
    case AGPU_GEN_SUBMIT:
        count_submission(explore, facts, step);
        break;
    case AGPU_GEN_DOORBELL:
        count_event(explore, facts, EVENT_DOORBELL);
        break;
    case AGPU_GEN_ADVANCE:
        count_event(explore, facts, EVENT_TIME);
        break;
    default:
        break;
    }
    if (step->op != AGPU_GEN_SUBMIT && step->op != AGPU_GEN_FILL) { /* which access no register */
        explore->edge_due = explore->exact && step->op == AGPU_GEN_ADVANCE && step->size == 1;
    }
}

void agpu_meetings_report(const struct agpu_explore *explore)
{
    for (unsigned i = 0; i < AGPU_EXPLORE_MEETINGS; i++) {
        if (explore->meetings[i] != 0) {
            agpu_metric(explore->test, rows[i].name, explore->meetings[i], "times");
        }
    }
}
