/* host_save.h: saves and restores a device, with the memory of its BARs. */
#ifndef AGPU_TESTS_HOST_PLATFORM_HOST_SAVE_H
#define AGPU_TESTS_HOST_PLATFORM_HOST_SAVE_H

#include <stdbool.h>

#include "pci/machine/platform.h"
#include "tests/device/plugin/agpu_device_plugin.h"

struct vgpu_port;

/* Saves and restores the device, and maps the memory files of its BARs where those of the saved device were. Prints
 * the reason and returns false when that fails: the device then starts again. */
bool agpu_host_save_now(struct vgpu_port *port, const struct agpu_bar_mapping bars[AGPU_DEVICE_BARS]);

#endif
