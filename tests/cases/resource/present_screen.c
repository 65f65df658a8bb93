/* present_screen.c: what a flagged present writes to the framebuffer of scanout 0 (commands.md 11, device.md
 * 4.8): formats, geometry, which target, and when nothing is written.
 *
 * A device may also leave the memory alone, which is the image then; each case finds out with a plain present which
 * of the two the device does, and holds it to that. */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define SCREEN_BYTES  16384u
#define SCREEN_POISON 0xAB
#define SCREEN_MEMORY 0u /* of the rig's */
#define SOURCE_BYTES  4000u

struct screen {
    uint32_t format, width, height, pitch, offset;
};

/* A target with an image in it. */
struct screen_source {
    uint32_t format, width, height;
};

static uint8_t source[SOURCE_BYTES];
static uint8_t expected[SCREEN_BYTES];
static uint32_t next_handle;
static bool writes; /* the device writes at a flagged present */

/* ---- the framebuffer ---- */

static uint8_t *screen_memory(const struct agpu_test *t)
{
    return t->env->rig.memory[SCREEN_MEMORY].cpu;
}

static void screen_poison(const struct agpu_test *t)
{
    memset(screen_memory(t), SCREEN_POISON, AGPU_RIG_MEMORY_BYTES);
    memset(expected, SCREEN_POISON, sizeof expected);
}

static void screen_configure(const struct agpu_test *t, const struct screen *screen)
{
    const struct agpu_function *function = &t->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, screen->width);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, screen->height);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, screen->format);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, screen->pitch);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
                     t->env->rig.memory[SCREEN_MEMORY].device_address + screen->offset);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

/* The image in source as it has to stand in the framebuffer, clipped. */
static void screen_expect(const struct screen *screen, const struct screen_source *from)
{
    const uint32_t width = screen->width < from->width ? screen->width : from->width;
    const uint32_t height = screen->height < from->height ? screen->height : from->height;
    const uint32_t to_bytes = agpu_texel_bytes(screen->format);

    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t rgba[4];

            agpu_texel_unpack(from->format,
                              source + (size_t)(y * from->width + x) * agpu_texel_bytes(from->format), rgba);
            agpu_texel_pack(screen->format, rgba,
                            expected + screen->offset + y * screen->pitch + x * to_bytes);
        }
    }
}

/* The framebuffer is as expected, and so is what lies around it; the X byte is undefined. On a device that does not
 * write at presents, nothing was written. */
static bool screen_check(struct agpu_test *t, const struct screen *screen, const char *what)
{
    const uint8_t *memory = screen_memory(t);
    const uint32_t bytes = agpu_texel_bytes(screen->format);
    char buffer[160];
    struct agpu_text text;

    if (!writes) {
        memset(expected, SCREEN_POISON, sizeof expected);
    }
    for (uint32_t i = 0; i < SCREEN_BYTES; i++) {
        const uint32_t at = i - screen->offset;
        const bool inside = i >= screen->offset && at % screen->pitch < screen->width * bytes &&
                            at / screen->pitch < screen->height;

        if (memory[i] == expected[i] ||
            (inside && writes && agpu_texel_has_x8(screen->format) && at % screen->pitch % 4 == 3)) {
            continue;
        }
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, what);
        if (inside) {
            agpu_text_string(&text, ", framebuffer at x ");
            agpu_text_u64(&text, at % screen->pitch / bytes);
            agpu_text_string(&text, " y ");
            agpu_text_u64(&text, at / screen->pitch);
            agpu_text_string(&text, " byte ");
            agpu_text_u64(&text, at % screen->pitch % bytes);
        } else {
            agpu_text_string(&text, ", memory beside the framebuffer at offset ");
            agpu_text_u64(&text, i);
        }
        agpu_text_string(&text, ", scanout format ");
        agpu_text_u64(&text, screen->format);
        return agpu_check_u64(t, memory[i], expected[i], buffer, true, AGPU_HERE);
    }
    return agpu_check_filled(t, memory + SCREEN_BYTES, SCREEN_POISON, AGPU_RIG_MEMORY_BYTES - SCREEN_BYTES);
}

/* ---- presenting ---- */

/* A new target with a new image, not bound yet; its handle. */
static uint32_t put_screen_source(struct agpu_rig *rig, const struct screen_source *from, uint32_t seed)
{
    const uint32_t size = from->width * from->height * agpu_texel_bytes(from->format);

    agpu_fill_pattern(source, size, seed);
    agpu_put_target(rig, ++next_handle, from->format, from->width, from->height);
    agpu_put_upload(rig, next_handle, 0, source, size);
    return next_handle;
}

