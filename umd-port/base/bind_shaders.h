/* bind_shaders.h: the forms of BIND_SHADERS (umd.md 8, commands.md 7). */
#ifndef AGPU_UMD_BASE_BIND_SHADERS_H
#define AGPU_UMD_BASE_BIND_SHADERS_H

#include "umd-port/base/writer.h"

/* All six stages; 0 = unbound. */
struct agpu_shader_handles {
    uint32_t vs, ps, cs, gs, hs, ds;
};

/* 24-byte form: vs, ps, cs; reserved0 holds the geometry shader, 0 = none. False when there is no room; the error is
 * set. */
bool agpu_cmd_bind_shaders(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs);
bool agpu_cmd_bind_shaders_with_gs(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs,
                                   uint32_t gs);
/* 36-byte form, with {gs, hs, ds} at the end; mirror_gs repeats gs in reserved0 for readers of the short form. */
bool agpu_cmd_bind_shaders_ex(struct agpu_cmd_writer *writer, const struct agpu_shader_handles *shaders,
                              bool mirror_gs);
bool agpu_cmd_bind_shaders_hs_ds(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs,
                                 uint32_t hs, uint32_t ds);

#endif
