/* function.c: generates work on the function: rings, interrupts, registers, scanout and vblank, configuration
 * space, BAR1 (device.md 2 to 5, ring.md 1, 2, 4, 5). */
#include "tests/cases/random/function.h"

#include <string.h>

#include "pci/protocol/register_table.h"

#define CONFIG_COMMAND  0x04u
#define CONFIG_BARS     0x10u
#define CONFIG_BARS_END 0x28u
#define CONFIG_POINTER  0x34u
#define CONFIG_OWN      0x40u /* the device-specific part, with the capabilities */

static void register_part(struct agpu_gen *g, enum agpu_gen_op op, uint32_t offset, uint32_t size,
                          uint64_t value)
{
    struct agpu_gen_step *step = agpu_gen_do(g, op);

    step->offset = offset;
    step->size = (uint8_t)size;
    step->value = value;
}

/* Advances by whole periods, so that every device has passed the same number of edges. */
static void pass_time(struct agpu_gen *g, uint32_t sixteenths)
{
    agpu_gen_do(g, AGPU_GEN_ADVANCE)->value = sixteenths;
}

/* ---- rings ---- */

/* Sometimes writes a byte or a word of one of some registers that the caller writes next (device.md 3). */
static void write_narrow(struct agpu_gen *g, uint32_t first, uint32_t registers)
{
    const uint32_t reg = first + 4 * agpu_gen_below(g, registers), size = 1u << agpu_gen_below(g, 2);

    if (agpu_gen_one_in(g, 2)) {
        const uint32_t at = reg + size * agpu_gen_below(g, 4 / size);

        register_part(g, AGPU_GEN_REGISTER_WRITE, at, size,
                      agpu_gen_random_u64(&g->random) & ((1u << 8 * size) - 1));
        agpu_gen_read(g, reg);
    }
}

void agpu_gen_fence_page(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    if (!agpu_gen_feature(g, AEROGPU_FEATURE_FENCE_PAGE)) {
        return;
    }
    if (g->held_below == 0) {
        write_narrow(g, AEROGPU_MMIO_REG_FENCE_GPA_LO, 2);
    }
    if (agpu_gen_one_in(g, 4)) { /* none */
        agpu_gen_register(g, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
        agpu_gen_register(g, AEROGPU_MMIO_REG_FENCE_GPA_HI, 0);
        return;
    }
    step = agpu_gen_do(g, AGPU_GEN_ADDRESS_WRITE);
    step->size = 8;
    step->region = AGPU_GEN_FENCE;
    step->offset = AEROGPU_MMIO_REG_FENCE_GPA_LO;
    step->value = agpu_gen_may(g, AGPU_GEN_CHOICE_PAGE_ALIGNED) && agpu_gen_one_in(g, 4)
                      ? 8 * agpu_gen_below(g, 512)
                      : 0;
    agpu_gen_read(g, AEROGPU_MMIO_REG_FENCE_GPA_LO);
    agpu_gen_read(g, AEROGPU_MMIO_REG_FENCE_GPA_HI);
}

void agpu_gen_ring_set(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    if (g->ring_count != 0) {
        write_narrow(g, AEROGPU_MMIO_REG_RING_GPA_LO, 3);
    }
    step = agpu_gen_do(g, AGPU_GEN_RING_SET);
    g->ring_count = 1u << agpu_gen_below(g, 9);
    step->value = g->ring_count;
    step->size = (uint8_t)(agpu_gen_one_in(g, 2)                           ? 0
                           : agpu_gen_may(g, AGPU_GEN_CHOICE_ACCESS_WIDTH) ? agpu_gen_below(g, 192)
                                                                           : 64 * agpu_gen_below(g, 3));
    while (64 + g->ring_count * (64u + step->size) > AGPU_GEN_RING_BYTES / 2) {
        g->ring_count /= 2;
        step->value = g->ring_count;
    }
    step->offset = 4096 * agpu_gen_below(g, 8);
    g->ring_tail = agpu_gen_one_in(g, 2)   ? 0
                   : agpu_gen_one_in(g, 2) ? 0u - agpu_gen_between(g, 1, 6)
                                           : (uint32_t)agpu_gen_random_u64(&g->random);
    step->fence = g->ring_tail;
    agpu_gen_compare(g);
    if (agpu_gen_one_in(g, 4)) {
        for (uint32_t reg = AEROGPU_MMIO_REG_RING_GPA_LO; reg <= AEROGPU_MMIO_REG_RING_CONTROL; reg += 4) {
            agpu_gen_read(g, reg);
        }
    }
}

void agpu_gen_ring_reset(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_gen_compare(g);
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_RESET_WORK) && agpu_gen_one_in(g, 2)) { /* work that is discarded */
        step = agpu_gen_open(g);
        step->fence = g->fence + 1;
        g->open = false;
    }
    agpu_gen_discard(g);
}

