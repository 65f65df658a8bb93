/* present_screen.c: presents that are not paced. A flagged one writes to the framebuffer of scanout 0 (commands.md 11,
 * device.md 4.8): formats, geometry, from which target, and when nothing is written. A device may also leave the memory
 * unchanged (framebuffer.h). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define FORMATS 10u

/* A flagged present must convert each format to itself and to the others. */
static void screen_formats(struct agpu_test *t)
{
    struct agpu_screen before = agpu_screen_plain;

    agpu_return_unless(agpu_screen_begin(t));
    agpu_choice(t, "flagged_present", agpu_screen_writes ? "writes the framebuffer" : "writes nothing");
    for (uint32_t i = 0; i < FORMATS * FORMATS; i++) {
        const uint32_t to = i % FORMATS + 1;
        const uint32_t from = (i + i / FORMATS * 7) % FORMATS + 1;
        const uint32_t wide = from == to ? 29 : 11; /* odd: no whole words of 16-bit texels */
        const struct agpu_screen screen = {to, wide, 6, wide * 4 + 8, 64};
        const struct agpu_screen_source image = {from, wide, 6};

        agpu_part(t, "%s to %s", agpu_texel_name(from), agpu_texel_name(to));
        if (t->env->model || agpu_texel_is_srgb(from) == agpu_texel_is_srgb(to)) {
            agpu_return_unless(
                agpu_screen_show_next(t, &before, &screen, &image, 16 * to + from, "present of each format"));
            before = screen;
        }
    }
}

/* A flagged present must write the right texels for targets and framebuffers of any size, pitch and offset. */
static void screen_geometry(struct agpu_test *t)
{
    static const struct {
        uint32_t width, height, pitch, offset, target_width, target_height;
    } shapes[] = {
        {16, 12, 64, 0, 16, 12},     {16, 12, 68, 4, 16, 12},     {16, 12, 256, 0, 16, 12},
        {16, 12, 1000, 12, 16, 12},  {9, 12, 64, 64, 16, 12},     {16, 7, 64, 4096, 16, 12},
        {7, 5, 32, 4092, 16, 12},    {40, 12, 160, 0, 16, 12},    {16, 40, 64, 8, 16, 12},
        {31, 31, 124, 4096, 31, 31}, {30, 31, 160, 0, 31, 29},    {1, 1, 4, 4095 * 4, 16, 12},
        {16, 1, 64, 100, 1, 16},     {1, 16, 4, 0, 16, 1},        {33, 3, 132, 0, 250, 4},
        {250, 4, 1000, 60, 250, 4},  {3, 100, 12, 3, 5, 100},     {100, 3, 4096, 2, 100, 3},
        {512, 2, 2048, 0, 500, 2},   {1000, 1, 4000, 97, 999, 1},
    };

    struct agpu_screen before = agpu_screen_plain;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct agpu_screen screen = {AEROGPU_FORMAT_B8G8R8A8_UNORM, shapes[i].width, shapes[i].height,
                                           shapes[i].pitch, shapes[i].offset};
        const struct agpu_screen_source image = {i % 2 == 0 ? AEROGPU_FORMAT_B8G8R8A8_UNORM
                                                            : AEROGPU_FORMAT_R8G8B8A8_UNORM,
                                                 shapes[i].target_width, shapes[i].target_height};

        agpu_return_unless(agpu_screen_show_next(t, &before, &screen, &image, i, "present of each geometry"));
        before = screen;
    }
}

/* PRESENT_EX, other scanouts and other flags must show the same picture without an error. */
static void agpu_texel_packets(struct agpu_test *t)
{
    static const struct {
        bool ex;
        uint32_t scanout_id, flags;
    } packets[] = {{true, 0, 0},  {false, 7, 0},         {true, UINT32_MAX, 0},
                   {false, 0, 2}, {true, 0, 0x80000000}, {false, 1, 0xFFFFFFFE}};
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        agpu_screen_poison(t);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 40 + i), 0);
        agpu_put_screen_present(rig, packets[i].ex, packets[i].scanout_id, packets[i].flags);
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(agpu_screen_check(t, &agpu_screen_plain, "present by each packet"));
    }
}

/* Without the flag, with the scanout off, without size or without target, a present must leave the memory unchanged,
 * without an error. */
