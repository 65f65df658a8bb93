/* test_spirv.c: processing of translated shaders before a driver gets them: repeated decorations are removed, the point
 * size is added, and invalid SPIR-V is refused. */

#include <stdlib.h>
#include <string.h>

#include "tests/device/shaderc/decorations.h"
#include "tests/device/shaderc/point_size.h"
#include "tests/device/shaderc/validate.h"
#include "tests/unit/test.h"

#define WORDS(count, op) ((count) << 16 | (op))

/* An empty vertex shader; ids: 1 main, 2 void, 3 its type, 4 label, 5 a decorated variable. */
static const uint32_t empty_shader[] = {
    0x07230203,
    0x00010000,
    0,
    9,
    0, /* header: bound 9 */
    WORDS(2, 17),
    1, /* OpCapability Shader */
    WORDS(3, 14),
    0,
    1, /* OpMemoryModel Logical GLSL450 */
    WORDS(6, 15),
    0,
    1,
    0x6E69616D,
    0,
    5, /* OpEntryPoint Vertex %1 "main" %5 */
    WORDS(4, 71),
    5,
    30,
    0, /* OpDecorate %5 Location 0 */
    WORDS(4, 71),
    5,
    30,
    0, /* repeated */
    WORDS(2, 19),
    2, /* OpTypeVoid */
    WORDS(3, 33),
    3,
    2, /* OpTypeFunction */
    WORDS(3, 22),
    6,
    32, /* OpTypeFloat 32 */
    WORDS(4, 32),
    7,
    3,
    6, /* OpTypePointer Output */
    WORDS(4, 59),
    7,
    5,
    3, /* OpVariable */
    WORDS(5, 54),
    2,
    1,
    0,
    3, /* OpFunction */
    WORDS(2, 248),
    4, /* OpLabel */
    WORDS(1, 253),
    WORDS(1, 56), /* OpReturn OpFunctionEnd */
};

TEST(decorations_stand_once)
{
    uint32_t size = sizeof empty_shader;
    uint32_t *out = vgpu_decorations(empty_shader, &size);
    char why[256];
    assert_non_null(out);
    assert_int_equal(size, sizeof empty_shader - 16);
    assert_true(vgpu_validate(out, size, why, sizeof why));
    /* A single decoration stays. */
    uint32_t same = size, *copy = vgpu_decorations(out, &same);
    assert_int_equal(same, size);
    assert_memory_equal(copy, out, size);
    free(copy);
    free(out);
}

TEST(points_get_a_size)
{
    uint32_t size = sizeof empty_shader;
    char why[256];
    uint32_t *single = vgpu_decorations(empty_shader, &size);
    uint32_t *out = vgpu_point_size(single, &size);
    uint32_t found = 0;
    assert_non_null(out);
    assert_true(vgpu_validate(out, size, why, sizeof why));
    for (uint32_t i = 0; i + 3 < size / 4; i++) {
        found += out[i] == WORDS(4, 71) && out[i + 2] == 11 && out[i + 3] == 1; /* BuiltIn PointSize */
    }
    assert_int_equal(found, 1);
    /* If the shader has a point size, none is added, and the result is NULL. */
    uint32_t again = size;
    assert_null(vgpu_point_size(out, &again));
    free(out);
    free(single);
}

/* Truncated modules, and instructions with invalid lengths: no result, no access past the end. */
TEST(broken_modules)
{
    static uint32_t words[sizeof empty_shader / 4];
    char why[256];
    for (uint32_t count = 0; count < sizeof empty_shader / 4; count++) {
        uint32_t *heap = malloc(count ? count * 4 : 1), size = count * 4; /* exact size: the end is guarded */

        memcpy(heap, empty_shader, count * 4);
        free(vgpu_decorations(heap, &size));
        size = count * 4;
        free(vgpu_point_size(heap, &size));
        assert_false(vgpu_validate(heap, count * 4, why, sizeof why));
        assert_non_null(strstr(why, "invalid SPIR-V"));
        free(heap);
    }
    for (uint32_t i = 5; i < sizeof empty_shader / 4; i++) {
        uint32_t size = sizeof words;

        memcpy(words, empty_shader, sizeof words);
        words[i] = 0;
        free(vgpu_decorations(words, &size));
        size = sizeof words;
        words[i] = UINT32_MAX;
        free(vgpu_decorations(words, &size));
        size = sizeof words;
        free(vgpu_point_size(words, &size));
    }
    memcpy(words, empty_shader, sizeof words);
    words[5] = 0; /* an instruction of length 0 */
    uint32_t size = sizeof words;
    assert_null(vgpu_decorations(words, &size));
    assert_null(vgpu_point_size(words, &size));
}

/* Two definitions of one id. */
TEST(invalid_modules_are_refused)
{
    static uint32_t words[sizeof empty_shader / 4];
    char why[256] = "";
    memcpy(words, empty_shader, sizeof words);
    for (uint32_t i = 5; i + 2 < sizeof words / 4; i++) {
        if (words[i] == WORDS(3, 22)) {
            words[i + 1] = 2; /* float and void */
        }
    }
    assert_false(vgpu_validate(words, sizeof words, why, sizeof why));
    assert_non_null(strstr(why, "invalid SPIR-V"));
}
