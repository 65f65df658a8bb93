/* protocol.c: Map() chooses the device address, before it is known for whom; SetAttribute() says for whom, and only then that
 * function reaches the memory. A common buffer above 4 GiB gets an address above 4 GiB: AllocateBuffer() gives none there, so
 * whoever has one has put it there himself. Everything else gets one that a 32-bit function can name. */
#include "tests/qemu/iommu/protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "efi/machine.h"
#include "tests/qemu/iommu/addresses.h"
#include "tests/qemu/iommu/iommu_protocol.h"
#include "tests/qemu/iommu/registers.h"
#include "tests/qemu/iommu/requester.h"
#include "tests/qemu/iommu/tables.h"

#define MAPPINGS_MAX 16384u
#define KNOWN_MAX    64u
#define FOUR_GIB     UINT64_C(0x100000000)

/* Whole pages around what was asked for. */
static struct iommu_mapping {
    bool used;
    EDKII_IOMMU_OPERATION operation;
    uint64_t memory, address, pages;
    struct agpu_iommu_domain *domain; /* whose it is; NULL: nobody's yet */
    struct iommu_mapping *next;       /* of those that are free */
} mappings[MAPPINGS_MAX];

static struct iommu_mapping *free_mappings;
static unsigned mappings_begun; /* those behind were never used */

static struct iommu_mapping *new_mapping(void)
{
    struct iommu_mapping *mapping = free_mappings;

    if (mapping != NULL) {
        free_mappings = mapping->next;
    } else if (mappings_begun < MAPPINGS_MAX) {
        mapping = &mappings[mappings_begun++];
    }
    return mapping;
}

static void drop_mapping(struct iommu_mapping *mapping)
{
    *mapping = (struct iommu_mapping){.next = free_mappings};
    free_mappings = mapping;
}

/* NULL: one of the time before this driver, which the firmware made without it. */
static struct iommu_mapping *known_mapping(void *token)
{
    const uintptr_t offset = (uintptr_t)token - (uintptr_t)mappings;

    if (offset >= sizeof mappings || offset % sizeof mappings[0] != 0) {
        return NULL;
    }
    struct iommu_mapping *mapping = &mappings[offset / sizeof mappings[0]];
    return mapping->used ? mapping : NULL;
}

static bool take_away(struct iommu_mapping *mapping)
{
    struct agpu_iommu_domain *domain = mapping->domain;

    if (domain == NULL) {
        return true;
    }
    mapping->domain = NULL;
    agpu_iommu_tables_unmap(domain, mapping->address, mapping->pages);
    return agpu_vtd_forget_pages(domain->id, mapping->address, mapping->pages);
}

static bool let_reach(struct iommu_mapping *mapping, struct agpu_iommu_domain *domain, UINT64 access)
{
    if (!agpu_iommu_tables_map(domain, mapping->address, mapping->memory, mapping->pages,
                               (access & EDKII_IOMMU_ACCESS_READ) != 0,
                               (access & EDKII_IOMMU_ACCESS_WRITE) != 0)) {
        return false;
    }
    mapping->domain = domain;
    return agpu_vtd_forget_pages(domain->id, mapping->address, mapping->pages);
}

