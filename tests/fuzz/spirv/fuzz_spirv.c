/* fuzz_spirv.c: fuzz target of the SPIR-V rewriting in agpu-shaderc: any words; no read out of bounds, and the
 * result is complete. */
#include <stdlib.h>
#include <string.h>

#include "tests/device/shaderc/decorations.h"
#include "tests/device/shaderc/point_size.h"
#include "tests/fuzz/fuzz.h"

#define MAGIC 0x07230203u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint32_t bytes = (uint32_t)(size / 4 * 4);
    uint32_t once = bytes, twice;
    uint32_t *words, *single, *patched;

    if (bytes < 20) {
        return 0;
    }
    words = malloc(bytes); /* exactly as large, so that a read past the end is detected */
    if (words == NULL) {
        return 0;
    }
    memcpy(words, data, bytes);
    words[0] = MAGIC; /* the translator's result always has it, so the search need not find it */
    single = vgpu_decorations(words, &once);
    twice = once;
    patched = single != NULL ? vgpu_point_size(single, &twice) : NULL;
    if ((single != NULL && (once % 4 != 0 || once > bytes || single[0] != MAGIC)) ||
        (patched != NULL && (twice % 4 != 0 || patched[0] != MAGIC))) {
        abort();
    }
    free(patched);
    free(single);
    free(words);
    return 0;
}
