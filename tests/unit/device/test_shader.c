/* test_shader.c: shader stages, shaders, constants and input layouts (commands.md 4, 7, 13, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/shader.h"
#include "tests/unit/device/packets_short.h"

static struct vgpu_state *state_of(struct fake_driver *driver)
{
    return &driver->machine->device->exec->state;
}

static void expect(struct fake_driver *driver, bool good)
{
    if (good) {
        submit_good(driver);
    } else {
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    stream_begin(driver);
}

static struct aerogpu_cmd_create_shader_dxbc *add_shader(struct fake_driver *driver, uint32_t handle,
                                                         uint32_t stage, uint32_t bytes)
{
    struct aerogpu_cmd_create_shader_dxbc *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *create + ((bytes + 3) & ~3u));

    create->shader_handle = handle;
    create->stage = stage;
    create->dxbc_size_bytes = bytes;
    memset(create + 1, 0x5A, bytes);
    return create;
}

/* commands.md 4: the table of stage and stage_ex, for minor 4 and minor 2. */
static void stages(void **unused)
{
    const int bad = -1;

    const struct {
        uint32_t stage, ex;
        int minor4, minor2;
    } rows[] = {
        {0, 0, VGPU_STAGE_VERTEX, VGPU_STAGE_VERTEX},
        {0, 9, VGPU_STAGE_VERTEX, VGPU_STAGE_VERTEX},
        {1, 4, VGPU_STAGE_PIXEL, VGPU_STAGE_PIXEL},
        {3, 5, VGPU_STAGE_GEOMETRY, VGPU_STAGE_GEOMETRY},
        {2, 0, VGPU_STAGE_COMPUTE, VGPU_STAGE_COMPUTE},
        {2, 2, VGPU_STAGE_GEOMETRY, VGPU_STAGE_COMPUTE},
        {2, 3, VGPU_STAGE_HULL, VGPU_STAGE_COMPUTE},
        {2, 4, VGPU_STAGE_DOMAIN, VGPU_STAGE_COMPUTE},
        {2, 5, VGPU_STAGE_COMPUTE, VGPU_STAGE_COMPUTE},
        {2, 1, bad, VGPU_STAGE_COMPUTE},
        {2, 6, bad, VGPU_STAGE_COMPUTE},
        {2, 0xFFFFFFFF, bad, VGPU_STAGE_COMPUTE},
        {4, 0, bad, bad},
        {5, 0, bad, bad},
        {0xFFFFFFFF, 0, bad, bad},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum vgpu_stage stage;

        assert_int_equal(vgpu_stage_decode(rows[i].stage, rows[i].ex, 4, &stage) ? (int)stage : bad,
                         rows[i].minor4);
        assert_int_equal(vgpu_stage_decode(rows[i].stage, rows[i].ex, 3, &stage) ? (int)stage : bad,
                         rows[i].minor4);
        assert_int_equal(vgpu_stage_decode(rows[i].stage, rows[i].ex, 2, &stage) ? (int)stage : bad,
                         rows[i].minor2);
    }
}

/* commands.md 4, 13: the minor of the stream header gates stage_ex. */
static void minor_gates(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    stream_header(driver)->abi_version = 0x00010002;
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_COMPUTE, 8)->reserved0 = 1;
    expect(driver, true);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_COMPUTE, 8)->reserved0 = 1;
    expect(driver, false);
}

/* commands.md 7, 15: CREATE_SHADER_DXBC: errors; re-creation replaces and keeps the binding; DESTROY
 * unbinds. */
static void shaders(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    add_shader(driver, 0, 0, 8);
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 0;
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 12;
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 0xFFFFFFFF;
    expect(driver, false);
    add_shader(driver, 1, 7, 8);
    expect(driver, false);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_VERTEX, 5);
    STREAM_PACKET(driver, BIND_SHADERS, aerogpu_cmd_bind_shaders)->vs = 1;
    add_buffer(driver, 1, 64, 0); /* another namespace */
    expect(driver, true);
    const struct vgpu_shader *shader = state_of(driver)->stages[VGPU_STAGE_VERTEX].shader.thing;
    assert_int_equal(shader->size, 5);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_PIXEL, 16);
    expect(driver, true);
    assert_ptr_equal(state_of(driver)->stages[VGPU_STAGE_VERTEX].shader.thing, shader);
    assert_int_equal(shader->stage, VGPU_STAGE_PIXEL);
    STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader)->shader_handle = 1;
    STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader)->shader_handle = 1;
    expect(driver, true);
    assert_int_equal(state_of(driver)->stages[VGPU_STAGE_VERTEX].shader.handle, 0);
}

