/* apic.c: access to the local APIC by memory, or by the x2APIC registers where the firmware has enabled
 * x2APIC mode. */
#include "efi/apic.h"

#include <stddef.h>
#include <string.h>

#include "efi/acpi.h"

#define MSR_APIC_BASE     0x1Bu
#define APIC_BASE_ENABLED 0x800u
#define APIC_BASE_X2      0x400u
#define APIC_BASE_ADDRESS UINT64_C(0xFFFFFFFFFF000)
#define MSR_X2_FIRST      0x800u
#define APIC_ID           0x20u
#define APIC_END          0xB0u
#define APIC_SPURIOUS     0xF0u
#define APIC_SOFTWARE_ON  0x100u

#define IO_APIC_BYTES 12u /* of its entry in the MADT */

/* Registers of an I/O APIC, accessed through an index register and a data window. */
#define IO_WINDOW      0x10u
#define IO_VERSION     1u
#define IO_ENTRY_FIRST 0x10u

static uint64_t read_msr(uint32_t number)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static uint32_t read_local(uint32_t offset)
{
    const uint64_t base = read_msr(MSR_APIC_BASE);

    if ((base & APIC_BASE_X2) != 0) {
        return (uint32_t)read_msr(MSR_X2_FIRST + (offset >> 4));
    }
    return *(const volatile uint32_t *)(uintptr_t)((base & APIC_BASE_ADDRESS) + offset);
}

bool agpu_apic_usable(void)
{
    return (read_msr(MSR_APIC_BASE) & APIC_BASE_ENABLED) != 0 &&
           (read_local(APIC_SPURIOUS) & APIC_SOFTWARE_ON) != 0;
}

uint32_t agpu_apic_id(void)
{
    const uint32_t id = read_local(APIC_ID);

    return (read_msr(MSR_APIC_BASE) & APIC_BASE_X2) != 0 ? id : id >> 24;
}

void agpu_apic_end(void)
{
    const uint64_t base = read_msr(MSR_APIC_BASE);

    if ((base & APIC_BASE_X2) != 0) {
        __asm__ volatile("wrmsr" : : "c"(MSR_X2_FIRST + (APIC_END >> 4)), "a"(0), "d"(0) : "memory");
    } else {
        *(volatile uint32_t *)(uintptr_t)((base & APIC_BASE_ADDRESS) + APIC_END) = 0;
    }
}

static volatile uint32_t *io_register(uint64_t registers, uint32_t offset)
{
    return (volatile uint32_t *)(uintptr_t)(registers + offset);
}

static uint32_t read_io(uint64_t registers, uint32_t index)
{
    *io_register(registers, 0) = index;
    return *io_register(registers, IO_WINDOW);
}

static void write_io(uint64_t registers, uint32_t index, uint32_t value)
{
    *io_register(registers, 0) = index;
    *io_register(registers, IO_WINDOW) = value;
}

void agpu_apic_line_write(const struct agpu_apic_line *line, uint32_t low, uint32_t high)
{
    const uint32_t index = IO_ENTRY_FIRST + 2 * line->input;

    write_io(line->registers, index, low | AGPU_APIC_MASKED);
    write_io(line->registers, index + 1, high);
    write_io(line->registers, index, low);
}

static unsigned add_lines(const uint8_t *entry, struct agpu_apic_line *out, unsigned max)
{
    uint32_t address, first, count;

    memcpy(&address, entry + 4, sizeof address);
    memcpy(&first, entry + 8, sizeof first);
    count = (read_io(address, IO_VERSION) >> 16 & 0xFF) + 1;
    if (count > max) {
        count = max;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct agpu_apic_line){
            .registers = address,
            .input = i,
            .gsi = first + i,
            .low = read_io(address, IO_ENTRY_FIRST + 2 * i),
            .high = read_io(address, IO_ENTRY_FIRST + 2 * i + 1),
        };
    }
    return count;
}

unsigned agpu_apic_lines(struct agpu_apic_line *out, unsigned max)
{
    uint32_t size, at = AGPU_MADT_ENTRIES;
    const uint8_t *table = agpu_acpi_table("APIC", &size), *entry;
    unsigned found = 0;

    while (table != NULL &&
           (entry = agpu_acpi_madt_next(table, size, &at, AGPU_MADT_IO_APIC, IO_APIC_BYTES)) != NULL) {
        found += add_lines(entry, out + found, max - found);
    }
    return found;
}
