/* refused.c: pipeline packets with impossible values: an error of that submission, whether or not the device draws
 * (commands.md 7-10, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define VS AEROGPU_SHADER_STAGE_VERTEX
#define PS AEROGPU_SHADER_STAGE_PIXEL

static void nine_targets(struct agpu_rig *r)
{
    struct aerogpu_cmd_set_render_targets *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);

    set->color_count = 9;
}

/* Given one pipeline packet with an impossible value, a device that executes shaders must refuse it; one that does not
 * may ignore it (commands.md 8 to 10). */
static void refused_refused(struct agpu_test *t)
{
    void (*const *put)(struct agpu_rig * rig) = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    enum agpu_draws draws = agpu_draws_find(t);
    /* Two known executors clamp or ignore the number of targets (commands.md 8). */
    const bool tolerated =
        *put == nine_targets && executor != NULL && (executor->implicit || executor->six_layers);
    bool refused;

    agpu_return_unless(executor != NULL);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 64);
    agpu_return_unless(agpu_run_clean(t));
    (*put)(agpu_rig_of(t));
    if (t->env->model || (draws == AGPU_DRAWS && !tolerated)) {
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    } else {
        agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused));
    }
    if (draws == AGPU_DRAWS) {
        agpu_scene_recovers(t);
    }
}

static void vertex_slot(struct agpu_rig *r)
{
    agpu_put_vertex_buffer(r, 32, 40, 16, 0);
}

static void index_format(struct agpu_rig *r)
{
    agpu_put_index_buffer(r, 40, 2, 0);
}

static void index_offset(struct agpu_rig *r)
{
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, 2);
}

static void texture_slot(struct agpu_rig *r)
{
    agpu_put_texture_slot(r, PS, 128, 0);
}

static void texture_stage(struct agpu_rig *r)
{
    agpu_put_texture_slot(r, 4, 0, 0);
}

static void sampler_slot(struct agpu_rig *r)
{
    agpu_put_sampler(r, 16, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
}

/* Not bound as well: a device may continue after the faulty packet (commands.md 3). */
static void put_sampler_alone(struct agpu_rig *r, uint32_t filter, uint32_t address)
{
    struct aerogpu_cmd_create_sampler *create =
        agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);

    create->sampler_handle = 50;
    create->filter = filter;
    create->address_u = create->address_v = create->address_w = address;
}

static void sampler_filter(struct agpu_rig *r)
{
    put_sampler_alone(r, 2, AEROGPU_SAMPLER_ADDRESS_REPEAT);
}

static void sampler_address(struct agpu_rig *r)
{
    put_sampler_alone(r, AEROGPU_SAMPLER_FILTER_NEAREST, 3);
}

/* One of the three alone. */
static void sampler_address_w(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_sampler *create =
        agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);

    create->sampler_handle = 50;
    create->address_w = 3;
}

static void constant_slot(struct agpu_rig *r)
{
    agpu_put_constants(r, VS, 14, 40, 0, 0);
}

static void buffer_view_slot(struct agpu_rig *r)
{
    agpu_put_srv(r, PS, 128, 40, 0, 0);
}

static void uav_slot(struct agpu_rig *r)
{
    agpu_put_uav(r, 8, 40, 0, 0);
}

static void uav_of_pixel_shader(struct agpu_rig *r)
{
    struct aerogpu_cmd_set_unordered_access_buffers *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS,
                        (uint32_t)(sizeof *set + sizeof(struct aerogpu_unordered_access_buffer_binding)));

    set->shader_stage = PS;
    set->uav_count = 1;
    memcpy(set + 1, &(uint32_t){40}, 4);
}

/* A compute stage with the stage_ex of the pixel stage, and of none. */
static void sampler_stage_ex(struct agpu_rig *r)
{
    struct aerogpu_cmd_set_samplers *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *set + 4);

    set->shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
    set->reserved0 = 1;
    set->sampler_count = 1;
}

static void texture_stage_ex(struct agpu_rig *r)
{
    struct aerogpu_cmd_set_texture *set = agpu_rig_packet(r, AEROGPU_CMD_SET_TEXTURE, sizeof *set);

    set->shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
    set->reserved0 = 6;
}

static void register_stage_ex(struct agpu_rig *r)
{
    static const uint32_t zeros[4];

    agpu_put_registers(r, AEROGPU_SHADER_STAGE_COMPUTE, 1, 0, 1, zeros);
}

