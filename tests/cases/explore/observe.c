/* observe.c: waits for the device, and compares registers, interrupt line and memory with the reference. */
#include "tests/cases/explore/observe.h"

#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "tests/cases/rig/line.h"

/* More edges than any session waits for. */
#define EDGES_MOST 100000u

static const char line_name[] = "the interrupt line";

static const char *const memory_sections[AGPU_GEN_REGIONS] = {
    "commands.md 6", "commands.md 6", "commands.md 6", "commands.md 6",
    "ring.md 2",     "ring.md 5",     "ring.md 3",     "ring.md 8",
};

uint32_t agpu_explore_register(const struct agpu_explore *explore, uint32_t offset)
{
    return agpu_ref_read(explore->ref, offset).value;
}

uint64_t agpu_explore_completed(const struct agpu_explore *explore)
{
    return agpu_explore_register(explore, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) |
           (uint64_t)agpu_explore_register(explore, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) << 32;
}

bool agpu_explore_decodes(const struct agpu_explore *explore)
{
    return (explore->command & AGPU_PCI_COMMAND_MEMORY) != 0;
}

/* ---- time ---- */

uint64_t agpu_explore_now(struct agpu_explore *explore)
{
    return explore->exact ? explore->platform->now_ns(explore->platform->ctx) : explore->virtual_ns;
}

bool agpu_explore_counts_edges(const struct agpu_explore *explore)
{
    return !explore->exact && agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0 &&
           agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) != 0 &&
           agpu_explore_decodes(explore);
}

uint64_t agpu_explore_new_edges(const struct agpu_explore *explore)
{
    const uint64_t edges =
        agpu_reg_read64(explore->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) - explore->seq;

    return edges > EDGES_MOST ? 0 : edges; /* a wrong value: the comparison finds it */
}

bool agpu_explore_follow(struct agpu_explore *explore)
{
    const uint32_t period = agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    uint64_t edges;

    if (explore->exact) {
        agpu_ref_advance(explore->ref, agpu_explore_now(explore));
        return false;
    }
    edges = agpu_explore_counts_edges(explore) ? agpu_explore_new_edges(explore) : 0;
    explore->seq += edges;
    for (uint64_t i = 0; i < edges; i++) {
        explore->virtual_ns += period;
        agpu_ref_advance(explore->ref, explore->virtual_ns);
    }
    explore->edges_left -= edges < explore->edges_left ? (uint32_t)edges : explore->edges_left;
    return edges != 0;
}

/* Ends the session without a result if an edge came during the last comparison. On a machine where a comparison takes
 * longer than a period, no comparison would succeed. An edge never lowers the line. */
static void drop_unordered(struct agpu_explore *explore)
{
    const struct agpu_explore_mismatch *found = &explore->mismatch;

    if (found->found && !(found->what == line_name && found->check.value != 0) &&
        agpu_explore_follow(explore)) {
        explore->mismatch = (struct agpu_explore_mismatch){0};
        explore->over = true;
    }
}

/* ---- mismatches ---- */

static void note_mismatch(struct agpu_explore *explore, const char *what, const char *section,
                          struct agpu_gen_check check, uint64_t most, uint64_t actual)
{
    if (!explore->mismatch.found) {
        explore->mismatch = (struct agpu_explore_mismatch){.found = true,
                                                           .step = explore->step,
                                                           .what = what,
                                                           .section = section,
                                                           .check = check,
                                                           .most = most,
                                                           .actual = actual};
    }
}

static void note_byte(struct agpu_explore *explore, const char *what, const char *section, uint32_t region,
                      uint64_t offset, uint8_t expected, bool exact)
{
    const struct agpu_gen_check check = {.kind = AGPU_GEN_CHECK_MEMORY,
                                         .region = region,
                                         .offset = (uint32_t)offset,
                                         .size = exact,
                                         .value = expected};

    note_mismatch(explore, what, section, check, expected,
                  ((const uint8_t *)explore->regions[region].cpu)[offset]);
}

/* ---- registers ---- */

