/* state.c: generates state, bindings, clears and draws, shared surfaces, and no-ops (commands.md 1, 7 to 12). */
#include "tests/cases/random/state.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/random/function.h"

#define LONG_MARKER 66000u /* its size does not fit into 16 bits */

/* ---- targets and clears ---- */

static bool can_be_color(const struct agpu_gen *g, const struct agpu_gen_resource *texture)
{
    return texture->format->edge == 1 && !agpu_gen_is_depth(texture->format) &&
           (agpu_gen_may(g, AGPU_GEN_CHOICE_CLEAR_TARGETS) || texture->format->bytes == 4) &&
           (texture->alloc < 0 || agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY));
}

/* Sometimes uses a view of it. */
static uint32_t target_name(struct agpu_gen *g, const struct agpu_gen_resource *texture)
{
    for (uint32_t i = 0; i < AGPU_GEN_VIEWS && agpu_gen_one_in(g, 2); i++) {
        if (g->views[i].handle != 0 && &g->resources[g->views[i].resource] == texture) {
            return g->views[i].handle;
        }
    }
    return agpu_gen_name(g, texture);
}

void agpu_gen_targets(struct agpu_gen *g)
{
    const bool many = agpu_gen_may(g, AGPU_GEN_CHOICE_CLEAR_TARGETS);
    uint32_t count = many && agpu_gen_one_in(g, 2) ? agpu_gen_below(g, AGPU_GEN_TARGETS + 1) : 1;
    struct aerogpu_cmd_set_render_targets *packet;
    uint32_t colors[AGPU_GEN_TARGETS] = {0}, depth = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_gen_resource *texture = agpu_gen_pick(g, 2);

        for (uint32_t tries = 0; texture != NULL && tries < 6 && !can_be_color(g, texture); tries++) {
            texture = agpu_gen_pick(g, 2);
        }
        if (texture != NULL && can_be_color(g, texture)) {
            colors[i] = target_name(g, texture);
        }
    }
    for (uint32_t tries = 0; tries < 6 && depth == 0; tries++) {
        const struct agpu_gen_resource *texture = agpu_gen_pick(g, 2);

        if (texture != NULL && agpu_gen_is_depth(texture->format) &&
            (texture->alloc < 0 || agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY))) {
            depth = target_name(g, texture);
        }
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    packet->color_count = count;
    packet->depth_stencil = depth;
    memcpy(packet->colors, colors, sizeof colors);
    memcpy(g->colors, colors, sizeof colors);
    g->depth = depth;
}

/* Returns a value between 0 and 1, or slightly outside. */
static uint32_t color_value(struct agpu_gen *g)
{
    static const uint32_t odd[] = {0x7F800000, 0x7FC00000, 0xFF800000, 0xFFC00000};

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_ROUNDING)) {
        return agpu_gen_bits((float)agpu_gen_below(g, 2));
    }
    switch (agpu_gen_below(g, 8)) {
    case 0:
        return agpu_gen_bits(-1.5f);
    case 1:
        return agpu_gen_bits(2.0f);
    case 2:
        return agpu_gen_one_in(g, 2) ? agpu_gen_bits(0.0f) : odd[agpu_gen_below(g, 4)];
    case 3:
        return agpu_gen_bits(1.0f);
    default:
        return agpu_gen_bits((float)agpu_gen_below(g, 256) / 255.0f);
    }
}

void agpu_gen_clear_targets(struct agpu_gen *g)
{
    struct aerogpu_cmd_clear *packet;
    bool any = g->depth != 0;

    for (uint32_t i = 0; i < AGPU_GEN_TARGETS; i++) {
        any |= g->colors[i] != 0;
    }
    if (!any || agpu_gen_one_in(g, 3)) {
        agpu_gen_targets(g);
    }
    any = g->depth != 0;
    for (uint32_t i = 0; i < AGPU_GEN_TARGETS; i++) {
        any |= g->colors[i] != 0;
    }
    if (!any && !agpu_gen_may(g, AGPU_GEN_CHOICE_CLEAR_TARGETS)) {
        return;
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_CLEAR);
    packet->flags = agpu_gen_one_in(g, 2) ? 7 : agpu_gen_below(g, 8);
    for (uint32_t i = 0; i < 4; i++) {
        packet->color_rgba_f32[i] = color_value(g);
    }
    packet->depth_f32 = color_value(g);
    packet->stencil = agpu_gen_below(g, 256);
}

