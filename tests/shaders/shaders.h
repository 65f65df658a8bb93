/* shaders.h: the compiled test shaders, one DXBC container each, for whoever sends shaders to a device.
 * Freestanding. The blobs are generated from hlsl/ by tests/shaders/generate; blobs.h lists them. */
#ifndef AGPU_TESTS_SHADERS_SHADERS_H
#define AGPU_TESTS_SHADERS_SHADERS_H

#include <stdint.h>

#include "tests/shaders/blobs.h"

/* One DXBC container (commands.md 7). name is the source and the profile, such as "ps_color_4_0". */
struct agpu_shader_blob {
    const char *name;
    const uint32_t *words;
    uint32_t size_bytes;
};

/* agpu_ps_color_4_0, agpu_ps_color_5_0, ... */
#define AGPU_SHADER_DECLARE(name) extern const struct agpu_shader_blob agpu_##name;
AGPU_SHADER_BLOBS(AGPU_SHADER_DECLARE)
#undef AGPU_SHADER_DECLARE

#endif
