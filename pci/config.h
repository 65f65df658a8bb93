/* config.h: names of the standard PCI configuration registers that the driver reads or writes (type 00
 * header). */
#ifndef AGPU_PCI_CONFIG_H
#define AGPU_PCI_CONFIG_H

#define AGPU_PCI_VENDOR_ID           0x00u /* 16 bit; FFFF = no function here */
#define AGPU_PCI_DEVICE_ID           0x02u
#define AGPU_PCI_COMMAND             0x04u /* 16 bit */
#define AGPU_PCI_COMMAND_IO          0x0001u
#define AGPU_PCI_COMMAND_MEMORY      0x0002u
#define AGPU_PCI_COMMAND_MASTER      0x0004u
#define AGPU_PCI_COMMAND_INTX_OFF    0x0400u
#define AGPU_PCI_STATUS              0x06u /* 16 bit, write 1 to clear */
#define AGPU_PCI_STATUS_CAPABILITIES 0x0010u
#define AGPU_PCI_REVISION            0x08u
#define AGPU_PCI_PROG_IF             0x09u
#define AGPU_PCI_SUBCLASS            0x0Au
#define AGPU_PCI_CLASS               0x0Bu
#define AGPU_PCI_HEADER_TYPE         0x0Eu
#define AGPU_PCI_BAR(index)          (0x10u + 4u * (index))
#define AGPU_PCI_SUBSYSTEM_VENDOR    0x2Cu
#define AGPU_PCI_SUBSYSTEM_ID        0x2Eu
#define AGPU_PCI_ROM_BAR             0x30u
#define AGPU_PCI_CAPABILITY_POINTER  0x34u
#define AGPU_PCI_INTERRUPT_LINE      0x3Cu
#define AGPU_PCI_INTERRUPT_PIN       0x3Du

/* Low bits of a BAR. */
#define AGPU_PCI_BAR_IO           0x1u
#define AGPU_PCI_BAR_TYPE_MASK    0x6u
#define AGPU_PCI_BAR_TYPE_64      0x4u
#define AGPU_PCI_BAR_PREFETCHABLE 0x8u
#define AGPU_PCI_BAR_FLAGS        0xFu

#define AGPU_PCI_BAR_COUNT 6u

#endif
