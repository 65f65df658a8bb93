/* power.c: power off and reset by the registers that the FADT names (ACPI 6.4 sections 4.8.3.2, 4.8.3.6, 5.2.9). The
 * value for power off is read from the bytes of the DSDT's package _S5_; no AML is interpreted. */
#include "efi/bare/power.h"

#include <string.h>

#include "efi/acpi.h"
#include "efi/bare/console.h"
#include "efi/bare/time.h"

#define FADT_DSDT           40u
#define FADT_SMI_COMMAND    48u
#define FADT_ACPI_ENABLE    52u
#define FADT_PM1A_CONTROL   64u
#define FADT_FLAGS          112u
#define FADT_FLAG_RESET     0x400u
#define FADT_RESET_SPACE    116u
#define FADT_RESET_ADDRESS  120u
#define FADT_RESET_VALUE    128u
#define FADT_MIN_OFF        116u /* of ACPI 1.0 */
#define FADT_MIN_RESET      129u
#define SPACE_IO            1u
#define PM1_ACPI_ON         0x0001u
#define PM1_SLEEP           0x2000u
#define PM1_SLEEP_TYPE(n)   ((uint16_t)((n) << 10))
#define ACPI_ENABLE_WAIT_MS 300u

#define AML_PACKAGE 0x12u
#define AML_BYTE    0x0Au

#define RESET_CONTROL  0xCF9
#define RESET_COLD     0x06
#define KEYBOARD       0x64
#define KEYBOARD_RESET 0xFE
#define RESET_WAIT_US  100000u

static uint16_t power_in16(uint16_t port)
{
    uint16_t value;

    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static uint32_t fadt_u32(const uint8_t *fadt, uint32_t offset)
{
    uint32_t value;

    memcpy(&value, fadt + offset, sizeof value);
    return value;
}

/* Returns the sleep type of power off, the first element of _S5_; 0 (QEMU's) if the DSDT has no such package. */
static uint8_t sleep_type(const uint8_t *dsdt)
{
    const uint32_t length = fadt_u32(dsdt, 4);

    for (uint32_t at = 36; at + 12 <= length; at++) {
        if (memcmp(dsdt + at, "_S5_", 4) != 0 || dsdt[at + 4] != AML_PACKAGE) {
            continue;
        }
        /* The name is followed by the package, its length in one byte, and the number of elements. */
        const uint8_t *element = dsdt + at + 7;
        return (element[0] == AML_BYTE ? element[1] : element[0]) & 7;
    }
    return 0;
}

static void power_off(const uint8_t *fadt)
{
    const uint16_t control = (uint16_t)fadt_u32(fadt, FADT_PM1A_CONTROL);
    const uint16_t command = (uint16_t)fadt_u32(fadt, FADT_SMI_COMMAND);
    const uint8_t *dsdt = (const uint8_t *)(uintptr_t)fadt_u32(fadt, FADT_DSDT);
    uint16_t value;

    if (control == 0 || dsdt == NULL) {
        return;
    }
    if ((power_in16(control) & PM1_ACPI_ON) == 0 && command != 0) {
        agpu_out8(command, fadt[FADT_ACPI_ENABLE]);
        for (unsigned i = 0; i < ACPI_ENABLE_WAIT_MS && (power_in16(control) & PM1_ACPI_ON) == 0; i++) {
            agpu_bare_stall(1000);
        }
    }
    value = (uint16_t)((power_in16(control) & 1u) | PM1_SLEEP_TYPE(sleep_type(dsdt)) | PM1_SLEEP);
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(control));
    agpu_bare_stall(RESET_WAIT_US);
}

static void reset_by_registers(const uint8_t *fadt)
{
    if (fadt != NULL && (fadt_u32(fadt, FADT_FLAGS) & FADT_FLAG_RESET) != 0 &&
        fadt[FADT_RESET_SPACE] == SPACE_IO) {
        agpu_out8((uint16_t)fadt_u32(fadt, FADT_RESET_ADDRESS), fadt[FADT_RESET_VALUE]);
        agpu_bare_stall(RESET_WAIT_US);
    }
    agpu_out8(RESET_CONTROL, RESET_COLD);
    agpu_bare_stall(RESET_WAIT_US);
    agpu_out8(KEYBOARD, KEYBOARD_RESET);
    agpu_bare_stall(RESET_WAIT_US);
}

EFI_STATUS EFIAPI agpu_bare_reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes, CHAR16 *data)
{
    uint32_t size;
    const uint8_t *fadt = agpu_acpi_table("FACP", &size);

    (void)status, (void)bytes, (void)data;
    if (type != EfiResetShutdown) {
        reset_by_registers(fadt != NULL && size >= FADT_MIN_RESET ? fadt : NULL);
    } else if (fadt != NULL && size >= FADT_MIN_OFF) {
        power_off(fadt);
    }
    agpu_bare_stop("the machine did not %s: expected registers for it in ACPI's FADT; switch it off",
                   type == EfiResetShutdown ? "power off" : "reset");
}
