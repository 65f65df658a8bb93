/* umd_textures.c: textures through the driver (umd_textures.h). */
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/rows_picture.h"
#include "tests/cases/rig/umd_textures.h"

#include <string.h>

#include "pci/registers.h"
#include "tests/cases/harness/rows.h"

#define SUBRESOURCES_MAX 64u

static uint8_t scratch[4][AGPU_IMAGE_BYTES];
static uint8_t initial_bytes[AGPU_IMAGE_BYTES];
static uint8_t expected_bytes[AGPU_IMAGE_BYTES];
static uint8_t poison_bytes[AGPU_IMAGE_BYTES];

/* Seed of the contents of staging textures before a copy; no case uses it. */
#define POISON_SEED 0x1000u
#define PROBE_SEED  0x1001u
#define PROBE_EDGE  8u

uint8_t *agpu_scratch(unsigned which)
{
    return scratch[which];
}

/* Returns edge and bytes of a block. The test has its own table, to find errors in the driver's. */
static void block_of(uint32_t format, uint32_t *edge, uint32_t *bytes)
{
    bool bc1 = format >= DXGI_FORMAT_BC1_TYPELESS && format <= DXGI_FORMAT_BC1_UNORM_SRGB;
    bool bc2_or_3 = format >= DXGI_FORMAT_BC2_TYPELESS && format <= DXGI_FORMAT_BC3_UNORM_SRGB;
    bool bc7 = format >= DXGI_FORMAT_BC7_TYPELESS && format <= DXGI_FORMAT_BC7_UNORM_SRGB;

    *edge = bc1 || bc2_or_3 || bc7 ? 4 : 1;
    if (*edge == 4) {
        *bytes = bc1 ? 8 : 16;
    } else {
        *bytes = format == DXGI_FORMAT_B5G6R5_UNORM || format == DXGI_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
    }
}

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

static uint32_t mips_of_desc(const struct agpu_resource_desc *desc)
{
    uint32_t edge = desc->Width > desc->Height ? desc->Width : desc->Height;
    uint32_t mips = 1;

    if (desc->MipLevels != 0) {
        return desc->MipLevels;
    }
    while (edge >>= 1) {
        mips++;
    }
    return mips;
}

uint32_t agpu_subresources_of(const struct agpu_resource_desc *desc)
{
    return mips_of_desc(desc) * at_least_one(desc->ArraySize);
}

struct agpu_image agpu_image_of(const struct agpu_resource_desc *desc, uint32_t subresource)
{
    uint32_t mip = subresource % mips_of_desc(desc);
    uint32_t edge, bytes;
    struct agpu_image image = {.width = at_least_one(desc->Width >> mip),
                               .height = at_least_one(desc->Height >> mip)};

    block_of(desc->Format, &edge, &bytes);
    image.row_bytes = (image.width + edge - 1) / edge * bytes;
    image.rows = (image.height + edge - 1) / edge;
    return image;
}

struct agpu_resource_desc agpu_texture_desc(uint32_t format, uint32_t width, uint32_t height)
{
    return (struct agpu_resource_desc){
        .ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
        .Usage = D3D10_DDI_USAGE_DEFAULT,
        .BindFlags = D3D10_DDI_BIND_SHADER_RESOURCE,
        .Format = format,
        .Width = width,
        .Height = height,
        .MipLevels = 1,
        .ArraySize = 1,
        .SampleDesc = {.Count = 1},
    };
}

struct agpu_resource_desc agpu_staging_desc(uint32_t format, uint32_t width, uint32_t height,
                                            uint32_t cpu_access)
{
    struct agpu_resource_desc desc = agpu_texture_desc(format, width, height);

    desc.Usage = D3D10_DDI_USAGE_STAGING;
    desc.BindFlags = 0;
    desc.CPUAccessFlags = cpu_access;
    return desc;
}

void agpu_fill_image(const struct agpu_resource_desc *desc, uint32_t subresource, uint32_t seed, uint8_t *out)
{
    struct agpu_image image = agpu_image_of(desc, subresource);
    size_t bytes = (size_t)image.row_bytes * image.rows;

    agpu_fill_pattern(out, bytes, seed * 64 + subresource);
    /* Write-back may set X to 255 (commands.md 6.4). */
    if (desc->Format == DXGI_FORMAT_B8G8R8X8_UNORM || desc->Format == DXGI_FORMAT_B8G8R8X8_TYPELESS ||
        desc->Format == DXGI_FORMAT_B8G8R8X8_UNORM_SRGB) {
        for (size_t i = 3; i < bytes; i += 4) {
            out[i] = 255;
        }
    }
}

