/* mutate.c: mutants of the test shaders. */
#include "tests/unit/render/mutate.h"

#include <string.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"

#define AGPU_SHADER_ADDRESS(name) &agpu_##name,
static const struct agpu_shader_blob *const shaders[] = {AGPU_SHADER_BLOBS(AGPU_SHADER_ADDRESS)};

const struct agpu_shader_blob *agpu_any_shader(uint32_t number)
{
    return shaders[number % (sizeof shaders / sizeof *shaders)];
}

/* splitmix64 */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t agpu_mutant(const struct agpu_shader_blob *shader, uint64_t seed, uint32_t words[AGPU_MUTANT_WORDS])
{
    uint32_t size = shader->size_bytes;

    memcpy(words, shader->words, size);
    uint64_t changes = next(&seed) % 4 + 1;
    for (uint64_t i = 0; i < changes; i++) {
        /* The magic, the size and the chunk list stay: damage there is found at once. */
        uint32_t at = 13 + (uint32_t)(next(&seed) % (size / 4 - 13)), value = (uint32_t)next(&seed);

        switch (next(&seed) % 4) {
        case 0:
            words[at] ^= 1u << value % 32;
            break;
        case 1:
            words[at] = value;
            break;
        case 2:
            words[at] = words[13 + value % (size / 4 - 13)];
            break;
        default:
            words[at] += value % 5 - 2;
            break;
        }
    }
    vgpu_dxbc_checksum(words, size, words + 1);
    return size;
}
