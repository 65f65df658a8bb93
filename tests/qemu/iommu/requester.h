/* requester.h: by what name a function's requests reach the IOMMU. */
#ifndef AGPU_QEMU_IOMMU_REQUESTER_H
#define AGPU_QEMU_IOMMU_REQUESTER_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

/* Bus, device and function (8, 5, 3 bits) that a function's requests carry at the root complex: its own, unless a bridge to
 * conventional PCI on the way puts another in its place (Intel Virtualization Technology for Directed I/O, 3.4.1;
 * PCI Express to PCI Bridge Specification 1.0, 2.3). False: it is not in segment 0. */
bool agpu_iommu_requester(EFI_PCI_IO *io, uint16_t *requester);

#endif