static void put_screen_present(struct agpu_rig *rig, bool ex, uint32_t scanout_id, uint32_t flags)
{
    struct aerogpu_cmd_present_ex *packet = agpu_rig_packet(
        rig, ex ? AEROGPU_CMD_PRESENT_EX : AEROGPU_CMD_PRESENT,
        ex ? (uint32_t)sizeof(struct aerogpu_cmd_present_ex) : (uint32_t)sizeof(struct aerogpu_cmd_present));

    packet->scanout_id = scanout_id;
    packet->flags = flags;
}

/* Runs the stream with these flags in its descriptor. */
static bool screen_run(struct agpu_test *t, uint32_t desc_flags)
{
    const uint32_t errors = agpu_error_info(t->env).count;
    struct agpu_submission submission;
    bool ok;

    ok = agpu_check(t, agpu_rig_finish(&t->env->rig, &submission));
    submission.flags = desc_flags;
    ok = ok && agpu_submit_wait(t, &submission) &&
         agpu_check_u64(t, agpu_error_info(t->env).count, errors, "ERROR_COUNT after a present", false,
                        AGPU_HERE);
    agpu_rig_begin_over(&t->env->rig);
    return ok;
}

/* One image through one flagged present. */
static bool screen_show(struct agpu_test *t, const struct screen *screen, const struct screen_source *from,
                        uint32_t seed, const char *what)
{
    struct agpu_rig *rig = &t->env->rig;
    uint32_t handle;

    screen_configure(t, screen);
    screen_poison(t);
    handle = put_screen_source(rig, from, seed);
    agpu_put_targets(rig, handle, 0);
    put_screen_present(rig, false, 0, 0);
    screen_expect(screen, from);
    if (!screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT) || !screen_check(t, screen, what)) {
        return false;
    }
    agpu_put_targets(rig, 0, 0);
    agpu_put_destroy(rig, handle);
    return screen_run(t, 0);
}

static const struct screen plain = {AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 12, 64, 0};
static const struct screen_source plain_source = {AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 12};

/* Finds out whether the device writes at presents; our model does. */
static bool screen_begin(struct agpu_test *t)
{
    next_handle = 0x100;
    writes = true;
    if (!t->env->model) {
        struct agpu_rig *rig = &t->env->rig;

        screen_configure(t, &plain);
        screen_poison(t);
        agpu_put_targets(rig, put_screen_source(rig, &plain_source, 5), 0);
        put_screen_present(rig, false, 0, 0);
        if (!screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT)) {
            return false;
        }
        writes = false;
        for (uint32_t i = 0; i < SCREEN_BYTES; i++) {
            writes |= screen_memory(t)[i] != SCREEN_POISON;
        }
    }
    return screen_show(t, &plain, &plain_source, 6, "a plain present");
}

/* ---- cases ---- */

static void screen_formats(struct agpu_test *t)
{
    agpu_return_unless(screen_begin(t));
    for (uint32_t to = 1; to <= 10; to++) {
        for (uint32_t from = 1; from <= 10; from++) {
            const uint32_t wide = from == to ? 30 : 10;
            const struct screen screen = {to, wide, 6, wide * agpu_texel_bytes(to) + 8, 64};
            const struct screen_source image = {from, wide, 6};

            if (t->env->model || agpu_texel_is_srgb(from) == agpu_texel_is_srgb(to)) {
                agpu_return_unless(screen_show(t, &screen, &image, 16 * to + from, "present of each format"));
            }
        }
    }
}

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

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct screen screen = {AEROGPU_FORMAT_B8G8R8A8_UNORM, shapes[i].width, shapes[i].height,
                                      shapes[i].pitch, shapes[i].offset};
        const struct screen_source image = {i % 2 == 0 ? AEROGPU_FORMAT_B8G8R8A8_UNORM
                                                       : AEROGPU_FORMAT_R8G8B8A8_UNORM,
                                            shapes[i].target_width, shapes[i].target_height};

        agpu_return_unless(screen_show(t, &screen, &image, i, "present of each geometry"));
    }
}