static void screen_untouched(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t handle;

        if (i == 5 && !t->env->model) {
            continue; /* another device may show its last picture */
        }
        handle = agpu_put_screen_source(rig, &agpu_screen_source_plain, 60 + i);
        agpu_screen_configure(t, &agpu_screen_plain);
        agpu_screen_poison(t);
        if (i == 2) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
        } else if (i == 3) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0);
        } else if (i == 4) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0);
        }
        agpu_put_targets(rig, i == 5 ? 0 : handle, 0);
        if (i == 6) { /* flagged, without a present in it */
            agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        } else {
            agpu_put_screen_present(rig, i == 1, 0, 0);
        }
        agpu_return_unless(
            agpu_screen_run(t, i < 2 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(agpu_screen_check(t, &agpu_screen_plain, "a present that shows no target"));
    }
    agpu_return_unless(
        agpu_screen_show(t, &agpu_screen_plain, &agpu_screen_source_plain, 70, "a present after those"));
}

/* After a flip, a present must write to the committed address, in the present format. */
static void screen_flip(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t base = t->env->rig.memory[AGPU_SCREEN_MEMORY].device_address;
    struct agpu_screen screen = agpu_screen_plain;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < 6; i++) {
        struct agpu_rig *rig = &t->env->rig;

        screen.offset = i * 2048;
        screen.format = i % 2 == 0 ? AEROGPU_FORMAT_B8G8R8A8_UNORM : AEROGPU_FORMAT_R8G8B8A8_UNORM;
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, screen.format);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, base + screen.offset);
        /* An address that is only staged has no effect. */
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, (uint32_t)(base + 14336));
        agpu_screen_poison(t);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 80 + i), 0);
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_screen_expect(&screen, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(agpu_screen_check(t, &screen, "a present after a flip"));
    }
}

/* A present must show the target's contents at that moment, whether cleared, copied or partly uploaded, in the same
 * submission or before. */
static void screen_current(struct agpu_test *t)
{
    const struct agpu_screen_source from = agpu_screen_source_plain;
    struct agpu_rig *rig = &t->env->rig;
    uint32_t target, other;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t bytes = from.width * from.height * 4;

        agpu_screen_poison(t);
        target = agpu_put_screen_source(rig, &from, 90);
        agpu_put_targets(rig, target, 0);
        switch (i % 4) {
        case 0:
            agpu_put_clear_color(rig, 0, 1, (float)i / 255.0f, 1);
            for (uint32_t at = 0; at < bytes; at++) {
                agpu_screen_image[at] = (uint8_t[]){(uint8_t)i, 255, 0, 255}[at % 4];
            }
            break;
        case 1:
            other = agpu_put_screen_source(rig, &from, 100 + i);
            agpu_put_copy_texture(rig, target, other, from.width, from.height, 0);
            break;
        case 2:
            agpu_fill_pattern(agpu_screen_image, bytes, 110 + i);
            agpu_put_upload(rig, target, 0, agpu_screen_image, bytes / 2);
            agpu_put_upload(rig, target, bytes / 2, agpu_screen_image + bytes / 2, bytes / 2);
            break;
        default:
            other = agpu_put_screen_source(rig, &from, 120 + i); /* bound in place of the first */
            agpu_put_targets(rig, other, 0);
            break;
        }
        if (i >= 4) {
            agpu_return_unless(agpu_screen_run(t, 0));
        }
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_screen_expect(&agpu_screen_plain, &from);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(
            agpu_screen_check(t, &agpu_screen_plain, "a present of data that was just written"));
    }
}

/* A present must show what the packet before it drew. */
static void screen_drawn(struct agpu_test *t)
{
    const struct agpu_screen screen = {AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE, AGPU_EDGE * 4, 0};
    const struct agpu_screen_source from = {AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE};

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_return_unless(agpu_screen_begin(t));
    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_screen_configure(t, &screen);
        agpu_screen_poison(t);
        agpu_scene_solid(t, 0, i == 0, i == 1, i == 2, 1);
        agpu_put_draw(&t->env->rig, 4);
        agpu_put_screen_present(&t->env->rig, false, 0, 0);
        for (uint32_t at = 0; at < AGPU_EDGE * AGPU_EDGE * 4; at++) {
            agpu_screen_image[at] = at % 4 == i || at % 4 == 3 ? 255 : 0;
        }
        agpu_screen_expect(&screen, &from);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(agpu_screen_check(t, &screen, "a present of an image that was just drawn"));
    }
}

