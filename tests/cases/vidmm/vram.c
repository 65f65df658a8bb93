/* vram.c: a memory segment over BAR1 (vidmm.md 2): the views of CPU and device, and a full segment. By rule, commands
 * name system memory (device.md 5); that this device model also accepts BAR1 addresses is its own choice. */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_frame.h"
#include "tests/cases/rig/vblank.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 16384u
#define ROOM 2u /* allocations that fit */
#define VRAM (1u << (AGPU_SEGMENT_VRAM - 1))
#define T    AEROGPU_FEATURE_TRANSFER

static struct agpu_bar_mapping bar; /* of the running case; size 0: not available */
static uint8_t pattern[SIZE];

/* A window at the start of the framebuffer area: the first part is backed on every device. */
static void open_window(struct agpu_runtime_config *config)
{
    const uint64_t at = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;
    const struct agpu_platform *platform = config->platform;

    bar.size = 0;
    if (platform->bar_map == NULL ||
        (!platform->bar_map(platform->ctx, &config->function, 1, &bar) &&
         !platform->bar_map(platform->ctx, &config->function, 2, &bar))) { /* after a BAR0 of 64 bits */
        return;
    }
    config->vidmm.vram = (struct agpu_segment_window){.device_address = bar.device_address + at,
                                                      .size = ROOM * SIZE,
                                                      .cpu = (uint8_t *)bar.cpu + at,
                                                      .write_combined = bar.write_combined};
}

/* Like open_window(), on a machine that cannot map the BAR. */
static void open_blind_window(struct agpu_runtime_config *config)
{
    open_window(config);
    config->vidmm.vram.cpu = NULL;
}

static bool vram_mapped(struct agpu_test *t)
{
    if (bar.size == 0) {
        agpu_skip(t, AGPU_SKIP_BAR1_MAP);
    }
    return bar.size != 0;
}

static uint32_t read_bar(struct agpu_test *t, const void *cpu)
{
    const struct agpu_function *function = &t->env->function;

    return (uint32_t)t->env->platform->bar_read(
        t->env->platform->ctx, &function->found.ref, agpu_aperture_index(function),
        (uint64_t)((const uint8_t *)cpu - (const uint8_t *)bar.cpu), 4);
}

/* Bytes that the CPU writes through a lock must be in BAR1 at the segment's address; new memory is zero. */
static void lock_shows_bar(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    const struct agpu_bar_info *info = &t->env->function.bars[agpu_aperture_index(&t->env->function)];
    uint32_t word;

    agpu_return_unless(vram_mapped(t));
    agpu_check_eq_hex(t, bar.device_address, info->address);
    agpu_check(t, bar.size >= info->size);
    agpu_assert(t, agpu_check_hr(t, agpu_client_alloc_in(SIZE, VRAM, &memory), S_OK));
    agpu_assert(t, agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_WRITE), S_OK));
    agpu_check_filled(t, memory.data, 0, SIZE);
    agpu_fill_pattern(pattern, SIZE, 1);
    memcpy(memory.data, pattern, SIZE);
    for (uint32_t at = 0; at < SIZE; at += SIZE / 8) {
        memcpy(&word, pattern + at, 4);
        agpu_check_eq_hex(t, read_bar(t, (uint8_t *)memory.data + at), word);
    }
    agpu_check_hr(t, agpu_client_unlock(&memory), S_OK);
    agpu_client_check(t, &memory, pattern, SIZE);
}

/* Copies between the two segments must work in both directions. */
static void vram_copies(struct agpu_test *t)
{
    struct agpu_client_memory vram, before, after;

    agpu_return_unless(vram_mapped(t));
    agpu_assert(t, agpu_check_hr(t, agpu_client_alloc_in(SIZE, VRAM, &vram), S_OK));
    agpu_client_make_buffer(&vram);
    agpu_return_unless(agpu_client_alloc(t, SIZE, &before) && agpu_client_alloc(t, SIZE, &after));
    agpu_return_unless(agpu_client_submit(t));
    agpu_fill_pattern(pattern, SIZE, 2);
    agpu_return_unless(agpu_client_write(t, &before, 0, pattern, SIZE));
    agpu_client_copy(&vram, &before);
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_client_check(t, &vram, pattern, SIZE));
    agpu_fill_pattern(pattern, SIZE, 3);
    agpu_return_unless(agpu_client_write(t, &vram, 0, pattern, SIZE));
    agpu_client_copy(&after, &vram);
    agpu_return_unless(agpu_client_submit(t));
    agpu_client_check(t, &after, pattern, SIZE);
}