static bool is_srgb(uint32_t format)
{
    return format == DXGI_FORMAT_R8G8B8A8_UNORM_SRGB || format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB ||
           format == DXGI_FORMAT_B8G8R8X8_UNORM_SRGB;
}

bool agpu_asks_texture(struct agpu_test *test, const struct agpu_resource_desc *desc)
{
    const uint32_t layers = at_least_one(desc->ArraySize);
    const bool depth = desc->Format == DXGI_FORMAT_D32_FLOAT || desc->Format == DXGI_FORMAT_D24_UNORM_S8_UINT;
    uint32_t edge, bytes;
    const bool cube = layers == 6 && desc->Width == desc->Height;
    uint32_t what = layers != 1 && !cube ? AGPU_ASKS_LAYERS : 0;

    block_of(desc->Format, &edge, &bytes);
    what |= edge != 1 ? AGPU_ASKS_BLOCK_READ : 0;
    what |= edge != 1 || is_srgb(desc->Format) ? AGPU_ASKS_ABI_1_2 : 0;
    what |= depth ? AGPU_ASKS_DEPTH_READ : 0;
    if ((desc->BindFlags & D3D10_DDI_BIND_RENDER_TARGET) != 0 && mips_of_desc(desc) > 1) {
        what |= AGPU_ASKS_TARGET_MIPS;
    }
    return agpu_asks(test, what);
}

D3D10DDI_HRESOURCE agpu_make_texture(struct agpu_test *test, const struct agpu_resource_desc *desc,
                                     uint32_t seed)
{
    D3D10_DDIARG_SUBRESOURCE_UP initial[SUBRESOURCES_MAX];
    struct agpu_resource_desc with_data = *desc;
    uint32_t count = agpu_subresources_of(desc);
    uint32_t used = 0;
    D3D10DDI_HRESOURCE texture;
    HRESULT hr;

    for (uint32_t i = 0; i < count && seed != 0; i++) {
        struct agpu_image image = agpu_image_of(desc, i);

        if (count > SUBRESOURCES_MAX || image.row_bytes * image.rows > AGPU_IMAGE_BYTES - used) {
            agpu_error(test, "the case's texture is larger than the helper's memory");
            return (D3D10DDI_HRESOURCE){NULL};
        }
        agpu_fill_image(desc, i, seed, initial_bytes + used);
        initial[i] =
            (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = initial_bytes + used, .SysMemPitch = image.row_bytes};
        used += image.row_bytes * image.rows;
    }
    if (seed != 0) {
        with_data.pInitialDataUP = initial;
        with_data.InitialDataCount = count;
    }
    texture = agpu_umd_create(test, &with_data, &hr);
    memset(initial_bytes, 0xEE, used); /* the driver must have copied the data */
    if (agpu_check_hr(test, hr, S_OK)) {
        return texture;
    }
    return (D3D10DDI_HRESOURCE){NULL};
}

static bool map_subresource(struct agpu_test *test, D3D10DDI_HRESOURCE resource,
                            const struct agpu_resource_desc *desc, uint32_t subresource, uint32_t type,
                            D3D10DDI_MAPPED_SUBRESOURCE *mapped, struct agpu_where where)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    struct agpu_image image = agpu_image_of(desc, subresource);
    HRESULT hr;

    *mapped = (D3D10DDI_MAPPED_SUBRESOURCE){0};
    if (!agpu_check_true(test, resource.pDrvPrivate != NULL, "the resource exists", where)) {
        return false;
    }
    hr = umd->context.pfnResourceMap(umd->device, resource, subresource, type, 0, mapped);
    if (!agpu_check_map_result_at(test, hr, where) ||
        !agpu_check_true(test, mapped->pData != NULL, "Map returns memory", where)) {
        return false;
    }
    /* Direct3D promises 16-byte alignment from feature level 10_0 on (umd.md 6.4). */
    agpu_check_u64(test, (uintptr_t)mapped->pData % 16, 0, "Map pointer modulo 16", false, where);
    if (agpu_check_true(test, mapped->RowPitch >= image.row_bytes, "RowPitch holds a row", where) &&
        agpu_check_u64(test, mapped->DepthPitch, (uint64_t)mapped->RowPitch * image.rows,
                       "DepthPitch == RowPitch * rows", false, where)) {
        return true;
    }
    umd->context.pfnResourceUnmap(umd->device, resource, subresource);
    return false;
}