/* Restores the register that was damaged last to its value of agpu_screen_plain; 0: writes all. */
static void screen_repair(const struct agpu_test *t, uint32_t wrong)
{
    const struct agpu_function *function = &t->env->function;

    switch (wrong) {
    case AEROGPU_MMIO_REG_SCANOUT0_FORMAT:
        agpu_reg_write(function, wrong, agpu_screen_plain.format);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES:
        agpu_reg_write(function, wrong, agpu_screen_plain.pitch);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_WIDTH:
        agpu_reg_write(function, wrong, agpu_screen_plain.width);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_HEIGHT:
        agpu_reg_write(function, wrong, agpu_screen_plain.height);
        break;
    default:
        agpu_screen_configure(t, &agpu_screen_plain);
        break;
    }
}

/* Given an enabled scanout that cannot be shown, a device that writes at presents must report an error and write
 * nothing. */
static void screen_refused(struct agpu_test *t)
{
    static const struct {
        uint32_t reg, value;
    } wrong[] = {
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_INVALID},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_D32_FLOAT},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_D24_UNORM_S8_UINT},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_BC1_RGBA_UNORM},
        {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 60},
        {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 0},
        {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 17},
        {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0x4004}, /* in 16 bits the row is as long as the pitch */
        {AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0x00100001},
        {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 66},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0xFFFFFF00},
    };
    struct agpu_rig *rig = &t->env->rig;
    uint32_t last = 0;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct agpu_error_info before = agpu_errors_so_far(t->env);
        struct agpu_submission submission;

        /* REF: devices check either the multiple of the pitch or the size here (device.md 4.8). */
        if (!t->env->model && (wrong[i].value == 66 || wrong[i].value == 0x00100001)) {
            continue;
        }
        screen_repair(t, last);
        last = wrong[i].reg;
        if (wrong[i].reg == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) {
            agpu_reg_write64(&t->env->function, wrong[i].reg,
                             wrong[i].value == 0 ? 0 : UINT64_C(0xFFFFFFFF00000000) | wrong[i].value);
        } else {
            agpu_reg_write(&t->env->function, wrong[i].reg, wrong[i].value);
        }
        agpu_screen_poison(t);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 160 + i), 0);
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
        submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT;
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_rig_begin_over(rig);
        if (agpu_screen_writes || agpu_error_count(t->env) != before.count) {
            agpu_return_unless(agpu_check_error(t, &before, submission.fence, AEROGPU_ERROR_BACKEND));
        }
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
        agpu_return_unless(
            agpu_screen_check(t, &agpu_screen_plain, "a present to a scanout that cannot be shown"));
    }
    agpu_return_unless(
        agpu_screen_show(t, &agpu_screen_plain, &agpu_screen_source_plain, 180, "a present after those"));
}

/* A present from a guest-backed target must show every row of a whole screen. */
static void screen_large(struct agpu_test *t)
{
    const uint32_t width = 640, height = 480, from_pitch = width * 4 + 16, to_pitch = width * 4 + 64;
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_pci_ref *ref = &t->env->function.found.ref;
    struct agpu_screen screen = {AEROGPU_FORMAT_B8G8R8A8_UNORM, width, height, to_pitch, 0};
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_dma memory[2];
    bool ok = true;
    uint32_t target;

    agpu_return_unless(agpu_screen_begin(t));
    agpu_require_ok(t, platform->dma_alloc(platform->ctx, ref, from_pitch * height, &memory[0]));
    if (!agpu_setup(t, platform->dma_alloc(platform->ctx, ref, to_pitch * height, &memory[1]),
                    "memory for a framebuffer", AGPU_HERE)) {
        platform->dma_free(platform->ctx, &memory[0]);
        return;
    }
    agpu_fill_pattern(memory[0].cpu, from_pitch * height, 21);
    memset(memory[1].cpu, AGPU_SCREEN_POISON, memory[1].size);
    agpu_screen_configure(t, &screen);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, memory[1].device_address);
    agpu_rig_alloc(rig, 9, &memory[0], AEROGPU_ALLOC_FLAG_NONE);
    target = agpu_screen_handle(rig);
    agpu_put_create_texture(rig, target, screen.format, width, height, from_pitch, 9)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_dirty(rig, target, 0, from_pitch * height);
    agpu_put_targets(rig, target, 0);
    agpu_put_screen_present(rig, false, 0, 0);
    ok = agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT);
    for (uint32_t y = 0; y < height && ok; y++) {
        const uint8_t *row = (const uint8_t *)memory[1].cpu + (size_t)y * to_pitch;

        ok = (agpu_screen_writes
                  ? agpu_check_memory(t, row, (const uint8_t *)memory[0].cpu + (size_t)y * from_pitch,
                                      width * 4, "a row of a framebuffer of 640 x 480", AGPU_HERE)
                  : agpu_check_filled(t, row, AGPU_SCREEN_POISON, width * 4)) &&
             agpu_check_filled(t, row + width * 4, AGPU_SCREEN_POISON, to_pitch - width * 4);
    }
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    platform->dma_free(platform->ctx, &memory[1]);
    platform->dma_free(platform->ctx, &memory[0]);
}