/* PRESENT_EX, other scanouts and other flags show the same; none of them is an error. */
static void agpu_texel_packets(struct agpu_test *t)
{
    static const struct {
        bool ex;
        uint32_t scanout_id, flags;
    } packets[] = {{true, 0, 0},  {false, 7, 0},         {true, UINT32_MAX, 0},
                   {false, 0, 2}, {true, 0, 0x80000000}, {false, 1, 0xFFFFFFFE}};
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        screen_poison(t);
        agpu_put_targets(rig, put_screen_source(rig, &plain_source, 40 + i), 0);
        put_screen_present(rig, packets[i].ex, packets[i].scanout_id, packets[i].flags);
        screen_expect(&plain, &plain_source);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &plain, "present by each packet"));
    }
}

/* The memory is left alone without the flag, with the scanout off, without size and without target; that is no
 * error. */
static void screen_untouched(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t handle;

        if (i == 5 && !t->env->model) {
            continue; /* another device may show what it showed last */
        }
        handle = put_screen_source(rig, &plain_source, 60 + i);
        screen_configure(t, &plain);
        screen_poison(t);
        if (i == 2) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
        } else if (i == 3) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0);
        } else if (i == 4) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0);
        }
        agpu_put_targets(rig, i == 5 ? 0 : handle, 0);
        if (i == 6) { /* flagged, and no present in it */
            agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        } else {
            put_screen_present(rig, i == 1, 0, 0);
        }
        agpu_return_unless(screen_run(t, i < 2 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &plain, "a present that shows no target"));
    }
    agpu_return_unless(screen_show(t, &plain, &plain_source, 70, "a present after those"));
}

/* A flip: what is written is at the committed address, in the format of the moment. */
static void screen_flip(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t base = t->env->rig.memory[SCREEN_MEMORY].device_address;
    struct screen screen = plain;

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < 6; i++) {
        struct agpu_rig *rig = &t->env->rig;

        screen.offset = i * 2048;
        screen.format = i % 2 == 0 ? AEROGPU_FORMAT_B8G8R8A8_UNORM : AEROGPU_FORMAT_R8G8B8A8_UNORM;
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, screen.format);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, base + screen.offset);
        /* One that is only staged is not in effect. */
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, (uint32_t)(base + 14336));
        screen_poison(t);
        agpu_put_targets(rig, put_screen_source(rig, &plain_source, 80 + i), 0);
        put_screen_present(rig, false, 0, 0);
        screen_expect(&screen, &plain_source);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &screen, "a present after a flip"));
    }
}

/* The image is that of the moment, however it came into the target: cleared, copied, uploaded in part; in the
 * present's own submission or before it. */
static void screen_current(struct agpu_test *t)
{
    const struct screen_source from = plain_source;
    struct agpu_rig *rig = &t->env->rig;
    uint32_t target, other;

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t bytes = from.width * from.height * 4;

        screen_poison(t);
        target = put_screen_source(rig, &from, 90);
        agpu_put_targets(rig, target, 0);
        switch (i % 4) {
        case 0:
            agpu_put_clear_color(rig, 0, 1, (float)i / 255.0f, 1);
            for (uint32_t at = 0; at < bytes; at++) {
                source[at] = (uint8_t[]){(uint8_t)i, 255, 0, 255}[at % 4];
            }
            break;
        case 1:
            other = put_screen_source(rig, &from, 100 + i);
            agpu_put_copy_texture(rig, target, other, from.width, from.height, 0);
            break;
        case 2:
            agpu_fill_pattern(source, bytes, 110 + i);
            agpu_put_upload(rig, target, 0, source, bytes / 2);
            agpu_put_upload(rig, target, bytes / 2, source + bytes / 2, bytes / 2);
            break;
        default:
            other = put_screen_source(rig, &from, 120 + i); /* bound in place of the first */
            agpu_put_targets(rig, other, 0);
            break;
        }
        if (i >= 4) {
            agpu_return_unless(screen_run(t, 0));
        }
        put_screen_present(rig, false, 0, 0);
        screen_expect(&plain, &from);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &plain, "a present of what was just written"));
    }
}

/* What was drawn a packet before is in it. */
static void screen_drawn(struct agpu_test *t)
{
    const struct screen screen = {AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE, AGPU_EDGE * 4, 0};
    const struct screen_source from = {AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE};

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_return_unless(screen_begin(t));
    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 3; i++) {
        screen_configure(t, &screen);
        screen_poison(t);
        agpu_scene_solid(t, 0, i == 0, i == 1, i == 2, 1);
        agpu_put_draw(&t->env->rig, 4);
        put_screen_present(&t->env->rig, false, 0, 0);
        for (uint32_t at = 0; at < AGPU_EDGE * AGPU_EDGE * 4; at++) {
            source[at] = at % 4 == i || at % 4 == 3 ? 255 : 0;
        }
        screen_expect(&screen, &from);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &screen, "a present of what was just drawn"));
    }
}