void agpu_gen_discard(struct agpu_gen *g)
{
    agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL,
                      AEROGPU_RING_CONTROL_RESET | (agpu_gen_one_in(g, 2) ? AEROGPU_RING_CONTROL_ENABLE : 0));
    agpu_gen_compare(g);
    agpu_gen_read(g, AEROGPU_MMIO_REG_RING_CONTROL);
    agpu_gen_read(g, AEROGPU_MMIO_REG_RING_GPA_LO);
    if (agpu_gen_feature(g, AEROGPU_FEATURE_FENCE_PAGE)) {
        agpu_gen_read(g, AEROGPU_MMIO_REG_FENCE_GPA_LO);
    }
    agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_ENABLE);
    if (agpu_gen_one_in(g, 2)) {
        g->fence = agpu_gen_below(g, 3);
    }
    g->held_below = 0;
    g->posted = 0;
    agpu_gen_clear(g);
    agpu_gen_ring_set(g);
}

/* Returns a value for RING_CONTROL, of which a device looks at the lowest two bits (device.md 4.2). */
static uint32_t unused_bits(struct agpu_gen *g)
{
    return agpu_gen_one_in(g, 2) ? 0 : agpu_gen_limit(g) & ~3u;
}

/* A doorbell while the ring is disabled is lost; the work waits for the next one. */
void agpu_gen_ring_off(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL, unused_bits(g));
    agpu_gen_read(g, AEROGPU_MMIO_REG_RING_CONTROL);
    agpu_gen_open(g);
    g->open = false;
    g->ring_tail++;
    agpu_gen_do(g, AGPU_GEN_DOORBELL);
    if (g->scanout_on && agpu_gen_one_in(g, 2)) {
        pass_time(g, 16);
    }
    agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | unused_bits(g));
    agpu_gen_compare(g);
    step = agpu_gen_do(g, AGPU_GEN_DOORBELL);
    step->value = g->damaged || g->held_below != 0 ? 0 : g->fence;
}

/* ---- interrupts ---- */

void agpu_gen_interrupts(struct agpu_gen *g)
{
    const uint32_t causes = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR;
    uint32_t enable;

    if (agpu_gen_one_in(g, 2)) {
        agpu_gen_close(g, true);
    }
    switch (agpu_gen_below(g, 8)) {
    case 0:
    case 1:
        enable = (uint32_t)agpu_gen_random_u64(&g->random);
        enable |= agpu_gen_one_in(g, 2) ? causes : 0;
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE, enable);
        agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_ENABLE);
        break;
    case 2:
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE,
                          agpu_gen_one_in(g, 2) ? causes
                                                : 1u << (agpu_gen_one_in(g, 3) ? 31 : agpu_gen_below(g, 2)));
        break;
    case 3:
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK, 1u << agpu_gen_below(g, 2));
        break;
    case 4:
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK,
                          agpu_gen_one_in(g, 2) ? AEROGPU_IRQ_ERROR
                                                : (uint32_t)agpu_gen_random_u64(&g->random));
        break;
    case 5:
    case 6: /* the next cause shows again */
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK, causes);
        break;
    default: /* disable INTx and enable it again */
        register_part(g, AGPU_GEN_CONFIG_WRITE, CONFIG_COMMAND, 2, agpu_gen_one_in(g, 2) ? 0x406 : 0x006);
        break;
    }
    agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_STATUS);
}

