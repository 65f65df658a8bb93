/* staging.c: Map of textures: staging of every access, mips and layers with their pitches,
 * write-only uploads, and dynamic textures (umd.md 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/umd_textures.h"

#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define READ  D3D10_DDI_CPU_ACCESS_READ
#define WRITE D3D10_DDI_CPU_ACCESS_WRITE

/* Texels written through a map must reach the device, and the next map must show what the device has copied. */
static void round_trip(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_staging_desc(RGBA, 30, 11, READ | WRITE);
    struct agpu_resource_desc source_desc = agpu_texture_desc(RGBA, 30, 11);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 0);
    D3D10DDI_HRESOURCE source;
    uint8_t *image = agpu_scratch(0);

    for (uint32_t round = 1; round <= 3; round++) {
        agpu_fill_image(&desc, 0, round, image);
        agpu_return_unless(agpu_write_image(t, staging, &desc, 0, D3D10_DDI_MAP_WRITE, image));
        agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, image));
        agpu_return_unless(agpu_check_image(t, staging, &desc, 0, image)); /* as the device has it */
    }
    agpu_fill_image(&desc, 0, 9, image);
    agpu_return_unless(agpu_write_image(t, staging, &desc, 0, D3D10_DDI_MAP_READWRITE, image));
    agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, image));
    agpu_return_unless(agpu_check_image(t, staging, &desc, 0, image));
    /* And back: the next map shows what the device writes. */
    source = agpu_make_texture(t, &source_desc, 8);
    agpu_assert(t, source.pDrvPrivate != NULL);
    agpu_umd_copy(t, staging, source);
    agpu_fill_image(&desc, 0, 8, image);
    agpu_check_mapped_image(t, staging, &desc, 0, image);
}

/* Each mip and layer of a staging texture, written through its own map, must keep its texels for CPU and device. */
static void every_subresource(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_staging_desc(RGBA, 21, 9, READ | WRITE);
    D3D10DDI_HRESOURCE staging;
    uint8_t *image = agpu_scratch(0);

    desc.MipLevels = 0;
    desc.ArraySize = 3;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    staging = agpu_make_texture(t, &desc, 0);
    for (uint32_t i = 0; i < agpu_subresources_of(&desc); i++) {
        agpu_fill_image(&desc, i, 5, image);
        agpu_return_unless(agpu_write_image(t, staging, &desc, i, D3D10_DDI_MAP_WRITE, image));
    }
    for (uint32_t i = agpu_subresources_of(&desc); i-- > 0;) {
        agpu_fill_image(&desc, i, 5, image);
        agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, i, image));
    }
    agpu_check_texture(t, staging, &desc, 5); /* as the device has it */
}

/* Given staging that the CPU only writes, as for uploads, the device must read exactly the written bytes. */
static void umd_staging_write_only(struct agpu_test *t)
{
    struct agpu_resource_desc staging_desc = agpu_staging_desc(RGBA, 40, 25, WRITE);
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 40, 25);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &staging_desc, 0);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, staging.pDrvPrivate && texture.pDrvPrivate);
    for (uint32_t round = 1; round <= 3; round++) {
        agpu_fill_image(&desc, 0, 10 + round, image);
        agpu_return_unless(agpu_write_image(t, staging, &staging_desc, 0, D3D10_DDI_MAP_WRITE, image));
        agpu_umd_copy(t, texture, staging);
        agpu_return_unless(agpu_check_image(t, texture, &desc, 0, image));
    }
}

/* Given a staging texture without read access, a copy of its mips and layers must have the texels written through
 * maps. */
static void write_only_mips(struct agpu_test *t)
{
    struct agpu_resource_desc staging_desc = agpu_staging_desc(RGBA, 20, 12, WRITE);
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 20, 12);
    D3D10DDI_HRESOURCE staging, texture;
    uint8_t *image = agpu_scratch(0);

    staging_desc.MipLevels = desc.MipLevels = 3;
    staging_desc.ArraySize = desc.ArraySize = 2;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    staging = agpu_make_texture(t, &staging_desc, 0);
    texture = agpu_make_texture(t, &desc, 0);
    agpu_assert(t, staging.pDrvPrivate && texture.pDrvPrivate);
    for (uint32_t i = 0; i < 6; i++) {
        agpu_fill_image(&desc, i, 15, image);
        agpu_return_unless(agpu_write_image(t, staging, &staging_desc, i, D3D10_DDI_MAP_WRITE, image));
    }
    agpu_umd_copy(t, texture, staging);
    agpu_check_texture(t, texture, &desc, 15);
}