/* ---- objects ---- */

static void destroy_one(struct agpu_gen *g, enum agpu_gen_object kind, uint32_t *slot)
{
    static const uint32_t opcodes[AGPU_GEN_KINDS] = {
        AEROGPU_CMD_DESTROY_SHADER, AEROGPU_CMD_DESTROY_INPUT_LAYOUT, AEROGPU_CMD_DESTROY_SAMPLER};
    struct aerogpu_cmd_destroy_shader *packet = agpu_gen_packet(g, opcodes[kind]);

    packet->shader_handle = *slot; /* unknown ones are a no-op */
    *slot = 0;
}

static uint32_t object_new(struct agpu_gen *g, enum agpu_gen_object kind)
{
    uint32_t *slot = &g->objects[kind][agpu_gen_below(g, AGPU_GEN_OBJECTS)];

    if (*slot != 0 && !agpu_gen_may(g, AGPU_GEN_CHOICE_REBIND)) {
        destroy_one(g, kind, slot);
    }
    if (*slot == 0) {
        *slot = agpu_gen_new_handle(g);
    }
    return *slot;
}

static uint32_t object_pick(struct agpu_gen *g, enum agpu_gen_object kind)
{
    return agpu_gen_one_in(g, 4) ? 0 : g->objects[kind][agpu_gen_below(g, AGPU_GEN_OBJECTS)];
}

static void create_sampler(struct agpu_gen *g)
{
    const uint32_t handle = object_new(g, AGPU_GEN_SAMPLER);
    struct aerogpu_cmd_create_sampler *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_SAMPLER);

    packet->sampler_handle = handle;
    packet->filter = agpu_gen_below(g, 2);
    packet->address_u = agpu_gen_below(g, 3);
    packet->address_v = agpu_gen_below(g, 3);
    packet->address_w = agpu_gen_below(g, 3);
}

static void create_layout(struct agpu_gen *g)
{
    static const uint32_t formats[] = {2, 6, 16, 28, 41, 43, 49, 57};
    const uint32_t count = agpu_gen_below(g, 5), handle = object_new(g, AGPU_GEN_LAYOUT);
    struct aerogpu_input_layout_element_dxgi *elements = agpu_gen_input_layout(g, handle, count);

    for (uint32_t i = 0; i < count; i++) {
        elements[i].semantic_name_hash = 0x7808E88A + i;
        elements[i].dxgi_format = formats[agpu_gen_below(g, sizeof formats / sizeof formats[0])];
        elements[i].input_slot = agpu_gen_below(g, 32);
        elements[i].aligned_byte_offset = i * 16;
        elements[i].input_slot_class = agpu_gen_below(g, 2);
        elements[i].instance_data_step_rate = 1;
    }
}

static uint32_t stage_of(struct agpu_gen *g, uint32_t *extra)
{
    const uint32_t stage = agpu_gen_below(g, 4);

    *extra = stage == AEROGPU_SHADER_STAGE_COMPUTE && agpu_gen_one_in(g, 2)
                 ? AEROGPU_SHADER_STAGE_EX_GEOMETRY + agpu_gen_below(g, 3)
                 : 0;
    return stage;
}

static void create_shader(struct agpu_gen *g)
{
    const uint32_t bytes = agpu_gen_between(g, 32, 120), handle = object_new(g, AGPU_GEN_SHADER);
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_gen_packet_with(g, AEROGPU_CMD_CREATE_SHADER_DXBC, bytes);

    packet->shader_handle = handle;
    packet->stage = stage_of(g, &packet->reserved0);
    packet->dxbc_size_bytes = bytes;
    agpu_gen_pattern((uint8_t *)(packet + 1), bytes, handle);
}

