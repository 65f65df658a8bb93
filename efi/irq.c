/* irq.c: routes, vectors, and the interrupt handler. */
#include "efi/irq.h"

#include "efi/apic.h"
#include "efi/guard.h"
#include "efi/machine.h"
#include "efi/pci_io.h"
#include "efi/trap.h"
#include "pci/config.h"
#include "pci/machine/text.h"
#include "pci/message.h"

/* Firmware uses vectors below 0x80: the 8259's (from 0x68 in EDK II) and its timer's. */
#define VECTOR_FIRST   0x90u
#define LINES_MAX      48u
#define VECTOR_MESSAGE (VECTOR_FIRST + LINES_MAX)
/* All inputs from here on belong to PCI. Below are the PC's, of which only the one named by the function is
 * tried. */
#define FIRST_PCI_GSI 16u
/* After this many consecutive interrupts without a cause of the function, another device holds the line, or
 * it floats. */
#define MISSES_MOST 256u

/* After this many interrupts, each with a cause, during which the interrupted code made no step, the device
 * is considered stuck. */
#define STREAK_MOST 20000u

/* Message address of a processor (Intel SDM volume 3, 11.11): fixed delivery, edge. */
#define MESSAGE_ADDRESS 0xFEE00000u

static struct {
    bool open;
    enum agpu_irq_way way;
    const struct agpu_pci_ref *function;
    bool (*handler)(void *ctx);
    void *handler_ctx;
    struct agpu_irq_counts counts;
    volatile bool handler_works; /* false once it has faulted */
    uint64_t steps;              /* agpu_guard_steps() at the last interrupt */
    unsigned streak;
    /* For INTx. */
    struct agpu_apic_line lines[LINES_MAX];
    bool armed[LINES_MAX];
    unsigned misses[LINES_MAX];
    unsigned line_count;
    bool routed;
    /* For MSI and MSI-X. */
    struct agpu_message message;
} irq;

static uint32_t config_read(uint32_t offset, uint32_t size)
{
    return agpu_pci_io_config_read(NULL, irq.function, offset, size);
}

/* ---- handling ---- */

/* Programs level mode and polarity, which stay until close_line(). */
static void set_line(unsigned i, uint32_t masked)
{
    agpu_apic_line_write(&irq.lines[i], (VECTOR_FIRST + i) | AGPU_APIC_LEVEL | AGPU_APIC_LOW_ACTIVE | masked,
                         agpu_apic_id() << 24);
    irq.armed[i] = masked == 0;
}

static void mask_line(unsigned i)
{
    set_line(i, AGPU_APIC_MASKED);
}

/* The function's line is known: masks all other inputs. */
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

/* Stops calling the handler. Masks an INTx line, which would interrupt again at once. */
static void give_up(unsigned vector)
{
    irq.handler_works = false;
    if (vector < VECTOR_MESSAGE) {
        mask_line(vector - VECTOR_FIRST);
    }
}

/* An interrupt that arrives while nothing is open was in flight during the close. */
static bool on_interrupt(struct agpu_trap_frame *frame)
{
    const unsigned vector = (unsigned)frame->vector;
    bool mine;

    if (irq.open && irq.handler_works) {
        if (!agpu_guard_handle(irq.handler, irq.handler_ctx, &mine)) {
            give_up(vector);
        } else {
            irq.counts.taken += mine;
            irq.counts.spurious += !mine;
            if (vector < VECTOR_MESSAGE) {
                judge_line(vector - VECTOR_FIRST, mine);
            }
        }
    }
    agpu_apic_end();
    agpu_guard_handled(frame);
    return true;
}

/* ---- INTx ---- */

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
            irq.misses[irq.line_count++] = 0;
        }
    }
    if (irq.line_count == 0) {
        agpu_format(why,
                    "a machine that takes interrupts by line: its ACPI tables (MADT) name %u I/O APIC "
                    "inputs, none of them free for PCI",
                    count);
        return false;
    }
    for (unsigned i = 0; i < irq.line_count; i++) {
        agpu_trap_set(VECTOR_FIRST + i, on_interrupt);
        set_line(i, 0);
    }
    return true;
}

/* Restores the inputs while the function's line is low. An input that changes from level to edge while its
 * line is high may stay asserted for good (QEMU's does) and then only reports that. */
static void close_line(void)
{
    const uint32_t command = config_read(AGPU_PCI_COMMAND, 2);

    for (unsigned i = 0; i < irq.line_count; i++) {
        mask_line(i);
    }
    agpu_pci_io_config_write(NULL, irq.function, AGPU_PCI_COMMAND, 2, command | AGPU_PCI_COMMAND_INTX_OFF);
    for (unsigned i = 0; i < irq.line_count; i++) {
        agpu_apic_line_write(&irq.lines[i], irq.lines[i].low, irq.lines[i].high);
    }
    agpu_pci_io_config_write(NULL, irq.function, AGPU_PCI_COMMAND, 2, command);
    irq.line_count = 0;
}

/* ---- MSI and MSI-X ---- */

static const struct agpu_platform message_platform = {
    .config_read = agpu_pci_io_config_read,
    .config_write = agpu_pci_io_config_write,
    .bar_read = agpu_pci_io_bar_read,
    .bar_write = agpu_pci_io_bar_write,
};

static bool open_message(enum agpu_irq_way way, struct agpu_text *why)
{
    const struct agpu_function function = {.platform = &message_platform, .found = {.ref = *irq.function}};

    if (!agpu_message_find(&function, way == AGPU_IRQ_MSIX, &irq.message)) {
        agpu_text_string(why, way == AGPU_IRQ_MSI ? AGPU_IRQ_NO_MSI : AGPU_IRQ_NO_MSIX);
        return false;
    }
    agpu_trap_set(VECTOR_MESSAGE, on_interrupt);
    agpu_message_open(&function, &irq.message, MESSAGE_ADDRESS | agpu_apic_id() << 12, VECTOR_MESSAGE);
    return true;
}

static void close_message(void)
{
    const struct agpu_function function = {.platform = &message_platform, .found = {.ref = *irq.function}};

    agpu_message_close(&function, &irq.message);
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
    irq.open = irq.handler_works = true;
    irq.open = way == AGPU_IRQ_LINE ? open_line(why) : open_message(way, why);
    return irq.open ? AGPU_OK : AGPU_ERR_PLATFORM;
}

void agpu_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    const bool was_open = irq.open;

    (void)ctx;
    irq.open = false; /* late interrupts call no handler */
    if (was_open) {
        irq.function = function;
        if (irq.way == AGPU_IRQ_LINE) {
            close_line();
        } else {
            close_message();
        }
    }
    if (out != NULL) {
        *out = irq.counts;
    }
}