/* Of several targets the first bound one is shown; of a view its first subresource. */
static void screen_targets(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    struct aerogpu_cmd_set_render_targets *set;
    uint32_t handles[2];

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < 4; i++) {
        const bool slot_0 = i < 2;

        if (!slot_0 && !t->env->model) { /* elsewhere slot 0 alone may count */
            return;
        }
        screen_poison(t);
        handles[1] = put_screen_source(rig, &plain_source, 140 + i);
        handles[0] = put_screen_source(rig, &plain_source, 150 + i); /* the one in source now */
        set = agpu_rig_packet(rig, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
        set->color_count = AEROGPU_MAX_RENDER_TARGETS;
        set->colors[slot_0 ? 0 : i] = handles[0];
        set->colors[i == 0 ? 1 : AEROGPU_MAX_RENDER_TARGETS - 1] = handles[1];
        put_screen_present(rig, false, 0, 0);
        screen_expect(&plain, &plain_source);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &plain, "a present with several targets"));
    }
}

/* A scanout that is on and cannot be shown: a device that writes at presents reports that it could not, and nothing
 * is written. */
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
        {AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0x00100001},
        {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 66},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0xFFFFFF00},
    };
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(screen_begin(t));
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct agpu_error_info before = agpu_error_info(t->env);
        struct agpu_submission submission;

        /* REF: devices check either the pitch's multiple or the size here (device.md 4.8). */
        if (!t->env->model && (wrong[i].value == 66 || wrong[i].value == 0x00100001)) {
            continue;
        }
        screen_configure(t, &plain);
        if (wrong[i].reg == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) {
            agpu_reg_write64(&t->env->function, wrong[i].reg,
                             wrong[i].value == 0 ? 0 : UINT64_C(0xFFFFFFFF00000000) | wrong[i].value);
        } else {
            agpu_reg_write(&t->env->function, wrong[i].reg, wrong[i].value);
        }
        screen_poison(t);
        agpu_put_targets(rig, put_screen_source(rig, &plain_source, 160 + i), 0);
        put_screen_present(rig, false, 0, 0);
        agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
        submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT;
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_rig_begin_over(rig);
        if (writes || agpu_error_info(t->env).count != before.count) {
            agpu_return_unless(agpu_check_error(t, &before, submission.fence, AEROGPU_ERROR_BACKEND));
        }
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
        agpu_return_unless(screen_check(t, &plain, "a present to a scanout that cannot be shown"));
    }
    agpu_return_unless(screen_show(t, &plain, &plain_source, 180, "a present after those"));
}

/* The way that works on every device: the target is copied into a texture whose memory is the framebuffer. */
static void screen_recipe(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint32_t target;

    next_handle = 0x100;
    writes = true; /* the copy does */
    screen_configure(t, &plain);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t frame = 0x90 + i;

        screen_poison(t);
        agpu_rig_alloc(rig, 9, &rig->memory[SCREEN_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(rig, frame, plain.format, plain.width, plain.height, plain.pitch, 9);
        target = put_screen_source(rig, &plain_source, 190 + i);
        agpu_put_targets(rig, target, 0);
        agpu_put_copy_texture(rig, frame, target, plain.width, plain.height, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        put_screen_present(rig, i == 1, 0, 0);
        screen_expect(&plain, &plain_source);
        agpu_return_unless(screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(screen_check(t, &plain, "a present whose target was copied to the framebuffer"));
    }
}

#define SCREEN_CASE(name, function)                                                                          \
    {                                                                                                        \
        .id = "present.screen." name, .spec = "commands.md 11", .needs = AGPU_NEED_RING,                     \
        .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,         \
        .run = (function)                                                                                    \
    }

static const struct agpu_case cases[] = {
    SCREEN_CASE("recipe", screen_recipe),       SCREEN_CASE("geometry", screen_geometry),
    SCREEN_CASE("formats", screen_formats),     SCREEN_CASE("packets", agpu_texel_packets),
    SCREEN_CASE("untouched", screen_untouched), SCREEN_CASE("flip", screen_flip),
    SCREEN_CASE("current", screen_current),     SCREEN_CASE("drawn", screen_drawn),
    SCREEN_CASE("targets", screen_targets),     SCREEN_CASE("refused", screen_refused),
};

AGPU_CASE_TABLE(agpu_cases_resource_present_screen, cases);
