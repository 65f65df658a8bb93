/* cache_folder.h: the folders that the renderer keeps things in: made when missing, and used only where nobody else can have
 * put something there. */
#ifndef VGPU_TESTS_DEVICE_RENDER_CACHE_FOLDER_H
#define VGPU_TESTS_DEVICE_RENDER_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the folder at path, made with those above it when missing, the new ones for this user alone. -1: it cannot be had
 * (*why is NULL), or it is not ours alone to write to, and *why says so. The caller closes it. */
int vgpu_cache_folder_open(const char *path, const char **why);

/* Writes $AGPU_RENDER_CACHE, else $XDG_CACHE_HOME/agpu/spirv, or ~/.cache/agpu/spirv. False when neither is known or it is too
 * long. */
bool vgpu_render_cache_dir(char *path, uint32_t size);
/* Likewise, where the Vulkan driver keeps the code that it compiled: always the user's, since filling it takes minutes. */
bool vgpu_render_driver_dir(char *path, uint32_t size);

#endif
