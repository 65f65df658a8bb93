/* shaders.c: includes shaders.bin, the compiled test shaders (shaders.h). */
#include "tests/shaders/shaders.h"

/* The layout of the file by blobs.h: one blob after the other. */
#define WORDS(unused, name, size) uint32_t name[(size) / 4];
struct shaders_file {
    AGPU_SHADER_FILE(WORDS, )
};
_Static_assert(sizeof(struct shaders_file) == AGPU_SHADERS_BYTES,
               "shaders.bin has another size than blobs.h says: run tests/shaders/generate");

#ifdef __ELF__
#define READ_ONLY ".section .rodata"
#else
#define READ_ONLY ".section .rdata,\"dr\""
#endif
__asm__(READ_ONLY "\n.balign 4\nagpu_shaders_file: .incbin \"" AGPU_SHADERS_BIN "\"\n.text\n");
extern const struct shaders_file agpu_shaders_file;

#define BLOB(unused, name, size)                                                                             \
    const struct agpu_shader_blob agpu_##name = {#name, agpu_shaders_file.name, size};
AGPU_SHADER_FILE(BLOB, )