static EFI_STATUS new_domain(EFI_HANDLE device, struct agpu_iommu_domain **domain)
{
    EFI_PCI_IO *io = agpu_protocol(device, &agpu_guid_pci_io);
    uint16_t requester;
    bool is_new;

    if (io == NULL || !agpu_iommu_requester(io, &requester)) {
        return EFI_UNSUPPORTED;
    }
    *domain = agpu_iommu_domain_of(requester, &is_new);
    if (*domain == NULL) {
        return EFI_OUT_OF_RESOURCES;
    }
    return !is_new || agpu_vtd_forget_all() ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

/* Functions and their domains, once found: finding one is some hundred accesses to configuration space. */
static EFI_STATUS find_domain(EFI_HANDLE device, struct agpu_iommu_domain **domain)
{
    static struct {
        EFI_HANDLE device;
        struct agpu_iommu_domain *domain;
    } known[KNOWN_MAX];
    static unsigned known_count;
    EFI_STATUS status;

    for (unsigned i = 0; i < known_count; i++) {
        if (known[i].device == device) {
            *domain = known[i].domain;
            return EFI_SUCCESS;
        }
    }
    status = new_domain(device, domain);
    if (!EFI_ERROR(status) && known_count < KNOWN_MAX) {
        known[known_count].device = device;
        known[known_count++].domain = *domain;
    }
    return status;
}

static EFI_STATUS change_access(EFI_HANDLE device, struct iommu_mapping *mapping, UINT64 access)
{
    struct agpu_iommu_domain *domain = NULL;
    EFI_STATUS status = find_domain(device, &domain);

    if (EFI_ERROR(status)) {
        return status;
    }
    if (mapping->domain != NULL && mapping->domain != domain) {
        return EFI_ACCESS_DENIED;
    }
    if (!take_away(mapping)) {
        return EFI_DEVICE_ERROR;
    }
    return access == 0 || let_reach(mapping, domain, access) ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

/* EDK II's root bridge driver may be inside a timer event: what follows is done as one. */
static EFI_STATUS EFIAPI iommu_set_attribute(EDKII_IOMMU_PROTOCOL *self, EFI_HANDLE device, VOID *token,
                                             UINT64 access)
{
    const EFI_TPL tpl = agpu_boot->RaiseTPL(TPL_NOTIFY);
    struct iommu_mapping *mapping = known_mapping(token);
    EFI_STATUS status = EFI_SUCCESS;

    (void)self;
    if ((access & ~(UINT64)(EDKII_IOMMU_ACCESS_READ | EDKII_IOMMU_ACCESS_WRITE)) != 0) {
        status = EFI_INVALID_PARAMETER;
    } else if (mapping != NULL) {
        status = change_access(device, mapping, access);
    }
    agpu_boot->RestoreTPL(tpl);
    return status;
}

static bool is_common(EDKII_IOMMU_OPERATION operation)
{
    return operation == EdkiiIoMmuOperationBusMasterCommonBuffer ||
           operation == EdkiiIoMmuOperationBusMasterCommonBuffer64;
}

static EFI_STATUS EFIAPI iommu_map(EDKII_IOMMU_PROTOCOL *self, EDKII_IOMMU_OPERATION operation, VOID *host,
                                   UINTN *size, EFI_PHYSICAL_ADDRESS *device_address, VOID **token)
{
    (void)self;
    if (host == NULL || size == NULL || *size == 0 || device_address == NULL || token == NULL ||
        (unsigned)operation >= EdkiiIoMmuOperationMaximum || *size > UINT64_MAX - (uintptr_t)host) {
        return EFI_INVALID_PARAMETER;
    }
    const uint64_t first = (uintptr_t)host / AGPU_IOMMU_PAGE;
    const uint64_t last = ((uintptr_t)host + (*size - 1)) / AGPU_IOMMU_PAGE;
    const EFI_TPL tpl = agpu_boot->RaiseTPL(TPL_NOTIFY);
    struct iommu_mapping *mapping = new_mapping();
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;

    if (mapping != NULL) {
        *mapping = (struct iommu_mapping){.used = true,
                                          .operation = operation,
                                          .memory = first * AGPU_IOMMU_PAGE,
                                          .pages = last - first + 1};
        mapping->address = agpu_iommu_address_take(mapping->memory >= FOUR_GIB && is_common(operation),
                                                   mapping->memory, mapping->pages);
        if (mapping->address != 0) {
            *device_address = mapping->address + (uintptr_t)host % AGPU_IOMMU_PAGE;
            *token = mapping;
            status = EFI_SUCCESS;
        } else {
            drop_mapping(mapping);
        }
    }
    agpu_boot->RestoreTPL(tpl);
    return status;
}

static EFI_STATUS EFIAPI iommu_unmap(EDKII_IOMMU_PROTOCOL *self, VOID *token)
{
    const EFI_TPL tpl = agpu_boot->RaiseTPL(TPL_NOTIFY);
    struct iommu_mapping *mapping = known_mapping(token);
    EFI_STATUS status = EFI_SUCCESS;

    (void)self;
    if (mapping != NULL) {
        status = take_away(mapping) ? EFI_SUCCESS : EFI_DEVICE_ERROR;
        agpu_iommu_address_give_back(mapping->address, mapping->pages);
        drop_mapping(mapping);
    }
    agpu_boot->RestoreTPL(tpl);
    return status;
}

/* Below 4 GiB, whatever the attributes allow: as this firmware does without an IOMMU. */
static EFI_STATUS EFIAPI iommu_allocate_buffer(EDKII_IOMMU_PROTOCOL *self, EFI_ALLOCATE_TYPE type,
                                               EFI_MEMORY_TYPE kind, UINTN pages, VOID **host,
                                               UINT64 attributes)
{
    EFI_PHYSICAL_ADDRESS address = FOUR_GIB - 1;
    EFI_STATUS status;

    (void)self;
    (void)type;
    (void)attributes;
    if (host == NULL) {
        return EFI_INVALID_PARAMETER;
    }
    status = agpu_boot->AllocatePages(AllocateMaxAddress, kind, pages, &address);
    if (!EFI_ERROR(status)) {
        *host = (VOID *)(uintptr_t)address;
    }
    return status;
}

static EFI_STATUS EFIAPI iommu_free_buffer(EDKII_IOMMU_PROTOCOL *self, UINTN pages, VOID *host)
{
    (void)self;
    return agpu_boot->FreePages((uintptr_t)host, pages);
}

EFI_STATUS agpu_iommu_protocol_install(void)
{
    static EDKII_IOMMU_PROTOCOL protocol = {.Revision = EDKII_IOMMU_PROTOCOL_REVISION,
                                            .SetAttribute = iommu_set_attribute,
                                            .Map = iommu_map,
                                            .Unmap = iommu_unmap,
                                            .AllocateBuffer = iommu_allocate_buffer,
                                            .FreeBuffer = iommu_free_buffer};
    static EFI_GUID guid = EDKII_IOMMU_PROTOCOL_GUID;
    EFI_HANDLE handle = NULL;

    return agpu_boot->InstallProtocolInterface(&handle, &guid, EFI_NATIVE_INTERFACE, &protocol);
}
