/* scene.c: scenes, and comparison of their images. */
#include "tests/cases/rig/scene.h"

#include "tests/cases/rig/executor.h"

#include <string.h>

#include "pci/machine/text.h"
#include "ring/irq.h"
#include "ring/ring.h"

#define RGBA            AEROGPU_FORMAT_R8G8B8A8_UNORM
#define READ_HANDLE     0xFDu
#define READ_ALLOC      0xFDu
#define READ_MEMORY     3u
#define POISON          0xCD
#define RECOVERY_HANDLE 0xF0u /* and the handles after it */

/* One case runs at a time. */
static uint32_t actual[AGPU_IMAGE_TEXELS];
static uint32_t wanted[AGPU_IMAGE_TEXELS];

/* The image and texture of the case's last comparison: a wrong texel may be left over from it. */
static struct {
    const struct agpu_case *test_case;
    uint32_t texture;
    uint32_t texels[AGPU_EDGE * AGPU_EDGE];
} seen;

static void put_start(struct agpu_rig *r)
{
    agpu_put_plain_target(r, AGPU_TARGET, AGPU_EDGE);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

/* Copies mip 0 to guest memory, without padding, over poison. The receiving texture is destroyed in the stream of the
 * next copy. */
static void put_read(struct agpu_rig *r, uint32_t texture, uint32_t format, uint32_t width, uint32_t height,
                     uint32_t texel_bytes)
{
    memset(r->memory[READ_MEMORY].cpu, POISON, width * height * texel_bytes);
    agpu_rig_alloc(r, READ_ALLOC, &r->memory[READ_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_destroy(r, READ_HANDLE);
    agpu_put_create_texture(r, READ_HANDLE, format, width, height, width * texel_bytes, READ_ALLOC);
    agpu_put_dirty(r, READ_HANDLE, 0, width * height * texel_bytes);
    agpu_put_copy_texture(r, READ_HANDLE, texture, width, height, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

/* ---- scenes ---- */

static void scene_begin_anew(struct agpu_test *test)
{
    seen.test_case = NULL;
    put_start(agpu_rig_of(test));
}

bool agpu_scene_begin(struct agpu_test *test)
{
    if (agpu_executor_of(test) == NULL || !agpu_draws_shaders(test)) {
        return false;
    }
    scene_begin_anew(test);
    return true;
}

bool agpu_scene_begin_triangles(struct agpu_test *test)
{
    if (agpu_executor_of(test) == NULL || !agpu_draws_triangles(test)) {
        return false;
    }
    scene_begin_anew(test);
    return true;
}

bool agpu_scene_views(struct agpu_test *test)
{
    return agpu_asks(test, AGPU_ASKS_VIEWS);
}

/* A live handle must not be created again (commands.md 2), so destroy the object of an earlier call first. */
static void put_end(struct agpu_rig *r, uint32_t opcode, uint32_t handle)
{
    struct aerogpu_cmd_destroy_shader *packet = agpu_rig_packet(r, opcode, sizeof *packet);

    packet->shader_handle = handle; /* input layouts have their handle at the same offset */
}

void agpu_scene_shaders(struct agpu_test *test, const struct agpu_shader_blob *vs,
                        const struct agpu_shader_blob *ps)
{
    put_end(agpu_rig_of(test), AEROGPU_CMD_DESTROY_SHADER, AGPU_VS);
    put_end(agpu_rig_of(test), AEROGPU_CMD_DESTROY_SHADER, AGPU_PS);
    agpu_put_shader(agpu_rig_of(test), AGPU_VS, vs);
    agpu_put_shader(agpu_rig_of(test), AGPU_PS, ps);
    agpu_put_bind_shaders(agpu_rig_of(test), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS});
}

void agpu_scene_pixel(struct agpu_test *test, const struct agpu_shader_blob *ps)
{
    agpu_scene_shaders(test, &agpu_vs_vertex_id_4_0, ps);
    agpu_put_topology(agpu_rig_of(test), AEROGPU_TOPOLOGY_TRIANGLELIST);
}

void agpu_scene_color(struct agpu_test *test, const struct agpu_vertex *vertices, uint32_t count,
                      uint32_t topology)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 0, 16, 0}};

    agpu_scene_shaders(test, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    agpu_put_destroy(agpu_rig_of(test), AGPU_VERTICES);
    put_end(agpu_rig_of(test), AEROGPU_CMD_DESTROY_INPUT_LAYOUT, AGPU_LAYOUT);
    agpu_put_filled_buffer(agpu_rig_of(test), AGPU_VERTICES, vertices, count * (uint32_t)sizeof *vertices);
    agpu_put_vertex_buffer(agpu_rig_of(test), 0, AGPU_VERTICES, sizeof *vertices, 0);
    agpu_put_layout(agpu_rig_of(test), AGPU_LAYOUT, elements, 2);
    agpu_put_topology(agpu_rig_of(test), topology);
}

void agpu_scene_quad(struct agpu_vertex quad[4], float depth, float r, float g, float b, float a)
{
    for (uint32_t i = 0; i < 4; i++) {
        quad[i] = (struct agpu_vertex){i & 1 ? 1.0f : -1.0f, i & 2 ? -1.0f : 1.0f, depth, 1.0f, r, g, b, a};
    }
}

void agpu_scene_solid(struct agpu_test *test, float depth, float r, float g, float b, float a)
{
    struct agpu_vertex quad[4];

    agpu_scene_quad(quad, depth, r, g, b, a);
    agpu_scene_color(test, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

void agpu_scene_textured(struct agpu_test *test, const struct agpu_shader_blob *ps, float most)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_TEXCOORD, 0, 16, 0, 16, 0}};
    const float quad[4][6] = {
        {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, most, 0}, {-1, -1, 0, 1, 0, most}, {1, -1, 0, 1, most, most}};

    agpu_scene_shaders(test, &agpu_vs_textured_4_0, ps);
    agpu_put_destroy(agpu_rig_of(test), AGPU_VERTICES);
    put_end(agpu_rig_of(test), AEROGPU_CMD_DESTROY_INPUT_LAYOUT, AGPU_LAYOUT);
    agpu_put_filled_buffer(agpu_rig_of(test), AGPU_VERTICES, quad, sizeof quad);
    agpu_put_vertex_buffer(agpu_rig_of(test), 0, AGPU_VERTICES, sizeof quad[0], 0);
    agpu_put_layout(agpu_rig_of(test), AGPU_LAYOUT, elements, 2);
    agpu_put_topology(agpu_rig_of(test), AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

/* ---- reading targets ---- */

static uint32_t texel_bytes_of(uint32_t format)
{
    return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}

static bool read_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t width,
                    uint32_t height, uint32_t *texels, struct agpu_where where)
{
    uint32_t bytes = texel_bytes_of(format);
    const uint8_t *memory = agpu_rig_of(test)->memory[READ_MEMORY].cpu;

    put_read(agpu_rig_of(test), texture, format, width, height, bytes);
    if (!agpu_run_clean_at(test, where)) {
        return false;
    }
    for (uint32_t i = 0; i < width * height; i++) {
        texels[i] = 0;
        memcpy(&texels[i], memory + i * bytes, bytes);
    }
    return true;
}

bool agpu_scene_read(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t width,
                     uint32_t height, uint32_t texels[AGPU_IMAGE_TEXELS])
{
    return read_at(test, texture, format, width, height, texels, AGPU_HERE);
}

/* Widens an UNORM value with this maximum to 8 bits. */
static uint32_t widen_texel(uint32_t value, uint32_t most)
{
    return ((value & most) * 255 + most / 2) / most;
}

static uint32_t scene_rgba(uint32_t format, uint32_t texel)
{
    switch (format) {
    case AEROGPU_FORMAT_B5G6R5_UNORM:
        return AGPU_RGBA(widen_texel(texel >> 11, 31), widen_texel(texel >> 5, 63), widen_texel(texel, 31),
                         255);
    case AEROGPU_FORMAT_B5G5R5A1_UNORM:
        return AGPU_RGBA(widen_texel(texel >> 10, 31), widen_texel(texel >> 5, 31), widen_texel(texel, 31),
                         widen_texel(texel >> 15, 1));
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
    case AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB:
        return (texel & 0xFF00FF00u) | (texel >> 16 & 255) | (texel & 255) << 16;
    default:
        return texel;
    }
}

static bool compare_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t tolerance,
                       const char *(*part)(uint32_t x, uint32_t y), struct agpu_where where)
{
    bool again = seen.test_case == test->test_case && seen.texture == texture;
    struct agpu_image_hints hints = {.before = again ? seen.texels : NULL, .part = part};
    bool same;

    if (!read_at(test, texture, format, AGPU_EDGE, AGPU_EDGE, actual, where)) {
        return false;
    }
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        actual[i] = scene_rgba(format, actual[i]);
        if (wanted[i] == AGPU_ANY) {
            wanted[i] = actual[i];
        }
    }
    same = agpu_check_image_hinted(test, actual, wanted, AGPU_EDGE, AGPU_EDGE, tolerance, &hints, where);
    seen.test_case = test->test_case;
    seen.texture = texture;
    memcpy(seen.texels, actual, sizeof seen.texels);
    return same;
}

