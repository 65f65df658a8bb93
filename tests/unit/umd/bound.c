/* bound.c: applies packets that bind. */
#include "tests/unit/umd/bound.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/unit/test.h"
#include "umd-port/base/walk.h"

static struct bound_stage *stage_of(struct bound_state *state, uint32_t stage, uint32_t extended)
{
    switch (stage) {
    case AEROGPU_SHADER_STAGE_VERTEX:
        return &state->stages[AGPU_STAGE_VS];
    case AEROGPU_SHADER_STAGE_PIXEL:
        return &state->stages[AGPU_STAGE_PS];
    case AEROGPU_SHADER_STAGE_GEOMETRY:
        return &state->stages[AGPU_STAGE_GS];
    case AEROGPU_SHADER_STAGE_COMPUTE:
        return &state->stages[extended == AEROGPU_SHADER_STAGE_EX_HULL     ? AGPU_STAGE_HS
                              : extended == AEROGPU_SHADER_STAGE_EX_DOMAIN ? AGPU_STAGE_DS
                                                                           : AGPU_STAGE_CS];
    default:
        fail_msg("stage %u", stage);
        return NULL;
    }
}

/* Checks that the packet contains all its elements, and that their slots exist. */
static void check_elements(const struct aerogpu_cmd_hdr *packet, size_t fixed, size_t element, uint32_t start,
                           uint32_t count, uint32_t slots)
{
    assert_true(start <= slots && count <= slots - start);
    assert_true(packet->size_bytes >= fixed + count * element);
}

static void follow_shaders(struct bound_state *state, const struct aerogpu_cmd_bind_shaders *packet)
{
    const uint32_t *more = (const uint32_t *)(packet + 1);
    const bool extended = packet->hdr.size_bytes >= sizeof *packet + 3 * sizeof *more;

    state->stages[AGPU_STAGE_VS].shader = packet->vs;
    state->stages[AGPU_STAGE_PS].shader = packet->ps;
    state->stages[AGPU_STAGE_CS].shader = packet->cs;
    state->stages[AGPU_STAGE_GS].shader = extended ? more[0] : packet->reserved0;
    state->stages[AGPU_STAGE_HS].shader = extended ? more[1] : 0;
    state->stages[AGPU_STAGE_DS].shader = extended ? more[2] : 0;
}

/* Textures and buffers share the slots: one replaces the other, and each kind has its own packet that empties a
 * slot. */
static void follow_texture(struct bound_stage *stage, uint32_t slot, uint32_t texture)
{
    stage->textures[slot] = texture;
    if (texture != 0) {
        stage->buffers[slot] = (struct bound_range){0};
    }
}

static void follow_slots(struct bound_state *state, const struct aerogpu_cmd_hdr *packet)
{
    /* These four packets start with the same members. */
    const struct aerogpu_cmd_set_constant_buffers *set = (const void *)packet;
    struct bound_stage *stage = stage_of(state, set->shader_stage, set->reserved0);
    const struct aerogpu_constant_buffer_binding *ranges = (const void *)(set + 1);
    const struct aerogpu_unordered_access_buffer_binding *uavs = (const void *)(set + 1);
    const uint32_t *samplers = (const uint32_t *)(set + 1);
    const uint32_t start = set->start_slot, count = set->buffer_count;

    switch (packet->opcode) {
    case AEROGPU_CMD_SET_SAMPLERS:
        check_elements(packet, sizeof *set, sizeof *samplers, start, count, AGPU_DDI_SAMPLER_SLOTS);
        memcpy(&stage->samplers[start], samplers, count * sizeof *samplers);
        return;
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS:
        check_elements(packet, sizeof *set, sizeof *uavs, start, count, AGPU_DDI_UAV_SLOTS);
        assert_ptr_equal(stage, &state->stages[AGPU_STAGE_CS]);
        for (uint32_t i = 0; i < count; i++) {
            state->uavs[start + i] =
                (struct bound_range){uavs[i].buffer, uavs[i].offset_bytes, uavs[i].size_bytes};
        }
        return;
    default:
        check_elements(packet, sizeof *set, sizeof *ranges, start, count,
                       packet->opcode == AEROGPU_CMD_SET_CONSTANT_BUFFERS ? AGPU_DDI_CONSTANT_BUFFER_SLOTS
                                                                          : AGPU_DDI_SHADER_RESOURCE_SLOTS);
        for (uint32_t i = 0; i < count; i++) {
            (packet->opcode == AEROGPU_CMD_SET_CONSTANT_BUFFERS ? stage->constants
                                                                : stage->buffers)[start + i] =
                (struct bound_range){ranges[i].buffer, ranges[i].offset_bytes, ranges[i].size_bytes};
            if (packet->opcode == AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS && ranges[i].buffer != 0) {
                stage->textures[start + i] = 0;
            }
        }
        return;
    }
}

