/* aerogpu_wddm_alloc.h: private data of a WDDM allocation, exchanged between the guest's user-mode and
 * kernel-mode drivers and stored with the allocation (ring.md 10); the device never reads it. */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_WDDM_ALLOC_H
#define AGPU_RING_PROTOCOL_AEROGPU_WDDM_ALLOC_H

#include <stdint.h>

/* Magic and versions: version 1 is aerogpu_wddm_alloc_priv, version 2 aerogpu_wddm_alloc_priv_v2. */
#define AEROGPU_WDDM_ALLOC_PRIV_MAGIC           0x414C4C4Fu
#define AEROGPU_WDDM_ALLOC_PRIV_VERSION         0x1u
#define AEROGPU_WDDM_ALLOC_PRIV_VERSION_2       0x2u
#define AEROGPU_WDDM_ALLOC_PRIVATE_DATA_MAGIC   AEROGPU_WDDM_ALLOC_PRIV_MAGIC   /* older name */
#define AEROGPU_WDDM_ALLOC_PRIVATE_DATA_VERSION AEROGPU_WDDM_ALLOC_PRIV_VERSION /* older name */

/* alloc_id ranges: user mode chooses 1..UMD_MAX, the kernel driver KMD_MIN.. ; 0 is invalid (ring.md 8). */
#define AEROGPU_WDDM_ALLOC_ID_UMD_MAX 0x7FFFFFFFu
#define AEROGPU_WDDM_ALLOC_ID_KMD_MIN 0x80000000u

/* Flags. */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_NONE        0x0u
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED   0x1u /* share_token is valid */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE 0x2u
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING     0x4u
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_SHARED      AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED /* older name */

/* reserved0 holds a surface description when bit 63 is set, else a row pitch in bits 0-31 (0 = unknown). */
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER     0x8000000000000000ull
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH  0xFFFFu
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT 0x7FFFu

/* Builds a surface description: D3D9 format in bits 0-31, width in 32-47, height in 48-62. */
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(format, width, height)                                             \
    (AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER | (uint64_t)(uint32_t)(format) |                                    \
     ((uint64_t)((uint32_t)(width)&AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH) << 32) |                          \
     ((uint64_t)((uint32_t)(height)&AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT) << 48))
/* Non-zero when desc is a surface description; the other three are meaningful only then. */
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc)                                                           \
    (((uint64_t)(desc)&AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER) != 0)
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc) ((uint32_t)(uint64_t)(desc))
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc)                                                             \
    ((uint32_t)((uint64_t)(desc) >> 32) & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH)
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc)                                                            \
    ((uint32_t)((uint64_t)(desc) >> 48) & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT)

/* Kinds of allocation, version 2. */
#define AEROGPU_WDDM_ALLOC_KIND_UNKNOWN   0x0u
#define AEROGPU_WDDM_ALLOC_KIND_BUFFER    0x1u
#define AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D 0x2u

/* Version 1. */
struct aerogpu_wddm_alloc_priv {
    uint32_t magic;       /* AEROGPU_WDDM_ALLOC_PRIV_MAGIC */
    uint32_t version;     /* AEROGPU_WDDM_ALLOC_PRIV_VERSION */
    uint32_t alloc_id;    /* name in allocation tables, non-zero */
    uint32_t flags;       /* AEROGPU_WDDM_ALLOC_PRIV_FLAG_* */
    uint64_t share_token; /* non-zero only when IS_SHARED */
    uint64_t size_bytes;
    uint64_t reserved0; /* surface description or row pitch, see above */
};

/* Version 2: version 1, and the fields that a user-mode driver needs to open the allocation. Zero for buffers. */
struct aerogpu_wddm_alloc_priv_v2 {
    uint32_t magic;
    uint32_t version; /* AEROGPU_WDDM_ALLOC_PRIV_VERSION_2 */
    uint32_t alloc_id;
    uint32_t flags;
    uint64_t share_token;
    uint64_t size_bytes;
    uint64_t reserved0;
    uint32_t kind;   /* AEROGPU_WDDM_ALLOC_KIND_* */
    uint32_t width;  /* texels */
    uint32_t height; /* texels */
    uint32_t format; /* DXGI_FORMAT */
    uint32_t row_pitch_bytes;
    uint32_t reserved1; /* 0 */
};

#endif
