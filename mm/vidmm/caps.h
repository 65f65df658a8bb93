/* caps.h: DXGK_VIDMMCAPS (vidmm.md 9): the bits, the value that this manager reports, the legal combinations, and the
 * layout rules that the cross-adapter bit promises. */
#ifndef AGPU_MM_VIDMM_CAPS_H
#define AGPU_MM_VIDMM_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/base/ntstatus.h"

enum agpu_vidmm_cap {
    AGPU_CAP_OUT_OF_ORDER_LOCK = 1u << 0,
    AGPU_CAP_DEDICATED_PAGING_ENGINE = 1u << 1,   /* reserved, must be 0 */
    AGPU_CAP_PAGING_ENGINE_CAN_SWIZZLE = 1u << 2, /* reserved, must be 0 */
    AGPU_CAP_SECTION_BACKED_PRIMARY = 1u << 3,
    AGPU_CAP_CROSS_ADAPTER_RESOURCE = 1u << 4,
    AGPU_CAP_VIRTUAL_ADDRESSING = 1u << 5,
    AGPU_CAP_GPU_MMU = 1u << 6,
    AGPU_CAP_IO_MMU = 1u << 7,
    AGPU_CAP_REPLICATE_GDI_CONTENT = 1u << 8,
    AGPU_CAP_NON_CPU_VISIBLE_PRIMARY = 1u << 9,
    AGPU_CAP_PARAVIRTUALIZATION = 1u << 10,
    AGPU_CAP_IO_MMU_SECURE_MODE = 1u << 11,
    AGPU_CAP_DISABLE_SELF_REFRESH_IN_S3 = 1u << 12,
    AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED = 1u << 13,
    AGPU_CAP_MAP_APERTURE2 = 1u << 14,
    AGPU_CAP_CROSS_ADAPTER_TEXTURE = 1u << 15,
    AGPU_CAP_CROSS_ADAPTER_SCANOUT = 1u << 16,
    AGPU_CAP_ALWAYS_POWERED_VRAM = 1u << 17,
};

/* Interface versions, in order of appearance. */
enum agpu_wddm_version {
    AGPU_WDDM_UNSTATED, /* 1.1, Windows 7: the default */
    AGPU_WDDM_VISTA,
    AGPU_WDDM_WIN7,
    AGPU_WDDM_WIN8,
    AGPU_WDDM_WIN8_1,
    AGPU_WDDM_WIN10,
    AGPU_WDDM_2_2,
    AGPU_WDDM_2_4,
    AGPU_WDDM_2_7,
    AGPU_WDDM_2_9,
    AGPU_WDDM_LATER,
    AGPU_WDDM_VERSIONS,
};

/* DXGK_VIDMMCAPS; the default is all zero. */
struct agpu_vidmm_caps {
    uint32_t value;       /* enum agpu_vidmm_cap */
    uint32_t paging_node; /* ignored unless the scheduler reports MultiEngineAware */
};
_Static_assert(sizeof(struct agpu_vidmm_caps) == 8, "DXGK_VIDMMCAPS is 8 bytes");

/* Returns the bits that exist in an interface version; all others are reserved there. */
uint32_t agpu_caps_defined(enum agpu_wddm_version version);

/* Checks whether a driver of that version may report these caps: STATUS_SUCCESS or STATUS_INVALID_PARAMETER. */
NTSTATUS agpu_caps_validate(const struct agpu_vidmm_caps *caps, enum agpu_wddm_version version);

/* All checks for opening an adapter. Besides the above: STATUS_NOT_SUPPORTED for caps that need hardware which this
 * device lacks, and a check of the paging node, which counts only when the scheduler is MultiEngineAware. *why: what is
 * wrong and what to do; NULL with STATUS_SUCCESS. */
NTSTATUS agpu_caps_check(const struct agpu_vidmm_caps *caps, enum agpu_wddm_version version,
                         bool multi_engine_aware, const char **why);

/* Returns the name of a bit in the Windows Driver Kit; NULL for a reserved bit. */
const char *agpu_caps_name(unsigned bit);
/* Returns "WDDM 1.1", and so on. */
const char *agpu_wddm_name(enum agpu_wddm_version version);

/* Layout of a cross-adapter surface. */
struct agpu_cross_adapter_layout {
    uint32_t pitch; /* bytes, multiple of 128 */
    uint32_t rows;  /* multiple of 4 */
    uint64_t size;  /* pitch * rows */
};

/* Computes the layout. False when width * bytes_per_texel does not fit or a size is 0. */
bool agpu_caps_cross_adapter_layout(uint32_t width, uint32_t height, uint32_t bytes_per_texel,
                                    struct agpu_cross_adapter_layout *out);

#endif
