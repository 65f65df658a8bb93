/* test_dxbc.c: the DXBC reader accepts and describes valid shaders, and refuses anything else with a reason. */
#include <stdlib.h>
#include <string.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"
#include "tests/unit/render/mutate.h"
#include "tests/unit/test.h"

TEST(accepts_test_shaders)
{
    struct vgpu_dxbc dxbc;
#define ACCEPT(name)                                                                                         \
    {                                                                                                        \
        const char *wrong = vgpu_dxbc_read(agpu_##name.words, agpu_##name.size_bytes, &dxbc);                \
        if (wrong) {                                                                                         \
            fail_msg("%s: %s", #name, wrong);                                                                \
        }                                                                                                    \
    }
    AGPU_SHADER_BLOBS(ACCEPT)
#undef ACCEPT
}

TEST(describes_a_vertex_shader)
{
    struct vgpu_dxbc dxbc;
    assert_null(vgpu_dxbc_read(agpu_vs_transform_4_0.words, agpu_vs_transform_4_0.size_bytes, &dxbc));
    assert_int_equal(dxbc.type, VGPU_DXBC_VERTEX);
    assert_int_equal(dxbc.major, 4);
    assert_int_equal(dxbc.inputs.count, 2);
    assert_int_equal(dxbc.inputs.elements[0].name_hash, 0x7808e88a); /* POSITION */
    assert_int_equal(dxbc.inputs.elements[1].name_hash, 0xe7c308f8); /* COLOR */
    assert_int_equal(dxbc.inputs.elements[1].component_type, VGPU_DXBC_FLOAT);
    assert_int_equal(dxbc.binding_count, 2);
    assert_int_equal(dxbc.bindings[0].kind, VGPU_DXBC_CONSTANT_BUFFER);
    assert_int_equal(dxbc.bindings[0].reg, 0);
    assert_int_equal(dxbc.bindings[0].registers, 4);
    assert_int_equal(dxbc.bindings[1].reg, 1);
}

TEST(describes_resources)
{
    struct vgpu_dxbc dxbc;
    uint32_t seen = 0;
    assert_null(vgpu_dxbc_read(agpu_cs_scale_5_0.words, agpu_cs_scale_5_0.size_bytes, &dxbc));
    assert_int_equal(dxbc.type, VGPU_DXBC_COMPUTE);
    assert_int_equal(dxbc.thread_group[0], 16);
    for (uint32_t i = 0; i < dxbc.binding_count; i++) {
        const struct vgpu_dxbc_binding *binding = &dxbc.bindings[i];

        seen |= 1u << binding->kind;
        if (binding->kind == VGPU_DXBC_BUFFER) {
            assert_int_equal(binding->reg, 2);
        } else if (binding->kind == VGPU_DXBC_UAV_BUFFER) {
            assert_int_equal(binding->reg, 1);
        }
    }
    assert_int_equal(seen,
                     1u << VGPU_DXBC_CONSTANT_BUFFER | 1u << VGPU_DXBC_BUFFER | 1u << VGPU_DXBC_UAV_BUFFER);
    assert_null(vgpu_dxbc_read(agpu_ps_two_textures_4_0.words, agpu_ps_two_textures_4_0.size_bytes, &dxbc));
    assert_int_equal(dxbc.binding_count, 4);
}

TEST(describes_tessellation)
{
    struct vgpu_dxbc dxbc;
    assert_null(vgpu_dxbc_read(agpu_hs_triangle_5_0.words, agpu_hs_triangle_5_0.size_bytes, &dxbc));
    assert_int_equal(dxbc.type, VGPU_DXBC_HULL);
    assert_int_equal(dxbc.input_control_points, 3);
    assert_int_equal(dxbc.output_control_points, 3);
    assert_int_equal(dxbc.domain, 2);
    assert_int_equal(dxbc.partitioning, 1);
    assert_int_equal(dxbc.output_primitive, 3);
    assert_int_equal(dxbc.patch.count, 4);
}

TEST(refuses_every_changed_bit_without_checksum)
{
    static uint32_t words[AGPU_MUTANT_WORDS];
    struct vgpu_dxbc dxbc;
    uint32_t size = agpu_ps_color_4_0.size_bytes;
    memcpy(words, agpu_ps_color_4_0.words, size);
    for (uint32_t bit = 0; bit < size * 8; bit++) {
        words[bit / 32] ^= 1u << bit % 32;
        assert_non_null(vgpu_dxbc_read(words, size, &dxbc));
        words[bit / 32] ^= 1u << bit % 32;
    }
    assert_null(vgpu_dxbc_read(words, size, &dxbc));
}

TEST(refuses_every_length_but_the_right_one)
{
    struct vgpu_dxbc dxbc;
    for (uint32_t size = 0; size < agpu_ps_color_4_0.size_bytes; size++) {
        /* A copy of exactly that size: the address sanitizer notices a read past its end. */
        void *cut = malloc(size ? size : 1);

        assert_non_null(cut);
        memcpy(cut, agpu_ps_color_4_0.words, size);
        assert_non_null(vgpu_dxbc_read(cut, size, &dxbc));
        free(cut);
    }
}

/* Returns the words of the program's chunk (SHDR or SHEX) in a valid container, or NULL without one. */
static const uint32_t *program_words(const uint32_t *words, uint32_t *count)
{
    for (uint32_t i = 0; i < words[7]; i++) {
        const uint32_t *chunk = words + words[8 + i] / 4;

        if (memcmp(chunk, "SHDR", 4) == 0 || memcmp(chunk, "SHEX", 4) == 0) {
            *count = chunk[1] / 4;
            return chunk + 2;
        }
    }
    return NULL;
}

/* Replaces the one word of the program that equals from. The test shader must contain it. */
static const char *changed(const struct agpu_shader_blob *shader, uint32_t from, uint32_t to)
{
    static uint32_t words[AGPU_MUTANT_WORDS];
    static struct vgpu_dxbc dxbc;
    uint32_t count = 0;

    memcpy(words, shader->words, shader->size_bytes);
    const uint32_t *program = program_words(words, &count);
    assert_non_null(program);
    for (uint32_t i = (uint32_t)(program - words); i < (uint32_t)(program - words) + count; i++) {
        if (words[i] == from) {
            words[i] = to;
            vgpu_dxbc_checksum(words, shader->size_bytes, words + 1);
            return vgpu_dxbc_read(words, shader->size_bytes, &dxbc);
        }
    }
    fail_msg("the shader has no word %08x", from);
    return NULL;
}

TEST(refuses_what_a_translator_dies_of)
{
    /* dcl_temps N: the token, then the count; ps_integer uses more than one temporary. */
    assert_non_null(changed(&agpu_ps_integer_4_0, 0x02000068, 0x02000069));
    /* An unknown opcode in place of ret, a program of unknown type. */
    assert_non_null(changed(&agpu_ps_color_4_0, 0x0100003e, 0x010007ff));
    assert_non_null(changed(&agpu_ps_color_4_0, 0x00000040, 0x00090040));
    assert_non_null(changed(&agpu_ps_color_4_0, 0x00000040, 0x00000060));
    /* endloop becomes endif. */
    assert_non_null(changed(&agpu_ps_loop_4_0, 0x01000016, 0x01000015));
}

TEST(survives_mutants)
{
    static uint32_t words[AGPU_MUTANT_WORDS];
    struct vgpu_dxbc dxbc;
    uint32_t refused = 0, rounds = 20000;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t size = agpu_mutant(agpu_any_shader(i), i, words);

        refused += vgpu_dxbc_read(words, size, &dxbc) != NULL;
    }
    print_message("%u of %u mutants refused\n", refused, rounds);
    assert_true(refused > rounds / 4);
}