static bool rows_equal(const D3D10DDI_MAPPED_SUBRESOURCE *mapped, const struct agpu_image *image,
                       const uint8_t *tight)
{
    for (uint32_t row = 0; row < image->rows; row++) {
        if (memcmp((const uint8_t *)mapped->pData + (size_t)row * mapped->RowPitch,
                   tight + (size_t)row * image->row_bytes, image->row_bytes) != 0) {
            return false;
        }
    }
    return true;
}

/* Every device writes these back into mip 0 of layer 0. It may choose what else it writes back, but must not write
 * anything wrong (commands.md 6.4). */
static bool always_written_back(uint32_t format)
{
    return (format >= DXGI_FORMAT_R8G8B8A8_TYPELESS && format <= DXGI_FORMAT_R8G8B8A8_UNORM_SRGB) ||
           format == DXGI_FORMAT_B8G8R8A8_UNORM || format == DXGI_FORMAT_B8G8R8X8_UNORM ||
           (format >= DXGI_FORMAT_B8G8R8A8_TYPELESS && format <= DXGI_FORMAT_B8G8R8X8_UNORM_SRGB);
}

/* Copies a small texture of this format and reports if the device wrote the copy back, to subresource 0 or to
 * another. */
static bool writes_back(struct agpu_test *test, uint32_t format, bool elsewhere)
{
    struct agpu_resource_desc from = agpu_texture_desc(format, PROBE_EDGE, PROBE_EDGE);
    struct agpu_resource_desc to =
        agpu_staging_desc(format, PROBE_EDGE, PROBE_EDGE, D3D10_DDI_CPU_ACCESS_READ);
    const struct agpu_umd_rig *umd = &test->env->umd;
    const unsigned checks = test->checks;
    uint8_t expected[PROBE_EDGE * PROBE_EDGE * 16];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE source, staging;
    struct agpu_image image;
    bool shown = false;

    from.MipLevels = to.MipLevels = elsewhere ? 2 : 1;
    image = agpu_image_of(&to, elsewhere);
    agpu_fill_image(&to, elsewhere, PROBE_SEED, expected);
    source = agpu_make_texture(test, &from, PROBE_SEED);
    staging = agpu_make_poisoned(test, &to);
    if (source.pDrvPrivate != NULL && staging.pDrvPrivate != NULL) {
        agpu_umd_copy(test, staging, source);
        if (map_subresource(test, staging, &to, elsewhere, D3D10_DDI_MAP_READ, &mapped, AGPU_HERE)) {
            shown = rows_equal(&mapped, &image, expected);
            umd->context.pfnResourceUnmap(umd->device, staging, elsewhere);
        }
        agpu_umd_destroy(test, staging);
        agpu_umd_destroy(test, source);
    }
    agpu_check_drop(test, checks);
    return shown;
}

/* The destination of a copy is unchanged, on a device that need not write it back and does not: the case can find
 * nothing more. */
static bool not_written_back(struct agpu_test *test, const D3D10DDI_MAPPED_SUBRESOURCE *mapped,
                             const struct agpu_resource_desc *desc, uint32_t subresource)
{
    struct agpu_env *env = test->env;
    const struct agpu_image image = agpu_image_of(desc, subresource);

    if (env->model || (always_written_back(desc->Format) && subresource == 0)) {
        return false;
    }
    agpu_fill_image(desc, subresource, POISON_SEED, poison_bytes);
    if (!rows_equal(mapped, &image, poison_bytes) || writes_back(test, desc->Format, subresource != 0)) {
        return false;
    }
    agpu_skip(test, AGPU_SKIP_NO_WRITE_BACK);
    if (env->abi.features & AEROGPU_FEATURE_ERROR_INFO) {
        env->device_errors = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT);
    }
    return true;
}

