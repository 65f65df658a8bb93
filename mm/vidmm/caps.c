/* caps.c: DXGK_VIDMMCAPS (vidmm.md 9). */
#include "mm/vidmm/caps.h"

#include <stddef.h>

#define MMU     (AGPU_CAP_GPU_MMU | AGPU_CAP_IO_MMU)
#define NODES   1u /* engines that the device has (ring.md 3) */
#define BITS    18u
#define TEXTURE AGPU_CAP_CROSS_ADAPTER_TEXTURE
#define SCANOUT AGPU_CAP_CROSS_ADAPTER_SCANOUT

/* By version: highest defined bit, and the version's name. Windows 7 defines bits 0..2, of which 1 and 2 must be 0. */
static const struct {
    uint8_t highest_bit;
    const char *name;
} versions[AGPU_WDDM_VERSIONS] = {
    [AGPU_WDDM_UNSTATED] = {2, "WDDM 1.1"}, [AGPU_WDDM_VISTA] = {0, "WDDM 1.0"},
    [AGPU_WDDM_WIN7] = {2, "WDDM 1.1"},     [AGPU_WDDM_WIN8] = {3, "WDDM 1.2"},
    [AGPU_WDDM_WIN8_1] = {4, "WDDM 1.3"},   [AGPU_WDDM_WIN10] = {9, "WDDM 2.0"},
    [AGPU_WDDM_2_2] = {10, "WDDM 2.2"},     [AGPU_WDDM_2_4] = {12, "WDDM 2.4"},
    [AGPU_WDDM_2_7] = {13, "WDDM 2.7"},     [AGPU_WDDM_2_9] = {16, "WDDM 2.9"},
    [AGPU_WDDM_LATER] = {17, "WDDM 3.0"},
};

/* Caps with any of `bits` must have all of `needs` and none of `excludes`. */
static const struct {
    uint32_t bits, needs, excludes;
    const char *why;
} rules[] = {
    {AGPU_CAP_DEDICATED_PAGING_ENGINE, 0, AGPU_CAP_DEDICATED_PAGING_ENGINE,
     "DedicatedPagingEngine is reserved and must be 0: clear it"},
    {AGPU_CAP_PAGING_ENGINE_CAN_SWIZZLE, 0, AGPU_CAP_PAGING_ENGINE_CAN_SWIZZLE,
     "PagingEngineCanSwizzle is reserved and must be 0: clear it"},
    {AGPU_CAP_GPU_MMU, 0, AGPU_CAP_IO_MMU, "GpuMmuSupported and IoMmuSupported exclude each other: set one"},
    {MMU, AGPU_CAP_VIRTUAL_ADDRESSING, 0,
     "GpuMmuSupported and IoMmuSupported need VirtualAddressingSupported: set it too"},
    {TEXTURE, AGPU_CAP_CROSS_ADAPTER_RESOURCE, 0,
     "CrossAdapterResourceTexture needs CrossAdapterResource: set it too"},
    {SCANOUT, AGPU_CAP_CROSS_ADAPTER_RESOURCE | TEXTURE, 0,
     "CrossAdapterResourceScanout needs CrossAdapterResource and CrossAdapterResourceTexture: set them too"},
    {AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED, AGPU_CAP_IO_MMU_SECURE_MODE, 0,
     "IoMmuSecureModeRequired needs IoMmuSecureModeSupported: set it too"},
};