/* Reads a byte, a word or a pair of registers that change with work (device.md 3). */
static void read_narrow(struct agpu_gen *g)
{
    static const struct {
        uint32_t offset;
        uint64_t feature;
        enum agpu_gen_choice choice; /* what the value shows */
    } registers[] = {
        {AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0, AGPU_GEN_CHOICE_STALE_FENCE},
        {AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO, AEROGPU_FEATURE_VBLANK, AGPU_GEN_CHOICE_VBLANK_PHASE},
        {AEROGPU_MMIO_REG_ERROR_COUNT, AEROGPU_FEATURE_ERROR_INFO, AGPU_GEN_CHOICE_ERROR_COUNT},
        {AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0, AGPU_GEN_CHOICE_STALE_FENCE},
        {AEROGPU_MMIO_REG_IRQ_STATUS, 0, AGPU_GEN_CHOICE_ERROR_COUNT}};
    const uint32_t which = agpu_gen_below(g, sizeof registers / sizeof registers[0]);
    const bool pair = which < 2 && agpu_gen_may(g, AGPU_GEN_CHOICE_ACCESS_WIDTH);
    const uint32_t size = pair ? 8 : 1u << agpu_gen_below(g, 2);

    if (agpu_gen_feature(g, registers[which].feature) && agpu_gen_may(g, registers[which].choice)) {
        register_part(g, AGPU_GEN_REGISTER_READ,
                      registers[which].offset + (size < 4 ? size * agpu_gen_below(g, 4 / size) : 0), size, 0);
    }
}

/* Writes a byte or a word of a register that acts (device.md 3). */
void agpu_gen_narrow(struct agpu_gen *g)
{
    static const uint32_t registers[] = {AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_MMIO_REG_IRQ_ACK,
                                         AEROGPU_MMIO_REG_DOORBELL, AEROGPU_MMIO_REG_DOORBELL};
    const uint32_t reg = registers[agpu_gen_below(g, 4)], size = 1u << agpu_gen_below(g, 2),
                   lane = size * agpu_gen_below(g, 4 / size);

    if (agpu_gen_one_in(g, 2)) {
        read_narrow(g);
        return;
    }
    register_part(g, AGPU_GEN_REGISTER_WRITE, reg + lane, size,
                  agpu_gen_random_u64(&g->random) & ((1u << 8 * size) - 1));
    agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_ENABLE);
    agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_STATUS);
}

/* ---- registers ---- */

/* Returns true for storage registers without effect while cursor and scanout are disabled. */
static bool is_storage(const struct aerogpu_register *reg)
{
    return (reg->feature & (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR)) != 0 &&
           reg->offset != AEROGPU_MMIO_REG_SCANOUT0_ENABLE;
}

static const struct aerogpu_register *any_storage(struct agpu_gen *g)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count), *reg;

    do {
        reg = &registers[agpu_gen_below(g, (uint32_t)count)];
    } while (!is_storage(reg));
    return reg;
}

static uint32_t a_format(struct agpu_gen *g)
{
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_INVALID_REGISTER)) {
        return agpu_gen_between(g, AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM);
    }
    if (agpu_gen_one_in(g, 4)) {
        return agpu_gen_below(g, 256);
    }
    return agpu_gen_formats[agpu_gen_below(g, agpu_gen_format_count)].number;
}

static uint32_t storage_value(struct agpu_gen *g, const struct aerogpu_register *reg)
{
    if (reg->kind == AEROGPU_REGISTER_FORMAT) {
        return a_format(g);
    }
    if (agpu_gen_one_in(g, 2)) {
        return agpu_gen_limit(g);
    }
    return agpu_gen_one_in(g, 2) ? agpu_gen_below(g, 300) : (uint32_t)agpu_gen_random_u64(&g->random);
}

