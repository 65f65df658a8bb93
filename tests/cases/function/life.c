/* life.c: starts on a device that another driver left, starts that fail, power without a capability, and the release of
 * the display (device.md 6; vidmm.md 7). */
#include <string.h>

#include "mm/kmd/adapter.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/quiesce.h"
#include "tests/cases/rig/line.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/vblank.h"

#define LIFE_OLD_FENCES UINT64_C(0x500000000) /* the fences of the driver before */
#define LIFE_SCREEN     0u                    /* of the rig's memory: the image of scanout or cursor */
/* Eighths of a vblank period to wait while nothing is to happen: an edge comes. Old work that waits for edges shows at
 * the first, and so does a vblank interrupt. */
#define LIFE_EIGHTHS 9u

/* The state in which a driver leaves the device. */
enum life_left {
    LIFE_RING = 0x00, /* the ring runs */
    LIFE_SCREEN_ON = 0x01,
    LIFE_CURSOR_ON = 0x02,
    LIFE_CAUSES = 0x04,  /* enabled and pending */
    LIFE_POSTED = 0x08,  /* work without a doorbell */
    LIFE_HELD = 0x10,    /* presents that wait for edges, and work after them */
    LIFE_STOPPED = 0x20, /* work with a doorbell, while Bus Master is off */
    LIFE_D3D = 0x40,     /* an open Direct3D device */
};

static const struct {
    const char *what;
    uint32_t left;
    uint64_t features;
} life_rows[] = {
    {"a ring", LIFE_RING, 0},
    {"a scanout", LIFE_SCREEN_ON, AEROGPU_FEATURE_SCANOUT},
    {"a cursor", LIFE_CURSOR_ON, AEROGPU_FEATURE_CURSOR},
    {"pending causes", LIFE_CAUSES, AEROGPU_FEATURE_ERROR_INFO},
    {"posted work", LIFE_POSTED, 0},
    {"held fences", LIFE_SCREEN_ON | LIFE_HELD, AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK},
    {"a doorbell without Bus Master", LIFE_STOPPED, 0},
    {"an open Direct3D device", LIFE_D3D, AEROGPU_FEATURE_TRANSFER},
    {"all but Direct3D", LIFE_SCREEN_ON | LIFE_CURSOR_ON | LIFE_CAUSES | LIFE_HELD | LIFE_STOPPED,
     AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_VBLANK},
};

static void life_master(const struct agpu_test *t, bool on)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t command = agpu_command_read(function);

    agpu_command_write(function,
                       on ? command | AGPU_PCI_COMMAND_MASTER : command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
}

static bool life_post(struct agpu_test *t, bool paced)
{
    struct agpu_submission submission;

    if (paced) {
        agpu_put_present(&t->env->rig, 0, AEROGPU_PRESENT_FLAG_VSYNC);
    }
    if (!agpu_check(t, agpu_rig_finish(&t->env->rig, &submission))) {
        return false;
    }
    agpu_rig_begin(&t->env->rig);
    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Values other than the reset values, in every register of both surfaces. */
static void life_show(const struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t address = t->env->rig.memory[LIFE_SCREEN].device_address;

    if ((left & LIFE_SCREEN_ON) != 0) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 64);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 48);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 256);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, address);
        agpu_scanout_enable(t, 1);
    }
    if ((left & LIFE_CURSOR_ON) != 0) {
        for (uint32_t reg = AEROGPU_MMIO_REG_CURSOR_X; reg <= AEROGPU_MMIO_REG_CURSOR_HEIGHT; reg += 4) {
            agpu_reg_write(function, reg, 8 + reg % 16);
        }
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, address + 32768);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 128);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    }
}

static bool life_open_d3d(struct agpu_test *t)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    const enum agpu_stack_mode mode = t->env->stack_mode;

    t->env->stack_mode = AGPU_STACK_POLLS; /* the case takes causes */
    const struct agpu_runtime_config config = agpu_umd_config(t->env);
    t->env->stack_mode = mode;
    return agpu_check_ok(t, agpu_umd_open(umd, &t->env->function, &config)) &&
           agpu_check(t, agpu_make_default(t, 64, NULL).pDrvPrivate != NULL) &&
           agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
}

/* The driver takes no more work. */
static void life_stop_d3d(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    if (umd->runtime != NULL) {
        agpu_kmd_power(agpu_runtime_kmd(umd->runtime), false);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), E_FAIL);
        agpu_check_errors(t, 1, E_FAIL);
    }
}

