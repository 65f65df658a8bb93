/* irq.c: routes, vectors, and the handler that runs on them. */
#include "efi/irq.h"

#include "efi/apic.h"
#include "efi/guard.h"
#include "efi/machine.h"
#include "efi/pci_io.h"
#include "efi/trap.h"
#include "pci/capability.h"
#include "pci/config.h"
#include "pci/machine/text.h"

/* Firmware keeps to vectors below 0x80: the 8259's (from 0x68 in EDK II) and its timer's. */
#define VECTOR_FIRST   0x90u
#define LINES_MAX      48u
#define VECTOR_MESSAGE (VECTOR_FIRST + LINES_MAX)
/* All lines from here on are for PCI; below are those of the PC, where only the one that the function names is tried. */
#define FIRST_PCI_GSI 16u
/* So many in a row without a cause of the function, and the line is held by another one, or by nobody. */
#define MISSES_MOST 256u

/* So many without a step of whatever runs beside them, though each has a cause: the device goes on and on. */
#define STREAK_MOST 20000u

/* A message to a processor (Intel SDM volume 3, 11.11): fixed delivery, edge. */
#define MESSAGE_ADDRESS 0xFEE00000u

/* Within the capabilities (PCI 6.8.1, 6.8.2). */
#define MESSAGE_CONTROL 2u
#define MSI_ENABLE      0x0001u
#define MSI_MULTIPLE    0x0070u
#define MSI_WIDE        0x0080u
#define MSI_MASKS       0x0100u
#define MSIX_TABLE      4u
#define MSIX_FUNCTION   0x4000u /* mask of the whole function */
#define MSIX_ENABLE     0x8000u
#define MSIX_BAR_MASK   7u
#define MSIX_MASKED     1u

static struct {
    bool open;
    enum agpu_irq_way way;
    const struct agpu_pci_ref *function;
    bool (*handler)(void *ctx);
    void *handler_ctx;
    struct agpu_irq_counts counts;
    volatile bool handling;
    uint64_t steps; /* agpu_guard_steps() at the last interrupt */
    unsigned streak;
    /* By line. */
    struct agpu_apic_line lines[LINES_MAX];
    bool armed[LINES_MAX];
    unsigned misses[LINES_MAX];
    unsigned line_count;
    bool routed;
    /* By message. */
    uint32_t capability, control; /* as found */
    uint32_t message[4];          /* as found: of MSI address, upper address, data, mask; of MSI-X entry 0 */
} irq;

static uint32_t config_read(uint32_t offset, uint32_t size)
{
    return agpu_pci_io_config_read(NULL, irq.function, offset, size);
}

static void config_write(uint32_t offset, uint32_t size, uint32_t value)
{
    agpu_pci_io_config_write(NULL, irq.function, offset, size, value);
}

/* ---- taking them ---- */

static void mask_line(unsigned i)
{
    agpu_apic_line_write(&irq.lines[i], irq.lines[i].low | AGPU_APIC_MASKED, irq.lines[i].high);
    irq.armed[i] = false;
}

/* The function's line is known: the others are none of ours. */
static void settle_route(unsigned route)
{
    for (unsigned i = 0; i < irq.line_count; i++) {
        if (i != route && irq.armed[i]) {
            mask_line(i);
        }
    }
    irq.routed = true;
}

static void judge_line(unsigned i, bool mine)
{
    const uint64_t steps = agpu_guard_steps();

    irq.streak = steps == irq.steps ? irq.streak + 1 : 0;
    irq.steps = steps;
    if (irq.streak >= STREAK_MOST && irq.armed[i]) {
        mask_line(i);
        irq.counts.silenced = true;
        return;
    }
    if (mine) {
        irq.misses[i] = 0;
        if (!irq.routed) {
            settle_route(i);
        }
        return;
    }
    if (++irq.misses[i] >= MISSES_MOST && irq.armed[i]) {
        mask_line(i);
        irq.counts.silenced |= irq.routed;
    }
}

