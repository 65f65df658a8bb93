/* shaders.h: the compiled test shaders, one DXBC container each, for all tests that send shaders to a device.
 * Freestanding. tests/shaders/generate compiles hlsl/ into shaders.bin; blobs.h lists the blobs. */
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

/* X(name) for each blob. */
#define AGPU_SHADER_BLOBS(X)             AGPU_SHADER_FILE(AGPU_SHADER_NAME, X)
#define AGPU_SHADER_NAME(X, name, bytes) X(name)

/* agpu_ps_color_4_0, agpu_ps_color_5_0, ... */
#define AGPU_SHADER_DECLARE(name) extern const struct agpu_shader_blob agpu_##name;
AGPU_SHADER_BLOBS(AGPU_SHADER_DECLARE)
#undef AGPU_SHADER_DECLARE

#endif