/* With everything locked there must be no space for another allocation; an unlock frees space, and the evicted memory
 * keeps its contents. */
static void vram_full(struct agpu_test *t)
{
    struct agpu_client_memory memories[ROOM + 1];

    agpu_return_unless(vram_mapped(t));
    for (uint32_t i = 0; i <= ROOM; i++) {
        agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_in(SIZE, VRAM, &memories[i]), S_OK));
    }
    for (uint32_t i = 0; i < ROOM; i++) {
        agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memories[i], AGPU_LOCK_WRITE), S_OK));
        agpu_fill_pattern(pattern, SIZE, 10 + i);
        memcpy(memories[i].data, pattern, SIZE);
    }
    agpu_check_hr(t, agpu_client_lock(&memories[ROOM], AGPU_LOCK_WRITE), E_OUTOFMEMORY);
    for (uint32_t i = 0; i < ROOM; i++) {
        agpu_check_hr(t, agpu_client_unlock(&memories[i]), S_OK);
    }
    agpu_check_hr(t, agpu_client_lock(&memories[ROOM], AGPU_LOCK_WRITE), S_OK);
    memset(memories[ROOM].data, 0xA5, SIZE);
    agpu_check_hr(t, agpu_client_unlock(&memories[ROOM]), S_OK);
    for (uint32_t i = 0; i < ROOM; i++) {
        agpu_fill_pattern(pattern, SIZE, 10 + i);
        agpu_client_check(t, &memories[i], pattern, SIZE);
    }
}

/* Given a segment without CPU access, allocations must succeed and locks of them fail cleanly. */
static void not_visible(struct agpu_test *t)
{
    struct agpu_client_memory vram, system;

    agpu_return_unless(vram_mapped(t));
    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_in(SIZE, VRAM, &vram), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_in(SIZE, VRAM | 1u, &system), S_OK));
    agpu_check_hr(t, agpu_client_lock(&vram, AGPU_LOCK_READ), E_FAIL);
    agpu_check_hr(t, agpu_client_lock(&system, AGPU_LOCK_READ), S_OK);
    agpu_check_hr(t, agpu_client_unlock(&system), S_OK);
}

/* ---- through the driver ---- */

/* A target of one page: each access may cost a message to a model. Rows have the pitch of every mode. */
#define WIDTH   64u
#define HEIGHT  16u
#define TARGET  (WIDTH * 4 * HEIGHT)
#define TARGETS 12u
#define WINDOW  5u /* targets that fit */

static void open_for_driver(struct agpu_runtime_config *config)
{
    open_window(config);
    config->vidmm.vram.size = WINDOW * TARGET;
    config->options.video_memory = bar.size != 0;
}

static struct agpu_vidmm *vram_vidmm(struct agpu_test *t)
{
    return &agpu_runtime_kmd(t->env->umd.runtime)->vm;
}

static bool submit_all(struct agpu_test *t)
{
    return agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK) &&
           agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* The driver must request video memory for a render target without CPU access and a full-screen buffer, and not for
 * resources that the CPU fills or may fill. */