static void destroy_object(struct agpu_gen *g)
{
    const enum agpu_gen_object kind = (enum agpu_gen_object)agpu_gen_below(g, AGPU_GEN_KINDS);
    const uint32_t which = agpu_gen_below(g, AGPU_GEN_OBJECTS);

    destroy_one(g, kind, &g->objects[kind][which]);
}

void agpu_gen_objects(struct agpu_gen *g)
{
    switch (agpu_gen_below(g, 4)) {
    case 0:
        create_sampler(g);
        break;
    case 1:
        create_layout(g);
        break;
    case 2:
        if (agpu_gen_may(g, AGPU_GEN_CHOICE_DRAWS)) { /* a device may refuse bytes that are not a shader */
            create_shader(g);
        }
        break;
    default:
        destroy_object(g);
        break;
    }
}

void agpu_gen_constants(struct agpu_gen *g)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, AEROGPU_CMD_SET_SHADER_CONSTANTS_I,
                                       AEROGPU_CMD_SET_SHADER_CONSTANTS_B};
    const uint32_t type = agpu_gen_below(g, 3),
                   count = type == 2 ? agpu_gen_below(g, 2) : agpu_gen_below(g, 5);
    struct aerogpu_cmd_set_shader_constants_f *packet = agpu_gen_packet_with(g, opcodes[type], count * 16);

    packet->stage = stage_of(g, &packet->reserved0);
    packet->start_register = agpu_gen_below(g, 250);
    packet->vec4_count = count;
    agpu_gen_pattern((uint8_t *)(packet + 1), count * 16ull, packet->start_register);
}

/* ---- state ---- */

/* A row is a line in the plane over a prime field, and two lines meet in one point. */
uint32_t agpu_gen_field(struct agpu_gen *g, enum agpu_gen_field field, uint32_t values)
{
    const uint32_t prime = 19, row = g->row - 1;

    return g->row == 0 ? agpu_gen_below(g, values)
                       : (row / prime + row % prime * (uint32_t)field) % prime % values;
}

/* Returns the value of a field: more often the one with which most draws change something. */
static uint32_t field_or(struct agpu_gen *g, enum agpu_gen_field field, uint32_t values, uint32_t often)
{
    const uint32_t value = agpu_gen_field(g, field, values < 9 ? values + values / 2 + 1 : 19);

    return value < values ? value : often;
}

/* Returns a factor of blending; with MIN and MAX a device may refuse others than ONE. */
static uint32_t blend_factor(struct agpu_gen *g, enum agpu_gen_field field, uint32_t operation)
{
    const uint32_t factor = agpu_gen_field(g, field, 8);

    return operation >= AEROGPU_BLEND_OP_MIN ? AEROGPU_BLEND_ONE : factor;
}

static void set_blend(struct agpu_gen *g)
{
    static const uint32_t sizes[] = {28, 40, 56, 60};
    const uint32_t size = agpu_gen_may(g, AGPU_GEN_CHOICE_AFTER_ERROR)
                              ? sizes[agpu_gen_below(g, 4)]
                              : (uint32_t)sizeof(struct aerogpu_cmd_set_blend_state);
    struct aerogpu_cmd_set_blend_state blend = {.hdr = {AEROGPU_CMD_SET_BLEND_STATE, size}};
    void *packet;

    blend.state.enable = agpu_gen_field(g, AGPU_GEN_BLEND_ENABLE, 2);
    blend.state.blend_op = agpu_gen_field(g, AGPU_GEN_BLEND_OP, 5);
    blend.state.src_factor = blend_factor(g, AGPU_GEN_BLEND_SOURCE, blend.state.blend_op);
    blend.state.dst_factor = blend_factor(g, AGPU_GEN_BLEND_TARGET, blend.state.blend_op);
    blend.state.color_write_mask = (uint8_t)field_or(g, AGPU_GEN_BLEND_MASK, 16, 15);
    blend.state.blend_op_alpha = agpu_gen_field(g, AGPU_GEN_ALPHA_OP, 5);
    blend.state.src_factor_alpha = blend_factor(g, AGPU_GEN_ALPHA_SOURCE, blend.state.blend_op_alpha);
    blend.state.dst_factor_alpha = blend_factor(g, AGPU_GEN_ALPHA_TARGET, blend.state.blend_op_alpha);
    for (uint32_t i = 0; i < 4; i++) {
        blend.state.blend_constant_rgba_f32[i] = agpu_gen_bits((float)agpu_gen_below(g, 6) / 5.0f);
    }
    blend.state.sample_mask = agpu_gen_one_in(g, 64) ? 0xFFFFFFFE : UINT32_MAX;
    agpu_gen_open(g);
    packet = agpu_gen_packet_add(g->program, AEROGPU_CMD_SET_BLEND_STATE, size);
    memcpy(packet, &blend, size);
}