/* A partial write through a map must keep the other bytes. */
static void write_part(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_staging_desc(RGBA, 16, 16, READ | WRITE);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 16);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint8_t *expected = agpu_scratch(0);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 16, expected);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
    for (uint32_t row = 3; row < 7; row++) {
        memset((uint8_t *)mapped.pData + row * mapped.RowPitch + 20, 0x5A, 12);
        memset(expected + row * 64 + 20, 0x5A, 12);
    }
    agpu_umd_unmap(t, staging);
    agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, expected));
    agpu_check_image(t, staging, &desc, 0, expected);
}

/* Given a map for writing right after a copy from the texture, the copy must have the texels from before. */
static void write_waits_for_the_copy(struct agpu_test *t)
{
    struct agpu_resource_desc staging_desc = agpu_staging_desc(RGBA, 64, 64, READ | WRITE);
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 64, 64);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &staging_desc, 17);
    D3D10DDI_HRESOURCE textures[4];
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < 4; i++) {
        textures[i] = agpu_make_texture(t, &desc, 0);
        agpu_assert(t, textures[i].pDrvPrivate != NULL);
        agpu_umd_copy(t, textures[i], staging);
        agpu_fill_image(&desc, 0, 18 + i, image);
        agpu_return_unless(agpu_write_image(t, staging, &staging_desc, 0, D3D10_DDI_MAP_WRITE, image));
    }
    for (uint32_t i = 0; i < 4; i++) {
        agpu_return_unless(agpu_check_texture(t, textures[i], &desc, 17 + i));
    }
}

/* StagingResourceMap and StagingResourceUnmap must work for a staging texture and a staging buffer. */
static void own_entries(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_staging_desc(RGBA, 8, 8, READ | WRITE);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 25);
    D3D10DDI_HRESOURCE buffer = agpu_make_staging(t, 64, READ | WRITE);
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {0};
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, staging.pDrvPrivate && buffer.pDrvPrivate);
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnStagingResourceMap(umd->device, staging, 0, D3D10_DDI_MAP_READWRITE, 0, &mapped),
        S_OK));
    agpu_fill_image(&desc, 0, 25, image);
    agpu_check_eq_mem(t, mapped.pData, image, 32);
    memset(mapped.pData, 0x77, 32);
    memset(image, 0x77, 32);
    umd->context.pfnStagingResourceUnmap(umd->device, staging, 0);
    agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, image));
    agpu_return_unless(agpu_check_image(t, staging, &desc, 0, image));
    agpu_check_errors(t, 0, S_OK);
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnStagingResourceMap(umd->device, buffer, 0, D3D10_DDI_MAP_WRITE, 0, &mapped),
        S_OK));
    agpu_fill_pattern(image, 64, 26);
    memcpy(mapped.pData, image, 64);
    umd->context.pfnStagingResourceUnmap(umd->device, buffer, 0);
    agpu_check_contents(t, buffer, image, 64);
}

