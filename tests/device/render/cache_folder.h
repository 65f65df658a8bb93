/* cache_folder.h: cache directories of the renderer: created when missing, used only if no other user can
 * write to them. */
#ifndef VGPU_TESTS_DEVICE_RENDER_CACHE_FOLDER_H
#define VGPU_TESTS_DEVICE_RENDER_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the directory at path and creates it and its parents when missing, accessible only to this user.
 * Returns -1 when it cannot be opened (*why is NULL) or other users can write to it (*why gives the reason).
 * The caller closes it. */
int vgpu_cache_folder_open(const char *path, const char **why);

/* Writes $AGPU_RENDER_CACHE, else $XDG_CACHE_HOME/agpu/spirv, or ~/.cache/agpu/spirv. Returns false when none
 * is known or the path is too long. */
bool vgpu_render_cache_dir(char *path, uint32_t size);
/* Writes the directory for the Vulkan driver's compiled code. It is always the user's own, since filling it
 * takes minutes. */
bool vgpu_render_driver_dir(char *path, uint32_t size);

#endif
