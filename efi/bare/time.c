/* time.c: the time stamp counter and the local APIC's timer, measured against the ACPI PM timer, else against the HPET
 * (IA-PC HPET specification 1.0a, 2.3), else against the 8254; the date of the real-time clock. */
#include "efi/bare/time.h"

#include <string.h>

#include "efi/acpi.h"
#include "efi/bare/console.h"
#include "efi/bare/memory.h"
#include "efi/bare/paging.h"

#define MEASURE_MS 5u
/* A virtual machine may stand still beside a measurement, which then shows too many ticks: the smallest of several
 * is right. */
#define MEASURES  3u
#define TRIES_MAX 20u
#define PAUSED    UINT32_MAX
#define POLLS_MAX 200000u /* of a timer; a read takes at least 0.1 us, so one that counts needs 50,000 */

#define FADT_PM_TIMER 76u
#define FADT_CENTURY  108u
#define PM_TIMER_HZ   3579545u
#define PM_TIMER_MASK 0xFFFFFFu

/* Address in the table "HPET", and the usual one; registers in units of 32 bits. */
#define HPET_SPACE      40u
#define HPET_ADDRESS    44u
#define HPET_USUAL      UINT64_C(0xFED00000)
#define HPET_PERIOD     1u /* of a tick, in fs */
#define HPET_PERIOD_MAX 100000000u
#define HPET_CONFIG     4u
#define HPET_ON         1u
#define HPET_COUNTER    60u
#define FS_PER_US       UINT64_C(1000000000)

/* Counter 2 of the 8254, and the port that gates it and shows its output. */
#define PIT_COUNTER  0x42
#define PIT_CONTROL  0x43
#define PIT_ONE_SHOT 0xB0
#define PIT_GATE     0x61
#define PIT_GATE_ON  0x01
#define PIT_SPEAKER  0x02
#define PIT_OUTPUT   0x20
#define PIT_LATCH    0x80
#define PIT_HZ       1193182u

#define APIC_CURRENT ((const volatile uint32_t *)(uintptr_t)0xFEE00390)

#define RTC_INDEX  0x70
#define RTC_DATA   0x71
#define RTC_UPDATE 0x80
#define RTC_BINARY 0x04
#define RTC_24H    0x02
#define RTC_PM     0x80
#define RTC_POLLS  100000u /* an update takes at most 2 ms */

static uint64_t ticks_per_us;
static uint16_t pm_timer; /* port; 0: none */

/* Waits at least MEASURE_MS. Returns the microseconds that have passed, 0 when there is no timer or it does not count.
 */
static uint32_t wait_pm_timer(void)
{
    const uint32_t first = pm_timer != 0 ? agpu_in32(pm_timer) & PM_TIMER_MASK : 0;

    for (uint32_t polls = 0; pm_timer != 0 && polls < POLLS_MAX; polls++) {
        const uint32_t passed = (agpu_in32(pm_timer) - first) & PM_TIMER_MASK;

        if (passed >= PM_TIMER_HZ / 1000 * MEASURE_MS) {
            return (uint32_t)(passed * UINT64_C(1000000) / PM_TIMER_HZ);
        }
    }
    return 0;
}

static volatile uint32_t *hpet_registers(void)
{
    uint32_t size;
    uint64_t address = 0;
    const uint8_t *table = agpu_acpi_table("HPET", &size);

    if (table != NULL && size >= HPET_ADDRESS + sizeof address && table[HPET_SPACE] == 0) {
        memcpy(&address, table + HPET_ADDRESS, sizeof address);
    }
    if (address == 0 || address > UINT32_MAX) {
        address = HPET_USUAL;
    }
    agpu_bare_map(address, AGPU_BARE_PAGE, AGPU_BARE_UNCACHED);
    return (volatile uint32_t *)(uintptr_t)address;
}

static uint32_t wait_hpet(void)
{
    static volatile uint32_t *hpet;

    hpet = hpet != NULL ? hpet : hpet_registers();
    const uint64_t period_fs = hpet[HPET_PERIOD];

    if (period_fs == 0 || period_fs > HPET_PERIOD_MAX) {
        return 0;
    }
    hpet[HPET_CONFIG] |= HPET_ON;
    const uint32_t first = hpet[HPET_COUNTER];
    for (uint32_t polls = 0; polls < POLLS_MAX; polls++) {
        const uint64_t passed_us = (hpet[HPET_COUNTER] - first) * period_fs / FS_PER_US;

        if (passed_us >= MEASURE_MS * 1000) {
            return (uint32_t)passed_us;
        }
    }
    return 0;
}

