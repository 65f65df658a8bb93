/* dxbc.c: the DXBC container: chunks, checksum, signatures. */
#include "tests/device/render/dxbc.h"

#include <string.h>

#include "tests/device/render/dxbc_checksum.h"
#include "tests/device/render/dxbc_program.h"

#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum { HEADER_BYTES = 32, CHUNK_HEADER_BYTES = 8, MAX_CHUNKS = 64 };

struct dxbc_chunk {
    const uint32_t *words;
    uint32_t size; /* bytes */
};

/* Chunks of a container that the renderer reads; size 0 = absent. */
struct dxbc_container {
    struct dxbc_chunk inputs, outputs, patch, program;
    uint32_t input_tag, output_tag, patch_tag;
};

/* Takes the first of two chunks of one kind. */
static void keep_chunk(struct dxbc_chunk *chunk, uint32_t *tag, uint32_t found_tag, const uint32_t *words,
                       uint32_t size)
{
    if (chunk->words == NULL) {
        *chunk = (struct dxbc_chunk){words, size};
        *tag = found_tag;
    }
}

static const char *open_container(const void *bytes, size_t size, struct dxbc_container *container)
{
    const uint32_t *words = bytes;
    uint32_t checksum[4], program_tag = 0;

    *container = (struct dxbc_container){0};
    if (size < HEADER_BYTES || size > VGPU_DXBC_MAX_BYTES) {
        return "the size is not that of a DXBC container";
    }
    if (words[0] != FOURCC('D', 'X', 'B', 'C') || words[5] != 1) {
        return "no DXBC container: magic or version";
    }
    if (words[6] != size || size % 4 != 0) {
        return "the container's size is not that of the blob";
    }
    vgpu_dxbc_checksum(bytes, size, checksum);
    if (memcmp(checksum, words + 1, sizeof checksum) != 0) {
        return "wrong checksum";
    }
    uint32_t count = words[7];
    if (count > MAX_CHUNKS || HEADER_BYTES + 4 * (size_t)count > size) {
        return "the chunk list passes the end";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = words[8 + i];

        if (at % 4 != 0 || at > size - CHUNK_HEADER_BYTES) {
            return "a chunk passes the end";
        }
        uint32_t tag = words[at / 4], bytes_in = words[at / 4 + 1];
        const uint32_t *data = words + at / 4 + 2;
        if (bytes_in > size - CHUNK_HEADER_BYTES - at) {
            return "a chunk passes the end";
        }
        switch (tag) {
        case FOURCC('I', 'S', 'G', 'N'):
        case FOURCC('I', 'S', 'G', '1'):
            keep_chunk(&container->inputs, &container->input_tag, tag, data, bytes_in);
            break;
        case FOURCC('O', 'S', 'G', 'N'):
        case FOURCC('O', 'S', 'G', '1'):
        case FOURCC('O', 'S', 'G', '5'):
            keep_chunk(&container->outputs, &container->output_tag, tag, data, bytes_in);
            break;
        case FOURCC('P', 'C', 'S', 'G'):
        case FOURCC('P', 'S', 'G', '1'):
            keep_chunk(&container->patch, &container->patch_tag, tag, data, bytes_in);
            break;
        case FOURCC('S', 'H', 'D', 'R'):
        case FOURCC('S', 'H', 'E', 'X'):
            keep_chunk(&container->program, &program_tag, tag, data, bytes_in);
            break;
        default:
            break;
        }
    }
    if (container->inputs.words == NULL || container->outputs.words == NULL) {
        return "no ISGN or no OSGN chunk";
    }
    if (container->program.words == NULL) {
        return "no SHDR or SHEX chunk";
    }
    return NULL;
}

/* Returns the FNV-1a hash of the upper-case name at offset of the chunk; 0 when the name does not end inside
 * the chunk. */
static uint32_t name_hash(const struct dxbc_chunk *chunk, uint32_t offset)
{
    enum { LONGEST = 256 };
    const uint8_t *bytes = (const uint8_t *)chunk->words;
    uint32_t hash = 0x811c9dc5u;
    for (uint32_t i = 0; i < LONGEST && offset < chunk->size; i++, offset++) {
        uint8_t c = bytes[offset];

        if (c == 0) {
            return i ? hash : 0;
        }
        if (c < 0x21 || c > 0x7e) {
            return 0;
        }
        if (c >= 'a' && c <= 'z') {
            c = (uint8_t)(c - 'a' + 'A');
        }
        hash = (hash ^ c) * 0x01000193u;
    }
    return 0;
}

static const char *read_signature(const struct dxbc_chunk *chunk, uint32_t tag,
                                  struct vgpu_dxbc_signature *out)
{
    bool stream = tag != FOURCC('I', 'S', 'G', 'N') && tag != FOURCC('O', 'S', 'G', 'N') &&
                  tag != FOURCC('P', 'C', 'S', 'G');
    bool precision = stream && tag != FOURCC('O', 'S', 'G', '5');
    uint32_t words = 6u + stream + precision;

    if (chunk->size < 8) {
        return "a signature is cut short";
    }
    uint32_t count = chunk->words[0];
    if (count > 2 * VGPU_DXBC_REGISTERS || chunk->words[1] != 8 || 8 + count * words * 4 > chunk->size) {
        return "a signature's elements pass its end";
    }
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *element = chunk->words + 2 + i * words;

        if (stream) {
            if (element[0] != 0) {
                return "output streams other than 0 are not supported";
            }
            element++;
        }
        out->elements[i] = (struct vgpu_dxbc_element){
            .name_hash = name_hash(chunk, element[0]),
            .index = element[1],
            .system_value = element[2],
            .component_type = element[3],
            .reg = element[4],
            .mask = (uint8_t)(element[5] & 0xf),
            .used = (uint8_t)(element[5] >> 8 & 0xf),
        };
        if (!out->elements[i].name_hash) {
            return "a signature element has no name";
        }
        if (out->elements[i].component_type < VGPU_DXBC_UINT ||
            out->elements[i].component_type > VGPU_DXBC_FLOAT) {
            return "a signature element has an unknown component type";
        }
        if (element[4] != UINT32_MAX && (element[4] >= VGPU_DXBC_REGISTERS || !out->elements[i].mask)) {
            return "a signature element is in no register";
        }
        if (element[2] > 64 || element[1] > 64) {
            return "a signature element has an unknown system value or a huge index";
        }
    }
    return NULL;
}

const char *vgpu_dxbc_read(const void *bytes, size_t size, struct vgpu_dxbc *dxbc)
{
    struct dxbc_container container;

    memset(dxbc, 0, sizeof *dxbc);
    const char *wrong = open_container(bytes, size, &container);
    if (wrong == NULL) {
        wrong = read_signature(&container.inputs, container.input_tag, &dxbc->inputs);
    }
    if (wrong == NULL) {
        wrong = read_signature(&container.outputs, container.output_tag, &dxbc->outputs);
    }
    if (wrong == NULL && container.patch.words != NULL) {
        wrong = read_signature(&container.patch, container.patch_tag, &dxbc->patch);
    }
    if (wrong == NULL) {
        wrong = vgpu_dxbc_check_program(container.program.words, container.program.size / 4, dxbc);
    }
    return wrong;
}
