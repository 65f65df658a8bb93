/* model.h: the device model as a plug-in, with the same table as any other device. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_MODEL_H
#define VGPU_TESTS_DEVICE_PLUGIN_MODEL_H

#include "tests/device/device.h"
#include "tests/device/plugin/agpu_device_plugin.h"

struct vgpu_port;

/* Words that select a device: an ABI minor and the features that it lacks in addition to those of later minors, named
 * as in require=; or the retired generation. */
#define VGPU_MODEL_ABIS                                                                                      \
    "1.0 to 1.4, each with -FEATURE (1.4-cursor-vblank), or legacy; with the PCI identity of the other "     \
    "generation 1.4-as-1aed, legacy-as-a3a0"
/* Parses one of these. Returns false for any other text. */
bool vgpu_model_abi(const char *text, struct vgpu_device_config *config);

/* Options, separated by commas: abi= (see above), vram=BYTES (a power of two), render=off (draws then answer
 * BACKEND), render_ms=N (limit of processor time for the draws of one submission in milliseconds, up to 999999).
 * executor=none executes no packet; executor=software has no texture views, and guest memory follows each copy. */
const struct agpu_device_plugin *vgpu_model_plugin(void);

/* Returns the model that the options ask for: with fault=NAME, which comes first, a variant (variant.h), else
 * vgpu_model_plugin(). Moves *options behind the fault. Returns NULL with a message. */
const struct agpu_device_plugin *vgpu_model_with(const char **options, char *message, size_t message_size);

/* Returns whether the device is the model, with or without a fault. */
bool vgpu_is_model(const struct agpu_device_plugin *table);

/* Writes the options of a model with this ABI (NULL: the newest) and this fault (NULL: none). */
#define VGPU_MODEL_OPTIONS 160
void vgpu_model_options(char text[VGPU_MODEL_OPTIONS], const char *abi, const char *fault);

/* Returns whether spec names the model: "model" or "model,OPTIONS". */
bool vgpu_names_model(const char *spec);

/* Returns the device that spec names: "model" or "model,OPTIONS" is the model, anything else a file
 * (load.h). */
const struct agpu_device_plugin *vgpu_named_device(const char *spec, const char **options, char *message,
                                                   size_t message_size);

/* Returns the model of a port, for tests/device/inspect; NULL when it is another device. */
struct vgpu_device *vgpu_model_of(const struct vgpu_port *port);

#endif
