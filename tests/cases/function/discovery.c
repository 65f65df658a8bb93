/* discovery.c: identity, configuration space, BARs, accesses that the command register gates (device.md 1, 2). */
#include "pci/capability.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/submit.h"

#define PROMPT_READS 32u
#define PROMPT_NS    10000000u

static uint32_t discovery_config(const struct agpu_test *t, uint32_t offset, uint32_t size)
{
    return agpu_config_read(&t->env->function, offset, size);
}

/* Vendor and device id must be those of the ABI (or of the other one, with a warning). */
static void discovery_identity(struct agpu_test *t)
{
    if (t->env->abi.crossed) { /* MAGIC took precedence; the log has a warning (legacy.md 1) */
        agpu_choice(t, "identity", "1AED:0001 with the versioned registers");
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_LEGACY_PCI_VENDOR_ID);
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_LEGACY_PCI_DEVICE_ID);
        return;
    }
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_PCI_VENDOR_ID);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_PCI_DEVICE_ID);
}

/* Subsystem vendor and id must be those of the ABI. */
static void discovery_subsystem(struct agpu_test *t)
{
    if (t->env->abi.crossed) {
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBSYSTEM_VENDOR, 4), 0);
        return;
    }
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBSYSTEM_VENDOR, 2), AEROGPU_PCI_SUBSYSTEM_VENDOR_ID);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBSYSTEM_ID, 2), AEROGPU_PCI_SUBSYSTEM_ID);
}

/* The class must be a VGA compatible display controller. */
static void class_code(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_CLASS, 1), AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBCLASS, 1), AEROGPU_PCI_SUBCLASS_VGA_COMPATIBLE);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_PROG_IF, 1), AEROGPU_PCI_PROG_IF);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_REVISION, 1), 0);
}

/* The header type must be 0, single function. */
static void header_type(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_HEADER_TYPE, 1), 0);
}

/* Interrupt Pin must read 1 (INTA). */
static void interrupt_pin(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
}

/* The capability list must be well formed; with PCI Express it must exist. */
static void capability_list_is_sane(struct agpu_test *t)
{
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char wrong[200];
    struct agpu_text why;
    unsigned count;

    agpu_text_begin(&why, wrong, sizeof wrong);
    count = agpu_capabilities(&t->env->function, list, &why);
    if (t->env->model) {
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES, 0);
    }
    if ((discovery_config(t, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES) == 0) {
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_CAPABILITY_POINTER, 1), 0);
        return;
    }
    agpu_check(t, count != 0); /* the Status register announces a list, so it is not empty */
    agpu_check_u64_noted(t, why.length != 0, 0, "faults of the capability list (device.md 1.1)", false, wrong,
                         AGPU_HERE);
    agpu_metric(t, "capabilities", count, "1");
}

/* Writes must not change the read-only identity bytes: each is written alone, in its word and in its dword. */
static void read_only_identity(struct agpu_test *t)
{
    static const uint8_t offsets[] = {
        AGPU_PCI_VENDOR_ID,
        AGPU_PCI_VENDOR_ID + 1,
        AGPU_PCI_DEVICE_ID,
        AGPU_PCI_DEVICE_ID + 1,
        AGPU_PCI_REVISION,
        AGPU_PCI_PROG_IF,
        AGPU_PCI_SUBCLASS,
        AGPU_PCI_CLASS,
        AGPU_PCI_HEADER_TYPE,
        AGPU_PCI_SUBSYSTEM_VENDOR,
        AGPU_PCI_SUBSYSTEM_VENDOR + 1,
        AGPU_PCI_SUBSYSTEM_ID,
        AGPU_PCI_SUBSYSTEM_ID + 1,
        AGPU_PCI_CAPABILITY_POINTER,
        AGPU_PCI_INTERRUPT_PIN,
    };

    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t at = offsets[i];

        for (uint32_t size = 1; size <= 4; size *= 2) {
            const uint32_t base = at & ~(size - 1);
            const uint32_t all = discovery_config(t, base, size);
            const uint32_t lane = 0xFFu << (8 * (at - base));
            const uint32_t before = (all & lane) >> (8 * (at - base));

            agpu_config_write(&t->env->function, base, size, all ^ lane);
            agpu_check_place2(t, "read-only config byte", at, "after a write of bytes:", size,
                              discovery_config(t, at, 1), before);
            agpu_config_write(&t->env->function, base, size, all);
        }
    }
}