static void driver_asks(struct agpu_test *t)
{
    static const DXGI_DDI_PRIMARY_DESC first_source = {.VidPnSourceId = 0};
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, WIDTH, HEIGHT);
    const struct agpu_segment *vram = &vram_vidmm(t)->segments[AGPU_SEGMENT_VRAM - 1];
    D3D10DDI_HRESOURCE target, primary;
    D3D10DDI_HRENDERTARGETVIEW view;

    agpu_return_unless(vram_mapped(t));
    target = agpu_make_target(t, DXGI_FORMAT_B8G8R8A8_UNORM, WIDTH, HEIGHT);
    view = agpu_make_rtv(t, target);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 0, 0, 1);
    agpu_return_unless(submit_all(t));
    agpu_check_eq_u64(t, vram->committed, TARGET);
    agpu_make_texture(t, &desc, 3); /* filled through a lock */
    agpu_make_default(t, SIZE, NULL);
    agpu_return_unless(submit_all(t));
    agpu_check_eq_u64(t, vram->committed, TARGET);
    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET;
    desc.pPrimaryDesc = &first_source;
    primary = agpu_make_texture(t, &desc, 0);
    agpu_assert(t, primary.pDrvPrivate != NULL);
    agpu_check_eq_u64(t, vram->committed, 2 * TARGET); /* its address is fixed from the start */
    view = agpu_make_rtv(t, primary);
    agpu_clear_view(t, view, 0, 1, 0, 1);
    desc.pPrimaryDesc = NULL;
    agpu_return_unless(agpu_check_solid(t, target, &desc, 0, 0, 0, 255, 255));
    agpu_check_solid(t, primary, &desc, 0, 0, 255, 0, 255);
    agpu_umd_destroy(t, target);
    agpu_return_unless(submit_all(t));
    agpu_check_eq_u64(t, vram->committed, TARGET);
}

/* Given more targets than fit, each cleared, updated and read repeatedly, some must move to system memory and none may
 * lose a texel. */
static void driver_load(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT);
    struct agpu_vidmm *vm = vram_vidmm(t);
    D3D10DDI_HRESOURCE targets[TARGETS];
    D3D10DDI_HRENDERTARGETVIEW views[TARGETS];
    uint8_t *image = agpu_scratch(0);

    agpu_return_unless(vram_mapped(t));
    for (uint32_t i = 0; i < TARGETS; i++) {
        targets[i] = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT);
        views[i] = agpu_make_rtv(t, targets[i]);
        agpu_assert(t, views[i].pDrvPrivate != NULL);
        agpu_fill_image(&desc, 0, 100 + i, image);
        agpu_umd_update(t, targets[i], 0, NULL, image, 0);
        agpu_return_unless(submit_all(t));
    }
    agpu_check(t, vm->counters.spills != 0);
    agpu_check(t, vm->segments[1].committed <= WINDOW * TARGET);
    agpu_check(t, vm->segments[1].committed != 0);
    for (uint32_t i = 0; i < TARGETS; i++) {
        agpu_fill_image(&desc, 0, 100 + i, image);
        agpu_return_unless(agpu_check_image(t, targets[i], &desc, 0, image));
    }
    for (uint32_t i = TARGETS; i-- > 0;) {
        agpu_clear_view(t, views[i], 0, 0, (float)i / 255.0f, 1);
    }
    for (uint32_t i = 0; i < TARGETS; i++) {
        agpu_return_unless(agpu_check_solid(t, targets[i], &desc, 0, 0, 0, (uint8_t)i, 255));
        /* A moved target is written at its present address. */
        agpu_fill_image(&desc, 0, 200 + i, image);
        agpu_umd_update(t, targets[i], 0, NULL, image, 0);
        agpu_return_unless(agpu_check_image(t, targets[i], &desc, 0, image));
    }
    agpu_metric(t, "spills", vm->counters.spills, "1");
}

#define ROW_END 64u

/* The screen is a primary in BAR1, read there by the same path as the presenter. */
static bool read_bar_row(struct agpu_test *t, const struct agpu_frame *frame, uint32_t y, uint8_t *row)
{
    const struct agpu_platform *platform = t->env->platform;
    const uint64_t offset = frame->address - bar.device_address + (uint64_t)y * frame->pitch;

    /* Each access by the bus may be a message to a model: reads the first row and the ends of the last this way, the
     * rest by the mapping. */
    memcpy(row, (const uint8_t *)bar.cpu + offset, frame->pitch);
    for (uint32_t at = 0; at < frame->pitch && (y == 0 || y == AGPU_FRAME_HEIGHT - 1); at += 8) {
        uint64_t words;

        if (y == 0 || at < ROW_END || at + ROW_END >= frame->pitch) {
            words = platform->bar_read(platform->ctx, &t->env->function.found.ref, AEROGPU_PCI_BAR1_INDEX,
                                       offset + at, 8);
            memcpy(row + at, &words, 8);
        }
    }
    return true;
}

