/* capability.c: the format of each PCI capability that a function may have (device.md 1.1). */
#include "pci/capability.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/place.h"

static uint32_t capability_read(const struct agpu_test *t, uint32_t at, uint32_t size)
{
    return agpu_config_read(&t->env->function, at, size);
}

static void capability_write(const struct agpu_test *t, uint32_t at, uint32_t size, uint32_t value)
{
    agpu_config_write(&t->env->function, at, size, value);
}

/* Writes a value, reads the register back, and restores it. Returns the value that was read. */
static uint32_t stored_by(const struct agpu_test *t, uint32_t at, uint32_t size, uint32_t value)
{
    const uint32_t before = capability_read(t, at, size);
    uint32_t found;

    capability_write(t, at, size, value);
    found = capability_read(t, at, size);
    capability_write(t, at, size, before);
    return found;
}

/* Declares `at`, the offset of the capability. Returns from the body if there is none, and fails if there are several
 * where PCI allows one. */
#define require_capability(t, at, id)                                                                        \
    const uint32_t at = agpu_capability_find(&(t)->env->function, (id));                                     \
    agpu_require((t), (at) != 0, AGPU_SKIP_CAPABILITY);                                                      \
    check_single((t), (id))

static void check_single(struct agpu_test *t, uint8_t id)
{
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char unread[1];
    struct agpu_text why;
    unsigned count, same = 0;

    agpu_text_begin(&why, unread, sizeof unread);
    count = agpu_capabilities(&t->env->function, list, &why);
    for (unsigned i = 0; i < count; i++) {
        same += list[i].id == id;
    }
    agpu_check_u64(t, same, 1, "capabilities of this kind", false, AGPU_HERE);
}

/* Checks that a write changes nothing in this register. */
static void check_fixed(struct agpu_test *t, uint32_t at, uint32_t size, const char *what)
{
    const uint32_t before = capability_read(t, at, size);

    agpu_check_place(t, what, at, stored_by(t, at, size, ~before), before);
}

/* Checks that a field of the register at this offset is within its limits; the message names field, limits and
 * register. */
static void check_within(struct agpu_test *t, const char *field, uint32_t at, uint32_t found, uint32_t least,
                         uint32_t most)
{
    char line[160];

    agpu_format_line(line, sizeof line, "%s, from %u to %u, in the register at 0x%x", field, least, most, at);
    agpu_check_u64(t, found, found < least ? least : found > most ? most : found, line, false, AGPU_HERE);
}

/* ---- power management ---- */

/* Given a power management capability, its version, states and control register must have the format that PCI
 * requires. */
static void capability_power(struct agpu_test *t)
{
    require_capability(t, at, AGPU_CAPABILITY_POWER);
    const uint32_t capabilities = capability_read(t, at + 2, 2);
    const uint32_t control = capability_read(t, at + 4, 2);

    check_within(t, "version of power management", at + 2, capabilities & 7, 1, 3);
    agpu_check_eq_hex(t, control & 3, 0); /* D0: otherwise no register access would work */
    check_fixed(t, at, 2, "identity of the capability at");
    check_fixed(t, at + 2, 2, "power capabilities at");
    for (uint32_t state = 1; state <= 2; state++) { /* the device must not store a state that it lacks */
        if ((capabilities & (state == 1 ? 0x0200u : 0x0400u)) == 0) {
            agpu_check_place(t, "power state after writing the missing state", state,
                             stored_by(t, at + 4, 2, (control & ~3u) | state) & 3, 0);
        }
    }
    agpu_choice(t, "d3hot_to_d0", (control & 8) != 0 ? "keeps everything" : "resets");
}

/* ---- MSI ---- */