static void constant_stage_ex(struct agpu_rig *r)
{
    agpu_put_constants_of(r, AEROGPU_SHADER_STAGE_COMPUTE, 1, 0, 40);
}

static void uav_stage_ex(struct agpu_rig *r)
{
    agpu_put_uav_of(r, AEROGPU_SHADER_STAGE_COMPUTE, UINT32_MAX, 0, 40);
}

static void register_number(struct agpu_rig *r)
{
    struct aerogpu_cmd_set_shader_constants_f *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, (uint32_t)sizeof *set + 32);

    set->stage = PS;
    set->start_register = 4095;
    set->vec4_count = 2;
}

static void empty_shader(struct agpu_rig *r)
{
    agpu_put_shader_bytes(r, 60, PS, 0, "", 0);
}

static void shader_stage(struct agpu_rig *r)
{
    agpu_put_shader_bytes(r, 60, AEROGPU_SHADER_STAGE_COMPUTE, 1, agpu_ps_color_4_0.words,
                          agpu_ps_color_4_0.size_bytes);
}

/* The blob of the packet states more elements than it has. */
static void layout_too_short(struct agpu_rig *r)
{
    struct aerogpu_input_layout_blob_header *header;

    struct aerogpu_cmd_create_input_layout *create =
        agpu_rig_packet(r, AEROGPU_CMD_CREATE_INPUT_LAYOUT, (uint32_t)(sizeof *create + sizeof *header));

    create->input_layout_handle = 60;
    create->blob_size_bytes = sizeof *header;
    header = (struct aerogpu_input_layout_blob_header *)(create + 1);
    header->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    header->version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION;
    header->element_count = 1;
}

static void layout_slot(struct agpu_rig *r)
{
    static const struct agpu_element element = {AGPU_POSITION, 0, 2, 32, 0, 0};

    agpu_put_layout(r, 60, &element, 1);
}

#define REFUSED(name, section, function)                                                                     \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = refused_refused,           \
        .arg = &(void (*const)(struct agpu_rig *)){function},                                                \
    }

static const struct agpu_case render_refused_cases[] = {
    REFUSED("render.refused.nine_targets", "commands.md 8", nine_targets),
    REFUSED("render.refused.vertex_buffer_slot", "commands.md 9", vertex_slot),
    REFUSED("render.refused.index_format", "commands.md 9", index_format),
    REFUSED("render.refused.index_offset", "commands.md 9", index_offset),
    REFUSED("render.refused.texture_slot", "commands.md 10", texture_slot),
    REFUSED("render.refused.texture_stage", "commands.md 4", texture_stage),
    REFUSED("render.refused.sampler_slot", "commands.md 10", sampler_slot),
    REFUSED("render.refused.sampler_filter", "commands.md 10", sampler_filter),
    REFUSED("render.refused.sampler_address", "commands.md 10", sampler_address),
    REFUSED("render.refused.sampler_address_w", "commands.md 10", sampler_address_w),
    REFUSED("render.refused.constant_buffer_slot", "commands.md 10", constant_slot),
    REFUSED("render.refused.buffer_view_slot", "commands.md 10", buffer_view_slot),
    REFUSED("render.refused.uav_slot", "commands.md 10", uav_slot),
    REFUSED("render.refused.uav_of_pixel_shader", "commands.md 10", uav_of_pixel_shader),
    REFUSED("render.refused.constant_register", "commands.md 7", register_number),
    REFUSED("render.refused.empty_shader", "commands.md 7", empty_shader),
    REFUSED("render.refused.shader_stage_ex", "commands.md 4", shader_stage),
    REFUSED("render.refused.sampler_stage_ex", "commands.md 4", sampler_stage_ex),
    REFUSED("render.refused.texture_stage_ex", "commands.md 4", texture_stage_ex),
    REFUSED("render.refused.register_stage_ex", "commands.md 4", register_stage_ex),
    REFUSED("render.refused.constant_stage_ex", "commands.md 4", constant_stage_ex),
    REFUSED("render.refused.uav_stage_ex", "commands.md 4", uav_stage_ex),
    REFUSED("render.refused.layout_too_short", "commands.md 7", layout_too_short),
    REFUSED("render.refused.layout_slot", "commands.md 7", layout_slot),
};

AGPU_CASE_TABLE(agpu_cases_render_refused, render_refused_cases);