/* Also returns PAUSED when the counter has passed its end, which is after 55 ms. */
static uint32_t wait_pit(void)
{
    const uint8_t gate = (uint8_t)(agpu_in8(PIT_GATE) & ~(PIT_SPEAKER | PIT_GATE_ON));

    agpu_out8(PIT_GATE, gate);
    agpu_out8(PIT_CONTROL, PIT_ONE_SHOT);
    agpu_out8(PIT_COUNTER, 0xFF);
    agpu_out8(PIT_COUNTER, 0xFF);
    agpu_out8(PIT_GATE, gate | PIT_GATE_ON);
    if ((agpu_in8(PIT_GATE) & PIT_OUTPUT) != 0) { /* no timer: the output rises at the end */
        return 0;
    }
    for (uint32_t polls = 0; polls < POLLS_MAX; polls++) {
        agpu_out8(PIT_CONTROL, PIT_LATCH);
        const uint32_t low = agpu_in8(PIT_COUNTER), high = agpu_in8(PIT_COUNTER);
        const uint32_t passed = 0xFFFF - (high << 8 | low);

        if (passed >= PIT_HZ / 1000 * MEASURE_MS) {
            return (agpu_in8(PIT_GATE) & PIT_OUTPUT) != 0 ? PAUSED
                                                          : (uint32_t)(passed * UINT64_C(1000000) / PIT_HZ);
        }
    }
    return 0;
}

static uint16_t pm_timer_port(void)
{
    uint32_t size, port = 0;
    const uint8_t *table = agpu_acpi_table("FACP", &size);

    if (table != NULL && size >= FADT_PM_TIMER + sizeof port) {
        memcpy(&port, table + FADT_PM_TIMER, sizeof port);
    }
    return (uint16_t)port;
}

uint32_t agpu_bare_time_open(void)
{
    static uint32_t (*const waits[])(void) = {wait_pm_timer, wait_hpet, wait_pit};
    uint64_t counts = UINT64_MAX;
    unsigned measures = 0, timer = 0;

    pm_timer = pm_timer_port();
    ticks_per_us = UINT64_MAX;
    for (unsigned i = 0; i < TRIES_MAX && measures < MEASURES; i++) {
        const uint32_t count = *APIC_CURRENT;
        const uint64_t tsc = agpu_tsc();
        const uint32_t passed_us = waits[timer]();

        if (passed_us == 0 && ++timer == sizeof waits / sizeof waits[0]) {
            agpu_bare_stop("no timer counts: expected an ACPI PM timer, an HPET, or an 8254 whose counter 2 "
                           "port 61h shows");
        } else if (passed_us != 0 && passed_us != PAUSED) {
            const uint64_t ticks = (agpu_tsc() - tsc) / passed_us;
            const uint64_t counted = (count - *APIC_CURRENT) * UINT64_C(1000) / passed_us;

            ticks_per_us = ticks < ticks_per_us ? ticks : ticks_per_us;
            counts = counted < counts ? counted : counts;
            measures++;
        }
    }
    if (measures == 0) {
        agpu_bare_stop(
            "the 8254 could not be read for %u ms without a pause in %u tries; expected one without: "
            "leave this machine more processor time",
            MEASURE_MS, TRIES_MAX);
    }
    if (ticks_per_us == 0 || counts == 0) {
        agpu_bare_stop(
            "the time stamp counter has %ju ticks in 1 us, the local APIC's timer %ju in 1 ms; expected "
            "both to count",
            ticks_per_us, counts);
    }
    return (uint32_t)counts;
}

uint64_t agpu_bare_us(void)
{
    return agpu_tsc() / ticks_per_us;
}

EFI_STATUS EFIAPI agpu_bare_stall(UINTN microseconds)
{
    const uint64_t begin = agpu_tsc();

    while (agpu_tsc() - begin < microseconds * ticks_per_us) {
        agpu_pause();
    }
    return EFI_SUCCESS;
}

static uint8_t read_rtc(uint8_t index)
{
    agpu_out8(RTC_INDEX, index);
    return agpu_in8(RTC_DATA);
}

static uint8_t rtc_number(uint8_t value, bool binary)
{
    return binary ? value : (uint8_t)(value / 16 * 10 + value % 16);
}

EFI_STATUS EFIAPI agpu_bare_get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    const bool binary = (read_rtc(0x0B) & RTC_BINARY) != 0, whole_day = (read_rtc(0x0B) & RTC_24H) != 0;
    uint32_t size;
    const uint8_t *fadt = agpu_acpi_table("FACP", &size);
    const uint8_t century = fadt != NULL && size > FADT_CENTURY ? fadt[FADT_CENTURY] : 0;

    (void)capabilities;
    for (unsigned i = 0; i < RTC_POLLS && (read_rtc(0x0A) & RTC_UPDATE) != 0; i++) {
    }
    const uint8_t hour = read_rtc(4);
    *time = (EFI_TIME){.Year = (UINT16)(rtc_number(read_rtc(9), binary) +
                                        100 * (century != 0 ? rtc_number(read_rtc(century), binary) : 20)),
                       .Month = rtc_number(read_rtc(8), binary),
                       .Day = rtc_number(read_rtc(7), binary),
                       .Hour = rtc_number(hour & (uint8_t)~RTC_PM, binary),
                       .Minute = rtc_number(read_rtc(2), binary),
                       .Second = rtc_number(read_rtc(0), binary)};
    if (!whole_day) {
        time->Hour = (UINT8)(time->Hour % 12 + ((hour & RTC_PM) != 0 ? 12 : 0));
    }
    return EFI_SUCCESS;
}