/* Given a wrong subresource or map type, or a second map, the driver must refuse it and leave the texels unchanged. */
static void umd_staging_refused(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_staging_desc(RGBA, 8, 8, READ | WRITE);
    struct agpu_resource_desc default_desc = agpu_texture_desc(RGBA, 8, 8);
    D3D10DDI_HRESOURCE staging, texture;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    agpu_without_rules(t); /* without the runtime's usage rules */
    desc.MipLevels = 2;
    desc.ArraySize = 2;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    staging = agpu_make_texture(t, &desc, 26);
    texture = agpu_make_texture(t, &default_desc, 27);
    agpu_assert(t, staging.pDrvPrivate && texture.pDrvPrivate);
    agpu_check_hr(t, umd->context.pfnResourceMap(umd->device, staging, 4, D3D10_DDI_MAP_READ, 0, &mapped),
                  E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), E_INVALIDARG);
    for (uint32_t type = D3D10_DDI_MAP_READ; type <= D3D10_DDI_MAP_WRITE_NOOVERWRITE; type++) {
        agpu_check_hr(t, agpu_umd_map(t, texture, type, 0, &mapped), E_INVALIDARG);
    }
    agpu_runtime_errors_clear(umd->runtime_device);
    /* One mapping at a time, whatever the subresource. */
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnResourceMap(umd->device, staging, 3, D3D10_DDI_MAP_READ, 0, &mapped), S_OK));
    agpu_check_hr(t, umd->context.pfnResourceMap(umd->device, staging, 0, D3D10_DDI_MAP_READ, 0, &mapped),
                  E_FAIL);
    agpu_runtime_errors_clear(umd->runtime_device);
    umd->context.pfnResourceUnmap(umd->device, staging, 0);
    agpu_check_errors(t, 1, E_INVALIDARG);
    umd->context.pfnResourceUnmap(umd->device, staging, 3);
    agpu_check_errors(t, 0, S_OK);
    /* None of this has reached the texels. */
    agpu_return_unless(agpu_check_texture(t, staging, &desc, 26));
    agpu_check_texture(t, texture, &default_desc, 27);
}

/* Formats that a device need not write back must survive: written through a map, copied by the device, read through
 * another map. */
static void umd_staging_formats(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    struct agpu_resource_desc desc = agpu_staging_desc(format, 18, 10, READ | WRITE);
    D3D10DDI_HRESOURCE staging, other;
    uint8_t *image = agpu_scratch(0);

    agpu_return_unless(agpu_asks_texture(t, &desc));
    staging = agpu_make_texture(t, &desc, 0);
    other = agpu_make_poisoned(t, &desc);
    agpu_assert(t, staging.pDrvPrivate && other.pDrvPrivate);
    if (agpu_device_refused(t)) {
        agpu_skip(t, AGPU_SKIP_NO_FORMAT);
        return;
    }
    for (uint32_t round = 0; round < 2; round++) {
        agpu_fill_image(&desc, 0, 31 + round, image);
        agpu_return_unless(agpu_write_image(t, staging, &desc, 0, D3D10_DDI_MAP_WRITE, image));
        agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, image));
        agpu_umd_copy(t, other, staging);
        agpu_return_unless(agpu_check_written_back(t, other, &desc, 0, image));
    }
}

/* ---- dynamic textures ---- */

static struct agpu_resource_desc dynamic_desc(uint32_t width, uint32_t height)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, width, height);

    desc.Usage = D3D10_DDI_USAGE_DYNAMIC;
    desc.CPUAccessFlags = WRITE;
    return desc;
}

/* Given a dynamic texture created with initial data, the device must have its texels. */
static void umd_staging_dynamic_initial(struct agpu_test *t)
{
    struct agpu_resource_desc desc = dynamic_desc(29, 14);

    agpu_check_texture(t, agpu_make_texture(t, &desc, 40), &desc, 40);
}

/* Each map with DISCARD of a dynamic texture must give the device the newly written texels. */
static void dynamic_discard(struct agpu_test *t)
{
    struct agpu_resource_desc desc = dynamic_desc(29, 14);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    uint8_t *image = agpu_scratch(0);

    for (uint32_t round = 0; round < 4; round++) {
        agpu_fill_image(&desc, 0, 41 + round, image);
        agpu_return_unless(agpu_write_image(t, texture, &desc, 0, D3D10_DDI_MAP_WRITE_DISCARD, image));
        agpu_return_unless(agpu_check_image(t, texture, &desc, 0, image));
    }
}