/* Bits for hardware that this device lacks (vidmm.md 9). */
static const struct {
    uint32_t bits;
    const char *why;
} lacking[] = {
    {AGPU_CAP_VIRTUAL_ADDRESSING | MMU,
     "VirtualAddressingSupported needs an MMU before the device, which takes guest physical addresses: clear "
     "it"},
    {AGPU_CAP_REPLICATE_GDI_CONTENT, "ReplicateGdiContent needs a second adapter with a renderer: clear it"},
    {AGPU_CAP_PARAVIRTUALIZATION, "ParavirtualizationSupported needs the DDIs of a host driver: clear it"},
    {AGPU_CAP_IO_MMU_SECURE_MODE | AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED,
     "IoMmuSecureModeSupported needs an IOMMU that the manager programs: clear it"},
    {AGPU_CAP_DISABLE_SELF_REFRESH_IN_S3,
     "DisableSelfRefreshVRAMInS3 needs VRAM with a power state: clear it"},
    {AGPU_CAP_MAP_APERTURE2, "MapAperture2Supported needs an aperture with a page table: clear it"},
    {AGPU_CAP_ALWAYS_POWERED_VRAM, "AlwaysPoweredVRAM needs VRAM with a power state: clear it"},
};

static const char *const names[BITS] = {"OutOfOrderLock",
                                        "DedicatedPagingEngine",
                                        "PagingEngineCanSwizzle",
                                        "SectionBackedPrimary",
                                        "CrossAdapterResource",
                                        "VirtualAddressingSupported",
                                        "GpuMmuSupported",
                                        "IoMmuSupported",
                                        "ReplicateGdiContent",
                                        "NonCpuVisiblePrimary",
                                        "ParavirtualizationSupported",
                                        "IoMmuSecureModeSupported",
                                        "DisableSelfRefreshVRAMInS3",
                                        "IoMmuSecureModeRequired",
                                        "MapAperture2Supported",
                                        "CrossAdapterResourceTexture",
                                        "CrossAdapterResourceScanout",
                                        "AlwaysPoweredVRAM"};

uint32_t agpu_caps_defined(enum agpu_wddm_version version)
{
    return (2u << versions[version].highest_bit) - 1u;
}

const char *agpu_caps_name(unsigned bit)
{
    return bit < BITS ? names[bit] : NULL;
}

const char *agpu_wddm_name(enum agpu_wddm_version version)
{
    return (unsigned)version < AGPU_WDDM_VERSIONS ? versions[version].name : "WDDM unknown";
}

/* Returns the rule that these caps break, NULL for none. */
static const char *broken_rule(uint32_t value, enum agpu_wddm_version version)
{
    if ((unsigned)version >= AGPU_WDDM_VERSIONS) {
        return "no such interface version";
    }
    /* Check the reserved bits of all versions first, then those of this version: the first message says more. */
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if ((value & rules[i].bits) != 0 &&
            ((value & rules[i].needs) != rules[i].needs || (value & rules[i].excludes) != 0)) {
            return rules[i].why;
        }
    }
    if ((value & AGPU_CAP_VIRTUAL_ADDRESSING) != 0 && (value & MMU) == 0) {
        return "VirtualAddressingSupported needs GpuMmuSupported or IoMmuSupported: set one of them";
    }
    return (value & ~agpu_caps_defined(version)) != 0 ? "a bit is set that this interface version reserves: "
                                                        "clear it, or state the version that has it"
                                                      : NULL;
}

NTSTATUS agpu_caps_validate(const struct agpu_vidmm_caps *caps, enum agpu_wddm_version version)
{
    return broken_rule(caps->value, version) != NULL ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

NTSTATUS agpu_caps_check(const struct agpu_vidmm_caps *caps, enum agpu_wddm_version version,
                         bool multi_engine_aware, const char **why)
{
    *why = broken_rule(caps->value, version);
    if (*why != NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    /* From WDDM 2.0 on, other caps hold the node, and this one is ignored. */
    if (multi_engine_aware && version < AGPU_WDDM_WIN10 && caps->paging_node >= NODES) {
        *why = "PagingNode names an engine that the device does not have: it has engine 0 alone";
        return STATUS_INVALID_PARAMETER;
    }
    for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
        if ((caps->value & lacking[i].bits) != 0) {
            *why = lacking[i].why;
            return STATUS_NOT_SUPPORTED;
        }
    }
    return STATUS_SUCCESS;
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
