/* test_draw.c: validation of draws and dispatches, and what reaches the renderer (commands.md 11, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/renderer.h"
#include "tests/unit/device/packets_short.h"

/* A renderer that records what it is given and claims to have drawn white into target 1. */
struct recorder {
    struct vgpu_renderer renderer;
    unsigned draws, dispatches, reads, forgotten_resources, forgotten_shaders, resets;
    struct vgpu_draw draw;
    struct vgpu_dispatch dispatch;
    uint32_t result;
};

static uint32_t record_draw(void *ctx, const struct vgpu_draw *draw)
{
    struct recorder *recorder = ctx;

    recorder->draws++;
    recorder->draw = *draw;
    vgpu_object_resource(draw->state->colors[0].thing)->renderer_newer = true;
    return recorder->result;
}

static uint32_t record_dispatch(void *ctx, const struct vgpu_dispatch *dispatch)
{
    struct recorder *recorder = ctx;

    recorder->dispatches++;
    recorder->dispatch = *dispatch;
    return recorder->result;
}

static uint32_t finish(void *ctx)
{
    (void)ctx;
    return AEROGPU_ERROR_NONE;
}

static void read_back(void *ctx, struct vgpu_resource *resource)
{
    ((struct recorder *)ctx)->reads++;
    memset(resource->data, 0xFF, resource->size);
}

static void forget_resource(void *ctx, struct vgpu_resource *resource)
{
    (void)resource;
    ((struct recorder *)ctx)->forgotten_resources++;
}

static void forget_shader(void *ctx, struct vgpu_shader *shader)
{
    (void)shader;
    ((struct recorder *)ctx)->forgotten_shaders++;
}

static void reset(void *ctx)
{
    ((struct recorder *)ctx)->resets++;
}

static void attach(struct fake_driver *driver, struct recorder *recorder)
{
    *recorder = (struct recorder){.renderer = {recorder, record_draw, record_dispatch, finish, read_back,
                                               forget_resource, forget_shader, reset}};
    vgpu_device_set_renderer(driver->machine->device, &recorder->renderer);
}

static void add_shader(struct fake_driver *driver, uint32_t handle, uint32_t stage, uint32_t stage_ex)
{
    struct aerogpu_cmd_create_shader_dxbc *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *create + 4);

    create->shader_handle = handle;
    create->stage = stage;
    create->dxbc_size_bytes = 4;
    create->reserved0 = stage_ex;
}

static uint32_t *add_bind(struct fake_driver *driver)
{
    uint32_t *words = stream_packet(driver, AEROGPU_CMD_BIND_SHADERS, 36);

    words[2] = 1;
    words[3] = 2;
    return words;
}

static struct aerogpu_cmd_draw *add_draw(struct fake_driver *driver)
{
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(driver, DRAW, aerogpu_cmd_draw);

    draw->vertex_count = 3;
    draw->instance_count = 1;
    return draw;
}

static void expect(struct fake_driver *driver, uint32_t code)
{
    if (code == AEROGPU_ERROR_NONE) {
        submit_good(driver);
    } else {
        submit_bad(driver, code);
    }
    stream_begin(driver);
}

/* Target 1 and depth 2 bound, shaders 1 to 6 of each stage made, VS and PS bound, vertex buffer 3. */
static void make_pipeline(struct fake_driver *driver)
{
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_texture(driver, 2, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 0);
    add_buffer(driver, 3, 64, 0);
    add_shader(driver, 1, 0, 0);
    add_shader(driver, 2, 1, 0);
    add_shader(driver, 3, 3, 0);
    add_shader(driver, 4, 2, 3);
    add_shader(driver, 5, 2, 4);
    add_shader(driver, 6, 2, 0);
    add_targets(driver, 1, 2);
    add_bind(driver);
    expect(driver, AEROGPU_ERROR_NONE);
}

/* A valid draw without a renderer is BACKEND: the device itself cannot. */
static void no_renderer(void **state)
{
    struct fake_driver *driver = *state;

    make_pipeline(driver);
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_BACKEND);
    add_bind(driver)[4] = 6;
    struct aerogpu_cmd_dispatch *dispatch = STREAM_PACKET(driver, DISPATCH, aerogpu_cmd_dispatch);
    dispatch->group_count_x = dispatch->group_count_y = dispatch->group_count_z = 1;
    expect(driver, AEROGPU_ERROR_BACKEND);
}