void agpu_gen_storage(struct agpu_gen *g)
{
    const struct aerogpu_register *chosen = any_storage(g);
    const uint32_t reg = chosen->offset;
    /* A random offset may belong to a feature that only one of them has. */
    const bool odd = agpu_gen_may(g, AGPU_GEN_CHOICE_ACCESS_WIDTH) &&
                     agpu_gen_may(g, AGPU_GEN_CHOICE_FEATURES) && agpu_gen_may(g, AGPU_GEN_CHOICE_ABI_MINOR);

    if (!agpu_gen_feature(g, chosen->feature)) {
        return;
    }
    switch (agpu_gen_below(g, 5)) {
    case 0:
    case 1:
        agpu_gen_register(g, reg, storage_value(g, chosen));
        agpu_gen_read(g, reg);
        break;
    case 2: { /* part of a dword */
        const uint32_t size = 1u << agpu_gen_below(g, 2),
                       at = reg + (size == 1 || agpu_gen_may(g, AGPU_GEN_CHOICE_ACCESS_WIDTH)
                                       ? agpu_gen_below(g, 4)
                                       : 2 * agpu_gen_below(g, 2));

        if (chosen->kind != AEROGPU_REGISTER_FORMAT) {
            register_part(g, AGPU_GEN_REGISTER_WRITE, at, size,
                          agpu_gen_random_u64(&g->random) & (size == 1 ? 0xFF : 0xFFFF));
        }
        register_part(g, AGPU_GEN_REGISTER_READ, at, size, 0);
        agpu_gen_read(g, reg);
        break;
    }
    case 3:
        if (odd) { /* unaligned, wide, anywhere */
            const uint32_t size = 1u << agpu_gen_below(g, 4);
            const uint32_t at = agpu_gen_one_in(g, 2) ? agpu_gen_below(g, 0x600) : reg + agpu_gen_below(g, 4);

            if (agpu_gen_one_in(g, 4) && at >= 0x400) {
                register_part(g, AGPU_GEN_REGISTER_WRITE, at & ~3u, size == 8 ? 8 : 4,
                              agpu_gen_random_u64(&g->random));
            }
            register_part(g, AGPU_GEN_REGISTER_READ, at, size, 0);
        }
        break;
    default: { /* read-only registers and holes: a write has no effect */
        static const uint32_t fixed[] = {AEROGPU_MMIO_REG_MAGIC,
                                         AEROGPU_MMIO_REG_ABI_VERSION,
                                         AEROGPU_MMIO_REG_FEATURES_LO,
                                         AEROGPU_MMIO_REG_FEATURES_HI,
                                         AEROGPU_MMIO_REG_DOORBELL + 4,
                                         AEROGPU_MMIO_REG_IRQ_ACK + 4,
                                         0x0010,
                                         0x0140,
                                         0x0600,
                                         0xFFFC,
                                         AEROGPU_MMIO_REG_COMPLETED_FENCE_LO,
                                         AEROGPU_MMIO_REG_ERROR_COUNT};
        const uint32_t at = fixed[agpu_gen_below(g, sizeof fixed / sizeof fixed[0])];

        if ((at == AEROGPU_MMIO_REG_ABI_VERSION && !agpu_gen_may(g, AGPU_GEN_CHOICE_ABI_MINOR)) ||
            ((at == AEROGPU_MMIO_REG_FEATURES_LO || at == AEROGPU_MMIO_REG_FEATURES_HI) &&
             !agpu_gen_may(g, AGPU_GEN_CHOICE_FEATURES)) ||
            (at == AEROGPU_MMIO_REG_ERROR_COUNT && !(agpu_gen_may(g, AGPU_GEN_CHOICE_ERROR_COUNT) &&
                                                     agpu_gen_feature(g, AEROGPU_FEATURE_ERROR_INFO)))) {
            return;
        }

        if (agpu_gen_one_in(g, 2)) {
            agpu_gen_register(g, at, (uint32_t)agpu_gen_random_u64(&g->random));
        }
        agpu_gen_read(g, at);
        break;
    }
    }
}

/* ---- scanout and time ---- */

