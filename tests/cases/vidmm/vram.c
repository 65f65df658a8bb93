/* vram.c: a memory segment over BAR1 (vidmm.md 2): the CPU's view of it, the device's, and what
 * happens when it is full. The commands' memory is system memory by rule (device.md 5); that this device
 * model also takes BAR1 addresses is its own choice. */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 16384u
#define ROOM 2u /* allocations that fit */
#define VRAM (1u << (AGPU_SEGMENT_VRAM - 1))
#define T    AEROGPU_FEATURE_TRANSFER

static struct agpu_bar_mapping bar; /* of the running case; size 0: not to be had */
static uint8_t pattern[SIZE];

/* A window at the start of the framebuffer's place: the first part is what every device backs. */
static void open_window(struct agpu_runtime_config *config)
{
    const uint64_t at = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;
    const struct agpu_platform *platform = config->platform;

    bar.size = 0;
    if (platform->bar_map == NULL ||
        (!platform->bar_map(platform->ctx, &config->function, 1, &bar) &&
         !platform->bar_map(platform->ctx, &config->function, 2, &bar))) { /* behind a BAR0 of 64 bits */
        return;
    }
    config->vidmm.vram = (struct agpu_segment_window){
        .device_address = bar.device_address + at, .size = ROOM * SIZE, .cpu = (uint8_t *)bar.cpu + at};
}

/* The same, as a machine would have it that cannot map the BAR. */
static void open_blind_window(struct agpu_runtime_config *config)
{
    open_window(config);
    config->vidmm.vram.cpu = NULL;
}

static bool vram_mapped(struct agpu_test *t)
{
    if (bar.size == 0) {
        agpu_skip(t, "a machine that maps BAR1");
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

/* What the CPU writes through a lock is in BAR1, where the segment says; new memory is zero. */
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

/* Copies between the two segments, in both directions. */
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

/* With everything locked there is no room for one more; what is unlocked makes room and keeps its
 * contents. */
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

/* The CPU does not see the segment: its allocations exist, and locks of them fail cleanly. */
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

#define VRAM_CASE(name, choice, function, window)                                                            \
    AGPU_STACK_CASE("vidmm.vram." name, "vidmm.md 2", T, choice, .body = function, .client = true,           \
                    .configure = window)

static const struct agpu_case cases[] = {
    VRAM_CASE("lock_shows_bar1", 0, lock_shows_bar, open_window),
    VRAM_CASE("copies_between_segments", AGPU_CASE_MODEL_CHOICE, vram_copies, open_window),
    VRAM_CASE("full", 0, vram_full, open_window),
    VRAM_CASE("not_visible", 0, not_visible, open_blind_window),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_vram, cases);