/* Parameters arrive; the renderer's copy is read back before the device reads; versions tell of changes. */
static void reaches_renderer(void **state)
{
    struct fake_driver *driver = *state;
    struct recorder recorder;
    uint32_t pixels[16];

    make_pipeline(driver);
    attach(driver, &recorder);
    struct aerogpu_cmd_draw *draw = add_draw(driver);
    draw->first_vertex = 5;
    draw->first_instance = 6;
    draw->instance_count = 7;
    expect(driver, AEROGPU_ERROR_NONE);
    assert_int_equal(recorder.draws, 1);
    assert_int_equal(recorder.draw.count, 3);
    assert_int_equal(recorder.draw.first, 5);
    assert_int_equal(recorder.draw.first_instance, 6);
    assert_int_equal(recorder.draw.instance_count, 7);
    assert_false(recorder.draw.indexed);
    read_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, pixels);
    assert_int_equal(recorder.reads, 1);
    assert_int_equal(pixels[0], 0xFFFFFFFF);
    stream_begin(driver);
    struct aerogpu_cmd_set_index_buffer *index =
        STREAM_PACKET(driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
    index->buffer = 3;
    struct aerogpu_cmd_draw_indexed *indexed = STREAM_PACKET(driver, DRAW_INDEXED, aerogpu_cmd_draw_indexed);
    indexed->index_count = 9;
    indexed->instance_count = 1;
    indexed->base_vertex = -4;
    expect(driver, AEROGPU_ERROR_NONE);
    assert_true(recorder.draw.indexed);
    assert_int_equal(recorder.draw.base_vertex, -4);
    recorder.result = AEROGPU_ERROR_CMD_DECODE; /* a blob that cannot be used */
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_CMD_DECODE);
    recorder.result = AEROGPU_ERROR_NONE;
    struct aerogpu_cmd_set_blend_state *blend =
        STREAM_PACKET(driver, SET_BLEND_STATE, aerogpu_cmd_set_blend_state);
    blend->state.sample_mask = 2; /* bit 0 clear discards every draw */
    add_draw(driver);
    add_destroy(driver, 1);
    STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader)->shader_handle = 6;
    expect(driver, AEROGPU_ERROR_NONE);
    assert_int_equal(recorder.draws, 3);
    assert_int_equal(recorder.forgotten_resources, 2); /* the one of read_texture and 1 */
    assert_int_equal(recorder.forgotten_shaders, 1);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    assert_int_equal(recorder.resets, 1);
    vgpu_device_set_renderer(driver->machine->device, NULL);
}

