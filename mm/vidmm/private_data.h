/* private_data.h: the driver's private data of an allocation: what CreateAllocation accepts (vidmm.md 3.1,
 * ring.md 10). */
#ifndef AGPU_MM_VIDMM_PRIVATE_DATA_H
#define AGPU_MM_VIDMM_PRIVATE_DATA_H

#include <stdbool.h>
#include <string.h>

#include "mm/base/ntstatus.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"

/* What the blob says, with version 1 brought to the shape of version 2 (members that it lacks are 0). */
struct agpu_private_data {
    struct aerogpu_wddm_alloc_priv_v2 v2;
    uint32_t size;  /* bytes that the blob has: 40 or 64; 0 = none or a foreign one, nothing of v2 is valid */
    uint32_t pitch; /* row pitch that it states, 0 = none */
    uint32_t rows;  /* rows of that pitch, 0 = unknown */
};

/* Reads and checks a blob (NULL with size 0 = none) against the rest of the request. */
NTSTATUS agpu_private_data_read(const void *blob, uint32_t blob_size, uint64_t allocation_size, bool shared,
                                struct agpu_private_data *out);

/* Writes what the kernel decides: id, token, size, pitch. blob is the one that was read. */
static inline void agpu_private_data_write(void *blob, const struct agpu_private_data *data)
{
    if (data->size != 0) {
        memcpy(blob, &data->v2, data->size);
    }
}

#endif
