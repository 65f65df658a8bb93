/* host_platform.h: struct agpu_platform bound to one device in this process: one PCI function, guest memory
 * whose device addresses are not its CPU addresses, real or simulated time. */
#ifndef AGPU_TESTS_HOST_PLATFORM_HOST_PLATFORM_H
#define AGPU_TESTS_HOST_PLATFORM_HOST_PLATFORM_H

#include "pci/machine/platform.h"
#include "tests/device/device.h"
#include "tests/device/plugin/agpu_device_plugin.h"

enum agpu_host_clock {
    AGPU_HOST_CLOCK_REAL,   /* CLOCK_MONOTONIC */
    AGPU_HOST_CLOCK_MANUAL, /* moves only while something waits: the same run every time */
};

struct agpu_host_config {
    enum agpu_host_clock clock;
    /* The device, a table that was checked (tests/device/plugin/table.h), and its options; NULL: our model, of this
     * generation and with this fault. */
    const struct agpu_device_plugin *device;
    const char *options;
    /* Further functions behind the first, at 00:04.0 and so on, ours where device is NULL; a list of more_count that the
     * caller keeps until create() returns. */
    const struct agpu_host_device {
        const struct agpu_device_plugin *device;
        const char *options;
    } * more;
    unsigned more_count;
    enum vgpu_device_abi abi;
    const char *
        version; /* of the versioned generation, and what it lacks (tests/device/plugin/model.h); NULL: newest */
    const char *fault; /* deliberate fault of the model, NULL = none */
    /* The device gets its service points only while the driver waits, as late as any known device takes them,
     * instead of directly after each access. */
    bool lazy;
    uint64_t ram_bytes;                                                  /* guest memory; 0 = 64 MiB */
    void (*log)(void *ctx, enum agpu_log_level level, const char *text); /* NULL: discarded */
    void *log_ctx;
};

/* What the machine has seen; for tests and benchmarks. */
struct agpu_host_counts {
    uint64_t config_reads, config_writes;
    uint64_t bar_reads, bar_writes;
    uint64_t bar_orders;
    uint64_t services;
    uint64_t relaxes;
    uint64_t intx_edges;
    uint64_t dma_live, heap_live;
};

struct agpu_host;
struct vgpu_port;

/* Functions that one machine has room for. */
#define AGPU_HOST_DEVICES_MAX 8u

/* A machine with one AeroGPU function at 00:03.0, or several, their BARs assigned. The calling thread owns it. NULL when memory is
 * exhausted or the device cannot be created; message, if not NULL, says why. */
struct agpu_host *agpu_host_create(const struct agpu_host_config *config, char *message, size_t message_size);
void agpu_host_destroy(struct agpu_host *host);

/* The machine as the driver layers see it; valid as long as host. */
const struct agpu_platform *agpu_host_platform(struct agpu_host *host);

const struct agpu_host_counts *agpu_host_counts(const struct agpu_host *host);

/* The first device behind it, for a test that wants to reset or inspect it. */
struct vgpu_port *agpu_host_port(struct agpu_host *host);
/* And each, in the order of their places; NULL behind the last. */
struct vgpu_port *agpu_host_port_at(const struct agpu_host *host, unsigned device);

#endif