/* Size of the checked part of a framebuffer in BAR1: after the first interrupt each access is a message to a model. */
#define VRAM_BYTES 2048u

/* Given a framebuffer in BAR1, each present must write its picture there (device.md 4.8). */
static void screen_vram(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const uint32_t at = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_bar_mapping bar;

    agpu_return_unless(agpu_screen_begin(t));
    agpu_require(t,
                 platform->bar_map != NULL && platform->bar_map(platform->ctx, &t->env->function.found.ref,
                                                                agpu_aperture_index(&t->env->function), &bar),
                 AGPU_SKIP_BAR1_MAP);
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *memory = (uint8_t *)bar.cpu + at + i * AGPU_SCREEN_BYTES;

        agpu_screen_poison(t);
        memset(memory, AGPU_SCREEN_POISON, VRAM_BYTES);
        agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
                         bar.device_address + at + i * AGPU_SCREEN_BYTES);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 210 + i), 0);
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        memcpy(agpu_screen_memory(t), memory, VRAM_BYTES);
        agpu_return_unless(agpu_screen_check(t, &agpu_screen_plain, "a present into BAR1"));
        memset(memory, 0, VRAM_BYTES);
    }
}

/* A copy of the target into a texture over the framebuffer's memory must show it: the method that works on every
 * device. */
static void screen_recipe(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint32_t target;

    agpu_screen_writes = true; /* by the copy */
    agpu_screen_configure(t, &agpu_screen_plain);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t frame = agpu_screen_handle(rig);

        agpu_screen_poison(t);
        agpu_rig_alloc(rig, 9, &rig->memory[AGPU_SCREEN_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(rig, frame, agpu_screen_plain.format, agpu_screen_plain.width,
                                agpu_screen_plain.height, agpu_screen_plain.pitch, 9);
        target = agpu_put_screen_source(rig, &agpu_screen_source_plain, 190 + i);
        agpu_put_targets(rig, target, 0);
        agpu_put_copy_texture(rig, frame, target, agpu_screen_plain.width, agpu_screen_plain.height,
                              AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_put_screen_present(rig, i == 1, 0, 0);
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(
            agpu_screen_check(t, &agpu_screen_plain, "a present whose target was copied to the framebuffer"));
    }
}

/* A present must not disturb the packets around it, and needs nothing. */
static void resource_present_immediate(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[4 * 4];

    agpu_fill_pattern(expected, sizeof expected, 9);
    agpu_put_create_buffer(rig, 1, sizeof expected, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        agpu_put_upload(rig, 1, 4 * i, expected + 4 * i, 4);
        if (i == 0) {
            agpu_put_screen_present(rig, false, 0, 0);
        } else if (i == 1) {
            agpu_put_screen_present(rig, true, 3, 0);
        } else {
            agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        }
    }
    agpu_put_readback(rig, 1, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, expected, sizeof expected));
    agpu_put_readback_done(rig);
    agpu_put_screen_present(rig, false, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_readback(rig, 1, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, sizeof expected);
}

#define SCREEN_CASE(name, function)                                                                          \
    {                                                                                                        \
        .id = "present.screen." name, .spec = "commands.md 11", .needs = AGPU_NEED_RING,                     \
        .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,         \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_present_screen_cases[] = {
    SCREEN_CASE("recipe", screen_recipe),
    SCREEN_CASE("geometry", screen_geometry),
    SCREEN_CASE("formats", screen_formats),
    SCREEN_CASE("packets", agpu_texel_packets),
    SCREEN_CASE("untouched", screen_untouched),
    SCREEN_CASE("flip", screen_flip),
    SCREEN_CASE("current", screen_current),
    SCREEN_CASE("drawn", screen_drawn),
    SCREEN_CASE("refused", screen_refused),
    SCREEN_CASE("large", screen_large),
    SCREEN_CASE("vram", screen_vram),
    {.id = "present.immediate",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = resource_present_immediate},
};

AGPU_CASE_TABLE(agpu_cases_resource_present_screen, resource_present_screen_cases);