/* commands.md 15: what a draw refuses. */
static void bad_draws(void **state)
{
    struct fake_driver *driver = *state;
    struct recorder recorder;

    make_pipeline(driver);
    attach(driver, &recorder);
    add_texture(driver, 8, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 4, 0);
    expect(driver, AEROGPU_ERROR_NONE);
    const uint32_t targets[][2] = {{0, 0}, {99, 0}, {2, 0}, {0, 1}, {8, 2}, {3, 0}};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        add_targets(driver, targets[i][0], targets[i][1]);
        add_draw(driver);
        expect(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    add_targets(driver, 1, 2);
    const uint32_t binds[][2] = {{2, 0}, {2, 99}, {2, 2}, {3, 1}, {3, 99}, {7, 1}, {6, 5}};
    for (size_t i = 0; i < sizeof binds / sizeof binds[0]; i++) { /* missing, unknown or of another stage */
        add_targets(driver, 1, 2);
        add_bind(driver)[binds[i][0]] = binds[i][1];
        add_draw(driver);
        expect(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    add_bind(driver);
    const uint32_t topologies[] = {AEROGPU_TOPOLOGY_LINELIST_ADJ, AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ,
                                   AEROGPU_TOPOLOGY_PATCHLIST_1, AEROGPU_TOPOLOGY_PATCHLIST_32};
    for (size_t i = 0; i < 4; i++) {
        STREAM_PACKET(driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology =
            topologies[i];
        add_draw(driver);
        expect(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    STREAM_PACKET(driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology = 4;
    STREAM_PACKET(driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle = 50;
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_CMD_DECODE); /* unknown layout */
    struct aerogpu_cmd_create_input_layout *layout =
        stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *layout + 16 + 28);
    layout->input_layout_handle = 50;
    layout->blob_size_bytes = 44;
    uint32_t *blob = (void *)(layout + 1);
    blob[0] = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    blob[1] = 1;
    blob[2] = 1;
    blob[6] = 9; /* a format outside the list */
    expect(driver, AEROGPU_ERROR_NONE);
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_CMD_DECODE);
    STREAM_PACKET(driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout);
    STREAM_PACKET(driver, DRAW_INDEXED, aerogpu_cmd_draw_indexed)->index_count = 3;
    expect(driver, AEROGPU_ERROR_NONE); /* instance_count 0: no-op before any other check */
    for (unsigned i = 0; i < 3; i++) {  /* no index buffer, an unknown one, a texture */
        STREAM_PACKET(driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer)->buffer =
            (uint32_t[]){0, 99, 1}[i];
        struct aerogpu_cmd_draw_indexed *indexed =
            STREAM_PACKET(driver, DRAW_INDEXED, aerogpu_cmd_draw_indexed);
        indexed->index_count = indexed->instance_count = 1;
        expect(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    assert_int_equal(recorder.draws, 0);
    add_draw(driver); /* an unknown index buffer does not disturb a plain draw */
    expect(driver, AEROGPU_ERROR_NONE);
    add_draw(driver)->vertex_count = 0;
    expect(driver, AEROGPU_ERROR_NONE);
    assert_int_equal(recorder.draws, 1);
    vgpu_device_set_renderer(driver->machine->device, NULL);
}

/* commands.md 10: unknown handles count only where a bound stage looks. */
static void unknown_bindings(void **state)
{
    struct fake_driver *driver = *state;
    struct recorder recorder;

    make_pipeline(driver);
    attach(driver, &recorder);
    struct aerogpu_cmd_set_texture *texture = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);
    texture->shader_stage = AEROGPU_SHADER_STAGE_GEOMETRY; /* no shader there */
    texture->texture = 70;
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_NONE);
    texture = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);
    texture->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    texture->texture = 71;
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_CMD_DECODE);
    add_texture(driver, 71, AEROGPU_FORMAT_BC1_RGBA_UNORM, 4, 4, 0); /* now it exists */
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_NONE);
    STREAM_PACKET(driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology =
        AEROGPU_TOPOLOGY_LINELIST_ADJ;
    add_bind(driver)[6] = 3; /* with the geometry shader its texture counts */
    add_draw(driver);
    expect(driver, AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(recorder.draws, 2);
    vgpu_device_set_renderer(driver->machine->device, NULL);
}

/* commands.md 11, 15: DISPATCH. */
static void dispatch(void **state)
{
    struct fake_driver *driver = *state;
    struct recorder recorder;

    const struct {
        uint32_t groups[3], stage_ex, cs, code, stage;
    } rows[] = {
        {{0, 1, 1}, 77, 0, AEROGPU_ERROR_NONE, 99},
        {{1, 0, 1}, 0, 0, AEROGPU_ERROR_NONE, 99},
        {{1, 1, 0}, 0, 0, AEROGPU_ERROR_NONE, 99},
        {{1, 1, 1}, 0, 0, AEROGPU_ERROR_CMD_DECODE, 99},
        {{1, 1, 1}, 0, 55, AEROGPU_ERROR_CMD_DECODE, 99},
        {{1, 1, 1}, 0, 1, AEROGPU_ERROR_CMD_DECODE, 99},
        {{2, 3, 4}, 0, 6, AEROGPU_ERROR_NONE, VGPU_STAGE_COMPUTE},
        {{1, 1, 1}, 1, 6, AEROGPU_ERROR_CMD_DECODE, 99},
        {{1, 1, 1}, 3, 6, AEROGPU_ERROR_NONE, VGPU_STAGE_HULL},
        {{1, 1, 1}, 2, 6, AEROGPU_ERROR_CMD_DECODE, 99},
    };

    make_pipeline(driver);
    attach(driver, &recorder);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned before = recorder.dispatches;
        uint32_t *bind = add_bind(driver);

        bind[4] = rows[i].cs;
        bind[7] = 4;
        struct aerogpu_cmd_dispatch *packet = STREAM_PACKET(driver, DISPATCH, aerogpu_cmd_dispatch);
        packet->group_count_x = rows[i].groups[0];
        packet->group_count_y = rows[i].groups[1];
        packet->group_count_z = rows[i].groups[2];
        packet->reserved0 = rows[i].stage_ex;
        expect(driver, rows[i].code);
        assert_int_equal(recorder.dispatches, before + (rows[i].stage != 99));
        if (rows[i].stage != 99) {
            assert_int_equal(recorder.dispatch.stage, rows[i].stage);
            assert_int_equal(recorder.dispatch.groups[2], rows[i].groups[2]);
        }
    }
    vgpu_device_set_renderer(driver->machine->device, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_renderer), TEST(reaches_renderer), TEST(bad_draws), TEST(unknown_bindings), TEST(dispatch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