static void set_rasterizer(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_rasterizer_state *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_RASTERIZER_STATE);

    packet->state.fill_mode = agpu_gen_field(g, AGPU_GEN_FILL_MODE, 19) == 18;
    packet->state.cull_mode = field_or(g, AGPU_GEN_CULL, 3, AEROGPU_CULL_NONE);
    packet->state.front_ccw = agpu_gen_field(g, AGPU_GEN_FRONT, 2);
    packet->state.scissor_enable =
        agpu_gen_may(g, AGPU_GEN_CHOICE_CLEAR_SCISSOR) ? agpu_gen_field(g, AGPU_GEN_SCISSOR, 2) : 0;
}

static void set_depth(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_depth_stencil_state *packet =
        agpu_gen_packet(g, AEROGPU_CMD_SET_DEPTH_STENCIL_STATE);

    packet->state.depth_enable = agpu_gen_field(g, AGPU_GEN_DEPTH, 2);
    packet->state.depth_write_enable = agpu_gen_field(g, AGPU_GEN_DEPTH_WRITE, 2);
    packet->state.depth_func = field_or(g, AGPU_GEN_DEPTH_FUNCTION, 8, AEROGPU_COMPARE_ALWAYS);
}

void agpu_gen_states(struct agpu_gen *g)
{
    set_blend(g);
    set_rasterizer(g);
    set_depth(g);
}

static void set_viewport(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_viewport *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT);

    packet->width_f32 = packet->height_f32 = agpu_gen_bits((float)agpu_gen_between(g, 1, 8));
    packet->max_depth_f32 = agpu_gen_bits(1.0f);
}

static void set_scissor(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_scissor *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_SCISSOR);

    packet->x = (int32_t)agpu_gen_below(g, 8) - 2;
    packet->y = (int32_t)agpu_gen_below(g, 8) - 2;
    packet->width = (int32_t)agpu_gen_between(g, 1, 8);
    packet->height = (int32_t)agpu_gen_between(g, 1, 8);
}

static void set_d3d9(struct agpu_gen *g)
{
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_render_state *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_STATE);

        packet->state = agpu_gen_below(g, 200);
    } else {
        struct aerogpu_cmd_set_sampler_state *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_SAMPLER_STATE);

        packet->shader_stage = agpu_gen_below(g, 2);
        packet->slot = agpu_gen_below(g, 16);
        packet->state = agpu_gen_below(g, 14);
    }
}

void agpu_gen_fixed(struct agpu_gen *g)
{
    static agpu_gen_action *const actions[] = {set_blend,    set_rasterizer, set_depth,
                                               set_viewport, set_scissor,    set_d3d9};

    actions[agpu_gen_below(g, sizeof actions / sizeof actions[0])](g);
}

static uint32_t buffer_name(struct agpu_gen *g, uint64_t *size)
{
    const struct agpu_gen_resource *buffer = agpu_gen_one_in(g, 4) ? NULL : agpu_gen_pick(g, 1);

    *size = buffer == NULL ? 0 : buffer->size;
    return buffer == NULL ? 0 : agpu_gen_name(g, buffer);
}