/* In D0 again the application must learn of a reset, and a new Direct3D device must work. */
static bool life_continue_d3d(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t bytes[64];

    if (umd->runtime == NULL) {
        return true;
    }
    struct agpu_kmd *kmd = agpu_runtime_kmd(umd->runtime);
    agpu_kmd_reset(kmd, NULL, platform->now_ns(platform->ctx));
    agpu_kmd_power(kmd, true);
    agpu_kmd_restart(kmd);
    agpu_check_hr(t, umd->funcs.pfnGetDeviceRemovedReason(umd->device), DXGI_ERROR_DEVICE_RESET);
    if (!agpu_peer_open(t, D3D11_0_DDI_INTERFACE_VERSION)) {
        return false;
    }
    agpu_peer_swap(t);
    agpu_fill_pattern(bytes, sizeof bytes, 1);
    agpu_check_contents(t, agpu_make_default(t, sizeof bytes, bytes), bytes, sizeof bytes);
    agpu_peer_swap(t);
    agpu_peer_close(t);
    return agpu_check_ok(t, agpu_ring_reset(&t->env->ring));
}

static bool life_close_d3d(struct agpu_test *t)
{
    char text[200];
    struct agpu_text why;

    agpu_text_begin(&why, text, sizeof text);
    if (t->env->umd.resource_count != 0) {
        agpu_umd_destroy(t, t->env->umd.resources[0]);
    }
    return agpu_check_true(t, agpu_umd_close(&t->env->umd, &why), text, AGPU_HERE);
}

/* Brings the device into the state of a row. */
static bool life_leave(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;

    t->env->rig.fence = LIFE_OLD_FENCES;
    life_show(t, left);
    if ((left & LIFE_D3D) != 0 && !life_open_d3d(t)) {
        return false;
    }
    if ((left & LIFE_CAUSES) != 0) {
        agpu_irq_enable(function, UINT32_MAX);
        if (!agpu_run_empty(t) || !agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NONE)) {
            return false;
        }
    }
    for (uint32_t i = 0; (left & LIFE_HELD) != 0 && i < 3; i++) {
        if (!life_post(t, i < 2)) {
            return false;
        }
    }
    if ((left & LIFE_HELD) != 0) {
        agpu_doorbell(&t->env->ring);
    }
    if ((left & (LIFE_POSTED | LIFE_STOPPED)) != 0) {
        life_master(t, (left & LIFE_STOPPED) == 0);
        if (!life_post(t, false)) {
            return false;
        }
    }
    if ((left & LIFE_STOPPED) != 0) {
        agpu_doorbell(&t->env->ring);
    }
    return true;
}

/* No two words of a header or a page are equal, so a copy between them shows. */
static uint8_t life_poison_of(size_t at)
{
    return (uint8_t)(0x5C + 7 * at + (at >> 8));
}

static void life_poison(const struct agpu_dma *memory)
{
    uint8_t *bytes = memory->cpu;

    for (size_t at = 0; bytes != NULL && at < memory->size; at++) {
        bytes[at] = life_poison_of(at);
    }
}

static bool life_is_poison(struct agpu_test *t, const char *what, const struct agpu_dma *memory)
{
    const uint8_t *bytes = memory->cpu;
    size_t at = 0;

    while (bytes != NULL && at < memory->size && bytes[at] == life_poison_of(at)) {
        at++;
    }
    return bytes == NULL || agpu_check_place(t, what, at, at, memory->size);
}

/* Lets time pass for everything that the device must not do any more. */
static void life_wait(struct agpu_test *t)
{
    if (t->env->abi.features & AEROGPU_FEATURE_VBLANK) {
        agpu_vblank_stall(t, LIFE_EIGHTHS);
    }
    agpu_settle(t);
}

/* Checks that neither a cause nor an error is left, and that the line is inactive. */
static void life_check_quiet(struct agpu_test *t, const char *what)
{
    const struct agpu_function *function = &t->env->function;

    agpu_check_u64(t, agpu_irq_status(function), 0, what, true, AGPU_HERE);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), 0);
    agpu_check_completed(t, 0);
    if (t->env->abi.features & AEROGPU_FEATURE_ERROR_INFO) {
        agpu_check_eq_u64(t, agpu_error_count(t->env), 0);
        agpu_check_eq_u64(t, agpu_error_code(t->env), 0);
    }
    if (agpu_line_level(t) >= 0) {
        agpu_check(t, agpu_line_wait(t, false, agpu_line_touch_status, function) == 0);
    }
}

