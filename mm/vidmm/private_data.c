/* private_data.c: reading and writing the driver's private data of an allocation (vidmm.md 3.1, ring.md 10).
 * */
#include "mm/vidmm/private_data.h"

#include <string.h>

#define V1_SIZE ((uint32_t)sizeof(struct aerogpu_wddm_alloc_priv))
#define V2_SIZE ((uint32_t)sizeof(struct aerogpu_wddm_alloc_priv_v2))

/* DXGI numbers of the 4x4 block formats: BC1 - BC5 and BC6H - BC7. */
static bool is_block_format(uint32_t format)
{
    return (format >= 70u && format <= 84u) || (format >= 94u && format <= 99u);
}

/* Takes row pitch and rows from the member that holds them. */
static void read_blob_pitch(struct agpu_private_data *data)
{
    const struct aerogpu_wddm_alloc_priv_v2 *v2 = &data->v2;
    bool described = AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(v2->reserved0);

    data->pitch = v2->row_pitch_bytes;
    if (data->pitch == 0 && !described) {
        data->pitch = (uint32_t)v2->reserved0;
    }
    data->rows = is_block_format(v2->format) ? v2->height / 4u + (v2->height % 4u != 0) : v2->height;
    if (data->rows == 0 && described) {
        data->rows = AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(v2->reserved0);
    }
}

NTSTATUS agpu_private_data_read(const void *blob, uint32_t blob_size, uint64_t allocation_size, bool shared,
                                struct agpu_private_data *out)
{
    memset(out, 0, sizeof *out);
    if (blob == NULL || blob_size == 0) {
        return shared ? STATUS_BUFFER_TOO_SMALL : STATUS_SUCCESS;
    }
    if (blob_size < V1_SIZE) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(&out->v2, blob, V1_SIZE);
    if (out->v2.magic != AEROGPU_WDDM_ALLOC_PRIV_MAGIC) {
        memset(out, 0, sizeof *out);
        /* A shared allocation needs a blob of this driver to carry its token. */
        return shared ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
    }
    if (out->v2.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION_2 && blob_size >= V2_SIZE) {
        memcpy(&out->v2, blob, V2_SIZE);
    } else if (out->v2.version != AEROGPU_WDDM_ALLOC_PRIV_VERSION) {
        return STATUS_INVALID_PARAMETER;
    }
    out->size = out->v2.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION ? V1_SIZE : V2_SIZE;
    read_blob_pitch(out);

    bool says_shared = (out->v2.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED) != 0;
    if (out->v2.alloc_id == 0 || out->v2.alloc_id > AEROGPU_WDDM_ALLOC_ID_UMD_MAX || says_shared != shared) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!shared && out->v2.share_token != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (out->pitch > allocation_size) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}