/* One that comes when nothing is open was on its way when it was closed. */
static bool on_interrupt(struct agpu_trap_frame *frame)
{
    irq.handling = true;
    agpu_guard_hold(true);
    if (irq.open) {
        const bool mine = irq.handler(irq.handler_ctx);

        irq.counts.taken += mine;
        irq.counts.spurious += !mine;
        if (frame->vector < VECTOR_MESSAGE) {
            judge_line((unsigned)frame->vector - VECTOR_FIRST, mine);
        }
    }
    agpu_guard_hold(false);
    agpu_apic_end();
    irq.handling = false;
    return true;
}

/* ---- by line ---- */

static bool is_candidate(const struct agpu_apic_line *line)
{
    return (line->low & AGPU_APIC_MASKED) != 0 &&
           (line->gsi >= FIRST_PCI_GSI || line->gsi == config_read(AGPU_PCI_INTERRUPT_LINE, 1));
}

static bool open_line(struct agpu_text *why)
{
    struct agpu_apic_line all[LINES_MAX];
    const unsigned count = agpu_apic_lines(all, LINES_MAX);

    irq.line_count = 0;
    irq.routed = false;
    for (unsigned i = 0; i < count; i++) {
        if (is_candidate(&all[i])) {
            irq.lines[irq.line_count] = all[i];
            irq.armed[irq.line_count] = true;
            irq.misses[irq.line_count++] = 0;
        }
    }
    if (irq.line_count == 0) {
        agpu_text_string(why, "a machine that takes interrupts by line: its ACPI tables (MADT) name ");
        agpu_text_u64(why, count);
        agpu_text_string(why, " I/O APIC inputs, none of them free for PCI");
        return false;
    }
    for (unsigned i = 0; i < irq.line_count; i++) {
        agpu_trap_set(VECTOR_FIRST + i, on_interrupt);
        agpu_apic_line_write(&irq.lines[i], (VECTOR_FIRST + i) | AGPU_APIC_LEVEL | AGPU_APIC_LOW_ACTIVE,
                             agpu_apic_id() << 24);
    }
    return true;
}

static void close_line(void)
{
    for (unsigned i = 0; i < irq.line_count; i++) {
        agpu_apic_line_write(&irq.lines[i], irq.lines[i].low, irq.lines[i].high);
    }
    irq.line_count = 0;
}

/* ---- by message ---- */

static bool open_msi(void)
{
    const uint32_t at = irq.capability;
    const uint32_t data_at = at + (irq.control & MSI_WIDE ? 12u : 8u);

    irq.message[0] = config_read(at + 4, 4);
    irq.message[1] = irq.control & MSI_WIDE ? config_read(at + 8, 4) : 0;
    irq.message[2] = config_read(data_at, 2);
    irq.message[3] = irq.control & MSI_MASKS ? config_read(data_at + 4, 4) : 0;
    config_write(at + 4, 4, MESSAGE_ADDRESS | agpu_apic_id() << 12);
    if (irq.control & MSI_WIDE) {
        config_write(at + 8, 4, 0);
    }
    config_write(data_at, 2, VECTOR_MESSAGE);
    if (irq.control & MSI_MASKS) {
        config_write(data_at + 4, 4, irq.message[3] & ~1u);
    }
    config_write(at + MESSAGE_CONTROL, 2, (irq.control & ~MSI_MULTIPLE) | MSI_ENABLE);
    return true;
}

static void close_msi(void)
{
    const uint32_t at = irq.capability;
    const uint32_t data_at = at + (irq.control & MSI_WIDE ? 12u : 8u);

    config_write(at + MESSAGE_CONTROL, 2, irq.control);
    config_write(at + 4, 4, irq.message[0]);
    if (irq.control & MSI_WIDE) {
        config_write(at + 8, 4, irq.message[1]);
    }
    config_write(data_at, 2, irq.message[2]);
    if (irq.control & MSI_MASKS) {
        config_write(data_at + 4, 4, irq.message[3]);
    }
}

/* A word of the first entry of the table, which lies in a BAR. */
static uint32_t msix_read(unsigned word)
{
    const uint32_t table = config_read(irq.capability + MSIX_TABLE, 4);

    return (uint32_t)agpu_pci_io_bar_read(NULL, irq.function, table & MSIX_BAR_MASK,
                                          (table & ~MSIX_BAR_MASK) + 4u * word, 4);
}