/* Runs work in the ring and takes its interrupts as a driver does. */
static bool life_check_works(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    for (unsigned i = 0; i < 3; i++) {
        agpu_put_create_buffer(&t->env->rig, 1, 64, 0, 0);
        agpu_put_destroy(&t->env->rig, 1);
        if (!agpu_run_clean(t) || !agpu_check_irq(t, AEROGPU_IRQ_FENCE) ||
            !agpu_check_eq_hex(t, agpu_irq_service(&t->env->function), AEROGPU_IRQ_FENCE)) {
            return false;
        }
    }
    return true;
}

/* The registers of scanout and cursor. */
#define LIFE_SCREEN_WORDS ((AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI - AEROGPU_MMIO_REG_SCANOUT0_ENABLE) / 4 + 1)
#define LIFE_WORDS        (LIFE_SCREEN_WORDS + AGPU_DISPLAY_CURSOR)

static uint32_t life_register(uint32_t word)
{
    return word < LIFE_SCREEN_WORDS
               ? AEROGPU_MMIO_REG_SCANOUT0_ENABLE + 4 * word
               : AEROGPU_MMIO_REG_CURSOR_ENABLE + 4 * (word - (uint32_t)LIFE_SCREEN_WORDS);
}

static void life_read_screen(const struct agpu_test *t, uint32_t words[LIFE_WORDS])
{
    for (uint32_t i = 0; i < LIFE_WORDS; i++) {
        words[i] = agpu_reg_read(&t->env->function, life_register(i));
    }
}

static void life_check_screen(struct agpu_test *t, const char *what, const uint32_t words[LIFE_WORDS])
{
    for (uint32_t i = 0; i < LIFE_WORDS; i++) {
        agpu_check_place(t, what, life_register(i), agpu_reg_read(&t->env->function, life_register(i)),
                         words[i]);
    }
}

/* ---- starts ---- */

/* The new driver's memory replaces the old one, which is poisoned and watched. */
static bool life_start_row(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_ring old = t->env->ring;
    const struct agpu_ring_config config = {.no_fence_page = old.page.cpu == NULL};
    struct agpu_display display;
    struct agpu_ring next;
    uint32_t words[LIFE_WORDS];
    const bool vblank = (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;
    uint64_t seq;

    if (!life_leave(t, left)) {
        return false;
    }
    life_stop_d3d(t);
    life_read_screen(t, words);
    memset(words + LIFE_SCREEN_WORDS, 0, AGPU_DISPLAY_CURSOR * sizeof words[0]);
    seq = vblank ? agpu_vblank_seq(t) : 0;
    agpu_function_restore(function);
    if (!agpu_check_ok(t, agpu_ring_start(&next, function, t->env->abi.features, &config))) {
        return false;
    }
    t->env->ring = next;
    t->env->errors = (struct agpu_case_errors){0};
    t->env->rig.fence = 0;
    agpu_display_begin(&display, function, t->env->abi.features);
    life_poison(&old.memory);
    life_poison(&old.page);
    life_check_quiet(t, "IRQ_STATUS after a start");
    life_check_screen(t, "register after a start, at", words);
    agpu_check(t, !vblank || agpu_vblank_seq(t) >= seq);
    life_wait(t);
    life_check_works(t);
    life_is_poison(t, "first byte written in the ring of the driver before, from", &old.memory);
    life_is_poison(t, "first byte written in the fence page of the driver before, from", &old.page);
    if (old.page.cpu != NULL) {
        platform->dma_free(platform->ctx, &old.page);
    }
    platform->dma_free(platform->ctx, &old.memory);
    agpu_screen_off(function, t->env->abi.features);
    return life_close_d3d(t);
}

/* Given scanout, cursor, causes, work and held fences that another driver left, a start must find its mode and nothing
 * else of it, and the device must not touch the memory of the old ring. */
static void life_starts_on_left(struct agpu_test *t)
{
    for (uint32_t i = 0; i < sizeof life_rows / sizeof life_rows[0]; i++) {
        if ((life_rows[i].features & ~t->env->abi.features) == 0 && !life_start_row(t, life_rows[i].left)) {
            agpu_check_true(t, false, life_rows[i].what, AGPU_HERE);
            return;
        }
    }
}

/* A start up to any step, then the writes of a driver that gives up. The reset waits for Bus Master. */
static void life_fail_after(struct agpu_test *t, uint32_t steps)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_ring *ring = &t->env->ring;
    const struct {
        uint32_t reg, value;
    } start[] = {
        {AEROGPU_MMIO_REG_IRQ_ENABLE, 0},
        {AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX},
        {AEROGPU_MMIO_REG_RING_CONTROL, 0},
        {AEROGPU_MMIO_REG_RING_GPA_LO, (uint32_t)ring->memory.device_address},
        {AEROGPU_MMIO_REG_RING_GPA_HI, (uint32_t)(ring->memory.device_address >> 32)},
        {AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)ring->memory.size},
        {AEROGPU_MMIO_REG_FENCE_GPA_LO, (uint32_t)ring->page.device_address},
        {AEROGPU_MMIO_REG_FENCE_GPA_HI, (uint32_t)(ring->page.device_address >> 32)},
        {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET},
        {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE},
        {AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR},
        {AEROGPU_MMIO_REG_DOORBELL, 1},
    };
    static const uint32_t undo[] = {
        AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI,
        AEROGPU_MMIO_REG_RING_GPA_LO,  AEROGPU_MMIO_REG_RING_GPA_HI,  AEROGPU_MMIO_REG_RING_SIZE_BYTES,
        AEROGPU_MMIO_REG_IRQ_ENABLE,
    };

    for (uint32_t i = 0; i < steps && i < sizeof start / sizeof start[0]; i++) {
        agpu_reg_write(function, start[i].reg, start[i].value);
    }
    for (uint32_t i = 0; i < sizeof undo / sizeof undo[0]; i++) {
        agpu_reg_write(function, undo[i], 0);
    }
    agpu_irq_ack(function, UINT32_MAX);
}

