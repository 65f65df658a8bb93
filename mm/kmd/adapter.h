/* adapter.h: the device of either generation as the kernel driver uses it: quiesce, start and stop of its ring,
 * interrupt service (device.md 4.2, 6; legacy.md 2; vidmm.md 7). */
#ifndef AGPU_MM_KMD_ADAPTER_H
#define AGPU_MM_KMD_ADAPTER_H

#include "mm/kmd/display.h"
#include "mm/kmd/interrupt.h"
#include "pci/identify.h"
#include "ring/legacy.h"
#include "ring/ring.h"

/* An opened and identified function and the memory for its ring. The caller owns all of them, and they outlive it. */
struct agpu_kmd_adapter {
    const struct agpu_function *function;
    const struct agpu_abi *abi;
    struct agpu_ring *ring;          /* runs between start and stop on a versioned device */
    struct agpu_legacy_ring *legacy; /* the same on a legacy one */

    /* State of agpu_kmd_adapter_poll_interrupt(): value of the fence page at the last read of IRQ_STATUS, and the time
     * of it. */
    uint64_t polled_fence;
    uint64_t polled_ns; /* 0: not read yet */
};

/* Makes the device quiet, whatever drove it before: memory decode and bus master on, ring, interrupts, scanout and
 * cursor off, addresses 0, engine reset. AGPU_ERR_LOST, AGPU_ERR_TIMEOUT. */
enum agpu_status agpu_kmd_adapter_quiesce(const struct agpu_kmd_adapter *adapter);

/* Starts the ring of the device's generation and fills *transport. config is for a versioned ring; NULL: defaults.
 * Errors of agpu_ring_start() and agpu_legacy_start(); on error nothing stays allocated. */
enum agpu_status agpu_kmd_adapter_start(const struct agpu_kmd_adapter *adapter,
                                        const struct agpu_ring_config *config,
                                        struct agpu_transport *transport);

/* Takes the ring down, after which the device uses no memory. The ring's memory is freed whatever is returned. */
enum agpu_status agpu_kmd_adapter_stop(const struct agpu_kmd_adapter *adapter);

/* Leave and enter D0 (vidmm.md 7), on a versioned device; no power-management capability is needed. In between the
 * device uses no memory and raises no interrupt, and its objects are gone afterwards. *mask gets IRQ_ENABLE, which
 * entering restores. The ring's memory stays allocated; on error, which is that of agpu_ring_suspend() or
 * agpu_ring_resume(), the device has no address either. */
enum agpu_status agpu_kmd_adapter_leave_d0(const struct agpu_kmd_adapter *adapter,
                                           struct agpu_display *display, uint32_t *mask);
enum agpu_status agpu_kmd_adapter_enter_d0(const struct agpu_kmd_adapter *adapter,
                                           struct agpu_display *display, uint32_t mask);

/* Runs one pass of the interrupt service routine: reads and acknowledges every pending cause and, for an ERROR, reads
 * the error registers. False when nothing was pending. adapter is a struct agpu_kmd_adapter; the type is that of
 * agpu_runtime_config.service_interrupt. */
bool agpu_kmd_adapter_service_interrupt(void *adapter, struct agpu_kmd_interrupt *out);

/* Like agpu_kmd_adapter_service_interrupt(), for a driver that polls. Reads IRQ_STATUS when the fence page has changed
 * since the last read, and otherwise every AGPU_KMD_POLL_NS, because a register read is a trip to the device. A caller
 * that restarts the fence numbers, or needs the causes now, sets polled_ns to 0. */
#define AGPU_KMD_POLL_NS UINT64_C(16000000)
bool agpu_kmd_adapter_poll_interrupt(void *adapter, struct agpu_kmd_interrupt *out);

#endif
