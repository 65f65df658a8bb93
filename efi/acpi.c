/* acpi.c: finds an ACPI table through the root pointer and the root table, and entries of the MADT. */
#include "efi/acpi.h"

#include <string.h>

#include "efi/machine.h"

/* Offsets in ACPI tables. */
#define RSDP_REVISION   15
#define RSDP_RSDT       16
#define RSDP_XSDT       24
#define SDT_LENGTH      4
#define SDT_ENTRIES     36
#define SDT_MAX_ENTRIES 256

/* The MADT's entry for a local APIC. */
#define LOCAL_APIC_BYTES 8u
#define LOCAL_APIC_ID    3
#define LOCAL_APIC_FLAGS 4
#define LOCAL_APIC_ON    1u

static uint32_t read_le32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read_le64(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static const uint8_t *find_rsdp(void)
{
    static const EFI_GUID acpi_20 = ACPI_20_TABLE_GUID, acpi_10 = ACPI_TABLE_GUID;
    const uint8_t *found = NULL;

    for (UINTN i = 0; i < agpu_system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &agpu_system->ConfigurationTable[i];

        if (!memcmp(&table->VendorGuid, &acpi_20, sizeof acpi_20)) {
            return table->VendorTable;
        }
        if (!memcmp(&table->VendorGuid, &acpi_10, sizeof acpi_10)) {
            found = table->VendorTable;
        }
    }
    return found;
}

const uint8_t *agpu_acpi_table(const char *signature, uint32_t *size)
{
    const uint8_t *rsdp = find_rsdp();

    if (rsdp == NULL) {
        return NULL;
    }
    bool wide = rsdp[RSDP_REVISION] >= 2 && read_le64(rsdp + RSDP_XSDT);
    const uint8_t *root =
        (const uint8_t *)(uintptr_t)(wide ? read_le64(rsdp + RSDP_XSDT) : read_le32(rsdp + RSDP_RSDT));
    size_t entry = wide ? 8 : 4;
    if (root == NULL || read_le32(root + SDT_LENGTH) < SDT_ENTRIES) {
        return NULL;
    }
    size_t count = (read_le32(root + SDT_LENGTH) - SDT_ENTRIES) / entry;
    for (size_t i = 0; i < count && i < SDT_MAX_ENTRIES; i++) {
        const uint8_t *at = root + SDT_ENTRIES + i * entry;
        const uint8_t *table = (const uint8_t *)(uintptr_t)(wide ? read_le64(at) : read_le32(at));

        if (table != NULL && !memcmp(table, signature, 4) && read_le32(table + SDT_LENGTH) >= SDT_ENTRIES) {
            *size = read_le32(table + SDT_LENGTH);
            return table;
        }
    }
    return NULL;
}

const uint8_t *agpu_acpi_madt_next(const uint8_t *madt, uint32_t size, uint32_t *at, uint8_t type,
                                   uint8_t bytes)
{
    /* An entry has a type, its length, and data. */
    while (*at < size && size - *at >= 2 && madt[*at + 1] >= 2 && madt[*at + 1] <= size - *at) {
        const uint8_t *entry = madt + *at;

        *at += entry[1];
        if (entry[0] == type && entry[1] >= bytes) {
            return entry;
        }
    }
    return NULL;
}

bool agpu_acpi_other_processor(const uint8_t *madt, uint32_t size, uint8_t self, uint8_t *other)
{
    uint32_t at = AGPU_MADT_ENTRIES;
    const uint8_t *entry;
    uint8_t sum = 0;

    for (uint32_t i = 0; i < size; i++) {
        sum = (uint8_t)(sum + madt[i]);
    }
    while (sum == 0 &&
           (entry = agpu_acpi_madt_next(madt, size, &at, AGPU_MADT_LOCAL_APIC, LOCAL_APIC_BYTES)) != NULL) {
        if (entry[LOCAL_APIC_ID] != self && (entry[LOCAL_APIC_FLAGS] & LOCAL_APIC_ON) != 0) {
            *other = entry[LOCAL_APIC_ID];
            return true;
        }
    }
    return false;
}