void agpu_gen_input(struct agpu_gen *g)
{
    uint64_t size;

    switch (agpu_gen_below(g, 4)) {
    case 0: {
        const uint32_t count = agpu_gen_below(g, 4);
        struct aerogpu_cmd_set_vertex_buffers *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_VERTEX_BUFFERS,
                                 count * (uint32_t)sizeof(struct aerogpu_vertex_buffer_binding));
        struct aerogpu_vertex_buffer_binding *bindings = (void *)(packet + 1);

        packet->start_slot = agpu_gen_below(g, 29);
        packet->buffer_count = count;
        for (uint32_t i = 0; i < count; i++) {
            bindings[i].buffer = buffer_name(g, &size);
            bindings[i].stride_bytes = 4 * agpu_gen_below(g, 16);
        }
        break;
    }
    case 1: {
        const uint32_t buffer = buffer_name(g, &size);
        struct aerogpu_cmd_set_index_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_INDEX_BUFFER);

        packet->buffer = buffer;
        packet->format = agpu_gen_below(g, 2);
        packet->offset_bytes = buffer == 0 ? 0 : agpu_gen_below(g, (uint32_t)(size / 4) + 1) * 4;
        break;
    }
    case 2: {
        struct aerogpu_cmd_set_primitive_topology *packet =
            agpu_gen_packet(g, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);

        packet->topology = agpu_gen_between(g, AEROGPU_TOPOLOGY_POINTLIST, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
        break;
    }
    default: {
        const uint32_t layout = object_pick(g, AGPU_GEN_LAYOUT);
        struct aerogpu_cmd_set_input_layout *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_INPUT_LAYOUT);

        packet->input_layout_handle = layout;
        break;
    }
    }
}

/* ---- slots of stages ---- */

static void bind_shaders(struct agpu_gen *g)
{
    const uint32_t size = 24 + agpu_gen_below(g, 5) * 4;
    uint32_t *packet;
    uint32_t handles[7];

    for (uint32_t i = 0; i < 7; i++) {
        handles[i] = object_pick(g, AGPU_GEN_SHADER);
    }
    agpu_gen_open(g);
    packet = agpu_gen_packet_add(g->program, AEROGPU_CMD_BIND_SHADERS, size);
    memcpy(packet + 2, handles, (size - 8 < sizeof handles ? size - 8 : sizeof handles));
}

static void bind_buffers(struct agpu_gen *g)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS,
                                       AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                                       AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS};
    static const uint32_t slots[] = {14, 128, 8};
    const uint32_t kind = agpu_gen_below(g, 3), count = agpu_gen_below(g, 4);
    struct aerogpu_cmd_set_constant_buffers *packet = agpu_gen_packet_with(
        g, opcodes[kind], count * (uint32_t)sizeof(struct aerogpu_constant_buffer_binding));
    struct aerogpu_constant_buffer_binding *bindings = (void *)(packet + 1);
    uint64_t size;

    packet->shader_stage = stage_of(g, &packet->reserved0);
    if (kind == 2 && packet->shader_stage < AEROGPU_SHADER_STAGE_COMPUTE) {
        packet->shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
    }
    packet->start_slot = agpu_gen_below(g, slots[kind] - count + 1);
    packet->buffer_count = count;
    for (uint32_t i = 0; i < count; i++) {
        bindings[i].buffer = buffer_name(g, &size);
        bindings[i].offset_bytes = 0;
        bindings[i].size_bytes = 0;
    }
}