/* Interrupt Line must store any value and leave Interrupt Pin unchanged. */
static void interrupt_line(struct agpu_test *t)
{
    static const uint8_t values[] = {0x00, 0xFF, 0x5A, 0xA5, 0x0B};
    const struct agpu_function *function = &t->env->function;
    uint32_t before = discovery_config(t, AGPU_PCI_INTERRUPT_LINE, 1);

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, values[i]);
        agpu_check_place(t, "Interrupt Line after writing", values[i],
                         discovery_config(t, AGPU_PCI_INTERRUPT_LINE, 1), values[i]);
        agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
    }
    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, before);
}

/* Byte and word reads must return the lanes of the dwords. */
static void config_lanes(struct agpu_test *t)
{
    for (uint32_t offset = 0; offset < 0x40; offset += 4) {
        uint32_t dword = discovery_config(t, offset, 4);

        for (uint32_t lane = 0; lane < 4; lane++) {
            agpu_check_place(t, "config byte", offset + lane, discovery_config(t, offset + lane, 1),
                             (dword >> (8 * lane)) & 0xFF);
        }
        agpu_check_place(t, "config word", offset, discovery_config(t, offset, 2), dword & 0xFFFF);
        agpu_check_place(t, "config word", offset + 2, discovery_config(t, offset + 2, 2), dword >> 16);
    }
}

/* A read of configuration space must be quick. Uses the fastest of many: load slows some of them. */
static void config_prompt(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    uint64_t fastest = UINT64_MAX;

    for (unsigned i = 0; i < PROMPT_READS && fastest > PROMPT_NS; i++) {
        const uint64_t start = platform->now_ns(platform->ctx);
        uint64_t took;

        discovery_config(t, AGPU_PCI_VENDOR_ID, 4);
        took = platform->now_ns(platform->ctx) - start;
        fastest = took < fastest ? took : fastest;
    }
    agpu_check_u64(t, fastest > PROMPT_NS ? fastest / 1000000 : 0, 0,
                   "configuration reads are answered late: milliseconds of the fastest", false, AGPU_HERE);
    agpu_metric(t, "config_read_ns", fastest, "ns");
}

/* After the header the model's configuration space must read 0 (boards have capabilities). Cache Line Size and Latency
 * Timer must store, as PCI requires; on PCI Express the timer does not. */
static void config_rest(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    for (uint32_t offset = 0x40; offset < 0x100; offset += 4) {
        agpu_check_place(t, "config dword", offset, discovery_config(t, offset, 4), 0);
        agpu_config_write(function, offset, 4, UINT32_MAX);
        agpu_check_place(t, "config dword after writing ones", offset, discovery_config(t, offset, 4), 0);
    }
    for (uint32_t offset = 0x0C; offset < 0x0E; offset++) {
        const uint32_t before = discovery_config(t, offset, 1);

        for (uint32_t value = 0x5A; value <= 0xA5; value += 0x4B) {
            agpu_config_write(function, offset, 1, value);
            agpu_check_place(t, "storage in config byte", offset, discovery_config(t, offset, 1), value);
        }
        agpu_config_write(function, offset, 1, before);
    }
}

/* A one- or two-byte write to configuration space must change only these bytes: checked in the command register, and in
 * BAR0 while decoding is off. */
static void narrow_config_writes(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    const uint16_t quiet = on & (uint16_t) ~(AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_IO);
    const uint32_t bar = function->saved_bars[0];
    const uint32_t stored = ~((uint32_t)function->bars[0].size - 1) | AGPU_PCI_BAR_FLAGS;

    agpu_config_write(function, AGPU_PCI_COMMAND + 1, 1, AGPU_PCI_COMMAND_INTX_OFF >> 8);
    agpu_check_eq_hex(t, agpu_command_read(function), (on & 0xFF) | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_config_write(function, AGPU_PCI_COMMAND, 1, quiet & 0xFF);
    agpu_check_eq_hex(t, agpu_command_read(function), (quiet & 0xFF) | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_config_write(function, AGPU_PCI_COMMAND + 1, 1, on >> 8);
    agpu_check_eq_hex(t, agpu_command_read(function), (quiet & 0xFF) | (on & 0xFF00));

    agpu_config_write(function, AGPU_PCI_BAR(0) + 3, 1, 0x5A);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_BAR(0), 4), ((bar & 0x00FFFFFF) | 0x5A000000) & stored);
    agpu_config_write(function, AGPU_PCI_BAR(0) + 2, 1, 0xC2);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_BAR(0), 4), ((bar & 0xFFFF) | 0x5AC20000) & stored);
    agpu_config_write(function, AGPU_PCI_BAR(0) + 2, 2, 0x1234);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_BAR(0), 4), ((bar & 0xFFFF) | 0x12340000) & stored);
    agpu_config_write(function, AGPU_PCI_BAR(0), 2, 0xFFFF);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_BAR(0), 4) & 0xFFFF0000, 0x12340000 & stored);
    /* A write to a BAR must not change the command register. */
    agpu_command_write(function, quiet | AGPU_PCI_COMMAND_INTX_OFF);
    for (uint32_t offset = AGPU_PCI_BAR(0); offset <= AGPU_PCI_BAR(1); offset += 4) {
        agpu_config_write(function, offset, 4, 0xFFFFFFFF);
        agpu_check_place(t, "command register after a write of config dword", offset,
                         agpu_command_read(function), quiet | AGPU_PCI_COMMAND_INTX_OFF);
        if (offset == AGPU_PCI_BAR(0)) {
            agpu_check_u64(t, agpu_config_read(function, AGPU_PCI_BAR(1), 4), function->saved_bars[1],
                           "BAR1 after a write of BAR0", true, AGPU_HERE);
        }
    }
    agpu_function_restore(function);
    agpu_command_write(function, on);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_BAR(0), 4), bar);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
}