/* Given a start that failed after any of its steps and cleared the registers, the device must not touch that memory
 * when a memory part becomes possible. A complete start must work. */
static void life_start_fails(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    for (uint32_t steps = 0; steps <= 12; steps++) {
        agpu_return_unless(agpu_check_ok(t, agpu_ring_suspend(ring)));
        life_master(t, false);
        life_fail_after(t, steps);
        life_poison(&ring->memory);
        life_poison(&ring->page);
        life_master(t, true);
        agpu_doorbell(ring);
        life_wait(t);
        life_check_quiet(t, "IRQ_STATUS after a start that failed");
        life_is_poison(t, "first byte written in the ring of a start that failed, from", &ring->memory);
        life_is_poison(t, "first byte written in the fence page of a start that failed, from", &ring->page);
        agpu_return_unless(agpu_check_ok(t, agpu_ring_resume(ring)));
        t->env->rig.fence = 0;
        t->env->errors = (struct agpu_case_errors){0};
        agpu_return_unless(life_check_works(t));
    }
}

/* ---- power, display ---- */

/* Checks that the display is off and that no edge comes, nor a write to any of these memories. */
static void life_check_off(struct agpu_test *t)
{
    static const uint32_t off[] = {AEROGPU_MMIO_REG_SCANOUT0_ENABLE,    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
                                   AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, AEROGPU_MMIO_REG_CURSOR_ENABLE,
                                   AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO,   AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI};
    const struct agpu_dma *const memory[] = {&t->env->ring.memory, &t->env->ring.page, &t->env->rig.cmd,
                                             &t->env->rig.memory[LIFE_SCREEN]};
    const bool vblank = (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;
    const uint64_t seq = vblank ? agpu_vblank_seq(t) : 0;

    for (uint32_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        life_poison(memory[i]);
    }
    for (uint32_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        agpu_check_place(t, "register outside D0, at", off[i], agpu_reg_read(&t->env->function, off[i]), 0);
    }
    agpu_doorbell(&t->env->ring);
    life_wait(t);
    life_check_quiet(t, "IRQ_STATUS outside D0");
    agpu_check_eq_u64(t, vblank ? agpu_vblank_seq(t) : 0, seq);
    for (uint32_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        life_is_poison(t, "first byte written outside D0, from", memory[i]);
    }
}

static bool life_power_row(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    uint32_t words[LIFE_WORDS], mask;
    const bool paced = (left & LIFE_SCREEN_ON) != 0 && (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;

    agpu_display_begin(&display, function, t->env->abi.features);
    if (!life_leave(t, left)) {
        return false;
    }
    agpu_function_restore(function);
    life_read_screen(t, words);
    life_stop_d3d(t);
    if (!agpu_check_ok(t, agpu_kmd_adapter_leave_d0(&t->env->adapter, &display, &mask))) {
        return false;
    }
    life_check_off(t);
    if (!agpu_check_ok(t, agpu_kmd_adapter_enter_d0(&t->env->adapter, &display, mask)) ||
        !life_continue_d3d(t) || !life_close_d3d(t)) {
        return false;
    }
    t->env->rig.fence = 0;
    t->env->errors = (struct agpu_case_errors){0};
    agpu_rig_begin_over(&t->env->rig);
    life_check_screen(t, "register in D0 again, at", words);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), mask);
    agpu_check_completed(t, 0);
    if (paced && !agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 1)) {
        return false;
    }
    agpu_check_eq_hex(t, agpu_irq_status(function), mask & (paced ? AEROGPU_IRQ_SCANOUT_VBLANK : 0));
    agpu_irq_enable(function, 0);
    if (!life_check_works(t)) {
        return false;
    }
    agpu_screen_off(function, t->env->abi.features);
    return agpu_check_ok(t, agpu_ring_reset(&t->env->ring));
}