/* A primary in the BAR1 segment must be scanned out at its address there. */
static void scanned_out_of_bar1(struct agpu_test *t)
{
    struct agpu_client_wish wish = {.bytes = AGPU_FRAME_WIDTH * 4 * AGPU_FRAME_HEIGHT,
                                    .segments = VRAM | 1u,
                                    .width = AGPU_FRAME_WIDTH,
                                    .height = AGPU_FRAME_HEIGHT,
                                    .dxgi_format = DXGI_FORMAT_B8G8R8A8_UNORM,
                                    .pitch = AGPU_FRAME_WIDTH * 4,
                                    .primary = true};
    struct agpu_client_memory memory;
    struct agpu_frame frame = {.pitch = wish.pitch, .read_row = read_bar_row};

    agpu_return_unless(vram_mapped(t));
    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &memory), S_OK));
    agpu_check_eq_u64(t, agpu_client_segment(&memory), AGPU_SEGMENT_VRAM);
    frame.address = agpu_client_address(&memory);
    agpu_check_within(t, frame.address, bar.device_address, bar.device_address + bar.size - memory.bytes,
                      "address of the primary");
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_WRITE), S_OK));
    memset(memory.data, AGPU_FRAME_FILL, memory.bytes);
    agpu_check_hr(t, agpu_client_unlock(&memory), S_OK); /* now it has arrived */
    agpu_frame_show(t, &frame);
    agpu_frame_check(t, &frame);
    agpu_frame_hide(t);
}

/* With any write gathering of the mapping, the device must read every word that was written before the doorbell, and
 * the processor every word that the device wrote before the fence. */
static void mapping_keeps_order(struct agpu_test *t)
{
    enum { BYTES = 2048 }; /* each access may cost a message to a model */
    struct agpu_client_memory vram, system;

    agpu_return_unless(vram_mapped(t));
    agpu_metric(t, "write_combined", bar.write_combined, "1");
    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_in(BYTES, VRAM, &vram), S_OK));
    agpu_client_make_buffer(&vram);
    agpu_return_unless(agpu_client_alloc(t, BYTES, &system) && agpu_client_submit(t));
    for (uint32_t round = 0; round < 8; round++) {
        agpu_fill_pattern(pattern, BYTES, 300 + round);
        agpu_return_unless(agpu_client_write(t, &vram, 0, pattern, BYTES));
        agpu_client_copy(&system, &vram);
        agpu_return_unless(agpu_client_submit(t) && agpu_client_check(t, &system, pattern, BYTES));
        agpu_fill_pattern(pattern, BYTES, 400 + round);
        agpu_return_unless(agpu_client_write(t, &system, 0, pattern, BYTES));
        agpu_client_copy(&vram, &system);
        agpu_return_unless(agpu_client_submit(t) && agpu_client_check(t, &vram, pattern, BYTES));
    }
}

#define VRAM_CASE(name, choice, function, window)                                                            \
    AGPU_STACK_CASE("vidmm.vram." name, "vidmm.md 2", T, choice, .body = function, .client = true,           \
                    .configure = window)

/* AGPU_CASE_MODEL_CHOICE marks every case in which commands, or a present at FB_GPA, access BAR1: by rule they name
 * system memory, and BAR1 addresses work by this model's own choice (device.md 5). */
static const struct agpu_case vidmm_vram_cases[] = {
    VRAM_CASE("lock_shows_bar1", 0, lock_shows_bar, open_window),
    VRAM_CASE("copies_between_segments", AGPU_CASE_MODEL_CHOICE, vram_copies, open_window),
    VRAM_CASE("full", 0, vram_full, open_window),
    VRAM_CASE("not_visible", 0, not_visible, open_blind_window),
    VRAM_CASE("driver_asks", AGPU_CASE_MODEL_CHOICE, driver_asks, open_for_driver),
    VRAM_CASE("driver_load", AGPU_CASE_MODEL_CHOICE, driver_load, open_for_driver),
    AGPU_STACK_CASE("vidmm.vram.scanned_out", "device.md 4.8", T | AEROGPU_FEATURE_SCANOUT,
                    AGPU_CASE_MODEL_CHOICE, .body = scanned_out_of_bar1, .client = true,
                    .configure = open_window),
    VRAM_CASE("mapping_keeps_order", AGPU_CASE_MODEL_CHOICE, mapping_keeps_order, open_window),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_vram, vidmm_vram_cases);
