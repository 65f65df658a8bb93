/* adapter.h: the device as the kernel driver holds it, of either generation: made quiet, its ring brought up
 * and taken down, its interrupts serviced (device.md 4.2, 6; legacy.md 2; vidmm.md 7). */
#ifndef AGPU_MM_KMD_ADAPTER_H
#define AGPU_MM_KMD_ADAPTER_H

#include "mm/kmd/interrupt.h"
#include "pci/identify.h"
#include "ring/legacy.h"
#include "ring/ring.h"

/* An opened and identified function and the memory for its ring; all belong to the caller and outlive it. */
struct agpu_kmd_adapter {
    const struct agpu_function *function;
    const struct agpu_abi *abi;
    struct agpu_ring *ring;          /* runs between start and stop on a versioned device */
    struct agpu_legacy_ring *legacy; /* the same on a legacy one */

    /* State of agpu_kmd_adapter_poll_interrupt(): the fence page at its last read of IRQ_STATUS, and when that was. */
    uint64_t polled_fence;
    uint64_t polled_ns; /* 0: not read yet */
};

/* The quiet state, whatever drove the device before: memory decode and bus master on, ring, interrupts,
 * scanout and cursor off, addresses 0, engine reset. AGPU_ERR_LOST, AGPU_ERR_TIMEOUT. */
enum agpu_status agpu_kmd_adapter_quiesce(const struct agpu_kmd_adapter *adapter);

/* Brings the ring of the device's generation up and fills *transport. config is for a versioned ring; NULL:
 * defaults. Errors of agpu_ring_start() and agpu_legacy_start(); nothing is kept on error. */
enum agpu_status agpu_kmd_adapter_start(const struct agpu_kmd_adapter *adapter,
                                        const struct agpu_ring_config *config,
                                        struct agpu_transport *transport);

/* Takes the ring down: the device lets go of all memory. The ring's own is freed whatever is returned. */
enum agpu_status agpu_kmd_adapter_stop(const struct agpu_kmd_adapter *adapter);

/* One pass of the interrupt service routine: reads and acknowledges every pending cause and, with an ERROR,
 * what the error registers say. False when nothing was pending. adapter is a struct agpu_kmd_adapter; the
 * type is that of agpu_runtime_config.service_interrupt. */
bool agpu_kmd_adapter_service_interrupt(void *adapter, struct agpu_kmd_interrupt *out);

/* The same for a driver that polls: IRQ_STATUS is read when the fence page has moved since the last read, and otherwise
 * every AGPU_KMD_POLL_NS, because a register read is a trip to the device. A caller that restarts the fence numbers, or
 * needs the causes now, sets polled_ns to 0. */
#define AGPU_KMD_POLL_NS UINT64_C(16000000)
bool agpu_kmd_adapter_poll_interrupt(void *adapter, struct agpu_kmd_interrupt *out);

#endif
