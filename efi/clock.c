/* clock.c: TSC, calibrated against the ACPI PM timer (3.579545 MHz, ACPI 6.4 section 4.8.2.1). */
#include "efi/clock.h"

#include <string.h>

#include "efi/acpi.h"
#include "efi/machine.h"

#define PM_TIMER_HZ   3579545u
#define PM_TIMER_MASK 0xFFFFFFu /* every chipset implements at least 24 bits */
#define CALIBRATE_MS  10u
#define STALL_US      (CALIBRATE_MS * 1000u)
#define BOOT_MOST_NS  (3600 * AGPU_NS_PER_S)

/* Offsets in the FADT. */
#define FADT_PM_TMR_BLK 76
#define FADT_PM_TMR_LEN 91
#define FADT_MIN_SIZE   (FADT_PM_TMR_LEN + 1)

static uint64_t start_tsc;
static uint64_t ticks_per_ms;
static uint64_t ns_per_tick_q32; /* nanoseconds per tick, 32.32 fixed point */
static uint64_t last_ns;

/* Returns the I/O port of the PM timer from the FADT, 0 if there is none. */
static uint16_t find_pm_timer(void)
{
    uint32_t size, port;
    const uint8_t *table = agpu_acpi_table("FACP", &size);

    if (table == NULL || size < FADT_MIN_SIZE || table[FADT_PM_TMR_LEN] != 4) {
        return 0;
    }
    memcpy(&port, table + FADT_PM_TMR_BLK, sizeof port);
    return (uint16_t)port;
}

/* Reads PM timer and TSC at the same moment. A host may preempt the guest between the two reads, so the
 * fastest of a few attempts counts. */
static uint32_t sample_timer(uint16_t port, uint64_t *tsc)
{
    uint64_t best = UINT64_MAX;
    uint32_t value = 0;

    for (int i = 0; i < 5; i++) {
        uint64_t before = agpu_tsc();
        uint32_t read = agpu_in32(port) & PM_TIMER_MASK;
        uint64_t after = agpu_tsc();

        if (after - before < best) {
            best = after - before;
            value = read;
            *tsc = before + best / 2;
        }
    }
    return value;
}

/* Returns ticks per millisecond by the PM timer; 0 if the timer does not count. */
static uint64_t measure_pm_timer(uint16_t port)
{
    uint64_t first_tsc, last_tsc;
    uint32_t first = sample_timer(port, &first_tsc), elapsed = 0, goal = PM_TIMER_HZ / 1000u * CALIBRATE_MS;

    /* A port read takes at least half a microsecond on any machine: a timer that has not moved after this
     * many reads is dead. */
    for (uint32_t reads = 0; elapsed < goal; reads++) {
        elapsed = ((agpu_in32(port) & PM_TIMER_MASK) - first) & PM_TIMER_MASK;
        if (reads == 100000 && !elapsed) {
            return 0;
        }
    }
    elapsed = (sample_timer(port, &last_tsc) - first) & PM_TIMER_MASK;
    return (last_tsc - first_tsc) * PM_TIMER_HZ / elapsed / 1000u;
}

static uint64_t measure_stall(void)
{
    uint64_t first = agpu_tsc();

    agpu_boot->Stall(STALL_US);
    return (agpu_tsc() - first) / CALIBRATE_MS;
}

void agpu_clock_start(void)
{
    start_tsc = agpu_tsc();
}

const char *agpu_clock_calibrate(void)
{
    uint16_t port = find_pm_timer();
    const char *by = "acpi-pm-timer";
    uint64_t rate = port ? measure_pm_timer(port) : 0;

    if (!rate) {
        by = "uefi-stall";
        rate = measure_stall();
    }
    ticks_per_ms = rate ? rate : 1;
    ns_per_tick_q32 = (AGPU_NS_PER_MS << 32) / ticks_per_ms;
    return by;
}

uint64_t agpu_clock_khz(void)
{
    return ticks_per_ms;
}

uint64_t agpu_clock_boot_ns(void)
{
    const uint64_t boot = (uint64_t)((unsigned __int128)start_tsc * ns_per_tick_q32 >> 32);

    return boot < BOOT_MOST_NS ? boot : 0;
}

uint64_t agpu_clock_peek_ns(void)
{
    return (uint64_t)((unsigned __int128)(agpu_tsc() - start_tsc) * ns_per_tick_q32 >> 32);
}

uint64_t agpu_clock_ns(void *ctx)
{
    uint64_t now = agpu_clock_peek_ns();

    (void)ctx;
    /* Firmware that continues on another processor after a callback could show an older counter. */
    if (now > last_ns && ns_per_tick_q32) {
        last_ns = now;
    }
    return last_ns;
}