/* ---- BARs ---- */

/* Returns what a BAR reads after a write, with decoding off. */
static uint32_t bar_after(const struct agpu_test *t, unsigned index, uint32_t value)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    uint32_t found;

    agpu_command_write(function, on & (uint16_t) ~(AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_IO));
    agpu_config_write(function, AGPU_PCI_BAR(index), 4, value);
    found = agpu_config_read(function, AGPU_PCI_BAR(index), 4);
    agpu_config_write(function, AGPU_PCI_BAR(index), 4, function->saved_bars[index]);
    agpu_command_write(function, on);
    return found;
}

/* Checks that a BAR stores every address bit from its size up, and that its lower bits are fixed. */
static void check_bar_bits(struct agpu_test *t, unsigned index)
{
    const struct agpu_bar_info *bar = &t->env->function.bars[index];
    const uint32_t type = t->env->function.saved_bars[index] & AGPU_PCI_BAR_FLAGS;
    const uint32_t stored = bar->size > UINT32_MAX ? 0 : ~((uint32_t)bar->size - 1);
    static const uint32_t values[] = {0xFFFFFFFF, 0x55555555, 0xAAAAAAAA, 0};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_check_place2(t, "BAR", index, "after writing", values[i], bar_after(t, index, values[i]),
                          (values[i] & stored) | type);
    }
    if (bar->is_64bit && bar->size <= UINT32_MAX) {
        agpu_check_place(t, "upper half of the 64-bit BAR", index, bar_after(t, index + 1, UINT32_MAX),
                         UINT32_MAX);
    }
    agpu_check_place(t, "address inside the size of BAR", index, bar->address & (bar->size - 1), 0);
}

/* BAR0 must be a power of two of at least 64 KiB, not prefetchable, and store its address bits. */
static void discovery_bar0(struct agpu_test *t)
{
    const struct agpu_bar_info *bar = &t->env->function.bars[AEROGPU_PCI_BAR0_INDEX];

    /* The register file is 64 KiB; a board may round it up. */
    agpu_check(t, bar->size >= AEROGPU_PCI_BAR0_SIZE_BYTES);
    agpu_check_eq_hex(t, bar->size & (bar->size - 1), 0);
    agpu_check(t, !bar->prefetchable); /* a bridge must not merge or repeat a doorbell */
    if (t->env->model) {
        agpu_check_eq_hex(t, bar->size, AEROGPU_PCI_BAR0_SIZE_BYTES);
        agpu_check(t, !bar->is_64bit);
    }
    check_bar_bits(t, AEROGPU_PCI_BAR0_INDEX);
}

/* BAR1 must be a power of two of at least 512 KiB, prefetchable, and store its address bits. */
static void discovery_bar1(struct agpu_test *t)
{
    const struct agpu_bar_info *bar = &t->env->function.bars[agpu_aperture_index(&t->env->function)];

    agpu_choice(t, "bar1",
                bar->size == 0          ? "none"
                : bar->size == 64 << 20 ? "64 MiB"
                : bar->size == 32 << 20 ? "32 MiB"
                                        : "another size");
    agpu_require(t, t->env->model || bar->size != 0, AGPU_SKIP_APERTURE);
    agpu_check(t, bar->size >= 512 * 1024);
    agpu_check_eq_hex(t, bar->size & (bar->size - 1), 0);
    agpu_check(t, bar->prefetchable);
    if (t->env->model) { /* on other devices any size is allowed (device.md 1) */
        agpu_check_eq_hex(t, bar->size, AEROGPU_PCI_BAR1_SIZE_BYTES);
        agpu_check(t, !bar->is_64bit);
    }
    check_bar_bits(t, agpu_aperture_index(&t->env->function));
    agpu_metric(t, "bar1_bytes", bar->size, "B");
}