void agpu_gen_bind(struct agpu_gen *g)
{
    switch (agpu_gen_below(g, 4)) {
    case 0: {
        const struct agpu_gen_resource *texture = agpu_gen_one_in(g, 4) ? NULL : agpu_gen_pick(g, 2);
        const uint32_t name = texture == NULL ? 0 : agpu_gen_name(g, texture);
        struct aerogpu_cmd_set_texture *packet;

        for (uint32_t i = 0; i < AGPU_GEN_TARGETS; i++) { /* one or the other */
            if (texture != NULL && (g->colors[i] != 0 || g->depth != 0)) {
                return;
            }
        }
        packet = agpu_gen_packet(g, AEROGPU_CMD_SET_TEXTURE);
        packet->shader_stage = stage_of(g, &packet->reserved0);
        packet->slot = agpu_gen_below(g, 128);
        packet->texture = name;
        break;
    }
    case 1: {
        const uint32_t count = agpu_gen_below(g, 5);
        struct aerogpu_cmd_set_samplers *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_SAMPLERS, count * 4);
        uint32_t *handles = (void *)(packet + 1);

        packet->shader_stage = stage_of(g, &packet->reserved0);
        packet->start_slot = agpu_gen_below(g, 16 - count + 1);
        packet->sampler_count = count;
        for (uint32_t i = 0; i < count; i++) {
            handles[i] = object_pick(g, AGPU_GEN_SAMPLER);
        }
        break;
    }
    case 2:
        bind_buffers(g);
        break;
    default:
        bind_shaders(g);
        break;
    }
}

/* Empty draws are a no-op on every device; the effect of other draws without shaders is a choice. */
void agpu_gen_draw(struct agpu_gen *g)
{
    const bool real = !g->plan.draws && agpu_gen_may(g, AGPU_GEN_CHOICE_DRAWS) && agpu_gen_one_in(g, 3);

    if (real) { /* refused, whichever rule applies first: the last packet of its submission */
        agpu_gen_open(g)->invalid = true;
    }
    switch (agpu_gen_below(g, 3)) {
    case 0: {
        struct aerogpu_cmd_draw *packet = agpu_gen_packet(g, AEROGPU_CMD_DRAW);

        packet->vertex_count = real ? 3 : 0;
        packet->instance_count = 1;
        break;
    }
    case 1: {
        struct aerogpu_cmd_draw_indexed *packet = agpu_gen_packet(g, AEROGPU_CMD_DRAW_INDEXED);

        packet->index_count = real ? 3 : 0;
        packet->instance_count = 1;
        break;
    }
    default: {
        struct aerogpu_cmd_dispatch *packet = agpu_gen_packet(g, AEROGPU_CMD_DISPATCH);

        packet->group_count_x = real ? 1 : 0;
        packet->group_count_y = packet->group_count_z = 1;
        break;
    }
    }
    if (real) {
        agpu_gen_close(g, true);
    }
}

/* ---- shared surfaces ---- */

static bool can_share(const struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    return agpu_gen_may(g, AGPU_GEN_CHOICE_EXPORT_BUFFER) ||
           (resource->texture && resource->mips == 1 && resource->layers == 1 && resource->alloc >= 0);
}

void agpu_gen_export(struct agpu_gen *g)
{
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    struct agpu_gen_token *token = &g->tokens[agpu_gen_below(g, AGPU_GEN_TOKENS)];
    struct aerogpu_cmd_export_shared_surface *packet;
    uint32_t name;

    if (resource == NULL || !can_share(g, resource)) {
        return;
    }
    if (token->token == 0 || token->resource != (int32_t)(resource - g->resources)) {
        if (token->token != 0 && token->resource >= 0) {
            return;
        }
        token->token = agpu_gen_random_u64(&g->random) | 1; /* never one that was used before */
        token->resource = (int32_t)(resource - g->resources);
    }
    name = agpu_gen_name(g, resource);
    packet = agpu_gen_packet(g, AEROGPU_CMD_EXPORT_SHARED_SURFACE);
    packet->resource_handle = name;
    packet->share_token = token->token;
}

void agpu_gen_import(struct agpu_gen *g)
{
    const struct agpu_gen_token *token = &g->tokens[agpu_gen_below(g, AGPU_GEN_TOKENS)];
    struct aerogpu_cmd_import_shared_surface *packet;
    struct agpu_gen_resource *resource;

    if (token->token == 0 || token->resource < 0) {
        return;
    }
    resource = &g->resources[token->resource];
    if (resource->alias == 0) {
        if (resource->original_gone) {
            return;
        }
        resource->alias = agpu_gen_new_handle(g);
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_IMPORT_SHARED_SURFACE);
    packet->out_resource_handle = resource->alias; /* a second time: a no-op */
    packet->share_token = token->token;
}

