/* readback.c: reads device memory through copies. */
#include "tests/cases/rig/readback.h"

#include <string.h>

#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/resource_packets.h"

#define POISON 0xCD

void agpu_put_readback(struct agpu_rig *rig, uint32_t handle, uint64_t offset, uint32_t size)
{
    struct agpu_dma *memory = &rig->memory[AGPU_READBACK_MEMORY];

    memset(memory->cpu, POISON, memory->size);
    agpu_rig_alloc(rig, AGPU_READBACK_ALLOC, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, AGPU_READBACK_HANDLE, memory->size, AGPU_READBACK_ALLOC, 0);
    agpu_put_dirty(rig, AGPU_READBACK_HANDLE, 0, memory->size);
    agpu_put_copy_buffer(rig, AGPU_READBACK_HANDLE, 0, handle, offset, size, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static bool all_poison(const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i] != POISON) {
            return false;
        }
    }
    return true;
}

bool agpu_check_readback_at(struct agpu_test *test, const void *expected, uint32_t size,
                            struct agpu_where where)
{
    struct agpu_dma *memory = &test->env->rig.memory[AGPU_READBACK_MEMORY];
    uint8_t *bytes = memory->cpu;
    bool ok;

    /* If all bytes are still poison, the copy has not arrived, and the bytes show nothing about the device's memory. */
    if (all_poison(bytes, size) && memcmp(bytes, expected, size) != 0) {
        ok = agpu_check_memory(test, bytes, expected, size,
                               "the read-back's own copy reaches guest memory: it still holds its poison",
                               where);
    } else {
        ok = agpu_check_origins_at(test, bytes, expected, size, "bytes read back from the device", where);
    }
    ok &= agpu_check_fill(test, bytes + size, POISON, memory->size - size,
                          "guest memory behind the copied range", where);
    memset(bytes, POISON, memory->size);
    return ok;
}

void agpu_put_readback_done(struct agpu_rig *rig)
{
    agpu_put_destroy(rig, AGPU_READBACK_HANDLE);
}
