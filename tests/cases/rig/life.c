/* life.c: states in which a driver may leave a device. */
#include "tests/cases/rig/life.h"

#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/line.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/vblank.h"

#define OLD_FENCES UINT64_C(0x500000000) /* of the driver that left the device */
/* Eighths of a vblank period to wait while nothing is to happen: an edge comes. Old work that waits for edges shows at
 * the first, and so does a vblank interrupt. */
#define EIGHTHS 9u

const struct agpu_life_row agpu_life_rows[AGPU_LIFE_ROWS] = {
    {"a ring", AGPU_LIFE_RING, 0},
    {"a scanout", AGPU_LIFE_SCREEN_ON, AEROGPU_FEATURE_SCANOUT},
    {"a cursor", AGPU_LIFE_CURSOR_ON, AEROGPU_FEATURE_CURSOR},
    {"pending causes", AGPU_LIFE_CAUSES, AEROGPU_FEATURE_ERROR_INFO},
    {"posted work", AGPU_LIFE_POSTED, 0},
    {"held fences", AGPU_LIFE_SCREEN_ON | AGPU_LIFE_HELD, AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK},
    {"a doorbell without Bus Master", AGPU_LIFE_STOPPED, 0},
    {"an open Direct3D device", AGPU_LIFE_D3D, AEROGPU_FEATURE_TRANSFER},
    {"all but Direct3D",
     AGPU_LIFE_SCREEN_ON | AGPU_LIFE_CURSOR_ON | AGPU_LIFE_CAUSES | AGPU_LIFE_HELD | AGPU_LIFE_STOPPED,
     AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_VBLANK},
};

void agpu_life_master(const struct agpu_test *t, bool on)
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

void agpu_life_show(const struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t address = t->env->rig.memory[AGPU_LIFE_SCREEN].device_address;

    if ((left & AGPU_LIFE_SCREEN_ON) != 0) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 64);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 48);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 256);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, address);
        agpu_scanout_enable(t, 1);
    }
    if ((left & AGPU_LIFE_CURSOR_ON) != 0) {
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

void agpu_life_stop_d3d(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    if (umd->runtime != NULL) {
        agpu_kmd_power(agpu_runtime_kmd(umd->runtime), false);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), E_FAIL);
        agpu_check_errors(t, 1, E_FAIL);
    }
}

bool agpu_life_continue_d3d(struct agpu_test *t)
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

bool agpu_life_close_d3d(struct agpu_test *t)
{
    char text[200];
    struct agpu_text why;

    agpu_text_begin(&why, text, sizeof text);
    if (t->env->umd.resource_count != 0) {
        agpu_umd_destroy(t, t->env->umd.resources[0]);
    }
    return agpu_check_true(t, agpu_umd_close(&t->env->umd, &why), text, AGPU_HERE);
}

bool agpu_life_leave(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;

    t->env->rig.fence = OLD_FENCES;
    agpu_life_show(t, left);
    if ((left & AGPU_LIFE_D3D) != 0 && !life_open_d3d(t)) {
        return false;
    }
    if ((left & AGPU_LIFE_CAUSES) != 0) {
        agpu_irq_enable(function, UINT32_MAX);
        if (!agpu_run_empty(t) || !agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NONE)) {
            return false;
        }
    }
    for (uint32_t i = 0; (left & AGPU_LIFE_HELD) != 0 && i < 3; i++) {
        if (!life_post(t, i < 2)) {
            return false;
        }
    }
    if ((left & AGPU_LIFE_HELD) != 0) {
        agpu_doorbell(&t->env->ring);
    }
    if ((left & (AGPU_LIFE_POSTED | AGPU_LIFE_STOPPED)) != 0) {
        agpu_life_master(t, (left & AGPU_LIFE_STOPPED) == 0);
        if (!life_post(t, false)) {
            return false;
        }
    }
    if ((left & AGPU_LIFE_STOPPED) != 0) {
        agpu_doorbell(&t->env->ring);
    }
    return true;
}

void agpu_life_each(struct agpu_test *t, bool (*row)(struct agpu_test *t, uint32_t left))
{
    for (uint32_t i = 0; i < AGPU_LIFE_ROWS; i++) {
        if ((agpu_life_rows[i].features & ~t->env->abi.features) == 0 && !row(t, agpu_life_rows[i].left)) {
            agpu_check_true(t, false, agpu_life_rows[i].what, AGPU_HERE);
            return;
        }
    }
}

/* No two words of a header or a page are equal, so a copy between them shows. */
static uint8_t life_poison_of(size_t at)
{
    return (uint8_t)(0x5C + 7 * at + (at >> 8));
}

void agpu_life_poison(const struct agpu_dma *memory)
{
    uint8_t *bytes = memory->cpu;

    for (size_t at = 0; bytes != NULL && at < memory->size; at++) {
        bytes[at] = life_poison_of(at);
    }
}

bool agpu_life_is_poison(struct agpu_test *t, const char *what, const struct agpu_dma *memory)
{
    const uint8_t *bytes = memory->cpu;
    size_t at = 0;

    while (bytes != NULL && at < memory->size && bytes[at] == life_poison_of(at)) {
        at++;
    }
    return bytes == NULL || agpu_check_place(t, what, at, at, memory->size);
}

void agpu_life_wait(struct agpu_test *t)
{
    if (t->env->abi.features & AEROGPU_FEATURE_VBLANK) {
        agpu_vblank_stall(t, EIGHTHS);
    }
    agpu_settle(t);
}

void agpu_life_check_quiet(struct agpu_test *t, const char *what)
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

bool agpu_life_check_works(struct agpu_test *t)
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

static uint32_t life_register(uint32_t word)
{
    return word < AGPU_LIFE_SCREEN_WORDS
               ? AEROGPU_MMIO_REG_SCANOUT0_ENABLE + 4 * word
               : AEROGPU_MMIO_REG_CURSOR_ENABLE + 4 * (word - (uint32_t)AGPU_LIFE_SCREEN_WORDS);
}

void agpu_life_read_screen(const struct agpu_test *t, uint32_t words[AGPU_LIFE_WORDS])
{
    for (uint32_t i = 0; i < AGPU_LIFE_WORDS; i++) {
        words[i] = agpu_reg_read(&t->env->function, life_register(i));
    }
}

void agpu_life_check_screen(struct agpu_test *t, const char *what, const uint32_t words[AGPU_LIFE_WORDS])
{
    for (uint32_t i = 0; i < AGPU_LIFE_WORDS; i++) {
        agpu_check_place(t, what, life_register(i), agpu_reg_read(&t->env->function, life_register(i)),
                         words[i]);
    }
}