bool agpu_is_written_back(struct agpu_test *test, uint32_t format)
{
    return test->env->model || always_written_back(format) || writes_back(test, format, false);
}

bool agpu_check_written_back_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging,
                                const struct agpu_resource_desc *desc, uint32_t subresource,
                                const void *expected, struct agpu_where where)
{
    const struct agpu_umd_rig *umd = &test->env->umd;
    const struct agpu_image image = agpu_image_of(desc, subresource);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    bool equal, left;

    if (!map_subresource(test, staging, desc, subresource, D3D10_DDI_MAP_READ, &mapped, where)) {
        return false;
    }
    equal = rows_equal(&mapped, &image, expected);
    left = !equal && not_written_back(test, &mapped, desc, subresource);
    umd->context.pfnResourceUnmap(umd->device, staging, subresource);
    return equal || (!left && agpu_check_mapped_image_at(test, staging, desc, subresource, expected, where));
}

D3D10DDI_HRESOURCE agpu_make_poisoned(struct agpu_test *test, const struct agpu_resource_desc *desc)
{
    return agpu_make_texture(test, desc, POISON_SEED);
}

static bool is_dxgi_blue_first(uint32_t format)
{
    return format == DXGI_FORMAT_B8G8R8A8_UNORM || format == DXGI_FORMAT_B8G8R8X8_UNORM ||
           format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB || format == DXGI_FORMAT_B8G8R8X8_UNORM_SRGB;
}

bool agpu_check_mapped_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging,
                                const struct agpu_resource_desc *desc, uint32_t subresource,
                                const void *expected, struct agpu_where where)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    struct agpu_image image = agpu_image_of(desc, subresource);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct agpu_rows rows;
    char what[80];
    struct agpu_text text;
    bool ok;

    if (!map_subresource(test, staging, desc, subresource, D3D10_DDI_MAP_READ, &mapped, where)) {
        return false;
    }
    rows = (struct agpu_rows){.actual = mapped.pData,
                              .actual_pitch = mapped.RowPitch,
                              .expected = expected,
                              .expected_pitch = image.row_bytes,
                              .row_bytes = image.row_bytes,
                              .rows = image.rows};
    agpu_text_begin(&text, what, sizeof what);
    agpu_text_string(&text, "Map(READ) of ");
    if (desc->MipLevels * desc->ArraySize > 1) {
        agpu_format(&text, "mip %u, layer %u of ", subresource % desc->MipLevels,
                    subresource / desc->MipLevels);
    }
    agpu_text_string(&text, "a texture");
    ok = agpu_check_rows(test, &rows, what, where);
    if (!ok) {
        agpu_rows_show(test, &(struct agpu_rows_picture){.rows = rows,
                                                         .colour = image.row_bytes == image.width * 4,
                                                         .blue_first = is_dxgi_blue_first(desc->Format)});
    }
    umd->context.pfnResourceUnmap(umd->device, staging, subresource);
    return ok;
}

bool agpu_write_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE resource,
                         const struct agpu_resource_desc *desc, uint32_t subresource, uint32_t type,
                         const void *pixels, struct agpu_where where)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    struct agpu_image image = agpu_image_of(desc, subresource);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (!map_subresource(test, resource, desc, subresource, type, &mapped, where)) {
        return false;
    }
    for (uint32_t row = 0; row < image.rows; row++) {
        memcpy((uint8_t *)mapped.pData + (size_t)row * mapped.RowPitch,
               (const uint8_t *)pixels + (size_t)row * image.row_bytes, image.row_bytes);
    }
    umd->context.pfnResourceUnmap(umd->device, resource, subresource);
    return true;
}

