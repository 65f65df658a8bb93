/* host_platform.h: implements struct agpu_platform for devices in this process: PCI functions, guest memory whose
 * device addresses are not its CPU addresses, real or simulated time. */
#ifndef AGPU_TESTS_HOST_PLATFORM_HOST_PLATFORM_H
#define AGPU_TESTS_HOST_PLATFORM_HOST_PLATFORM_H

#include "pci/machine/platform.h"
#include "tests/device/device.h"
#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/save_schedule.h"

enum agpu_host_clock {
    AGPU_HOST_CLOCK_REAL,   /* CLOCK_MONOTONIC */
    AGPU_HOST_CLOCK_MANUAL, /* advances only during waits: every run is the same */
};

struct agpu_host_config {
    enum agpu_host_clock clock;
    /* The device as a checked table (tests/device/plugin/table.h), and its options; NULL: our model, with this
     * generation. */
    const struct agpu_device_plugin *device;
    const char *options;
    /* Further functions after the first, at 00:04.0 and so on, our model if device is NULL; a list of more_count that
     * the caller keeps until create() returns. */
    const struct agpu_host_device {
        const struct agpu_device_plugin *device;
        const char *options;
    } * more;
    unsigned more_count;
    enum vgpu_device_abi abi;
    const char *
        version; /* of the versioned generation, and what it lacks (tests/device/plugin/model.h); NULL: newest */
    /* Services the device only while the driver waits, as late as any known device works, instead of directly after
     * each access. */
    bool lazy;
    /* Each device is saved and restored on this schedule, and must have save() and load(). */
    struct vgpu_save_schedule save;
    uint64_t ram_bytes;                                                  /* guest memory; 0 = 64 MiB */
    void (*log)(void *ctx, enum agpu_log_level level, const char *text); /* NULL: discarded */
    void *log_ctx;
};

/* Event counts of the machine, for tests and benchmarks. */
struct agpu_host_counts {
    uint64_t config_reads, config_writes;
    uint64_t bar_reads, bar_writes;
    uint64_t bar_orders;
    uint64_t services;
    uint64_t relaxes;
    uint64_t intx_edges;
    uint64_t restores, failed_restores;
    uint64_t dma_live, heap_live;
};

struct agpu_host;
struct vgpu_port;

/* Maximum number of functions of a machine. */
#define AGPU_HOST_DEVICES_MAX 8u

/* Creates a machine with one AeroGPU function at 00:03.0, or several, and assigns their BARs. The calling thread owns
 * it. Returns NULL if memory is exhausted or the device cannot be created; message, if not NULL, gets the reason. */
struct agpu_host *agpu_host_create(const struct agpu_host_config *config, char *message, size_t message_size);
void agpu_host_destroy(struct agpu_host *host);

/* Returns the machine for the driver layers; valid as long as host. */
const struct agpu_platform *agpu_host_platform(struct agpu_host *host);

const struct agpu_host_counts *agpu_host_counts(const struct agpu_host *host);

/* Returns the first device, for tests that reset or inspect it. */
struct vgpu_port *agpu_host_port(struct agpu_host *host);
/* Returns a device by its position; NULL after the last. */
struct vgpu_port *agpu_host_port_at(const struct agpu_host *host, unsigned device);

#endif
