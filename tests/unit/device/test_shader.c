/* test_shader.c: limits of shader constants and D3D9 declarations that no case covers (commands.md 7, 15). */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/shader.h"
#include "tests/unit/device/packets_short.h"
#include "tests/unit/test.h"

static struct vgpu_state *state_of(struct fake_driver *driver)
{
    return &driver->machine->device->engine->exec.state;
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

FIXTURE(driver_setup, driver_teardown);

/* commands.md 7, 15: limits F 4096, I 256, B 256; the payload must be there; count 0 is a no-op. */
TEST(constants)
{
    struct fake_driver *driver = *state;
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
    assert_int_equal(pixel->bool_constants[255], 1); /* 16 bytes per register; nonzero is true */
    assert_int_equal(pixel->bool_constants[253], 0);
}

/* commands.md 7, 15: a D3D9 declaration is accepted if it has an end. */
TEST(d3d9_declaration)
{
    struct fake_driver *driver = *state;
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