/* The model's other BAR registers must be fixed. Only the model is checked: known devices store writes to missing BARs
 * (device.md 1), boards have more BARs (MSI-X). */
static void other_bars(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint32_t found;

    for (unsigned i = 2; i < AGPU_PCI_BAR_COUNT; i++) {
        agpu_check_place(t, "absent BAR", i, function->saved_bars[i], 0);
        agpu_check_place(t, "absent BAR after writing ones", i, bar_after(t, i, UINT32_MAX), 0);
    }
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_ROM_BAR, 4), 0);
    agpu_config_write(function, AGPU_PCI_ROM_BAR, 4, 0xFFFFFFFE);
    found = discovery_config(t, AGPU_PCI_ROM_BAR, 4);
    agpu_config_write(function, AGPU_PCI_ROM_BAR, 4, 0);
    agpu_check_eq_hex(t, found, 0);
}

/* ---- command register ---- */

#define COMMAND_STORED                                                                                       \
    (AGPU_PCI_COMMAND_IO | AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER | AGPU_PCI_COMMAND_INTX_OFF)
#define COMMAND_ERRORS   0x0140u /* parity and SERR enable: the model stores them */
#define COMMAND_RESERVED 0xF800u /* reserved by PCI */

/* Each defined command bit must store both values, reserved bits must read 0. */
static void command_bits(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t judged = COMMAND_STORED | COMMAND_RESERVED | (t->env->model ? 0x0FFF : 0);
    const uint16_t stored = COMMAND_STORED | (t->env->model ? COMMAND_ERRORS : 0);
    uint16_t on = agpu_command_read(function);

    agpu_check_eq_hex(t, on & (AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER),
                      AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER);
    for (unsigned bit = 0; bit < 16; bit++) {
        const uint16_t mask = (uint16_t)(1u << bit);
        uint16_t found;

        if ((judged & mask) == 0) {
            continue;
        }
        for (unsigned set = 0; set < 2; set++) {
            agpu_command_write(function, set ? on | mask : on & (uint16_t)~mask);
            found = agpu_command_read(function);
            agpu_check_place2(t, "command bit", bit, "written", set, (found >> bit) & 1,
                              (stored & mask) != 0 ? set : 0);
            agpu_check_place2(t, "the other command bits while bit", bit, "is written", set,
                              found & judged & ~mask, on & judged & ~mask);
        }
        agpu_command_write(function, on);
    }
    agpu_check_eq_hex(t, agpu_command_read(function), on);
}

/* A write must not change the read-only Status bits. */
static void status_not_writable(struct agpu_test *t)
{
    uint32_t before = discovery_config(t, AGPU_PCI_COMMAND, 4);

    agpu_config_write(&t->env->function, AGPU_PCI_COMMAND, 4, before ^ 0x00700000);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_COMMAND, 4), before);
}

static uint64_t discovery_bar_read(const struct agpu_test *t, unsigned bar, uint64_t offset, uint32_t size)
{
    return t->env->platform->bar_read(t->env->platform->ctx, &t->env->function.found.ref, bar, offset, size);
}

static void discovery_bar_write(const struct agpu_test *t, unsigned bar, uint64_t offset, uint32_t size,
                                uint64_t value)
{
    t->env->platform->bar_write(t->env->platform->ctx, &t->env->function.found.ref, bar, offset, size, value);
}

static bool has_aperture(const struct agpu_test *t)
{
    return t->env->function.bars[agpu_aperture_index(&t->env->function)].size != 0;
}