static void write_framebuffer(struct agpu_gen *g, uint32_t parts)
{
    struct agpu_gen_step *step = agpu_gen_do(g, AGPU_GEN_ADDRESS_WRITE);

    step->size = (uint8_t)parts; /* 8: both halves; 4: the lower one, which is staged; 1: the upper one */
    step->region = (uint8_t)agpu_gen_below(g, 3);
    step->offset = AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO;
    step->value = agpu_gen_one_in(g, 2) ? 0 : 4 * agpu_gen_below(g, 0x2000);
    agpu_gen_read(g, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    agpu_gen_read(g, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI);
}

static void switch_scanout(struct agpu_gen *g, bool on)
{
    agpu_gen_close(g, true);
    agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, on ? 1 + agpu_gen_below(g, 3) : 0);
    agpu_gen_read(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
    if (on && !g->scanout_on && !agpu_gen_may(g, AGPU_GEN_CHOICE_VBLANK_PHASE)) {
        pass_time(g, 8);
    }
    g->scanout_on = on;
    g->held_below = on ? g->held_below : 0;
    agpu_gen_compare(g);
}

void agpu_gen_scanout(struct agpu_gen *g)
{
    static const uint32_t shown[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uint32_t format = shown[agpu_gen_below(g, 10)], bytes = format == 5 || format == 6 ? 2 : 4;
    const uint32_t width = agpu_gen_between(g, 1, 24);

    if (!agpu_gen_feature(g, AEROGPU_FEATURE_SCANOUT)) {
        return;
    }
    switch (agpu_gen_below(g, 5)) {
    case 0:
        switch_scanout(g, !g->scanout_on);
        break;
    case 1:
        switch_scanout(g, g->scanout_on);
        break;
    case 2:
        write_framebuffer(g, agpu_gen_one_in(g, 2) ? 4 : 1);
        break;
    case 3:
        write_framebuffer(g, 8);
        break;
    default:
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, width);
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, agpu_gen_between(g, 1, 24));
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, format);
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, (width + agpu_gen_below(g, 4)) * bytes);
        write_framebuffer(g, 8);
        if (!g->scanout_on) {
            switch_scanout(g, true);
        }
        break;
    }
}

/* Edges become due while the device is not served; then comes an access or work. The number of periods may be a
 * limit of what a device catches up with. */
static void stall(struct agpu_gen *g)
{
    struct agpu_gen_step *step = agpu_gen_do(g, AGPU_GEN_ADVANCE);

    if (!agpu_gen_one_in(g, 4)) {
        step->value = agpu_gen_between(g, 1, 40);
    } else {
        const uint32_t periods = agpu_gen_one_in(g, 2) ? 1024 : 1u << agpu_gen_below(g, 11);

        step->value = 16 * (periods + agpu_gen_below(g, periods == 1024 ? 4 : 3)) + 8;
    }
    step->size = 1;
    switch (agpu_gen_below(g, 6)) {
    case 0:
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE, agpu_gen_below(g, 4));
        break;
    case 1:
        agpu_gen_read(g, AEROGPU_MMIO_REG_IRQ_STATUS);
        break;
    case 2:
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX);
        break;
    case 3:
        g->scanout_on = agpu_gen_one_in(g, 2);
        g->held_below = g->scanout_on ? g->held_below : 0;
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, g->scanout_on);
        break;
    default:
        agpu_gen_open(g);
        break;
    }
}

void agpu_gen_time(struct agpu_gen *g)
{
    uint32_t sixteenths = 16 * agpu_gen_between(g, 1, 3);

    if (agpu_gen_one_in(g, 2)) {
        agpu_gen_close(g, true);
    }
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_VBLANK_PHASE) && agpu_gen_one_in(g, 2)) {
        if (agpu_gen_one_in(g, 3)) {
            stall(g);
            return;
        }
        sixteenths = agpu_gen_between(g, 1, 40);
    }
    pass_time(g, sixteenths);
    if (g->held_below != 0 && g->posted == 0 && agpu_gen_one_in(g, 2)) {
        pass_time(g, 16 * 12);
        g->held_below = 0;
    }
}

