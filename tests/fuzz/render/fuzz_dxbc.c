/* fuzz_dxbc.c: fuzz target of the renderer's DXBC reader: containers of any bytes, and the test shaders with
 * some words replaced. An accepted container must be within the limits of the renderer's tables. */
#include <stdlib.h>
#include <string.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"
#include "tests/fuzz/fuzz.h"
#include "tests/shaders/shaders.h"

#define AGPU_SHADER_ADDRESS(name) &agpu_##name,
static const struct agpu_shader_blob *const shaders[] = {AGPU_SHADER_BLOBS(AGPU_SHADER_ADDRESS)};

enum { SHADERS = sizeof shaders / sizeof *shaders, MOST_BYTES = 1 << 16 };

/* Builds a container. First byte below SHADERS: that test shader, then 6 bytes per change: index of a word, its
 * value. Otherwise: the container itself, with size and checksum corrected. Returns the container's size. */
static size_t build(const uint8_t *data, size_t size, uint32_t *words)
{
    size_t bytes;

    if (data[0] < SHADERS) {
        const struct agpu_shader_blob *shader = shaders[data[0]];

        bytes = shader->size_bytes;
        memcpy(words, shader->words, bytes);
        for (size_t at = 1; size - at >= 6; at += 6) {
            size_t word = (data[at] | (size_t)data[at + 1] << 8) % (bytes / 4);

            memcpy(&words[word], data + at + 2, 4);
        }
    } else {
        bytes = (size - 1) / 4 * 4;
        memcpy(words, data + 1, bytes);
        if (bytes > 24) {
            words[6] = (uint32_t)bytes;
        }
    }
    if (bytes >= 32) {
        vgpu_dxbc_checksum(words, bytes, words + 1);
    }
    return bytes;
}

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vgpu_dxbc dxbc;

    if (size < 1 || size > MOST_BYTES) {
        return 0;
    }
    uint32_t *scratch = malloc(MOST_BYTES + 4096);
    check(scratch != NULL);
    size_t bytes = build(data, size, scratch);
    /* Exactly as large, so that a read past the end is detected. */
    uint32_t *exact = malloc(bytes ? bytes : 1);
    check(exact != NULL);
    memcpy(exact, scratch, bytes);
    if (vgpu_dxbc_read(exact, bytes, &dxbc) == NULL) {
        check(dxbc.type < VGPU_DXBC_TYPES && dxbc.binding_count <= VGPU_DXBC_BINDINGS);
        for (uint32_t i = 0; i < dxbc.binding_count; i++) {
            const struct vgpu_dxbc_binding *binding = &dxbc.bindings[i];
            static const uint8_t limits[] = {
                VGPU_DXBC_CONSTANT_BUFFERS, VGPU_DXBC_RESOURCES, VGPU_DXBC_RESOURCES,
                VGPU_DXBC_SAMPLERS,         VGPU_DXBC_UAVS,      VGPU_DXBC_UAVS};

            check(binding->kind < sizeof limits && binding->reg < limits[binding->kind]);
            check(binding->kind != VGPU_DXBC_CONSTANT_BUFFER ||
                  (binding->registers >= 1 && binding->registers <= 4096));
        }
        for (uint32_t i = 0; i < dxbc.inputs.count; i++) {
            check(dxbc.inputs.elements[i].reg < VGPU_DXBC_REGISTERS ||
                  dxbc.inputs.elements[i].reg == UINT32_MAX);
        }
    }
    free(exact);
    free(scratch);
    return 0;
}