/* Given a copy after each of six DISCARD maps, each copy must have the texels of its time. */
static void dynamic_is_ordered(struct agpu_test *t)
{
    struct agpu_resource_desc desc = dynamic_desc(29, 14);
    struct agpu_resource_desc copy_desc = agpu_texture_desc(RGBA, 29, 14);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    D3D10DDI_HRESOURCE copies[6];
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, texture.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < 6; i++) {
        copies[i] = agpu_make_texture(t, &copy_desc, 0);
        agpu_fill_image(&desc, 0, 50 + i, image);
        agpu_return_unless(agpu_write_image(t, texture, &desc, 0, D3D10_DDI_MAP_WRITE_DISCARD, image));
        agpu_umd_copy(t, copies[i], texture);
    }
    for (uint32_t i = 0; i < 6; i++) {
        agpu_return_unless(agpu_check_texture(t, copies[i], &copy_desc, 50 + i));
    }
}

/* A map with NO_OVERWRITE after a DISCARD must show the earlier texels and keep those that it does not write. */
static void dynamic_no_overwrite(struct agpu_test *t)
{
    struct agpu_resource_desc desc = dynamic_desc(16, 16);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint8_t *expected = agpu_scratch(0);

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_fill_image(&desc, 0, 60, expected);
    agpu_return_unless(agpu_write_image(t, texture, &desc, 0, D3D10_DDI_MAP_WRITE_DISCARD, expected));
    agpu_return_unless(
        agpu_check_hr(t, agpu_umd_map(t, texture, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), S_OK));
    /* Earlier bytes are still there, and remain where this mapping does not write. */
    for (uint32_t row = 0; row < 16; row++) {
        agpu_check_eq_mem(t, (uint8_t *)mapped.pData + row * mapped.RowPitch, expected + row * 64, 64);
    }
    memset((uint8_t *)mapped.pData + 2 * mapped.RowPitch, 0x33, 64);
    memset(expected + 2 * 64, 0x33, 64);
    agpu_umd_unmap(t, texture);
    agpu_check_image(t, texture, &desc, 0, expected);
}

#define STAGING(name, section, function)                                                                     \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,       \
        .run = (function)                                                                                    \
    }
#define FORMAT(name, format)                                                                                 \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 6.4", .needs = AGPU_NEED_UMD,                                     \
        .features = AEROGPU_FEATURE_TRANSFER, .arg = &(const uint32_t){format}, .run = umd_staging_formats   \
    }

static const struct agpu_case umd_staging_cases[] = {
    STAGING("map.texture.round_trip", "umd.md 6.4", round_trip),
    STAGING("map.texture.every_subresource", "umd.md 6.4", every_subresource),
    STAGING("map.texture.write_only", "umd.md 6.5", umd_staging_write_only),
    STAGING("map.texture.write_only_mips", "umd.md 6.5", write_only_mips),
    STAGING("map.texture.write_part", "umd.md 6.5", write_part),
    STAGING("map.texture.write_waits_for_the_copy", "umd.md 6.3", write_waits_for_the_copy),
    STAGING("map.texture.staging_entries", "umd.md 6.1", own_entries),
    STAGING("map.texture.refused", "umd.md 6.1", umd_staging_refused),
    FORMAT("map.texture.b5g6r5", DXGI_FORMAT_B5G6R5_UNORM),
    FORMAT("map.texture.b5g5r5a1", DXGI_FORMAT_B5G5R5A1_UNORM),
    FORMAT("map.texture.bc1", DXGI_FORMAT_BC1_UNORM),
    FORMAT("map.texture.bc3", DXGI_FORMAT_BC3_UNORM),
    FORMAT("map.texture.bc7_srgb", DXGI_FORMAT_BC7_UNORM_SRGB),
    FORMAT("map.texture.d24s8", DXGI_FORMAT_D24_UNORM_S8_UINT),
    FORMAT("map.texture.d32", DXGI_FORMAT_D32_FLOAT),
    STAGING("map.dynamic_texture.initial", "umd.md 5.3", umd_staging_dynamic_initial),
    STAGING("map.dynamic_texture.discard", "umd.md 6.3", dynamic_discard),
    STAGING("map.dynamic_texture.discard_is_ordered", "umd.md 6.4", dynamic_is_ordered),
    STAGING("map.dynamic_texture.no_overwrite", "umd.md 6.4", dynamic_no_overwrite),
};

AGPU_CASE_TABLE(agpu_cases_umd_staging, umd_staging_cases);