/* The counter's start is the device's; without simulated time so are the times of edges. */
static void adjust_vblank(const struct agpu_explore *explore, uint32_t offset, struct agpu_ref_word *word)
{
    const uint64_t seq =
        explore->seq_base + agpu_ref_read(explore->ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO).value;

    switch (offset) {
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO:
        word->value = word->most = (uint32_t)seq;
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI:
        word->value = word->most = (uint32_t)(seq >> 32);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO:
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI:
        word->known = explore->exact && seq != explore->seq_base ? word->known : 0;
        break;
    default:
        break;
    }
}

/* Another device may count several errors for one faulty stream (commands.md 3): it must count at least one. */
static void adjust_errors(struct agpu_explore *explore, uint32_t offset, uint32_t actual,
                          struct agpu_ref_word *word)
{
    if (!explore->any || offset != AEROGPU_MMIO_REG_ERROR_COUNT) {
        return;
    }
    word->value += explore->error_base;
    word->most += explore->error_base;
    if (actual > word->most) {
        explore->error_base += actual - word->most;
        word->most = actual;
    }
}

/* Returns what a read of the dword may be. */
static struct agpu_ref_word word_at(const struct agpu_explore *explore, uint32_t offset)
{
    const struct aerogpu_register *reg = aerogpu_register_at(false, offset);
    struct agpu_ref_word word = {.known = UINT32_MAX};

    if (reg != NULL && reg->access != AEROGPU_REGISTER_WO) {
        word = agpu_ref_read(explore->ref, offset);
    }
    if (explore->any && (reg == NULL || (explore->features & reg->feature) != reg->feature)) {
        word.known = 0;
    }
    adjust_vblank(explore, offset, &word);
    return word;
}

/* Returns true for the counter and its time, for which a case would have to count edges. */
static bool is_of_vblank(uint32_t offset)
{
    return offset >= AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO &&
           offset <= AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI;
}

static void compare_register(struct agpu_explore *explore, const struct aerogpu_register *reg)
{
    const uint32_t actual = agpu_reg_read(explore->function, reg->offset);
    struct agpu_ref_word word = word_at(explore, reg->offset);

    adjust_errors(explore, reg->offset, actual, &word);
    if ((actual & word.known) < (word.value & word.known) ||
        (actual & word.known) > (word.most & word.known)) {
        const bool exact = word.known == UINT32_MAX && word.value == word.most && !is_of_vblank(reg->offset);
        const struct agpu_gen_check check = {
            .offset = reg->offset, .size = exact ? 4 : 0, .value = word.value & word.known};

        note_mismatch(explore, reg->name, reg->section, check, word.most & word.known, actual & word.known);
    }
}

/* Registers that change with the device's work. */
static bool is_of_work(uint32_t offset)
{
    return (offset >= AEROGPU_MMIO_REG_COMPLETED_FENCE_LO && offset <= AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) ||
           offset == AEROGPU_MMIO_REG_IRQ_STATUS ||
           (offset >= AEROGPU_MMIO_REG_ERROR_CODE && offset <= AEROGPU_MMIO_REG_ERROR_COUNT);
}

static void compare_registers(struct agpu_explore *explore, bool all)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    for (size_t i = 0; i < count && !explore->mismatch.found; i++) {
        if (all || is_of_work(registers[i].offset)) {
            compare_register(explore, &registers[i]);
        }
    }
}

/* An access to the device may clear the level while its signal is in transit (rig/line.c): on a loaded machine the
 * signal comes only while nothing is accessed for a time. */
static void compare_line(struct agpu_explore *explore)
{
    const bool expected = agpu_ref_line(explore->ref);
    struct agpu_wait wait;
    int level = agpu_line_level(explore->test);

    agpu_wait_begin_ns(&wait, explore->platform, AGPU_RELAX_IDLE, explore->bound_ns / 2);
    while (expected && level == 0 && !explore->exact && agpu_wait_again(&wait)) {
        level = agpu_line_level(explore->test);
    }
    if (level >= 0 && (level > 0) != expected && !agpu_ref_is_lost(explore->ref)) {
        note_mismatch(explore, line_name, "device.md 4.4",
                      (struct agpu_gen_check){.kind = AGPU_GEN_CHECK_LINE, .size = 1, .value = expected},
                      expected, level > 0);
    }
}

