/* spirv_files.h: translated shaders in files, each named by its key and authenticated with a secret of the
 * directory's owner. A damaged, planted or renamed file is removed and ignored. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SPIRV_FILES_H
#define VGPU_TESTS_DEVICE_RENDER_SPIRV_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* SHA-256. */
struct vgpu_spirv_key {
    uint8_t bytes[32];
};

enum { VGPU_SPIRV_SECRET_BYTES = 32 };

struct vgpu_spirv_files {
    int folder;     /* -1 = no files */
    uint64_t saved; /* bytes written by this process */
    uint8_t secret[VGPU_SPIRV_SECRET_BYTES];
};

/* Opens the directory (cache_folder.h). Returns false when nothing is cached; if why is not NULL, *why gives
 * the reason. */
bool vgpu_spirv_files_open(struct vgpu_spirv_files *files, const char *folder, const char **why);
void vgpu_spirv_files_close(struct vgpu_spirv_files *files);

/* Returns the words stored under the key, malloc'ed, with their size in bytes; NULL when there is no valid
 * file. Never blocks, whatever kind of file is there. */
uint32_t *vgpu_spirv_files_load(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                                uint32_t *size);
/* A failed write is not an error; the amount that one process may write is limited. */
void vgpu_spirv_files_save(struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                           const uint32_t *words, uint32_t size);
void vgpu_spirv_files_remove(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key);

#endif