static void msix_write(unsigned word, uint32_t value)
{
    const uint32_t table = config_read(irq.capability + MSIX_TABLE, 4);

    agpu_pci_io_bar_write(NULL, irq.function, table & MSIX_BAR_MASK, (table & ~MSIX_BAR_MASK) + 4u * word, 4,
                          value);
}

static bool open_msix(void)
{
    /* The table can be written only while the capability is on; masked as a whole, nothing is sent meanwhile. */
    config_write(irq.capability + MESSAGE_CONTROL, 2, irq.control | MSIX_ENABLE | MSIX_FUNCTION);
    for (unsigned i = 0; i < 4; i++) {
        irq.message[i] = msix_read(i);
    }
    msix_write(3, irq.message[3] | MSIX_MASKED);
    msix_write(0, MESSAGE_ADDRESS | agpu_apic_id() << 12);
    msix_write(1, 0);
    msix_write(2, VECTOR_MESSAGE);
    msix_write(3, irq.message[3] & ~MSIX_MASKED);
    config_write(irq.capability + MESSAGE_CONTROL, 2, (irq.control | MSIX_ENABLE) & ~MSIX_FUNCTION);
    return true;
}

static void close_msix(void)
{
    config_write(irq.capability + MESSAGE_CONTROL, 2, irq.control | MSIX_ENABLE | MSIX_FUNCTION);
    for (unsigned i = 0; i < 4; i++) {
        msix_write(3 - i, irq.message[3 - i]); /* the mask first */
    }
    config_write(irq.capability + MESSAGE_CONTROL, 2, irq.control);
}

static bool open_message(enum agpu_irq_way way, struct agpu_text *why)
{
    const struct agpu_platform config = {.config_read = agpu_pci_io_config_read};
    const struct agpu_function function = {.platform = &config, .found = {.ref = *irq.function}};

    irq.capability =
        agpu_capability_find(&function, way == AGPU_IRQ_MSI ? AGPU_CAPABILITY_MSI : AGPU_CAPABILITY_MSIX);
    if (irq.capability == 0) {
        agpu_text_string(why, way == AGPU_IRQ_MSI ? AGPU_IRQ_NO_MSI : AGPU_IRQ_NO_MSIX);
        return false;
    }
    irq.control = config_read(irq.capability + MESSAGE_CONTROL, 2);
    agpu_trap_set(VECTOR_MESSAGE, on_interrupt);
    return way == AGPU_IRQ_MSI ? open_msi() : open_msix();
}

/* ---- open and close ---- */

enum agpu_status agpu_irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                               bool (*handler)(void *handler_ctx), void *handler_ctx, struct agpu_text *why)
{
    (void)ctx;
    if (irq.open) {
        return AGPU_ERR_BUSY;
    }
    if (!agpu_apic_usable()) {
        agpu_text_string(why, "a machine that takes interrupts: its local APIC is off");
        return AGPU_ERR_PLATFORM;
    }
    irq.function = function;
    irq.way = way;
    irq.handler = handler;
    irq.handler_ctx = handler_ctx;
    irq.counts = (struct agpu_irq_counts){0};
    irq.open = true;
    irq.open = way == AGPU_IRQ_LINE ? open_line(why) : open_message(way, why);
    return irq.open ? AGPU_OK : AGPU_ERR_PLATFORM;
}

void agpu_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    const bool was_open = irq.open;

    (void)ctx;
    irq.open = false; /* what still comes calls nobody */
    if (was_open) {
        irq.function = function;
        switch (irq.way) {
        case AGPU_IRQ_LINE:
            close_line();
            break;
        case AGPU_IRQ_MSI:
            close_msi();
            break;
        case AGPU_IRQ_MSIX:
            close_msix();
            break;
        }
    }
    if (irq.handling) { /* the handler faulted, and its case was ended there (guard.h) */
        irq.handling = false;
        agpu_apic_end();
    }
    if (out != NULL) {
        *out = irq.counts;
    }
}