/* Compares an access of 1, 2 or 8 bytes, or one that is not aligned (device.md 3). */
static void compare_odd(struct agpu_explore *explore, const struct aerogpu_register *reg, uint32_t offset,
                        uint32_t size)
{
    const struct agpu_platform *platform = explore->platform;
    const struct agpu_ref_word low = word_at(explore, offset & ~3u),
                               high = word_at(explore, (offset & ~3u) + 4);
    const uint32_t shift = size < 4 ? (offset & 3) * 8 : 0;
    const uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
    const uint64_t known = ((low.known | (uint64_t)high.known << 32) >> shift) & mask;
    const uint64_t expected = ((low.value | (size == 8 ? (uint64_t)high.value << 32 : 0)) >> shift) & known;
    const uint64_t actual =
        platform->bar_read(platform->ctx, &explore->function->found.ref, 0, offset, size) & known;

    if (actual != expected && low.value == low.most && high.value == high.most) {
        const bool exact = known == mask && !is_of_vblank(offset & ~3u);

        note_mismatch(explore, reg->name, "device.md 3",
                      (struct agpu_gen_check){.offset = offset, .size = exact ? size : 0, .value = expected},
                      expected, actual);
    }
}

void agpu_explore_read(struct agpu_explore *explore, uint32_t offset, uint32_t size)
{
    const struct aerogpu_register *reg = aerogpu_register_at(false, offset & ~3u);
    struct agpu_wait wait;

    if (!agpu_explore_decodes(explore) || reg == NULL || explore->unobserved) {
        return;
    }
    agpu_wait_begin_ns(&wait, explore->platform, AGPU_RELAX_FENCE, explore->bound_ns);
    do {
        explore->mismatch = (struct agpu_explore_mismatch){0};
        agpu_explore_follow(explore);
        if (size == 4 && offset % 4 == 0) {
            compare_register(explore, reg);
        } else {
            compare_odd(explore, reg, offset, size);
        }
    } while (explore->mismatch.found && agpu_wait_again(&wait));
    drop_unordered(explore);
}

/* ---- memory ---- */

void agpu_explore_take_ranges(struct agpu_explore *explore)
{
    for (uint32_t i = 0; i < explore->range_count; i++) {
        const struct agpu_explore_range *range = &explore->ranges[i];

        memcpy(explore->shadow[range->region] + range->offset,
               (const uint8_t *)explore->regions[range->region].cpu + range->offset, range->size);
    }
    explore->range_count = 0;
}

static int difference_of(uint8_t a, uint8_t b)
{
    return a > b ? a - b : b - a;
}

/* Compares predicted bytes, which are what memory must have from now on. */
static void compare_bytes(struct agpu_explore *explore, uint32_t region, uint64_t offset,
                          const uint8_t *bytes, const uint8_t *states)
{
    const uint8_t *actual = (const uint8_t *)explore->regions[region].cpu + offset;
    uint8_t *shadow = explore->shadow[region] + offset;

    for (uint32_t i = 0; i < AGPU_REF_CHUNK && offset + i < explore->regions[region].size; i++) {
        const uint32_t slack = states[i] == AGPU_REF_EXACT ? 0 : states[i] == AGPU_REF_NEAR ? 1 : 255;

        if (states[i] != AGPU_REF_UNWRITTEN) {
            if ((uint32_t)difference_of(actual[i], bytes[i]) > slack) {
                note_byte(explore, "memory", memory_sections[region], region, offset + i, bytes[i],
                          slack == 0);
                return;
            }
            shadow[i] = actual[i];
        }
    }
    if (offset + AGPU_REF_CHUNK > explore->written[region]) {
        explore->written[region] = (uint32_t)offset + AGPU_REF_CHUNK;
    }
}

