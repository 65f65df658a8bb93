/* acpi.h: the firmware's ACPI tables by signature (ACPI 6.4 section 5.2). */
#ifndef AGPU_EFI_ACPI_H
#define AGPU_EFI_ACPI_H

#include <stdint.h>

/* Returns the first table with this signature ("APIC") and its size in bytes, at least the 36 of the header;
 * NULL: there is none. The table belongs to the firmware and is not aligned. */
const uint8_t *agpu_acpi_table(const char *signature, uint32_t *size);

#endif