static void follow_input(struct bound_state *state, const struct aerogpu_cmd_hdr *packet)
{
    const struct aerogpu_cmd_set_vertex_buffers *set = (const void *)packet;
    const struct aerogpu_vertex_buffer_binding *vertices = (const void *)(set + 1);
    const struct aerogpu_cmd_set_index_buffer *index = (const void *)packet;

    switch (packet->opcode) {
    case AEROGPU_CMD_SET_VERTEX_BUFFERS:
        check_elements(packet, sizeof *set, sizeof *vertices, set->start_slot, set->buffer_count,
                       AGPU_DDI_VERTEX_BUFFER_SLOTS);
        for (uint32_t i = 0; i < set->buffer_count; i++) {
            state->vertices[set->start_slot + i] =
                (struct bound_range){vertices[i].buffer, vertices[i].offset_bytes, vertices[i].stride_bytes};
        }
        return;
    case AEROGPU_CMD_SET_INDEX_BUFFER:
        state->index = (struct bound_range){index->buffer, index->offset_bytes, index->format};
        return;
    case AEROGPU_CMD_SET_INPUT_LAYOUT:
        state->layout = ((const struct aerogpu_cmd_set_input_layout *)packet)->input_layout_handle;
        return;
    case AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY:
        state->topology = ((const struct aerogpu_cmd_set_primitive_topology *)packet)->topology;
        return;
    default:
        return;
    }
}

static void follow_packet(struct bound_state *state, const struct aerogpu_cmd_hdr *packet)
{
    const struct aerogpu_cmd_set_texture *texture = (const void *)packet;
    const struct aerogpu_cmd_set_render_targets *targets = (const void *)packet;

    switch (packet->opcode) {
    case AEROGPU_CMD_BIND_SHADERS:
        follow_shaders(state, (const void *)packet);
        return;
    case AEROGPU_CMD_SET_SAMPLERS:
    case AEROGPU_CMD_SET_CONSTANT_BUFFERS:
    case AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS:
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS:
        follow_slots(state, packet);
        return;
    case AEROGPU_CMD_SET_TEXTURE:
        assert_true(texture->slot < AGPU_DDI_SHADER_RESOURCE_SLOTS);
        follow_texture(stage_of(state, texture->shader_stage, texture->reserved0), texture->slot,
                       texture->texture);
        return;
    case AEROGPU_CMD_SET_RENDER_TARGETS:
        assert_true(targets->color_count <= AGPU_DDI_RENDER_TARGET_SLOTS);
        state->color_count = targets->color_count;
        state->depth = targets->depth_stencil;
        memcpy(state->colors, targets->colors, sizeof state->colors);
        return;
    default:
        follow_input(state, packet);
        return;
    }
}

void bound_follow(struct bound_state *state, const void *stream, size_t bytes)
{
    struct agpu_cmd_walk walk;
    bool broken = false;
    const struct aerogpu_cmd_hdr *packet;

    if (bytes == 0) {
        return;
    }
    assert_true(agpu_cmd_walk_begin(&walk, stream, bytes));
    while ((packet = agpu_cmd_walk_next(&walk, &broken)) != NULL) {
        follow_packet(state, packet);
    }
    assert_false(broken);
}