/* ---- configuration space and BAR1 ---- */

/* Return true when this dword may be read, or written: it does not show, or change, a choice in which the two
 * differ. */
static bool may_read_config(const struct agpu_gen *g, uint32_t offset)
{
    const bool about_list = offset / 4 == CONFIG_COMMAND / 4 || offset / 4 == CONFIG_POINTER / 4;

    if (offset >= CONFIG_BARS && offset < CONFIG_BARS_END) {
        return agpu_gen_may(g, AGPU_GEN_CHOICE_BARS) && !g->plan.common.wide;
    }
    return (offset < CONFIG_OWN && !about_list) || agpu_gen_may(g, AGPU_GEN_CHOICE_CAPABILITIES);
}

static bool may_write_config(const struct agpu_gen *g, uint32_t offset)
{
    return may_read_config(g, offset) && (offset < CONFIG_OWN || !g->plan.common.listed);
}

void agpu_gen_write_command(struct agpu_gen *g, uint32_t value)
{
    register_part(g, AGPU_GEN_CONFIG_WRITE, CONFIG_COMMAND, 2, value);
}

/* A doorbell waits; edges pass, and held fences too. */
void agpu_gen_master_off(struct agpu_gen *g)
{
    agpu_gen_close(g, true);
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_DEFERRED)) {
        return;
    }
    agpu_gen_write_command(g, 0x002);
    if (agpu_gen_one_in(g, 2)) {
        agpu_gen_open(g);
        g->open = false;
        g->ring_tail++;
        agpu_gen_do(g, AGPU_GEN_DOORBELL);
    }
    if (agpu_gen_one_in(g, 2)) {
        pass_time(g, agpu_gen_between(g, 1, 40));
    }
    if (agpu_gen_one_in(g, 2)) {
        agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    }
    agpu_gen_write_command(g, 0x006);
    agpu_gen_compare(g);
}

void agpu_gen_bell(struct agpu_gen *g)
{
    agpu_gen_close(g, true);
    agpu_gen_do(g, AGPU_GEN_DOORBELL)->flags = agpu_gen_limit(g);
}

