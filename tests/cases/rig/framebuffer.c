/* framebuffer.c: a framebuffer in the rig's memory, and images presented to it (commands.md 11, device.md 4.8). */
#include "tests/cases/rig/framebuffer.h"

#include <string.h>

#include "pci/registers.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/texel.h"

uint8_t agpu_screen_image[AGPU_SCREEN_IMAGE_BYTES];
bool agpu_screen_writes;
static uint8_t expected[AGPU_SCREEN_BYTES];

#define HANDLES_FROM 0x100u

/* ---- the framebuffer ---- */

uint8_t *agpu_screen_memory(const struct agpu_test *t)
{
    return t->env->rig.memory[AGPU_SCREEN_MEMORY].cpu;
}

void agpu_screen_poison(const struct agpu_test *t)
{
    memset(agpu_screen_memory(t), AGPU_SCREEN_POISON, AGPU_RIG_MEMORY_BYTES);
    memset(expected, AGPU_SCREEN_POISON, sizeof expected);
}

static const struct agpu_screen nothing_shown = {0};

/* Writes the registers that differ from the earlier screen; with nothing_shown, all of them. */
static void change_screen(const struct agpu_test *t, const struct agpu_screen *before,
                          const struct agpu_screen *screen)
{
    const struct agpu_function *function = &t->env->function;
    const bool all = before == &nothing_shown;

    if (all || screen->width != before->width) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, screen->width);
    }
    if (all || screen->height != before->height) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, screen->height);
    }
    if (all || screen->format != before->format) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, screen->format);
    }
    if (all || screen->pitch != before->pitch) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, screen->pitch);
    }
    if (all || screen->offset != before->offset) {
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
                         t->env->rig.memory[AGPU_SCREEN_MEMORY].device_address + screen->offset);
    }
    if (all) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    }
}

void agpu_screen_configure(const struct agpu_test *t, const struct agpu_screen *screen)
{
    change_screen(t, &nothing_shown, screen);
}

/* Copies the source image, clipped, to where it must be in the framebuffer. */
void agpu_screen_expect(const struct agpu_screen *screen, const struct agpu_screen_source *from)
{
    const uint32_t width = screen->width < from->width ? screen->width : from->width;
    const uint32_t height = screen->height < from->height ? screen->height : from->height;
    const uint32_t to_bytes = agpu_texel_bytes(screen->format);

    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t rgba[4];

            agpu_texel_unpack(
                from->format,
                agpu_screen_image + (size_t)(y * from->width + x) * agpu_texel_bytes(from->format), rgba);
            agpu_texel_pack(screen->format, rgba,
                            expected + screen->offset + y * screen->pitch + x * to_bytes);
        }
    }
}

/* Checks the framebuffer and the memory around it; the X byte is undefined. If the device does not write at presents,
 * nothing may have changed. */
bool agpu_screen_check(struct agpu_test *t, const struct agpu_screen *screen, const char *what)
{
    const uint8_t *memory = agpu_screen_memory(t);
    const uint32_t bytes = agpu_texel_bytes(screen->format);
    char buffer[160];
    struct agpu_text text;

    if (!agpu_screen_writes) {
        memset(expected, AGPU_SCREEN_POISON, sizeof expected);
    }
    for (uint32_t i = 0; i < AGPU_SCREEN_BYTES; i++) {
        const uint32_t at = i - screen->offset;
        const bool inside = i >= screen->offset && at % screen->pitch < screen->width * bytes &&
                            at / screen->pitch < screen->height;

        if (memory[i] == expected[i] || (inside && agpu_screen_writes && agpu_texel_has_x8(screen->format) &&
                                         at % screen->pitch % 4 == 3)) {
            continue;
        }
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, what);
        if (inside) {
            agpu_format(&text, ", framebuffer at x %u y %u byte %u", at % screen->pitch / bytes,
                        at / screen->pitch, at % screen->pitch % bytes);
        } else {
            agpu_format(&text, ", memory beside the framebuffer at offset %u", i);
        }
        agpu_format(&text, ", scanout format %s (%u)", agpu_texel_name(screen->format), screen->format);
        return agpu_check_u64(t, memory[i], expected[i], buffer, true, AGPU_HERE);
    }
    return agpu_check_filled(t, memory + AGPU_SCREEN_BYTES, AGPU_SCREEN_POISON,
                             AGPU_RIG_MEMORY_BYTES - AGPU_SCREEN_BYTES);
}