bool agpu_expect_at(struct agpu_test *test, uint32_t texture, uint32_t format, agpu_expected *expected,
                    uint32_t tolerance, struct agpu_where where)
{
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        wanted[i] = expected(i % AGPU_EDGE, i / AGPU_EDGE);
    }
    return compare_at(test, texture, format, tolerance, NULL, where);
}

bool agpu_expect_all_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t color,
                        uint32_t tolerance, struct agpu_where where)
{
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        wanted[i] = color;
    }
    return compare_at(test, texture, format, tolerance, NULL, where);
}

bool agpu_expect_depth_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t mask,
                          uint32_t low, uint32_t high, struct agpu_where where)
{
    if (!read_at(test, texture, format, AGPU_EDGE, AGPU_EDGE, actual, where)) {
        return false;
    }
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        uint32_t value = actual[i] & mask;

        if (value < low || value > high) {
            char buffer[64];

            agpu_format_line(buffer, sizeof buffer, "depth texel %u,%u%s", i % AGPU_EDGE, i / AGPU_EDGE,
                             value < low ? ", at least" : ", at most");
            return agpu_check_u64(test, value, value < low ? low : high, buffer, true, where);
        }
    }
    return true;
}

bool agpu_expect_fault_at(struct agpu_test *test, uint32_t code, struct agpu_where where)
{
    return agpu_run_fault_at(test, code, where) && agpu_scene_recovers_at(test, where);
}

