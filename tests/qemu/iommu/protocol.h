/* protocol.h: the IOMMU as the firmware's PCI drivers see it. */
#ifndef AGPU_QEMU_IOMMU_PROTOCOL_IMPL_H
#define AGPU_QEMU_IOMMU_PROTOCOL_IMPL_H

#include <efi.h>

/* Installed on a handle of its own; from then on each mapping of a PCI function goes through it. */
EFI_STATUS agpu_iommu_protocol_install(void);

#endif
