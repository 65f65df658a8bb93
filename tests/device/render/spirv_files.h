/* spirv_files.h: translated shaders in files, each under its key, sealed with a secret of the folder's owner: a file that was
 * damaged, planted or renamed is removed and does not count. */
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
    uint64_t saved; /* bytes, by this process */
    uint8_t secret[VGPU_SPIRV_SECRET_BYTES];
};

/* Opens the folder (cache_folder.h); false: nothing is kept, and *why, where it is not NULL, says what is wrong with it. */
bool vgpu_spirv_files_open(struct vgpu_spirv_files *files, const char *folder, const char **why);
void vgpu_spirv_files_close(struct vgpu_spirv_files *files);

/* The words kept under the key, malloc'ed, and their bytes; NULL when there are none to believe. Never waits, whatever lies
 * there. */
uint32_t *vgpu_spirv_files_load(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                                uint32_t *size);
/* A disk that cannot be written is no error; what one process may write is bounded. */
void vgpu_spirv_files_save(struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                           const uint32_t *words, uint32_t size);
void vgpu_spirv_files_remove(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key);

#endif
