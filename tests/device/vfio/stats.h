/* stats.h: counters of a vfio-user server, printed by `agpu vdev` at its end. */
#ifndef VGPU_TESTS_DEVICE_VFIO_STATS_H
#define VGPU_TESTS_DEVICE_VFIO_STATS_H

#include <stdint.h>

#include "tests/device/vfio/regions.h"

struct vgpu_vfio_stats {
    uint64_t clients;  /* connections that negotiated a version */
    uint64_t messages; /* whole messages received */
    uint64_t errors;   /* refused messages, except queries for something that does not exist */
    uint64_t resets;   /* DEVICE_RESET */
    uint64_t maps;     /* DMA_MAP accepted */
    uint64_t reach;    /* bytes of accessible guest memory at the last service point that had any */
    uint64_t interrupts;
    uint64_t services; /* service points given to the device */
    uint64_t restores; /* times that the device was saved and restored */
    uint64_t reads[VGPU_VFIO_NUM_REGIONS];
    uint64_t writes[VGPU_VFIO_NUM_REGIONS];
};

#endif