/* Given an MSI capability, its message address and data must store, and its fixed bits must not change. */
static void capability_msi(struct agpu_test *t)
{
    require_capability(t, at, AGPU_CAPABILITY_MSI);
    const uint32_t control = capability_read(t, at + 2, 2);
    const uint32_t vectors = control >> 1 & 7;
    const bool wide = (control & 0x0080) != 0;
    const uint32_t data = at + (wide ? 12 : 8);

    check_within(t, "vectors of MSI as a power of two", at + 2, vectors, 0, 5); /* 6 and 7 are reserved */
    agpu_require(t, (control & 1) == 0, AGPU_SKIP_MSI_IN_USE);
    check_fixed(t, at, 2, "identity of the capability at");
    for (uint32_t value = 0xFEE00000; value < 0xFEF00000; value += 0x000FF004) {
        agpu_check_place(t, "MSI address after writing", value, stored_by(t, at + 4, 4, value), value);
    }
    agpu_check_eq_hex(t, stored_by(t, at + 4, 4, 0xFEE00003) & 3, 0); /* the low two address bits are fixed */
    agpu_check_eq_hex(t, stored_by(t, data, 2, 0x1234), 0x1234);
    agpu_check_eq_hex(t, stored_by(t, data, 2, 0x0040), 0x0040);
    if (wide) {
        agpu_check_eq_hex(t, stored_by(t, at + 8, 4, 0x00000001), 0x00000001);
        agpu_check_eq_hex(t, stored_by(t, at + 8, 4, 0), 0);
    }
    for (uint32_t enabled = 0; enabled <= vectors && vectors <= 5; enabled++) {
        agpu_check_place(t, "MSI vectors enabled (as a power of two) after writing", enabled,
                         stored_by(t, at + 2, 2, enabled << 4) >> 4 & 7, enabled);
    }
    agpu_check_eq_hex(t, stored_by(t, at + 2, 2, 0x0F8E) & 0xFF8E,
                      control & 0xFF8E); /* all other bits are fixed */
    agpu_choice(t, "msi", vectors == 0 ? "1 vector" : "several vectors");
}

/* ---- MSI-X ---- */

/* Checks where an MSI-X structure is: which BAR, at which offset, how long. */
static bool check_place_in_bar(struct agpu_test *t, const char *what, uint32_t place, uint64_t bytes)
{
    const struct agpu_function *function = &t->env->function;
    const uint32_t bar = place & 7;
    const uint64_t offset = place & ~7u;

    if (!agpu_check_place(t, what, bar, bar < AGPU_PCI_BAR_COUNT && function->bars[bar].size != 0, true)) {
        return false;
    }
    if (bar == AEROGPU_PCI_BAR0_INDEX) { /* not over the registers */
        agpu_check_place(t, "MSI-X structure after the registers, at", offset,
                         offset >= AEROGPU_PCI_BAR0_SIZE_BYTES, true);
    }
    return agpu_check_place2(t, what, bar, "of the BAR, ends inside it, at", offset,
                             offset <= function->bars[bar].size && bytes <= function->bars[bar].size - offset,
                             true);
}

/* The MSI-X capability must be neither enabled nor masked, its table and pending bits must be in a BAR and not overlap,
 * and every vector must be masked. */
static void capability_msix(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    require_capability(t, at, AGPU_CAPABILITY_MSIX);
    const uint32_t control = capability_read(t, at + 2, 2);
    const uint32_t table = capability_read(t, at + 4, 4), pending = capability_read(t, at + 8, 4);
    const uint64_t entries = (control & 0x7FF) + 1, bits = (entries + 63) / 64 * 8;

    agpu_check_eq_hex(t, control & 0xC000, 0); /* neither enabled nor masked */
    check_fixed(t, at, 2, "identity of the capability at");
    check_fixed(t, at + 4, 4, "place of the MSI-X table at");
    check_fixed(t, at + 8, 4, "place of the MSI-X pending bits at");
    agpu_return_unless(check_place_in_bar(t, "MSI-X table in BAR", table, entries * 16));
    agpu_return_unless(check_place_in_bar(t, "MSI-X pending bits in BAR", pending, bits));
    if ((table & 7) == (pending & 7)) {
        agpu_check(t, (uint64_t)(table & ~7u) + entries * 16 <= (pending & ~7u) ||
                          (uint64_t)(pending & ~7u) + bits <= (table & ~7u));
    }
    for (uint64_t i = 0; i < entries;
         i += i < 4 ? 1 : 17) { /* every vector is masked until software unmasks it */
        agpu_check_place(t, "mask bit of MSI-X vector", i,
                         platform->bar_read(platform->ctx, &t->env->function.found.ref, table & 7,
                                            (table & ~7u) + 16 * i + 12, 4) &
                             1,
                         1);
    }
    agpu_metric(t, "msix_vectors", entries, "1");
}

