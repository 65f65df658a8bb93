/* watchdog.c: SetWatchdogTimer, and the registers of the TCO (Intel ICH9 datasheet, 13.9; 10.1.43 for the
 * strap that disables its reset). The TCO expires twice before it resets: the first expiry only notifies, the
 * second one resets. */
#include "efi/watchdog.h"

#include <stdbool.h>

#include "efi/machine.h"

#define WATCHDOG_CODE UINT64_C(0x10001) /* codes up to FFFFh are reserved for the firmware */

/* The LPC bridge, 00:1f.0. */
#define CONFIG_ADDRESS 0xCF8
#define CONFIG_DATA    0xCFC
#define LPC_BRIDGE     0x8000F800u
#define LPC_ID         0x00u
#define LPC_PMBASE     0x40u
#define LPC_RCBA       0xF0u
#define PMBASE_MASK    0xFF80u
#define RCBA_ENABLED   1u
#define RCBA_MASK      0xFFFFC000u
#define RCBA_GCS       0x3410u
#define GCS_NO_REBOOT  0x20u

/* Offsets from the TCO's base, 16-bit registers. */
#define TCO_BASE      0x60u
#define TCO_RELOAD    0x00u
#define TCO_STATUS1   0x04u
#define TCO_STATUS2   0x06u
#define TCO_CONTROL   0x08u
#define TCO_TIMER     0x12u
#define TCO_HALT      0x0800u
#define TCO_TIMEOUT   0x0008u /* of status 1 */
#define TCO_SECOND    0x0002u /* of status 2 */
#define TCO_TICK_MS   600u
#define TCO_TIMER_MAX 0x3FFu

static struct {
    unsigned seconds; /* 0: closed */
    uint16_t tco;     /* 0: none */
    uint16_t control, timer;
    volatile uint32_t *gcs;
    uint32_t gcs_found;
} dog;

static uint16_t in16(uint16_t port)
{
    uint16_t value;

    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static uint32_t read_lpc(uint32_t offset)
{
    const EFI_TPL priority = agpu_boot->RaiseTPL(TPL_HIGH_LEVEL);
    uint32_t value;

    __asm__ volatile("outl %0, %1" : : "a"(LPC_BRIDGE | offset), "Nd"((uint16_t)CONFIG_ADDRESS));
    value = agpu_in32(CONFIG_DATA);
    agpu_boot->RestoreTPL(priority);
    return value;
}

/* Device ids of LPC bridges: ICH6 to ICH10, series 5 to 9. Later chipsets have the TCO elsewhere. */
static bool has_tco(uint32_t id)
{
    static const struct {
        uint16_t first, last;
    } bridges[] = {{0x2640, 0x2642}, {0x27B8, 0x27BD}, {0x2810, 0x2815}, {0x2912, 0x2919}, {0x3A14, 0x3A1A},
                   {0x3B00, 0x3B1F}, {0x1C40, 0x1C5F}, {0x1E40, 0x1E5F}, {0x8C40, 0x8C5F}, {0x8CC0, 0x8CDF}};

    for (size_t i = 0; (id & 0xFFFF) == 0x8086 && i < sizeof bridges / sizeof bridges[0]; i++) {
        if (id >> 16 >= bridges[i].first && id >> 16 <= bridges[i].last) {
            return true;
        }
    }
    return false;
}

static bool open_tco(unsigned seconds)
{
    const uint32_t ticks = seconds * 1000 / 2 / TCO_TICK_MS;
    uint32_t base, rcba;

    if (!has_tco(read_lpc(LPC_ID))) {
        return false;
    }
    base = read_lpc(LPC_PMBASE) & PMBASE_MASK;
    rcba = read_lpc(LPC_RCBA);
    if (base == 0 || (rcba & RCBA_ENABLED) == 0) {
        return false;
    }
    dog.gcs = (volatile uint32_t *)(uintptr_t)((rcba & RCBA_MASK) + RCBA_GCS);
    dog.gcs_found = *dog.gcs;
    *dog.gcs = dog.gcs_found & ~GCS_NO_REBOOT;
    if ((*dog.gcs & GCS_NO_REBOOT) != 0) { /* the board's strap disables the reset */
        return false;
    }
    dog.tco = (uint16_t)(base + TCO_BASE);
    dog.control = in16(dog.tco + TCO_CONTROL);
    dog.timer = in16(dog.tco + TCO_TIMER);
    out16(dog.tco + TCO_CONTROL, dog.control | TCO_HALT);
    out16(dog.tco + TCO_STATUS1, TCO_TIMEOUT);
    out16(dog.tco + TCO_STATUS2, TCO_SECOND);
    out16(dog.tco + TCO_TIMER, (uint16_t)(ticks < TCO_TIMER_MAX ? ticks : TCO_TIMER_MAX));
    out16(dog.tco + TCO_RELOAD, 1);
    out16(dog.tco + TCO_CONTROL, dog.control & ~TCO_HALT);
    return true;
}

static bool set_firmware(unsigned seconds)
{
    return !EFI_ERROR(agpu_boot->SetWatchdogTimer(seconds, seconds != 0 ? WATCHDOG_CODE : 0, 0, NULL));
}

const char *agpu_watchdog_open(unsigned seconds)
{
    const bool firmware = set_firmware(seconds);
    const bool chipset = open_tco(seconds);

    dog.seconds = seconds;
    return firmware && chipset ? "of the firmware and of the chipset"
           : firmware          ? "of the firmware; the chipset has no known watchdog"
           : chipset           ? "of the chipset; the firmware has none"
                               : "none";
}

void agpu_watchdog_kick(void)
{
    if (dog.seconds == 0) {
        return;
    }
    set_firmware(dog.seconds);
    if (dog.tco != 0) {
        out16(dog.tco + TCO_RELOAD, 1);
        out16(dog.tco + TCO_STATUS1, TCO_TIMEOUT); /* clear the first expiry */
    }
}

void agpu_watchdog_close(void)
{
    if (dog.seconds == 0) {
        return;
    }
    set_firmware(0);
    dog.seconds = 0;
    if (dog.tco != 0) {
        out16(dog.tco + TCO_CONTROL, dog.control | TCO_HALT);
        out16(dog.tco + TCO_TIMER, dog.timer);
        out16(dog.tco + TCO_RELOAD, 1);
        /* Leaves the timer halted, even if it was running: otherwise it would reset the machine seconds
         * later, while records are still being sent. */
        out16(dog.tco + TCO_CONTROL, dog.control | TCO_HALT);
        dog.tco = 0;
    }
    if (dog.gcs != NULL) {
        *dog.gcs = dog.gcs_found;
    }
}
