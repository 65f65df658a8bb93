/* fake_device.h: a device for tests of the vfio-user server: a plug-in that stores values, records its calls, and does
 * one DMA write per doorbell. */
#ifndef AGPU_TESTS_UNIT_VFIO_FAKE_DEVICE_H
#define AGPU_TESTS_UNIT_VFIO_FAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

#define FAKE_VRAM_BYTES 0x80000u

/* Registers in BAR0 with a function; all others only store. */
#define FAKE_TARGET_LO 0x100u /* guest address of the DMA write */
#define FAKE_TARGET_HI 0x104u
#define FAKE_DOORBELL  0x200u /* at the next service point: write the value there and assert the line */
#define FAKE_ACK       0x308u /* deassert the line */
#define FAKE_TIMER     0x400u /* request service after this time, in ns */

struct fake_device {
    const struct agpu_device_host *host;
    void *machine;
    int vram_fd;
    uint8_t *vram;
    uint8_t config[256];
    uint32_t registers[0x10000 / 4];
    bool doorbell;
    bool last_dma_failed;
    uint64_t deadline;
    uint64_t reset_count;
    uint64_t service_count;
    uint32_t last_size; /* size of a BAR0 access */
};

#define FAKE_MSI      0x500u /* send the MSI vector that is written */
#define FAKE_MSI_SENT 0x504u /* whether it could be sent */

#define FAKE_MSIX 0x2000u /* offset of the MSI-X table */

/* Devices created from now on have MSI and MSI-X with four vectors each, or neither. */
void fake_device_with_msi(bool with);

/* Returns the device created last, or NULL after its destruction. */
struct fake_device *fake_device(void);

#endif
