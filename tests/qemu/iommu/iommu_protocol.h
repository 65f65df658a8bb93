/* iommu_protocol.h: EDKII_IOMMU_PROTOCOL, by which EDK II's PCI drivers ask for device addresses; GNU-EFI does not have it
 * (EDK II, MdeModulePkg, Protocol/IoMmu). */
#ifndef AGPU_QEMU_IOMMU_PROTOCOL_H
#define AGPU_QEMU_IOMMU_PROTOCOL_H

#include <efi.h>

#define EDKII_IOMMU_PROTOCOL_GUID                                                                            \
    {                                                                                                        \
        0x4e939de9, 0xd948, 0x4b0f,                                                                          \
        {                                                                                                    \
            0x88, 0xed, 0xe6, 0xe1, 0xce, 0x51, 0x7c, 0x1e                                                   \
        }                                                                                                    \
    }
#define EDKII_IOMMU_PROTOCOL_REVISION 0x00010000

#define EDKII_IOMMU_ACCESS_READ  0x1u
#define EDKII_IOMMU_ACCESS_WRITE 0x2u

typedef enum {
    EdkiiIoMmuOperationBusMasterRead,
    EdkiiIoMmuOperationBusMasterWrite,
    EdkiiIoMmuOperationBusMasterCommonBuffer,
    EdkiiIoMmuOperationBusMasterRead64, /* by functions that can name addresses above 4 GiB */
    EdkiiIoMmuOperationBusMasterWrite64,
    EdkiiIoMmuOperationBusMasterCommonBuffer64,
    EdkiiIoMmuOperationMaximum
} EDKII_IOMMU_OPERATION;

typedef struct edkii_iommu_protocol EDKII_IOMMU_PROTOCOL;

struct edkii_iommu_protocol {
    UINT64 Revision;
    EFI_STATUS(EFIAPI *SetAttribute)
    (EDKII_IOMMU_PROTOCOL *self, EFI_HANDLE device, VOID *mapping, UINT64 access);
    EFI_STATUS(EFIAPI *Map)
    (EDKII_IOMMU_PROTOCOL *self, EDKII_IOMMU_OPERATION operation, VOID *host, UINTN *size,
     EFI_PHYSICAL_ADDRESS *device_address, VOID **mapping);
    EFI_STATUS(EFIAPI *Unmap)(EDKII_IOMMU_PROTOCOL *self, VOID *mapping);
    EFI_STATUS(EFIAPI *AllocateBuffer)
    (EDKII_IOMMU_PROTOCOL *self, EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN pages, VOID **host,
     UINT64 attributes);
    EFI_STATUS(EFIAPI *FreeBuffer)(EDKII_IOMMU_PROTOCOL *self, UINTN pages, VOID *host);
};

#endif