/* commands.md 7: the forms of BIND_SHADERS; every stage is replaced every time. */
static void bind_shaders(void **test)
{
    struct fake_driver *driver = *test;

    const struct {
        size_t size;
        uint32_t gs, hs, ds;
    } forms[] = {{24, 4, 0, 0}, {28, 0, 0, 0}, {32, 0, 0, 0}, {36, 5, 6, 7}, {48, 5, 6, 7}};
    const struct vgpu_stage_state *bound = state_of(driver)->stages;

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        stream_begin(driver);
        uint32_t *words = stream_packet(driver, AEROGPU_CMD_BIND_SHADERS, forms[i].size);
        for (uint32_t word = 2; word < forms[i].size / 4; word++) {
            words[word] = (uint32_t[]){0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[word];
        }
        if (forms[i].size >= 28) {
            words[6] = 5;
        }
        submit_good(driver);
        assert_int_equal(bound[VGPU_STAGE_VERTEX].shader.handle, 1);
        assert_int_equal(bound[VGPU_STAGE_PIXEL].shader.handle, 2);
        assert_int_equal(bound[VGPU_STAGE_COMPUTE].shader.handle, 3);
        assert_int_equal(bound[VGPU_STAGE_GEOMETRY].shader.handle, forms[i].gs);
        assert_int_equal(bound[VGPU_STAGE_HULL].shader.handle, forms[i].hs);
        assert_int_equal(bound[VGPU_STAGE_DOMAIN].shader.handle, forms[i].ds);
    }
}

static struct aerogpu_cmd_set_shader_constants_f *add_constants(struct fake_driver *driver, uint32_t opcode,
                                                                uint32_t start, uint32_t count)
{
    struct aerogpu_cmd_set_shader_constants_f *set = stream_packet(driver, opcode, sizeof *set + 32);
    uint32_t *values = (void *)(set + 1);

    set->stage = AEROGPU_SHADER_STAGE_PIXEL;
    set->start_register = start;
    set->vec4_count = count;
    for (uint32_t i = 0; i < 8; i++) {
        values[i] = i + 100;
    }
    return set;
}

/* commands.md 7, 15: limits F 4096, I 256, B 256; the payload must be there; count 0 is a no-op. */
static void constants(void **test)
{
    struct fake_driver *driver = *test;
    const uint32_t opcodes[] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, AEROGPU_CMD_SET_SHADER_CONSTANTS_I,
                                AEROGPU_CMD_SET_SHADER_CONSTANTS_B};
    const uint32_t limits[] = {4096, 256, 256};
    const struct vgpu_stage_state *pixel = &state_of(driver)->stages[VGPU_STAGE_PIXEL];

    stream_begin(driver);
    for (unsigned i = 0; i < 3; i++) {
        add_constants(driver, opcodes[i], limits[i] - 2, 2);
        expect(driver, true);
        add_constants(driver, opcodes[i], limits[i] - 1, 2);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0xFFFFFFFF, 2);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 3);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 0xFFFFFFFF);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 1)->stage = 9;
        expect(driver, false);
        add_constants(driver, opcodes[i], 0xFFFFFFFF, 0);
        expect(driver, true);
    }
    assert_int_equal(pixel->float_constants[4094][3], 103);
    assert_int_equal(pixel->int_constants[255][0], 104);
    assert_int_equal(pixel->bool_constants[255], 1); /* 16 bytes a register, non-zero = true */
    assert_int_equal(pixel->bool_constants[253], 0);
}

