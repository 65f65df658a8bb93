/* caps.c: DXGK_VIDMMCAPS (vidmm.md 9). */
#include "mm/vidmm/caps.h"

/* Highest defined bit per version; Windows 7 defines 0..2 of which 1 and 2 must be 0. */
static const uint8_t highest_bit[AGPU_WDDM_VERSIONS] = {
    [AGPU_WDDM_VISTA] = 0, [AGPU_WDDM_WIN7] = 2,   [AGPU_WDDM_WIN8] = 3, [AGPU_WDDM_WIN8_1] = 4,
    [AGPU_WDDM_WIN10] = 9, [AGPU_WDDM_2_2] = 10,   [AGPU_WDDM_2_4] = 12, [AGPU_WDDM_2_7] = 13,
    [AGPU_WDDM_2_9] = 16,  [AGPU_WDDM_LATER] = 17,
};

uint32_t agpu_caps_defined(enum agpu_wddm_version version)
{
    return (2u << highest_bit[version]) - 1u;
}

static bool has_caps(uint32_t value, uint32_t bits)
{
    return (value & bits) == bits;
}

NTSTATUS agpu_caps_validate(const struct agpu_vidmm_caps *caps, enum agpu_wddm_version version)
{
    if ((unsigned)version >= AGPU_WDDM_VERSIONS) {
        return STATUS_INVALID_PARAMETER;
    }
    uint32_t value = caps->value;
    bool gpu_mmu = has_caps(value, AGPU_CAP_GPU_MMU), io_mmu = has_caps(value, AGPU_CAP_IO_MMU);
    bool bad = (value & ~agpu_caps_defined(version)) != 0 ||
               (value & (AGPU_CAP_DEDICATED_PAGING_ENGINE | AGPU_CAP_PAGING_ENGINE_CAN_SWIZZLE)) != 0 ||
               (gpu_mmu && io_mmu) || has_caps(value, AGPU_CAP_VIRTUAL_ADDRESSING) != (gpu_mmu || io_mmu);
    if (has_caps(value, AGPU_CAP_CROSS_ADAPTER_TEXTURE)) {
        bad |= !has_caps(value, AGPU_CAP_CROSS_ADAPTER_RESOURCE);
    }
    if (has_caps(value, AGPU_CAP_CROSS_ADAPTER_SCANOUT)) {
        bad |= !has_caps(value, AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_TEXTURE);
    }
    if (has_caps(value, AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED)) {
        bad |= !has_caps(value, AGPU_CAP_IO_MMU_SECURE_MODE);
    }
    return bad ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

bool agpu_caps_cross_adapter_layout(uint32_t width, uint32_t height, uint32_t bytes_per_texel,
                                    struct agpu_cross_adapter_layout *out)
{
    uint64_t tight = (uint64_t)width * bytes_per_texel;

    if (tight == 0 || height == 0 || tight > UINT32_MAX - 127u || height > UINT32_MAX - 3u) {
        return false;
    }
    out->pitch = ((uint32_t)tight + 127u) & ~127u;
    out->rows = (height + 3u) & ~3u;
    out->size = (uint64_t)out->pitch * out->rows;
    return true;
}