/* ---- PCI Express ---- */

#define EXPRESS_ENDPOINT        0u
#define EXPRESS_LEGACY_ENDPOINT 1u
#define EXPRESS_INTEGRATED      9u
#define EXPRESS_4096_BYTES      5u /* encoding of payload and read sizes: 128 << 5 */

/* Version, type, payload sizes and link of the PCI Express capability must be in their documented ranges. In QEMU, QEMU
 * answers for some of these registers (tests/device/vfio/README.md). */
static void capability_express(struct agpu_test *t)
{
    require_capability(t, at, AGPU_CAPABILITY_EXPRESS);
    const uint32_t flags = capability_read(t, at + 2, 2), type = flags >> 4 & 0xF;
    const uint32_t device = capability_read(t, at + 4, 4), control = capability_read(t, at + 8, 2);
    const uint32_t link = capability_read(t, at + 12, 4), state = capability_read(t, at + 18, 2);

    check_within(t, "version of PCI Express", at + 2, flags & 0xF, 1, 2);
    if (type != EXPRESS_LEGACY_ENDPOINT && type != EXPRESS_INTEGRATED) {
        agpu_check_place(t, "endpoint, which is 0, 1 or 9, as the type in the register at", at + 2, type,
                         EXPRESS_ENDPOINT);
    }
    check_fixed(t, at, 4, "identity of the capability at");
    check_fixed(t, at + 4, 4, "device capabilities at");
    check_within(t, "payload that it can", at + 4, device & 7, 0, EXPRESS_4096_BYTES);
    check_within(t, "payload that is set, no more than it can", at + 8, control >> 5 & 7, 0, device & 7);
    check_within(t, "size of reads", at + 8, control >> 12 & 7, 0, EXPRESS_4096_BYTES);
    agpu_check_place(t, "reset bit, which reads 0, in the register at", at + 8, control & 0x8000, 0);
    if (type != EXPRESS_INTEGRATED) { /* the link is up, within its capabilities */
        check_within(t, "speed of the link that it can", at + 12, link & 0xF, 1, 0xF);
        check_within(t, "width of the link that it can", at + 12, link >> 4 & 0x3F, 1, 32);
        check_within(t, "speed of the link", at + 18, state & 0xF, 1, link & 0xF);
        check_within(t, "width of the link", at + 18, state >> 4 & 0x3F, 1, link >> 4 & 0x3F);
    }
    agpu_choice(t, "function_level_reset", (device & (1u << 28)) != 0 ? "yes" : "no");
}

#define CAPABILITY_CASE(name, function)                                                                      \
    {                                                                                                        \
        .id = (name), .spec = "device.md 1.1", .needs = AGPU_NEED_FUNCTION, .run = (function)                \
    }

static const struct agpu_case function_capability_cases[] = {
    CAPABILITY_CASE("discovery.capability.power", capability_power),
    CAPABILITY_CASE("discovery.capability.msi", capability_msi),
    CAPABILITY_CASE("discovery.capability.msix", capability_msix),
    CAPABILITY_CASE("discovery.capability.express", capability_express),
};

AGPU_CASE_TABLE(agpu_cases_function_capability, function_capability_cases);
