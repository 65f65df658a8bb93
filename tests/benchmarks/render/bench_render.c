/* bench_render.c: speed of the renderer through the whole device model, from doorbell to fence, as a JSON list. Floor:
 * the same draws directly on Vulkan in the same run. value and floor are medians of interleaved rounds. spread is
 * (largest - smallest) / median of the value's rounds. A round is the best of TRIES over the whole time: both sides
 * need several threads and processes at once, and other load can only slow them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/benchmarks/device/bench_machine.h"
#include "tests/benchmarks/render/floor.h"
#include "tests/benchmarks/series.h"
#include "tests/device/render/render.h"
#include "tests/shaders/shaders.h"

enum {
    TRIES = 8, /* with each of the PROCESSES */
    PROCESSES = 5,
    COLOR = 1,
    VERTICES = 2,
    BIG = 3,
    BACK = 4,
    CHANGED = 5, /* and the one after it */
    CHANGES = 100,
    VS = 10,
    PS = 11,
    LAYOUT = 20,
    WIDTH = 1920,
    HEIGHT = 1080
};

#define PACKET(bench, opcode, type)                                                                          \
    ((struct type *)bench_packet(bench, AEROGPU_CMD_##opcode, sizeof(struct type)))

static void texture(struct bench *bench, uint32_t handle, uint32_t width, uint32_t height)
{
    struct aerogpu_cmd_create_texture2d *create =
        PACKET(bench, CREATE_TEXTURE2D, aerogpu_cmd_create_texture2d);
    create->texture_handle = handle;
    create->format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    create->width = width;
    create->height = height;
    create->mip_levels = create->array_layers = 1;
}

static void shader(struct bench *bench, uint32_t handle, uint32_t stage, const struct agpu_shader_blob *blob)
{
    struct aerogpu_cmd_create_shader_dxbc *create =
        bench_packet(bench, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *create + blob->size_bytes);
    create->shader_handle = handle;
    create->stage = stage;
    create->dxbc_size_bytes = blob->size_bytes;
    memcpy(create + 1, blob->words, blob->size_bytes);
}

static void target(struct bench *bench, uint32_t handle)
{
    struct aerogpu_cmd_set_render_targets *set =
        PACKET(bench, SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets);
    set->color_count = 1;
    set->colors[0] = handle;
}

static void draw(struct bench *bench)
{
    struct aerogpu_cmd_draw *call = PACKET(bench, DRAW, aerogpu_cmd_draw);

    call->vertex_count = 3;
    call->instance_count = 1;
}

static void blend(struct bench *bench, bool enable)
{
    struct aerogpu_blend_state *state = &PACKET(bench, SET_BLEND_STATE, aerogpu_cmd_set_blend_state)->state;

    state->enable = enable;
    state->src_factor = state->dst_factor = AEROGPU_BLEND_ONE;
    state->src_factor_alpha = state->dst_factor_alpha = AEROGPU_BLEND_ONE;
    state->color_write_mask = 15;
    state->sample_mask = UINT32_MAX;
}

/* The scene of floor.c as packets. */
static void set_up(struct bench *bench)
{
    static const uint32_t elements[2][7] = {{0x7808E88A, 0, 2, 0, 0, 0, 0}, {0xE7C308F8, 0, 2, 0, 16, 0, 0}};

    texture(bench, COLOR, SCENE_EDGE, SCENE_EDGE);
    texture(bench, BIG, WIDTH, HEIGHT);
    texture(bench, BACK, WIDTH, HEIGHT);
    struct aerogpu_cmd_create_buffer *buffer = PACKET(bench, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    buffer->buffer_handle = VERTICES;
    buffer->size_bytes = sizeof scene_vertices;
    struct aerogpu_cmd_upload_resource *upload =
        bench_packet(bench, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *upload + sizeof scene_vertices);
    upload->resource_handle = VERTICES;
    upload->size_bytes = sizeof scene_vertices;
    memcpy(upload + 1, scene_vertices, sizeof scene_vertices);
    shader(bench, VS, 0, &agpu_vs_color_4_0);
    shader(bench, PS, 1, &agpu_ps_color_4_0);
    uint32_t *bind = bench_packet(bench, AEROGPU_CMD_BIND_SHADERS, 36);
    bind[2] = VS;
    bind[3] = PS;
    uint32_t *layout = bench_packet(bench, AEROGPU_CMD_CREATE_INPUT_LAYOUT, 20 + 16 + sizeof elements);
    layout[2] = LAYOUT;
    layout[3] = 16 + sizeof elements;
    layout[5] = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    layout[6] = 1;
    layout[7] = 2;
    memcpy(layout + 9, elements, sizeof elements);
    PACKET(bench, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle = LAYOUT;
    uint32_t *buffers = bench_packet(bench, AEROGPU_CMD_SET_VERTEX_BUFFERS, 32);
    buffers[3] = 1;
    buffers[4] = VERTICES;
    buffers[5] = 32;
    PACKET(bench, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state);
    target(bench, COLOR);
}

static void run_once(struct bench *bench)
{
    bench_fill_ring(bench);
    bench_run(bench, 1);
}

/* Opens the device with the renderer, creates the scene and draws once. Returns the time of that first draw. */
static double open_scene(struct bench *bench, const struct vgpu_render *render)
{
    bench_open(bench);
    vgpu_device_set_renderer(bench->device, vgpu_render_interface(render));
    bench_stream_begin(bench);
    set_up(bench);
    run_once(bench);
    bench_stream_begin(bench);
    draw(bench);
    bench_fill_ring(bench);
    double start = bench_now();
    bench_run(bench, 1);
    double took = bench_now() - start;
    bench_check(bench);
    return took;
}

/* Updates the best figure of a round: work divided by seconds. */
static void keep_best(double *best, double done, double seconds)
{
    *best = done / seconds > *best ? done / seconds : *best;
}

/* Returns the time of the first submission in the filled ring, from doorbell to fence. */
static double time_one(struct bench *bench)
{
    bench_fill_ring(bench);
    double start = bench_now();
    bench_run(bench, 1);
    return bench_now() - start;
}

static struct vgpu_render *open_render(void)
{
    struct vgpu_render_config config = {0};
    struct vgpu_render *render = vgpu_render_create(&config);
    const char *text = "memory is exhausted";

    if (render == NULL || !vgpu_render_ready(render, &text)) {
        fprintf(stderr, "agpu_bench_render: %s\n", text);
        exit(1);
    }
    return render;
}

/* Measures with several drawing processes in turn: the kernel may leave a process on a good or a bad processor for its
 * whole life. */
static void draws(struct floor *floor, bool changes)
{
    struct bench_series series = {0};

    for (uint32_t process = 0; process < PROCESSES; process++) {
        struct vgpu_render *render = open_render();
        struct bench bench;

        open_scene(&bench, render);
        bench_stream_begin(&bench);
        for (uint32_t i = 0; i < SCENE_DRAWS; i++) {
            if (changes) {
                blend(&bench, i & 1);
            }
            draw(&bench);
        }
        run_once(&bench);
        for (uint32_t i = 0; i < BENCH_ROUNDS * TRIES; i++) {
            double start = bench_now();

            floor_draw(floor, changes);
            keep_best(&series.floor[i % BENCH_ROUNDS], SCENE_DRAWS, bench_now() - start);
            keep_best(&series.value[i % BENCH_ROUNDS], SCENE_DRAWS, time_one(&bench));
        }
        bench_check(&bench);
        bench_close(&bench);
        vgpu_render_destroy(render);
    }
    bench_print(changes ? "render.draws_state" : "render.draws", "draws/s", &series, changes ? "0.8" : "0.9");
}

/* 100 draws, each after a change of 256 bytes in the middle of a 4 MiB buffer that the shader reads. Floor: a 4 KiB
 * buffer. */
static void put_changes(struct bench *bench, uint32_t buffer, uint32_t bytes)
{
    bench_stream_begin(bench);
    uint32_t *set = bench_packet(bench, AEROGPU_CMD_SET_VERTEX_BUFFERS, 32);
    set[3] = 1;
    set[4] = buffer;
    set[5] = 32;
    for (uint32_t i = 0; i < CHANGES; i++) {
        struct aerogpu_cmd_upload_resource *upload =
            bench_packet(bench, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *upload + 256);
        upload->resource_handle = buffer;
        upload->offset_bytes = bytes / 2;
        upload->size_bytes = 256;
        memset(upload + 1, (int)i, 256);
        draw(bench);
    }
}

static void part_changes(struct vgpu_render *render)
{
    static const uint32_t sizes[2] = {4u << 20, 4096};
    struct bench bench;
    struct bench_series series = {0};

    open_scene(&bench, render);
    for (uint32_t i = 0; i < 2; i++) {
        bench_stream_begin(&bench);
        struct aerogpu_cmd_create_buffer *buffer = PACKET(&bench, CREATE_BUFFER, aerogpu_cmd_create_buffer);
        buffer->buffer_handle = CHANGED + i;
        buffer->size_bytes = sizes[i];
        run_once(&bench);
        put_changes(&bench, CHANGED + i, sizes[i]);
        run_once(&bench);
    }
    for (uint32_t i = 0; i < BENCH_ROUNDS * TRIES; i++) {
        put_changes(&bench, CHANGED + 1, sizes[1]);
        keep_best(&series.floor[i % BENCH_ROUNDS], CHANGES, time_one(&bench));
        put_changes(&bench, CHANGED, sizes[0]);
        keep_best(&series.value[i % BENCH_ROUNDS], CHANGES, time_one(&bench));
    }
    bench_check(&bench);
    bench_close(&bench);
    bench_print("render.part_changes", "draws/s", &series, "0.8");
}

/* From the first draw of a new device to its fence: processes, translation, pipeline. Floor: the same draw again. */
static void first_draw(void)
{
    struct bench_series series;

    for (uint32_t round = 0; round < BENCH_ROUNDS; round++) {
        struct bench bench;
        struct vgpu_render *render = open_render();

        series.value[round] = open_scene(&bench, render) * 1e3;
        bench_fill_ring(&bench);
        double start = bench_now();
        bench_run(&bench, 1);
        series.floor[round] = (bench_now() - start) * 1e3;
        bench_close(&bench);
        vgpu_render_destroy(render);
    }
    bench_print("render.first_draw", "ms", &series, "null");
}

#define READBACK_BYTES (WIDTH * HEIGHT * 4)

/* Reads a 1920x1080 target that an earlier submission drew: from doorbell to fence of a copy of one texel, for which
 * the model needs the whole target. Floor: memcpy of as many bytes. The ratio can reach about 0.5: the drawing process
 * cannot access the model's memory, so it copies the target to shared memory, and the model copies it from there. */
static void readback(struct vgpu_render *render)
{
    struct bench bench;
    struct bench_series series = {0};
    uint8_t *from = malloc(READBACK_BYTES), *to = malloc(READBACK_BYTES);

    if (from == NULL || to == NULL) {
        exit(1);
    }
    memset(from, 1, READBACK_BYTES);
    memset(to, 2, READBACK_BYTES);
    open_scene(&bench, render);
    for (uint32_t i = 0; i < BENCH_ROUNDS * TRIES; i++) {
        double took = 0;

        for (uint32_t copy = 0; copy < 2; copy++) {
            bench_stream_begin(&bench);
            if (!copy) {
                target(&bench, BIG);
                draw(&bench);
            } else {
                /* One texel: the model reads back the whole target before it copies. */
                struct aerogpu_cmd_copy_texture2d *call =
                    PACKET(&bench, COPY_TEXTURE2D, aerogpu_cmd_copy_texture2d);
                call->dst_texture = BACK;
                call->src_texture = BIG;
                call->width = call->height = 1;
            }
            bench_fill_ring(&bench);
            double start = bench_now();
            bench_run(&bench, 1);
            took = bench_now() - start;
        }
        double start = bench_now();
        memcpy(to, from, READBACK_BYTES);
        keep_best(&series.floor[i % BENCH_ROUNDS], READBACK_BYTES / 1e9, bench_now() - start);
        keep_best(&series.value[i % BENCH_ROUNDS], READBACK_BYTES / 1e9, took);
        if (to[i] != 1) {
            exit(1);
        }
    }
    bench_check(&bench);
    bench_close(&bench);
    free(from);
    free(to);
    bench_print("render.readback_1080p", "GB/s", &series, "0.4");
}

int main(void)
{
    struct vgpu_translator_config config = {0};
    struct vgpu_translator *translator = vgpu_translator_create(&config);

    if (translator == NULL) {
        fprintf(stderr, "agpu_bench_render: memory is exhausted\n");
        return 1;
    }
    struct floor *floor = floor_open(translator);
    draws(floor, false);
    draws(floor, true);
    struct vgpu_render *render = open_render();
    part_changes(render);
    first_draw();
    readback(render);
    printf("\n]\n");
    floor_close(floor);
    vgpu_translator_destroy(translator);
    vgpu_render_destroy(render);
    return 0;
}