/* ---- presenting ---- */

uint32_t agpu_screen_handle(struct agpu_rig *rig)
{
    return HANDLES_FROM + ++rig->screen_handles;
}

/* Creates a target with a new image, not yet bound, and returns its handle. */
uint32_t agpu_put_screen_source(struct agpu_rig *rig, const struct agpu_screen_source *from, uint32_t seed)
{
    const uint32_t size = from->width * from->height * agpu_texel_bytes(from->format);
    const uint32_t handle = agpu_screen_handle(rig);

    agpu_fill_pattern(agpu_screen_image, size, seed);
    agpu_put_target(rig, handle, from->format, from->width, from->height);
    agpu_put_upload(rig, handle, 0, agpu_screen_image, size);
    return handle;
}

void agpu_put_screen_present(struct agpu_rig *rig, bool ex, uint32_t scanout_id, uint32_t flags)
{
    if (ex) {
        agpu_put_present_ex(rig, scanout_id, flags, 0);
    } else {
        agpu_put_present(rig, scanout_id, flags);
    }
}

/* Runs the stream with these flags in its descriptor. */
bool agpu_screen_run(struct agpu_test *t, uint32_t desc_flags)
{
    const uint32_t errors = agpu_error_count_before(t->env);
    struct agpu_submission submission;
    bool ok;

    ok = agpu_check(t, agpu_rig_finish(&t->env->rig, &submission));
    submission.flags = desc_flags;
    ok = ok && agpu_submit_wait(t, &submission) && agpu_check_valid_outcome(t, errors);
    agpu_rig_begin_over(&t->env->rig);
    return ok;
}

/* Shows one image with one flagged present. */
static bool present_screen(struct agpu_test *t, const struct agpu_screen *screen,
                           const struct agpu_screen_source *from, uint32_t seed, const char *what)
{
    struct agpu_rig *rig = &t->env->rig;
    uint32_t handle;

    agpu_screen_poison(t);
    handle = agpu_put_screen_source(rig, from, seed);
    agpu_put_targets(rig, handle, 0);
    agpu_put_screen_present(rig, false, 0, 0);
    agpu_screen_expect(screen, from);
    if (!agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT) || !agpu_screen_check(t, screen, what)) {
        return false;
    }
    agpu_put_targets(rig, 0, 0);
    agpu_put_destroy(rig, handle);
    return agpu_screen_run(t, 0);
}

bool agpu_screen_show(struct agpu_test *t, const struct agpu_screen *screen,
                      const struct agpu_screen_source *from, uint32_t seed, const char *what)
{
    agpu_screen_configure(t, screen);
    return present_screen(t, screen, from, seed, what);
}

bool agpu_screen_show_next(struct agpu_test *t, const struct agpu_screen *before,
                           const struct agpu_screen *screen, const struct agpu_screen_source *from,
                           uint32_t seed, const char *what)
{
    change_screen(t, before, screen);
    return present_screen(t, screen, from, seed, what);
}

const struct agpu_screen agpu_screen_plain = {AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 12, 64, 0};
const struct agpu_screen_source agpu_screen_source_plain = {AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 12};

/* Detects if the device writes at presents (agpu_screen_writes); our model does. */
bool agpu_screen_begin(struct agpu_test *t)
{
    agpu_screen_writes = true;
    if (!t->env->model) {
        struct agpu_rig *rig = &t->env->rig;

        agpu_screen_configure(t, &agpu_screen_plain);
        agpu_screen_poison(t);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 5), 0);
        agpu_put_screen_present(rig, false, 0, 0);
        if (!agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT)) {
            return false;
        }
        agpu_screen_writes = false;
        for (uint32_t i = 0; i < AGPU_SCREEN_BYTES; i++) {
            agpu_screen_writes |= agpu_screen_memory(t)[i] != AGPU_SCREEN_POISON;
        }
    }
    return agpu_screen_show(t, &agpu_screen_plain, &agpu_screen_source_plain, 6, "a plain present");
}