static struct aerogpu_input_layout_element_dxgi *add_layout(struct fake_driver *driver, uint32_t handle,
                                                            uint32_t elements)
{
    struct aerogpu_cmd_create_input_layout *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *create + 16 + elements * 28);
    struct aerogpu_input_layout_blob_header *blob = (void *)(create + 1);

    create->input_layout_handle = handle;
    create->blob_size_bytes = 16 + elements * 28;
    blob->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    blob->version = 1;
    blob->element_count = elements;
    return (void *)(blob + 1);
}

/* commands.md 7, 15: ILAY rules, the append rule, step rate 0. */
static void layouts(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    struct aerogpu_input_layout_element_dxgi *elements = add_layout(driver, 1, 4);
    elements[0] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 6, .aligned_byte_offset = 4};
    elements[1] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 54, .aligned_byte_offset = ~0u};
    elements[2] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 2, .aligned_byte_offset = ~0u};
    elements[3] = (struct aerogpu_input_layout_element_dxgi){
        .dxgi_format = 28, .aligned_byte_offset = ~0u, .input_slot = 31, .input_slot_class = 1};
    STREAM_PACKET(driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle = 1;
    expect(driver, true);
    const struct vgpu_input_layout *layout = state_of(driver)->input_layout.thing;
    assert_true(layout->usable);
    assert_int_equal(layout->elements[1].aligned_byte_offset, 16);
    assert_int_equal(layout->elements[2].aligned_byte_offset, 20); /* after 2 bytes, aligned to 4 */
    assert_int_equal(layout->elements[3].aligned_byte_offset, 0);
    assert_int_equal(layout->elements[3].instance_data_step_rate, 1);
    add_layout(driver, 1, 1)->dxgi_format = 9; /* not in the list: an error only at the draw; replaces 1 */
    expect(driver, true);
    assert_false(layout->usable);
    add_layout(driver, 2, 32)->dxgi_format = 2;
    expect(driver, true);
    STREAM_PACKET(driver, DESTROY_INPUT_LAYOUT, aerogpu_cmd_destroy_input_layout)->input_layout_handle = 1;
    STREAM_PACKET(driver, DESTROY_INPUT_LAYOUT, aerogpu_cmd_destroy_input_layout)->input_layout_handle = 99;
    expect(driver, true);
    assert_int_equal(state_of(driver)->input_layout.handle, 0);
    for (unsigned i = 0; i < 7; i++) {
        elements = add_layout(driver, i == 0 ? 0 : 3, i == 1 ? 33 : 2);
        struct aerogpu_input_layout_blob_header *blob = (void *)((uint8_t *)elements - 16);
        struct aerogpu_cmd_create_input_layout *create = (void *)((uint8_t *)blob - 20);
        elements[1].input_slot = i == 2 ? 32 : 0;
        blob->version = i == 3 ? 2 : 1;
        blob->element_count = i == 4 ? 3 : blob->element_count;
        blob->magic = i == 5 ? 1 : blob->magic; /* neither ILAY nor a D3D9 declaration */
        create->blob_size_bytes += i == 6 ? 4 : 0;
        expect(driver, false);
    }
}

/* commands.md 7, 15: D3D9 declarations are accepted when they have an end. */
static void d3d9_declaration(void **test)
{
    struct fake_driver *driver = *test;
    const uint8_t end[8] = {0xFF, 0, 0, 0, 17, 0, 0, 0};

    for (unsigned i = 0; i < 3; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_input_layout *create =
            stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *create + 16);
        create->input_layout_handle = 1;
        create->blob_size_bytes = i == 2 ? 12 : 16;
        if (i != 1) {
            memcpy((uint8_t *)(create + 1) + 8, end, 8);
        }
        expect(driver, i == 0);
    }
    stream_begin(driver);
    STREAM_PACKET(driver, CREATE_INPUT_LAYOUT, aerogpu_cmd_create_input_layout)->input_layout_handle = 1;
    expect(driver, false); /* empty */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages), TEST(minor_gates), TEST(shaders),          TEST(bind_shaders),
        TEST(constants),          TEST(layouts),     TEST(d3d9_declaration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
