/* port_private.h: a port as its own files see it. */
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
    struct vgpu_port_machine machine;
    struct agpu_device_info info;
    struct vgpu_port_msix msix;
    pthread_t owner;
    pthread_rwlock_t memory; /* held for reading by threads of the device while they copy */
    uint64_t epoch_ns;       /* machine time at creation: the device's 0 */
    atomic_bool bus_master;
    atomic_bool line;    /* as the device wants it */
    atomic_bool service; /* a wake that was not served */
    struct vgpu_refusals refusals;
    atomic_ullong logged;            /* bytes */
    atomic_bool gone;                /* it was destroyed, and no callback may come any more */
    atomic_bool msi_told;            /* a send_msi() out of range was logged */
    atomic_ullong messages;          /* vectors, a bit each, by which threads sent what no tap was told of */
    bool line_told;                  /* as the machine knows it */
    const struct vgpu_port_tap *tap; /* NULL: nobody looks */
    bool tapping;                    /* inside of it */
};

#endif
