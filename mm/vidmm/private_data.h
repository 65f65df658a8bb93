/* private_data.h: the driver's private data of an allocation that CreateAllocation accepts (vidmm.md 3.1, ring.md
 * 10). */
#ifndef AGPU_MM_VIDMM_PRIVATE_DATA_H
#define AGPU_MM_VIDMM_PRIVATE_DATA_H

#include <stdbool.h>
#include <string.h>

#include "mm/base/ntstatus.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"

/* Contents of the blob in the layout of version 2; members that version 1 lacks are 0. */
struct agpu_private_data {
    struct aerogpu_wddm_alloc_priv_v2 v2;
    uint32_t size;  /* bytes of the blob: 40 or 64; 0 = none or a foreign one: v2 is invalid */
    uint32_t pitch; /* row pitch in the blob, 0 = none */
    uint32_t rows;  /* rows of that pitch, 0 = unknown */
};

/* Reads a blob (NULL with size 0 = none) and checks it against the rest of the request. */
NTSTATUS agpu_private_data_read(const void *blob, uint32_t blob_size, uint64_t allocation_size, bool shared,
                                struct agpu_private_data *out);

/* Writes the kernel's decisions: id, token, size, pitch. blob is the one that was read. */
static inline void agpu_private_data_write(void *blob, const struct agpu_private_data *data)
{
    if (data->size != 0) {
        memcpy(blob, &data->v2, data->size);
    }
}

#endif
