/* test_immediate_constants.c: a constant table in the code of a shader, which no shader of the catalogue has. */
#include "tests/unit/render/scene.h"

#include <string.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"

/* Builds a container with the chunks of a blob, but with this code. Returns its size. */
static uint32_t with_code(const struct agpu_shader_blob *blob, const uint32_t *code, uint32_t code_words,
                          uint32_t *out)
{
    enum { SHDR = 0x52444853 };
    uint32_t chunks = blob->words[7], at = 8 + chunks;
    memcpy(out, blob->words, 8 * 4);
    for (uint32_t i = 0; i < chunks; i++) {
        const uint32_t *chunk = blob->words + blob->words[8 + i] / 4;
        bool is_code = chunk[0] == SHDR;
        uint32_t words = is_code ? code_words : chunk[1] / 4;

        out[8 + i] = at * 4;
        out[at] = chunk[0];
        out[at + 1] = words * 4;
        memcpy(out + at + 2, is_code ? code : chunk + 2, words * 4);
        at += 2 + words;
    }
    out[6] = at * 4;
    vgpu_dxbc_checksum(out, at * 4, out + 1);
    return at * 4;
}

GROUP_FIXTURE(scene_required, NULL);

FIXTURE(scene_setup, scene_teardown);

/* An immediate constant buffer, as compilers make it from constant arrays: the corners of a triangle over the whole
 * target, by vertex number. */
TEST(immediate_constants)
{
    enum { ONE = 0x3F800000, MINUS_ONE = 0xBF800000, THREE = 0x40400000, MINUS_THREE = 0xC0400000 };
    static const uint32_t code[] = {
        0x00010040,   41, /* vs_4_0, number of words */
        3 << 11 | 53, 14,          MINUS_ONE, ONE,        0,          ONE,        THREE, ONE, 0, ONE,
        MINUS_ONE,    MINUS_THREE, 0,         ONE,        0x04000060, 0x00101012, 0,     6, /* dcl_input_sgv
                                                                                               v0.x,
                                                                                             * vertex_id */
        0x04000067,   0x001020F2,  0,         1,                         /* dcl_output_siv o0, position */
        0x03000065,   0x001020F2,  1,                                    /* dcl_output o1 */
        0x02000068,   1,                                                 /* dcl_temps 1 */
        0x05000036,   0x00100012,  0,         0x0010100A, 0,             /* mov r0.x, v0.x */
        0x06000036,   0x001020F2,  0,         0x00909E46, 0x0010000A, 0, /* mov o0, icb[r0.x] */
        0x0100003E, /* ret, moved after the write of o1 */
    };
    static const uint32_t color[] = {0x08000036, 0x001020F2, 1, 0x00004002,
                                     0,          ONE,        0, ONE}; /* mov o1, green */
    struct render_scene *scene = *state;
    uint32_t body[64], container[256];
    uint32_t words = sizeof code / 4;
    memcpy(body, code, (words - 1) * 4);
    memcpy(body + words - 1, color, sizeof color);
    words += sizeof color / 4;
    body[words - 1] = code[sizeof code / 4 - 1];
    body[1] = words;
    uint32_t size = with_code(&agpu_vs_vertex_id_4_0, body, words, container);
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    scene_shader_bytes(scene, 50, 0, 0, container, size);
    scene_bind(scene, 50, PS, 0, 0, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, GREEN, 0);
    /* A table whose size is not a multiple of four words is refused. */
    body[3] = 13;
    memmove(body + 15, body + 16, (words - 16) * 4);
    body[1] = words - 1;
    size = with_code(&agpu_vs_vertex_id_4_0, body, words - 1, container);
    scene_shader_bytes(scene, 51, 0, 0, container, size);
    scene_bind(scene, 51, PS, 0, 0, 0, 0);
    scene_run(scene);
    scene_draw(scene, 3);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
}