bool agpu_scene_recovers_at(struct agpu_test *test, struct agpu_where where)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 0, 16, 0}};
    struct agpu_rig *r = agpu_rig_of(test);
    struct agpu_vertex quad[4];

    /* Uses separate handles: the state after the faulty stream is unknown. */
    agpu_scene_quad(quad, 0.5f, 0, 1, 0, 1);
    agpu_put_target(r, RECOVERY_HANDLE, RGBA, AGPU_EDGE, AGPU_EDGE);
    agpu_put_targets(r, RECOVERY_HANDLE, 0);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 0); /* an unknown handle would fail again */
    agpu_put_clear_color(r, 1, 0, 0, 1);
    agpu_put_shader(r, RECOVERY_HANDLE + 1, &agpu_vs_color_4_0);
    agpu_put_shader(r, RECOVERY_HANDLE + 2, &agpu_ps_color_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = RECOVERY_HANDLE + 1, .ps = RECOVERY_HANDLE + 2});
    agpu_put_filled_buffer(r, RECOVERY_HANDLE + 3, quad, sizeof quad);
    agpu_put_vertex_buffer(r, 0, RECOVERY_HANDLE + 3, sizeof quad[0], 0);
    agpu_put_layout(r, RECOVERY_HANDLE + 4, elements, 2);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(r, 4);
    return agpu_expect_all_at(test, RECOVERY_HANDLE, RGBA, AGPU_GREEN, 0, where);
}