bool agpu_image_is(struct agpu_test *test, D3D10DDI_HRESOURCE texture, const struct agpu_resource_desc *desc,
                   uint32_t subresource, const void *image)
{
    const struct agpu_image size = agpu_image_of(desc, subresource);

    struct agpu_resource_desc staging_desc =
        agpu_staging_desc(desc->Format, size.width, size.height, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE staging = agpu_make_poisoned(test, &staging_desc);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    bool same = false;

    if (staging.pDrvPrivate == NULL) {
        return false;
    }
    if (SUCCEEDED(agpu_umd_copy_region(test, staging, 0, 0, 0, texture, subresource, NULL)) &&
        SUCCEEDED(agpu_umd_map(test, staging, D3D10_DDI_MAP_READ, 0, &mapped))) {
        same = rows_equal(&mapped, &size, image);
        agpu_umd_unmap(test, staging);
    }
    agpu_umd_destroy(test, staging);
    return same;
}

bool agpu_device_refused(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    uint32_t errors;

    env->umd.context.pfnFlush(env->umd.device);
    if (env->model || !(env->abi.features & AEROGPU_FEATURE_ERROR_INFO) ||
        !agpu_runtime_wait_idle(env->umd.runtime)) {
        return false;
    }
    errors = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT);
    if (errors == env->device_errors) {
        return false;
    }
    env->device_errors = errors;
    return true;
}

bool agpu_check_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                         const struct agpu_resource_desc *desc, uint32_t subresource, const void *expected,
                         struct agpu_where where)
{
    struct agpu_image image = agpu_image_of(desc, subresource);

    struct agpu_resource_desc staging_desc =
        agpu_staging_desc(desc->Format, image.width, image.height, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE staging;
    bool ok;

    if (!agpu_check_true(test, texture.pDrvPrivate != NULL, "the texture exists", where)) {
        return false;
    }
    staging = agpu_make_poisoned(test, &staging_desc);
    if (staging.pDrvPrivate == NULL) {
        return false;
    }
    ok = agpu_check_u64(test,
                        (uint32_t)agpu_umd_copy_region(test, staging, 0, 0, 0, texture, subresource, NULL),
                        S_OK, "CopySubresourceRegion to staging", true, where) &&
         agpu_check_written_back_at(test, staging, &staging_desc, 0, expected, where);
    if (!ok) {
        agpu_metric(test, "failing_source", subresource, "1");
    }
    agpu_umd_destroy(test, staging);
    return ok;
}

bool agpu_check_texture_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                           const struct agpu_resource_desc *desc, uint32_t seed, struct agpu_where where)
{
    for (uint32_t i = 0; i < agpu_subresources_of(desc); i++) {
        if (!agpu_time_left(test)) {
            return false;
        }
        agpu_fill_image(desc, i, seed, expected_bytes);
        if (!agpu_check_image_at(test, texture, desc, i, expected_bytes, where)) {
            return false;
        }
    }
    return true;
}

void agpu_paste(const struct agpu_resource_desc *dst_desc, uint32_t dst_subresource, uint8_t *dst, uint32_t x,
                uint32_t y, const struct agpu_resource_desc *src_desc, uint32_t src_subresource,
                const uint8_t *src, const D3D10_DDI_BOX *box)
{
    struct agpu_image to = agpu_image_of(dst_desc, dst_subresource);
    struct agpu_image from = agpu_image_of(src_desc, src_subresource);
    uint32_t edge, bytes;
    uint32_t left, width, top, rows;

    block_of(dst_desc->Format, &edge, &bytes);
    left = (uint32_t)box->left / edge;
    width = ((uint32_t)box->right + edge - 1) / edge - left;
    top = (uint32_t)box->top / edge;
    rows = ((uint32_t)box->bottom + edge - 1) / edge - top;
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(dst + (size_t)(y / edge + row) * to.row_bytes + (size_t)(x / edge) * bytes,
               src + (size_t)(top + row) * from.row_bytes + (size_t)left * bytes, (size_t)width * bytes);
    }
}

void agpu_umd_update(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                     const D3D10_DDI_BOX *box, const void *data, uint32_t pitch)
{
    const struct agpu_umd_rig *umd = &test->env->umd;

    umd->context.pfnResourceUpdateSubresourceUP(umd->device, resource, subresource, box, data, pitch, 0);
}

HRESULT agpu_umd_copy_region(struct agpu_test *test, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                             uint32_t x, uint32_t y, D3D10DDI_HRESOURCE src, uint32_t src_subresource,
                             const D3D10_DDI_BOX *box)
{
    const struct agpu_umd_rig *umd = &test->env->umd;

    return umd->context.pfnResourceCopyRegion(umd->device, dst, dst_subresource, x, y, 0, src,
                                              src_subresource, box);
}
