/* variant.h: models with a fault of tests/faults, which `faults.py build` makes: variants/NAME/agpu_model.so in the
 * build tree. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_VARIANT_H
#define VGPU_TESTS_DEVICE_PLUGIN_VARIANT_H

#include <stddef.h>

#include "tests/device/plugin/agpu_device_plugin.h"

/* Loads the model with the fault `name` from the directory `variants` beside the program, or the nearest one above
 * it. A fault of the drawing process is one of all models of this process. Returns NULL with the reason and the
 * remedy in message. */
const struct agpu_device_plugin *vgpu_variant_load(const char *name, char *message, size_t message_size);

/* Calls name() for each model that is built, in order. */
void vgpu_variant_each(void (*name)(void *ctx, const char *name), void *ctx);

#endif