static void compare_chunk(void *ctx, uint64_t address, const uint8_t *bytes, const uint8_t *states)
{
    struct agpu_explore *explore = ctx;

    explore->predicted = true;
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS && !explore->mismatch.found; region++) {
        const uint64_t offset = address - explore->regions[region].device_address;

        if (offset < explore->regions[region].size) {
            compare_bytes(explore, region, offset, bytes, states);
        }
    }
}

/* Finds a byte that nothing should have written. */
static void compare_rest(struct agpu_explore *explore)
{
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS && !explore->mismatch.found; region++) {
        const uint8_t *actual = explore->regions[region].cpu;
        uint8_t *shadow = explore->shadow[region];
        const uint32_t end = explore->written[region];

        if (memcmp(shadow, actual, end) == 0) {
            continue;
        }
        if (explore->was_lost) {
            memcpy(shadow, actual, end);
            continue;
        }
        for (uint32_t i = 0; i < end; i++) {
            if (shadow[i] != actual[i]) {
                note_byte(explore, "memory that must stay", "ring.md 8", region, i, shadow[i], true);
                break;
            }
        }
    }
}

/* ---- comparison ---- */

static bool is_complete(struct agpu_explore *explore)
{
    const uint64_t expected = agpu_explore_completed(explore);
    const uint64_t actual = agpu_reg_read64(explore->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);

    if (actual != expected) {
        note_mismatch(explore, "COMPLETED_FENCE", "ring.md 4",
                      (struct agpu_gen_check){.kind = AGPU_GEN_CHECK_PAIR,
                                              .offset = AEROGPU_MMIO_REG_COMPLETED_FENCE_LO,
                                              .size = 8,
                                              .value = expected},
                      expected, actual);
    }
    return actual == expected;
}

static void observe_once(struct agpu_explore *explore, enum agpu_explore_depth depth)
{
    const bool decodes = agpu_explore_decodes(explore);

    explore->mismatch = (struct agpu_explore_mismatch){0};
    agpu_explore_follow(explore);
    if (explore->lax &&
        (agpu_explore_register(explore, AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_ERROR) != 0) {
        explore->over = true;
        return;
    }
    if (decodes && !is_complete(explore)) {
        return;
    }
    if (decodes && !explore->settled) {
        explore->settled = true;
        agpu_ref_settle(explore->ref, agpu_reg_read(explore->function, AEROGPU_MMIO_REG_ERROR_COUNT),
                        agpu_reg_read(explore->function, AEROGPU_MMIO_REG_ERROR_CODE),
                        agpu_reg_read64(explore->function, AEROGPU_MMIO_REG_ERROR_FENCE_LO));
    }
    explore->was_lost = explore->was_lost || agpu_ref_is_lost(explore->ref);
    agpu_ref_writes(explore->ref, explore, compare_chunk);
    if (decodes) {
        compare_registers(explore, depth >= AGPU_EXPLORE_REGISTERS);
    }
    if (depth >= AGPU_EXPLORE_REGISTERS && !explore->mismatch.found) {
        compare_line(explore);
    }
    if (depth >= AGPU_EXPLORE_ALL) {
        compare_rest(explore);
    }
}

void agpu_explore_observe(struct agpu_explore *explore, enum agpu_explore_depth depth)
{
    struct agpu_wait wait;

    explore->settled = false;
    agpu_wait_begin_ns(&wait, explore->platform, AGPU_RELAX_FENCE, explore->bound_ns);
    do {
        observe_once(explore, depth);
    } while (explore->mismatch.found && agpu_wait_again(&wait));
    drop_unordered(explore);
    agpu_ref_forget(explore->ref);
    explore->predicted = false;
    /* A table or a stream comes to the address of an earlier one, which the device has read. */
    if (explore->posting.since_doorbell == 0 && explore->ref->batch.head == explore->ref->batch.end &&
        !explore->ref->doorbell && explore->step % 4 != 0) {
        explore->posting.streams_at = explore->posting.tables_at = 0;
    }
}