void agpu_gen_config(struct agpu_gen *g)
{
    static const struct {
        uint8_t offset, size;
    } identity[] = {{0x00, 2}, {0x02, 2}, {0x08, 1}, {0x09, 1}, {0x0A, 2}, {0x2C, 2}, {0x2E, 2}, {0x04, 2}};
    const bool all = agpu_gen_may(g, AGPU_GEN_CHOICE_CONFIG_STORAGE);
    const uint32_t which = agpu_gen_below(g, 8);

    agpu_gen_close(g, true);
    if (!all) {
        register_part(g, AGPU_GEN_CONFIG_READ, identity[which].offset, identity[which].size, 0);
        return;
    }
    switch (agpu_gen_below(g, 5)) {
    case 0: { /* anywhere, including BARs and the command register; restored afterwards */
        const uint32_t offset = 4 * agpu_gen_below(g, 64);

        if (!may_write_config(g, offset)) {
            break;
        }
        register_part(g, AGPU_GEN_CONFIG_READ, offset, 4, 0);
        register_part(g, AGPU_GEN_CONFIG_WRITE, offset, 4, agpu_gen_random_u64(&g->random) & 0xFFFFFFFF);
        register_part(g, AGPU_GEN_CONFIG_READ, offset, 4, 0);
        if (offset < CONFIG_OWN) {
            register_part(g, AGPU_GEN_CONFIG_WRITE, 0x10, 4, 0xE0000000);
            register_part(g, AGPU_GEN_CONFIG_WRITE, 0x14, 4, 0xC0000000);
            register_part(g, AGPU_GEN_CONFIG_WRITE, CONFIG_COMMAND, 2, 0x006);
        }
        break;
    }
    case 1: { /* sizing */
        const uint32_t offset = CONFIG_BARS + 4 * agpu_gen_below(g, 6);

        if (!may_write_config(g, offset)) {
            break;
        }
        register_part(g, AGPU_GEN_CONFIG_WRITE, offset, 4, 0xFFFFFFFF);
        register_part(g, AGPU_GEN_CONFIG_READ, offset, 4, 0);
        register_part(g, AGPU_GEN_CONFIG_WRITE, offset, 4, offset == 0x10 ? 0xE0000000 : 0xC0000000);
        register_part(g, AGPU_GEN_CONFIG_READ, offset, 4, 0);
        break;
    }
    case 2: { /* partial dwords */
        const uint32_t size = 1u << agpu_gen_below(g, 3);

        const uint32_t at = agpu_gen_one_in(g, 2) ? 0x3C : agpu_gen_below(g, 256 / size) * size;

        if (!may_read_config(g, at)) {
            break;
        }
        if (agpu_gen_one_in(g, 2) && may_write_config(g, at) && (at < 0x04 || at >= 0x0C) &&
            (at < 0x10 || at >= 0x28)) {
            register_part(g, AGPU_GEN_CONFIG_WRITE, at, size, agpu_gen_below(g, 256));
        }
        register_part(g, AGPU_GEN_CONFIG_READ, at, size, 0);
        register_part(g, AGPU_GEN_CONFIG_READ, at & ~3u, 4, 0);
        break;
    }
    case 3: /* memory space off: registers do not respond, writes are lost */
        if (!agpu_gen_feature(g, AEROGPU_FEATURE_CURSOR)) {
            break;
        }
        register_part(g, AGPU_GEN_CONFIG_WRITE, CONFIG_COMMAND, 2, agpu_gen_below(g, 2) * 4);
        agpu_gen_register(g, AEROGPU_MMIO_REG_CURSOR_X, agpu_gen_below(g, 100));
        agpu_gen_read(g, AEROGPU_MMIO_REG_CURSOR_X);
        register_part(g, AGPU_GEN_CONFIG_WRITE, CONFIG_COMMAND, 2, 0x006);
        agpu_gen_read(g, AEROGPU_MMIO_REG_CURSOR_X);
        break;
    default:
        agpu_gen_master_off(g);
        break;
    }
}

static void read_aperture(struct agpu_gen *g)
{
    struct agpu_gen_step *step = agpu_gen_do(g, AGPU_GEN_APERTURE_READ);

    step->size = 8;
    step->value = g->aperture_at;
}

void agpu_gen_aperture(struct agpu_gen *g)
{
    const uint64_t room = g->plan.common.bar1_bytes;
    const uint32_t size = 1u << agpu_gen_below(g, 4);
    struct agpu_gen_step *step;
    uint64_t offset;

    if (room == 0) {
        return;
    }
    offset = agpu_gen_random_u64(&g->random) % room;
    offset = (agpu_gen_one_in(g, 2) ? offset : agpu_gen_one_in(g, 2) ? room - 8 : offset % 4096) & ~7ull;
    step = agpu_gen_do(g, AGPU_GEN_APERTURE_WRITE);
    step->size = (uint8_t)size;
    step->value = offset;
    step->fence = agpu_gen_random_u64(&g->random);
    g->aperture_at = offset;
    read_aperture(g);
}

void agpu_gen_function_reset(struct agpu_gen *g)
{
    agpu_gen_close(g, true);
    agpu_gen_do(g, AGPU_GEN_RESET);
    agpu_gen_after_reset(g);
}

void agpu_gen_after_reset(struct agpu_gen *g)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    for (size_t i = 0; i < count; i++) {
        if (is_storage(&registers[i]) && agpu_gen_feature(g, registers[i].feature)) {
            agpu_gen_read(g, registers[i].offset);
        }
    }
    if (agpu_gen_has(g, AGPU_GEN_AREA_APERTURE)) { /* device.md 5: a reset clears it */
        read_aperture(g);
    }
    g->held_below = 0;
    g->scanout_on = false;
    g->fence = agpu_gen_below(g, 3);
    agpu_gen_clear(g);
    agpu_gen_fence_page(g);
    agpu_gen_ring_set(g);
}