/* ---- cells ---- */

static const struct agpu_cell *cells;

static uint32_t cell_number(uint32_t x, uint32_t y)
{
    return x / 4 + y / 4 * 4;
}

static const char *cell_part(uint32_t x, uint32_t y)
{
    const char *what = cells[cell_number(x, y)].what;

    return what != NULL ? what : "nothing";
}

void agpu_scene_cell(struct agpu_vertex quad[4], uint32_t cell, float depth, float r, float g, float b,
                     float a)
{
    agpu_scene_quad(quad, depth, r, g, b, a);
    for (uint32_t i = 0; i < 4; i++) {
        quad[i].x = -1 + 0.5f * (float)(cell % 4 + (i & 1));
        quad[i].y = 1 - 0.5f * (float)(cell / 4 + (i >> 1));
    }
}

void agpu_scene_cell_list(struct agpu_vertex out[6], uint32_t cell, float depth, const float color[4],
                          bool turned)
{
    static const uint32_t order[2][6] = {{0, 1, 2, 2, 1, 3}, {0, 2, 1, 2, 3, 1}};
    struct agpu_vertex quad[4];

    agpu_scene_cell(quad, cell, depth, color[0], color[1], color[2], color[3]);
    for (uint32_t i = 0; i < 6; i++) {
        out[i] = quad[order[turned][i]];
    }
}

void agpu_scene_cells(struct agpu_test *test, float depth, float r, float g, float b, float a)
{
    struct agpu_vertex vertices[4 * AGPU_CELLS];

    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        agpu_scene_cell(vertices + 4 * i, i, depth, r, g, b, a);
    }
    agpu_scene_color(test, vertices, 4 * AGPU_CELLS, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

void agpu_put_cell(struct agpu_rig *rig, uint32_t cell)
{
    agpu_put_draw(rig, 4)->first_vertex = 4 * cell;
}

bool agpu_expect_cells_at(struct agpu_test *test, uint32_t texture, uint32_t format,
                          const struct agpu_cell expected[AGPU_CELLS], uint32_t background,
                          uint32_t tolerance, struct agpu_where where)
{
    cells = expected;
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        const struct agpu_cell *cell = &expected[cell_number(i % AGPU_EDGE, i / AGPU_EDGE)];

        wanted[i] = cell->what == NULL && cell->color == 0 ? background : cell->color;
    }
    return compare_at(test, texture, format, tolerance, cell_part, where);
}

/* ---- results that devices may choose ---- */

bool agpu_wait_either_at(struct agpu_test *test, const struct agpu_submission *submission, uint32_t code,
                         bool *failed, struct agpu_where where)
{
    const struct agpu_error_info before = agpu_errors_so_far(test->env);

    *failed = false;
    if (!agpu_submit_wait_at(test, submission, where)) {
        return false;
    }
    if (agpu_error_count(test->env) == before.count) {
        return true;
    }
    *failed = true;
    const bool ok = agpu_check_error_at(test, &before, submission->fence, code, where);
    agpu_irq_ack(&test->env->function, AEROGPU_IRQ_ERROR);
    return ok;
}

bool agpu_run_either_at(struct agpu_test *test, uint32_t code, bool *failed, struct agpu_where where)
{
    struct agpu_env *env = test->env;
    struct agpu_submission submission;
    bool ok;

    *failed = false;
    if (!agpu_rig_finish(&env->rig, &submission)) {
        agpu_error(test, "the case's packets or allocations do not fit the rig");
        return false;
    }
    ok = agpu_wait_either_at(test, &submission, code, failed, where);
    agpu_rig_begin_over(&env->rig);
    return ok;
}

bool agpu_run_unsettled_at(struct agpu_test *test, bool *refused, struct agpu_where where)
{
    *refused = false;
    return test->env->model ? agpu_run_clean_at(test, where)
                            : agpu_run_either_at(test, AEROGPU_ERROR_CMD_DECODE, refused, where);
}
