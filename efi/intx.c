/* intx.c: reads the interrupt request registers of the two 8259. A line in level mode shows its present level
 * there, masked or not, even if the firmware takes no interrupts through the 8259. */
#include "efi/intx.h"

#include "efi/machine.h"
#include "efi/pci_io.h"

#define PCI_COMMAND          0x04
#define PCI_COMMAND_INTX_OFF 0x0400u
#define PCI_STATUS           0x06
#define PCI_STATUS_INTERRUPT 0x0008u
#define PCI_INTERRUPT_LINE   0x3C
#define PCI_INTERRUPT_PIN    0x3D

#define PIC_MASTER   0x20
#define PIC_SLAVE    0xA0
#define PIC_READ_IRR 0x0A /* OCW3: the next read of the command port returns the IRR */

/* Edge/level control registers of PCI chipsets: a set bit makes the line level triggered. */
#define ELCR_MASTER 0x4D0
#define ELCR_SLAVE  0x4D1

/* Lines 0, 1, 2 and 8 belong to the chipset and are edge triggered by definition. So is 13 on a PC, but
 * device.md 1 names a machine that routes PCI there. */
#define LINES_RESERVED 0x0107u

static uint16_t made_level; /* lines whose mode was changed */

static uint8_t elcr_bit(unsigned line)
{
    return (uint8_t)(1u << (line & 7));
}

static uint16_t elcr_port(unsigned line)
{
    return line < 8 ? ELCR_MASTER : ELCR_SLAVE;
}

/* Sets level mode: in edge mode the register latches the edge, not the level. PCI lines are level triggered,
 * but firmware that uses only the APIC may not have set this. */
static void make_level(unsigned line)
{
    uint8_t mode = agpu_in8(elcr_port(line));

    if (mode & elcr_bit(line)) {
        return;
    }
    agpu_out8(elcr_port(line), mode | elcr_bit(line));
    made_level |= (uint16_t)(1u << line);
}

/* True when another function asserts the same line: firmware polls disks and network cards, and may leave an
 * interrupt pending. */
static bool held_by_another(void *ctx, const struct agpu_pci_ref *function, uint32_t line)
{
    struct agpu_pci_ref other;

    for (unsigned i = 0; agpu_pci_io_function(ctx, i, &other); i++) {
        if (other.handle == function->handle ||
            agpu_pci_io_config_read(ctx, &other, PCI_INTERRUPT_LINE, 1) != line ||
            agpu_pci_io_config_read(ctx, &other, PCI_INTERRUPT_PIN, 1) == 0) {
            continue;
        }
        if ((agpu_pci_io_config_read(ctx, &other, PCI_STATUS, 2) & PCI_STATUS_INTERRUPT) != 0 &&
            (agpu_pci_io_config_read(ctx, &other, PCI_COMMAND, 2) & PCI_COMMAND_INTX_OFF) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the interrupt line that the firmware stored, cached: the function does not use this register, and
 * reading it may be slow. */
static uint32_t line_of(void *ctx, const struct agpu_pci_ref *function)
{
    static const void *known;
    static uint32_t line;

    if (known != function->handle) {
        line = agpu_pci_io_config_read(ctx, function, PCI_INTERRUPT_LINE, 1);
        known = function->handle;
    }
    return line;
}

int agpu_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    const uint32_t line = line_of(ctx, function);

    if (line > 15 || (LINES_RESERVED >> line & 1)) {
        return -1;
    }
    make_level(line);
    uint16_t port = line < 8 ? PIC_MASTER : PIC_SLAVE;
    agpu_out8(port, PIC_READ_IRR);
    if ((agpu_in8(port) & elcr_bit(line)) == 0) {
        return 0;
    }
    return held_by_another(ctx, function, line) ? -1 : 1;
}

void agpu_intx_close(void)
{
    for (unsigned line = 0; line < 16; line++) {
        if (made_level >> line & 1) {
            agpu_out8(elcr_port(line), (uint8_t)(agpu_in8(elcr_port(line)) & ~elcr_bit(line)));
        }
    }
    made_level = 0;
}