/* Given Memory Space clear, a read must not reach the device: the machine returns all ones, or zero. */
static void memory_gates_reads(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_MMIO_REG_MAGIC, AEROGPU_MMIO_REG_RING_GPA_LO};
    const struct agpu_function *function = &t->env->function;
    const uint64_t vram = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;
    uint16_t on = agpu_command_read(function);
    uint64_t kept = 0;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0x12345678);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_GPA_HI, 0x23456789);
    if (has_aperture(t)) {
        kept = discovery_bar_read(t, agpu_aperture_index(function), vram, 8);
        discovery_bar_write(t, agpu_aperture_index(function), vram, 8, UINT64_C(0x123456789ABCDEF0));
    }
    for (unsigned io = 0; io < 2; io++) { /* I/O Space does not enable memory decoding */
        uint16_t off = on & (uint16_t) ~(AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_IO);
        bool ones;

        agpu_command_write(function, off | (io ? AGPU_PCI_COMMAND_IO : 0));
        ones = agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC) == UINT32_MAX;
        for (uint32_t size = 1; size <= 8; size *= 2) {
            const uint64_t none = ones ? UINT64_MAX >> (64 - 8 * size) : 0;

            for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
                agpu_check_place2(t, "undecoded BAR0 at", regs[i], "read with bytes:", size,
                                  discovery_bar_read(t, AEROGPU_PCI_BAR0_INDEX, regs[i], size), none);
            }
            if (has_aperture(t)) {
                agpu_check_place2(t, "undecoded BAR1 at", vram, "read with bytes:", size,
                                  discovery_bar_read(t, agpu_aperture_index(function), vram, size), none);
            }
        }
        agpu_command_write(function, on);
        if (io == 0) {
            agpu_choice(t, "undecoded_reads", ones ? "all ones" : "0");
        }
    }
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    if (has_aperture(t)) {
        discovery_bar_write(t, agpu_aperture_index(function), vram, 8, kept);
    }
}

/* With Memory Space clear, writes to BAR0 and BAR1 must have no effect. */
static void memory_gates_writes(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t vram = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;
    uint16_t on = agpu_command_read(function);

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x12345678);
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_ERROR);
    if (has_aperture(t)) {
        discovery_bar_write(t, agpu_aperture_index(function), vram, 4, 0x5AC35AC3);
    }
    for (unsigned io = 0; io < 2; io++) {
        uint16_t off = on & (uint16_t) ~(AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_IO);

        agpu_command_write(function, off | (io ? AGPU_PCI_COMMAND_IO : 0));
        for (uint32_t size = 1; size <= 8; size *= 2) {
            discovery_bar_write(t, AEROGPU_PCI_BAR0_INDEX, AEROGPU_MMIO_REG_RING_SIZE_BYTES, size, 0);
            if (has_aperture(t)) {
                discovery_bar_write(t, agpu_aperture_index(function), vram, size, 0);
            }
        }
        agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
        agpu_command_write(function, on);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x12345678);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_ERROR);
        if (has_aperture(t)) {
            agpu_check_eq_hex(t, discovery_bar_read(t, agpu_aperture_index(function), vram, 4), 0x5AC35AC3);
        }
    }
    if (has_aperture(t)) {
        discovery_bar_write(t, agpu_aperture_index(function), vram, 4, 0);
    }
}

static const struct agpu_case function_discovery_cases[] = {
    {.id = "discovery.identity.vendor_device",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_identity},
    {.id = "discovery.identity.subsystem",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_subsystem},
    {.id = "discovery.identity.class", .spec = "device.md 1", .needs = AGPU_NEED_FUNCTION, .run = class_code},
    {.id = "discovery.identity.header_type",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = header_type},
    {.id = "discovery.identity.interrupt_pin",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = interrupt_pin},
    {.id = "discovery.identity.capabilities",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = capability_list_is_sane},
    {.id = "discovery.identity.read_only",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = read_only_identity},
    {.id = "discovery.config.interrupt_line",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = interrupt_line},
    {.id = "discovery.config.lanes", .spec = "device.md 2", .needs = AGPU_NEED_FUNCTION, .run = config_lanes},
    {.id = "discovery.config.prompt",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = config_prompt},
    {.id = "discovery.config.rest",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = config_rest},
    {.id = "discovery.config.narrow_writes",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = narrow_config_writes},
    {.id = "discovery.config.status_not_writable",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = status_not_writable},
    {.id = "discovery.bar.registers",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_bar0},
    {.id = "discovery.bar.vram", .spec = "device.md 1", .needs = AGPU_NEED_FUNCTION, .run = discovery_bar1},
    {.id = "discovery.bar.others_absent",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = other_bars},
    {.id = "discovery.command.bits", .spec = "device.md 2", .needs = AGPU_NEED_FUNCTION, .run = command_bits},
    {.id = "discovery.command.memory_gates_reads",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = memory_gates_reads},
    {.id = "discovery.command.memory_gates_writes",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = memory_gates_writes},
};

AGPU_CASE_TABLE(agpu_cases_function_discovery, function_discovery_cases);
