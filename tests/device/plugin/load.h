/* load.h: loads a device from a shared library file. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_LOAD_H
#define VGPU_TESTS_DEVICE_PLUGIN_LOAD_H

#include <stddef.h>

#include "tests/device/plugin/agpu_device_plugin.h"

/* spec is FILE or FILE,OPTIONS. Loads the library and checks its table (table.h). The library stays loaded
 * until the process ends, since a device may have threads. Points *options after the comma, or to "". Returns
 * NULL with the reason and the remedy in message: no such file, not a library for this machine, no
 * agpu_device_plugin() in it, or an invalid table. */
const struct agpu_device_plugin *vgpu_plugin_load(const char *spec, const char **options, char *message,
                                                  size_t message_size);

#endif
