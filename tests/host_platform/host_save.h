/* host_save.h: saves and restores a device at pseudo-random service points. */
#ifndef AGPU_TESTS_HOST_PLATFORM_HOST_SAVE_H
#define AGPU_TESTS_HOST_PLATFORM_HOST_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "pci/machine/platform.h"
#include "tests/device/plugin/agpu_device_plugin.h"

struct vgpu_port;

/* The schedule of one device. */
struct agpu_host_save {
    unsigned every;  /* service points from one to the next on average; 0: never */
    uint64_t random; /* state of the generator */
    uint64_t left;   /* service points until the next */
};

/* Starts a schedule. Returns false with a message when the device cannot be saved. */
bool agpu_host_save_start(struct agpu_host_save *save, struct vgpu_port *port, unsigned every, uint64_t seed,
                          char *message, size_t message_size);

/* Call at each service point. Returns true when the device must be saved and restored now. */
bool agpu_host_save_due(struct agpu_host_save *save);

/* Saves and restores the device, and maps the memory files of its BARs where those of the saved device were. Prints
 * the reason and returns false when that fails: the device then starts again. */
bool agpu_host_save_now(struct vgpu_port *port, const struct agpu_bar_mapping bars[AGPU_DEVICE_BARS]);

#endif
