/* intx.c: the interrupt request registers of the two 8259. A line in level mode shows its present level
 * there, masked or not, whether or not the firmware takes interrupts through the 8259 at all. */
#include "efi/intx.h"

#include "efi/machine.h"
#include "efi/pci_io.h"

#define PCI_INTERRUPT_LINE 0x3C

#define PIC_MASTER   0x20
#define PIC_SLAVE    0xA0
#define PIC_READ_IRR 0x0A /* OCW3: the next read of the command port yields the IRR */

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

/* In edge mode the register remembers the edge, not the level; PCI lines are level triggered, but firmware
 * that uses the APIC only may never have said so. */
static void make_level(unsigned line)
{
    uint8_t mode = agpu_in8(elcr_port(line));

    if (mode & elcr_bit(line)) {
        return;
    }
    agpu_out8(elcr_port(line), mode | elcr_bit(line));
    made_level |= (uint16_t)(1u << line);
}

int agpu_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    uint32_t line = agpu_pci_io_config_read(ctx, function, PCI_INTERRUPT_LINE, 1);

    if (line > 15 || (LINES_RESERVED >> line & 1)) {
        return -1;
    }
    make_level(line);
    uint16_t port = line < 8 ? PIC_MASTER : PIC_SLAVE;
    agpu_out8(port, PIC_READ_IRR);
    return agpu_in8(port) & elcr_bit(line) ? 1 : 0;
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
