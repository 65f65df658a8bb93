/* port_private.h: a port as its own files use it. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_PRIVATE_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/port_machine.h"
#include "tests/device/plugin/refusal.h"

struct vgpu_port {
    const struct agpu_device_plugin *table;
    void *device;
    char *options; /* of create() */
    struct vgpu_port_machine machine;
    struct agpu_device_info info;
    struct vgpu_port_msix msix;
    pthread_t owner;
    pthread_rwlock_t memory; /* read-locked by threads of the device while they copy */
    uint64_t epoch_ns;       /* machine time at creation, which is 0 for the device */
    atomic_bool bus_master;
    atomic_bool line;    /* level that the device requested */
    atomic_bool service; /* a wake has not been served */
    struct vgpu_refusals refusals;
    atomic_ullong logged;            /* bytes */
    atomic_bool gone;                /* destroyed: callbacks are refused */
    atomic_bool msi_reported;        /* an invalid send_msi() was logged */
    atomic_bool outside_reported;    /* a dma_map() outside a call was logged */
    atomic_ullong messages;          /* bit mask of vectors sent by threads and not yet reported to a tap */
    bool line_told;                  /* level that the machine received */
    const struct vgpu_port_tap *tap; /* NULL: no tap */
    bool tapping;                    /* a call of the tap is active */
};

#endif
