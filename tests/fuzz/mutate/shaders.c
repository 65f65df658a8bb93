/* shaders.c: packets that create shaders which the renderer accepts, or almost accepts. */
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"
#include "tests/fuzz/mutate/grammar.h"
#include "tests/shaders/shaders.h"

#define SHADER_ADDRESS(name) &agpu_##name,
static const struct agpu_shader_blob *const shaders[] = {AGPU_SHADER_BLOBS(SHADER_ADDRESS)};
#define SHADERS (sizeof shaders / sizeof shaders[0])

#define PACKET_BYTES sizeof(struct aerogpu_cmd_create_shader_dxbc)

/* Sets stage and stage_ex of the packet (commands.md 4) by the first letter of the shader's name. */
static void set_stage(struct aerogpu_cmd_create_shader_dxbc *create, const char *name)
{
    static const char letters[] = "vpghdc";
    static const uint8_t stages[] = {AEROGPU_SHADER_STAGE_VERTEX,   AEROGPU_SHADER_STAGE_PIXEL,
                                     AEROGPU_SHADER_STAGE_GEOMETRY, AEROGPU_SHADER_STAGE_COMPUTE,
                                     AEROGPU_SHADER_STAGE_COMPUTE,  AEROGPU_SHADER_STAGE_COMPUTE};
    static const uint8_t stages_ex[] = {0, 0, 0, AEROGPU_SHADER_STAGE_EX_HULL, AEROGPU_SHADER_STAGE_EX_DOMAIN,
                                        0};
    const char *letter = strchr(letters, name[0]);

    if (letter != NULL) {
        create->stage = stages[letter - letters];
        create->reserved0 = stages_ex[letter - letters];
    }
}

void fuzz_tweak_shader(struct fuzz_random *random, uint8_t *packet, size_t size)
{
    uint32_t words[FUZZ_MADE_BYTES / 4];
    const size_t bytes = size > PACKET_BYTES ? (size - PACKET_BYTES) & ~(size_t)3 : 0;
    uint32_t *word;

    if (bytes < 64 || bytes > sizeof words) {
        return;
    }
    memcpy(words, packet + PACKET_BYTES, bytes);
    for (uint32_t changes = 1 + fuzz_random_below(random, 3); changes > 0; changes--) {
        word = &words[5 + fuzz_random_below(random, (uint32_t)(bytes / 4 - 5))];
        switch (fuzz_random_below(random, 4)) {
        case 0:
            *word = words[5 + fuzz_random_below(random, (uint32_t)(bytes / 4 - 5))];
            break;
        case 1:
            *word += fuzz_random_below(random, 9) - 4;
            break;
        default:
            *word ^= 1u << fuzz_random_below(random, 32);
            break;
        }
    }
    vgpu_dxbc_checksum(words, bytes, words + 1);
    memcpy(packet + PACKET_BYTES, words, bytes);
}

size_t fuzz_make_shader(struct fuzz_random *random, uint32_t handle, uint8_t *out)
{
    const struct agpu_shader_blob *shader = shaders[fuzz_random_below(random, SHADERS)];
    struct aerogpu_cmd_create_shader_dxbc create = {
        .hdr = {AEROGPU_CMD_CREATE_SHADER_DXBC, (uint32_t)PACKET_BYTES + shader->size_bytes},
        .shader_handle = handle,
        .dxbc_size_bytes = shader->size_bytes,
    };

    /* An endless shader would cost the search its time; recorded inputs contain it. */
    if (create.hdr.size_bytes > FUZZ_MADE_BYTES || strstr(shader->name, "endless") != NULL) {
        return 0;
    }
    set_stage(&create, shader->name);
    memcpy(out, &create, sizeof create);
    memcpy(out + sizeof create, shader->words, shader->size_bytes);
    if (fuzz_random_below(random, 4) == 0) {
        fuzz_tweak_shader(random, out, create.hdr.size_bytes);
    }
    return create.hdr.size_bytes;
}
