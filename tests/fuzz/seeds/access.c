/* access.c: inputs with BAR and configuration accesses. */
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/fuzz/seeds/writer.h"

static void bar(bool read, uint8_t index, uint8_t size, uint64_t offset, uint64_t value)
{
    uint8_t operand[18] = {index, size};

    memcpy(operand + 2, &offset, sizeof offset);
    memcpy(operand + 10, &value, sizeof value);
    seed_record(FUZZ_OP_BAR, read, operand, sizeof operand);
}

/* Every register, every size, every alignment, read and written. */
static void registers(void)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 3};
    char name[32];

    for (size_t i = 0; i < sizeof sizes; i++) {
        snprintf(name, sizeof name, "registers-by-%u", sizes[i]);
        seed_begin("access", name);
        seed_config(4, 2, 6);
        for (uint32_t offset = 0; offset < 0x540; offset += sizes[i] == 4 ? 1 : sizes[i]) {
            bar(false, 0, sizes[i], offset, 0x0102030405060708u * (offset | 1));
            bar(true, 0, sizes[i], offset, 0);
        }
        seed_record(FUZZ_OP_IDLE, 0, NULL, 0);
    }
}

static void config_space(void)
{
    static const uint8_t sizes[] = {1, 2, 4};

    seed_begin("access", "config-space");
    for (uint32_t offset = 0; offset < 0x104; offset++) {
        for (size_t i = 0; i < sizeof sizes; i++) {
            seed_config(offset, sizes[i], 0xFFFFFFFF);
            seed_config(offset, sizes[i], 0);
        }
    }
    seed_config(0x10, 4, 0xFFFFFFFF);
    seed_config(0x14, 4, 0xFFFFFFFF);
    seed_config(0x10, 4, 0xFEB00000);
    seed_config(0x14, 4, 0xE0000000);
    seed_record(FUZZ_OP_IDLE, 0, NULL, 0);
}

/* Bus Master and Memory Space change while work is pending. */
static void gating(void)
{
    seed_begin("access", "gating");
    seed_record(FUZZ_OP_BRINGUP, 0, NULL, 0);
    seed_write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0xFFFFFFFF);
    seed_config(4, 2, 2);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = 64);
    seed_submit(0);
    seed_config(4, 2, 0);
    seed_submit(0);
    seed_config(4, 2, 0x406);
    seed_record(FUZZ_OP_IDLE, 0, NULL, 0);
    seed_config(4, 2, 6);
    seed_write(AEROGPU_MMIO_REG_IRQ_ACK, 1);
    seed_write(AEROGPU_MMIO_REG_RING_CONTROL, 3);
    seed_config(4, 2, 2);
    seed_write(AEROGPU_MMIO_REG_RING_CONTROL, 3);
    seed_submit(0);
    seed_config(4, 2, 6);
    seed_record(FUZZ_OP_IDLE, 0, NULL, 0);
    seed_record(FUZZ_OP_RESET, 0, NULL, 0);
}

static void vblank(void)
{
    seed_begin("access", "vblank");
    seed_config(4, 2, 6);
    seed_write(AEROGPU_MMIO_REG_IRQ_ENABLE, 2);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    seed_time(16666667);
    bar(true, 0, 4, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO, 0);
    seed_write(AEROGPU_MMIO_REG_IRQ_ACK, 2);
    const uint32_t long_time = UINT32_MAX;
    seed_record(FUZZ_OP_TIME, 10, &long_time, sizeof long_time); /* more edges than the model replays */
    seed_record(FUZZ_OP_IDLE, 0, NULL, 0);
    seed_write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    seed_write(AEROGPU_MMIO_REG_IRQ_ENABLE, 2);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 2);
    seed_record(FUZZ_OP_RESET, 0, NULL, 0);
    seed_record(FUZZ_OP_DEVICE, 0, NULL, 0);
}

static void vram(void)
{
    static const uint64_t edges[] = {0, 0x7FFF8, 0x7FFFF, 0x80000, UINT64_MAX - 3, UINT64_MAX};

    seed_begin("access", "vram");
    seed_config(4, 2, 2);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (uint8_t size = 0; size < 10; size++) {
            bar(false, 1, size, edges[i], UINT64_MAX);
            bar(true, 1, size, edges[i], 0);
            bar(true, 0, size, edges[i], 0);
            bar(true, 2, size, edges[i], 0);
        }
    }
}

/* The framebuffer of a flagged present inside BAR1. */
static void present_into_vram(void)
{
    static const uint32_t writes[][2] = {
        {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 16},
        {AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 16},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, 1},
        {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 64},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0xE0040000},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0},
        {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1},
    };

    seed_begin("access", "present-into-vram");
    seed_config(0x14, 4, 0xE0000000);
    seed_record(FUZZ_OP_BRINGUP, 0, NULL, 0);
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        seed_write(writes[i][0], writes[i][1]);
    }
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 1, .format = 5, .width = 16, .height = 16,
           .mip_levels = 1, .array_layers = 1);
    PACKET(SET_RENDER_TARGETS, set_render_targets, .color_count = 1, .colors = {1});
    PACKET(PRESENT, present, .flags = 0);
    seed_submit(FUZZ_SUBMIT_PRESENT);
}

void seeds_of_access(void)
{
    registers();
    config_space();
    gating();
    vblank();
    vram();
    present_into_vram();
}
