/* acpi.h: the firmware's ACPI tables by signature (ACPI 6.4 section 5.2). */
#ifndef AGPU_EFI_ACPI_H
#define AGPU_EFI_ACPI_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the first table with this signature ("APIC") and its size in bytes, at least the 36 of the header;
 * NULL: there is none. The table belongs to the firmware and is not aligned. */
const uint8_t *agpu_acpi_table(const char *signature, uint32_t *size);

#define AGPU_MADT_ENTRIES    44u /* offset of the first entry of the MADT (table "APIC") */
#define AGPU_MADT_LOCAL_APIC 0u  /* types of entries */
#define AGPU_MADT_IO_APIC    1u

/* Returns the next entry of the MADT of this type with at least `bytes` bytes, from offset *at on, and moves *at behind
 * it; NULL: no more. */
const uint8_t *agpu_acpi_madt_next(const uint8_t *madt, uint32_t size, uint32_t *at, uint8_t type,
                                   uint8_t bytes);

/* Finds the first enabled processor of the MADT other than self, by their local APICs' ids. False: there is none, or
 * the checksum is wrong. */
bool agpu_acpi_other_processor(const uint8_t *madt, uint32_t size, uint8_t self, uint8_t *other);

#endif