void agpu_gen_release(struct agpu_gen *g)
{
    struct agpu_gen_token *token = &g->tokens[agpu_gen_below(g, AGPU_GEN_TOKENS)];
    struct aerogpu_cmd_release_shared_surface *packet;

    if (token->token == 0 && !agpu_gen_one_in(g, 4)) {
        return;
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_RELEASE_SHARED_SURFACE);
    packet->share_token = token->token;
    token->resource = token->token != 0 ? -1 : token->resource;
}

/* ---- presents, and what has no effect ---- */

void agpu_gen_present(struct agpu_gen *g)
{
    const bool batches = agpu_gen_may(g, AGPU_GEN_CHOICE_HELD_FENCES);
    const bool vsync =
        agpu_gen_one_in(g, 2) && g->ring_count > 4 && agpu_gen_feature(g, AEROGPU_FEATURE_VBLANK);
    struct agpu_gen_step *step;

    if (!batches && vsync && g->scanout_on) {
        agpu_gen_close(g, true);
    }
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_present *packet = agpu_gen_packet(g, AEROGPU_CMD_PRESENT);

        packet->flags = vsync ? AEROGPU_PRESENT_FLAG_VSYNC : 0;
    } else {
        struct aerogpu_cmd_present_ex *packet = agpu_gen_packet(g, AEROGPU_CMD_PRESENT_EX);

        packet->flags = vsync ? AEROGPU_PRESENT_FLAG_VSYNC : 0;
        packet->d3d9_present_flags = agpu_gen_below(g, 16);
    }
    step = agpu_gen_last(g);
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_PRESENT_WRITE) && agpu_gen_one_in(g, 2)) {
        step->flags |= AEROGPU_SUBMIT_FLAG_PRESENT;
        step->invalid = true; /* a scanout that cannot be displayed is an error */
        agpu_gen_close(g, true);
    }
    if (vsync && g->scanout_on) {
        g->held_below = g->fence;
        if (!batches) {
            agpu_gen_close(g, true);
            agpu_gen_do(g, AGPU_GEN_ADVANCE)->value = 16;
            g->held_below = 0;
        } else if (agpu_gen_one_in(g, 2)) { /* an event while a fence is held */
            agpu_gen_close(g, true);
            agpu_gen_interrupts(g);
            agpu_gen_time(g);
        }
    }
}

void agpu_gen_framing(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    switch (agpu_gen_below(g, 5)) {
    case 0:
        agpu_gen_packet(g, AEROGPU_CMD_NOP);
        break;
    case 1: {
        const uint32_t bytes = agpu_gen_one_in(g, 100) ? LONG_MARKER : agpu_gen_below(g, 40);
        uint8_t *packet = agpu_gen_packet_with(g, AEROGPU_CMD_DEBUG_MARKER, bytes);

        memset(packet + 8, 'm', bytes);
        break;
    }
    case 2:
        agpu_gen_packet(g, AEROGPU_CMD_FLUSH);
        break;
    case 3: { /* unused opcodes (commands.md 1) */
        static const uint32_t opcodes[] = {0x002, 0x0FF, 0x109, 0x209,  0x303,     0x403,
                                           0x5FF, 0x604, 0x721, 0x1000, 0xFFFFFFFF};
        const uint32_t bytes = agpu_gen_below(g, 10) * 4;
        uint32_t *packet;

        agpu_gen_open(g);
        packet = agpu_gen_packet_add(g->program, opcodes[agpu_gen_below(g, 11)], 8 + bytes);
        agpu_gen_pattern((uint8_t *)(packet + 2), bytes, bytes);
        break;
    }
    default: /* no stream, or one without packets */
        agpu_gen_close(g, false);
        step = agpu_gen_open(g);
        step->size = agpu_gen_one_in(g, 2) ? 8 : 4;
        agpu_gen_close(g, false);
        break;
    }
}