/* Given scanout, cursor, pending causes, work and held fences, the device must touch no memory after a driver has left
 * D0. Display, causes and ring must work when it enters D0 again. */
static void life_power(struct agpu_test *t)
{
    for (uint32_t i = 0; i < sizeof life_rows / sizeof life_rows[0]; i++) {
        if ((life_rows[i].features & ~t->env->abi.features) == 0 && !life_power_row(t, life_rows[i].left)) {
            agpu_check_true(t, false, life_rows[i].what, AGPU_HERE);
            return;
        }
    }
}

/* A driver that releases the display must see no edge and no vblank interrupt until it acquires it again, with the mode
 * and the cursor as before; neither must be enabled at address 0. */
static void life_display(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    uint32_t words[LIFE_WORDS];

    agpu_display_begin(&display, function, t->env->abi.features);
    for (uint32_t round = 0; round < 3; round++) {
        life_show(t, LIFE_SCREEN_ON | LIFE_CURSOR_ON);
        agpu_display_watch_vblank(&display, round != 1);
        life_read_screen(t, words);
        agpu_display_release(&display);
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), 0);
        life_wait(t);
        agpu_check_irq(t, 0);
        agpu_display_acquire(&display);
        life_check_screen(t, "register of the display acquired again, at", words);
        agpu_return_unless(agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 1));
        agpu_check_irq(t, round != 1 ? AEROGPU_IRQ_SCANOUT_VBLANK : 0);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, 0);
    agpu_display_release(&display);
    agpu_display_acquire(&display);
    agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0);
    agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_ENABLE), 0);
}

/* A driver must leave the registers of a block, and the vblank interrupt, as they are if it has no feature bit for
 * them. That holds for a start, a mode set, a release and an acquisition. */
static void life_display_features(struct agpu_test *t)
{
    static const uint64_t blocks[] = {AEROGPU_FEATURE_SCANOUT, AEROGPU_FEATURE_CURSOR,
                                      AEROGPU_FEATURE_VBLANK};
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    struct agpu_display_mode mode;
    uint32_t words[LIFE_WORDS];

    for (uint32_t without = 0; without < sizeof blocks / sizeof blocks[0]; without++) {
        const uint64_t features = t->env->abi.features & ~blocks[without];
        const bool scanout = without != 0, cursor = without != 1, vblank = without != 2;

        life_show(t, LIFE_SCREEN_ON);
        agpu_display_begin(&display, function, features);
        agpu_check_eq_u64(t, display.mode.width != 0, scanout);
        life_show(t, LIFE_SCREEN_ON | LIFE_CURSOR_ON);
        life_read_screen(t, words);
        if (!cursor) {
            agpu_display_begin(&display, function, features);
            life_check_screen(t, "register after a start without its feature, at", words);
        }
        agpu_display_watch_vblank(&display, true);
        agpu_display_release(&display);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), !scanout);
        agpu_check_eq_u64(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) != 0, !scanout);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_ENABLE), !cursor);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                          vblank ? 0 : AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_display_acquire(&display);
        life_check_screen(t, "register after a driver without the feature of a block, at", words);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                          AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 1}, &mode);
        agpu_check_eq_u64(t, mode.width != 0, scanout);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), !scanout);
    }
}

#define LIFE_CASE(name, section, feature, function)                                                          \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (feature), .run = (function)   \
    }

static const struct agpu_case function_life_cases[] = {
    LIFE_CASE("ring.start.on_what_was_left", "device.md 6", 0, life_starts_on_left),
    LIFE_CASE("ring.start.fails", "device.md 6", 0, life_start_fails),
    LIFE_CASE("ring.power.without_capability", "device.md 6", 0, life_power),
    LIFE_CASE("scanout.owner.released_and_acquired", "device.md 6",
              AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_VBLANK, life_display),
    LIFE_CASE("scanout.owner.without_a_feature", "device.md 4.1",
              AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_VBLANK,
              life_display_features),
};

AGPU_CASE_TABLE(agpu_cases_function_life, function_life_cases);
