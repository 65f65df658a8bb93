/* model.h: our device model as a plug-in: the same table that everybody's device comes with. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_MODEL_H
#define VGPU_TESTS_DEVICE_PLUGIN_MODEL_H

#include "tests/device/device.h"
#include "tests/device/plugin/agpu_device_plugin.h"

struct vgpu_port;

/* Which device: an ABI minor and the features that it lacks beside those that come with later minors, by the words of
 * require=, or the retired generation. */
#define VGPU_MODEL_ABIS                                                                                      \
    "1.0 to 1.4, each with -FEATURE (1.4-cursor-vblank), or legacy; with the PCI identity of the other "     \
    "generation 1.4-as-1aed, legacy-as-a3a0"
/* False: it is none of these. */
bool vgpu_model_abi(const char *text, struct vgpu_device_config *config);

/* Options, separated by commas: abi= one of those, fault=NAME (faults.h), vram=BYTES (a power of two), render=off (draws then
 * answer BACKEND), render_ms=N (milliseconds of processor time for what one submission draws, up to 999999). */
const struct agpu_device_plugin *vgpu_model_plugin(void);

/* Writes the options of such a model, NULL for the newest, with this fault, NULL for none. */
#define VGPU_MODEL_OPTIONS 160
void vgpu_model_options(char text[VGPU_MODEL_OPTIONS], const char *abi, const char *fault);

/* Does spec name our model: "model" or "model,OPTIONS"? */
bool vgpu_names_model(const char *spec);

/* The device that spec names: "model" or "model,OPTIONS" is ours, anything else a file (load.h). */
const struct agpu_device_plugin *vgpu_named_device(const char *spec, const char **options, char *message,
                                                   size_t message_size);

/* The model behind a port, for those who look into it (tests/device/inspect); NULL when it is another device. */
struct vgpu_device *vgpu_model_of(const struct vgpu_port *port);

#endif
