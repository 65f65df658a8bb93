/* copy.c: CopyResource and CopySubresourceRegion of textures and buffers (umd.md 7.2, 7.3). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/umd_textures.h"

#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define BC1  DXGI_FORMAT_BC1_UNORM

/* CopyResource must copy every mip and layer. */
static void umd_copy_whole(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 24, 12);
    D3D10DDI_HRESOURCE src, dst;

    desc.MipLevels = 3;
    desc.ArraySize = 2;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    src = agpu_make_texture(t, &desc, 1);
    dst = agpu_make_texture(t, &desc, 2);
    agpu_assert(t, src.pDrvPrivate && dst.pDrvPrivate);
    agpu_umd_copy(t, dst, src);
    agpu_return_unless(agpu_check_texture(t, dst, &desc, 1));
    agpu_check_texture(t, src, &desc, 1);
}

/* A chain of texture copies must carry the texels of the first to the last. */
static void umd_copy_chain(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 19, 7);
    D3D10DDI_HRESOURCE textures[5];

    textures[0] = agpu_make_texture(t, &desc, 3);
    for (uint32_t i = 1; i < 5; i++) {
        textures[i] = agpu_make_texture(t, &desc, 0);
        agpu_assert(t, textures[i - 1].pDrvPrivate && textures[i].pDrvPrivate);
        agpu_umd_copy(t, textures[i], textures[i - 1]);
    }
    agpu_check_texture(t, textures[4], &desc, 3);
}

/* A copy into staging must be readable by a map, each copy replacing the previous one. */
static void to_staging(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 50, 20);
    struct agpu_resource_desc staging_desc = agpu_staging_desc(RGBA, 50, 20, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE a = agpu_make_texture(t, &desc, 4);
    D3D10DDI_HRESOURCE b = agpu_make_texture(t, &desc, 5);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &staging_desc, 0);
    uint8_t *expected = agpu_scratch(0);

    agpu_assert(t, a.pDrvPrivate && b.pDrvPrivate && staging.pDrvPrivate);
    for (uint32_t round = 0; round < 4; round++) {
        agpu_umd_copy(t, staging, round & 1 ? b : a);
        agpu_fill_image(&desc, 0, 4 + (round & 1), expected);
        agpu_return_unless(agpu_check_mapped_image(t, staging, &staging_desc, 0, expected));
    }
}

/* A copy into staging must reach every mip and layer. */
static void to_staging_mips(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 4, 4);
    struct agpu_resource_desc staging_desc = agpu_staging_desc(RGBA, 4, 4, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE src, staging;
    uint8_t *expected = agpu_scratch(0);

    desc.MipLevels = staging_desc.MipLevels = 3;
    desc.ArraySize = staging_desc.ArraySize = 2;
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS | AGPU_ASKS_MIP_READ));
    src = agpu_make_texture(t, &desc, 6);
    staging = agpu_make_poisoned(t, &staging_desc);
    agpu_assert(t, src.pDrvPrivate && staging.pDrvPrivate);
    agpu_umd_copy(t, staging, src);
    for (uint32_t i = 0; i < 6; i++) {
        agpu_fill_image(&desc, i, 6, expected);
        agpu_return_unless(agpu_check_written_back(t, staging, &staging_desc, i, expected));
    }
}

/* One region copy; nothing outside may change. */
struct region {
    uint32_t dst_subresource, x, y, src_subresource;
    D3D10_DDI_BOX box;
};

static void check_regions(struct agpu_test *t, const struct agpu_resource_desc *dst_desc,
                          const struct agpu_resource_desc *src_desc, const struct region *rows,
                          unsigned count)
{
    uint8_t *from = agpu_scratch(0);
    uint8_t *expected = agpu_scratch(1);
    D3D10DDI_HRESOURCE src;

    agpu_return_unless(agpu_asks_texture(t, src_desc) && agpu_asks_texture(t, dst_desc));
    src = agpu_make_texture(t, src_desc, 7);
    agpu_assert(t, src.pDrvPrivate != NULL);
    for (unsigned i = 0; i < count; i++) {
        const struct region *row = &rows[i];
        D3D10DDI_HRESOURCE dst = agpu_make_texture(t, dst_desc, 8);

        agpu_part(t, "region %u", i);
        agpu_assert(t, dst.pDrvPrivate != NULL);
        agpu_check_hr(t,
                      agpu_umd_copy_region(t, dst, row->dst_subresource, row->x, row->y, src,
                                           row->src_subresource, &row->box),
                      S_OK);
        agpu_fill_image(src_desc, row->src_subresource, 7, from);
        agpu_fill_image(dst_desc, row->dst_subresource, 8, expected);
        agpu_paste(dst_desc, row->dst_subresource, expected, row->x, row->y, src_desc, row->src_subresource,
                   from, &row->box);
        agpu_return_unless(agpu_check_image(t, dst, dst_desc, row->dst_subresource, expected));
        agpu_umd_destroy(t, dst);
    }
    agpu_part_end(t);
    agpu_check_texture(t, src, src_desc, 7);
}

/* A copy of a region must change exactly its texels, at corners and edges too. */
static void umd_copy_regions(struct agpu_test *t)
{
    const struct region rows[] = {
        {0, 0, 0, 0, agpu_box(0, 0, 1, 1)},   {0, 31, 15, 0, agpu_box(19, 9, 20, 10)},
        {0, 5, 3, 0, agpu_box(2, 1, 12, 8)},  {0, 12, 6, 0, agpu_box(0, 0, 20, 10)},
        {0, 0, 0, 0, agpu_box(0, 9, 20, 10)}, {0, 31, 0, 0, agpu_box(0, 0, 1, 10)},
    };
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    struct agpu_resource_desc dst = agpu_texture_desc(format, 32, 16);
    struct agpu_resource_desc src = agpu_texture_desc(format, 20, 10);

    check_regions(t, &dst, &src, rows, sizeof rows / sizeof rows[0]);
}

/* A copy between subresources must use mip and layer of both sides. */
static void between_mips_and_layers(struct agpu_test *t)
{
    const struct region rows[] = {
        {3, 0, 0, 0, agpu_box(0, 0, 16, 8)}, /* layer 0 -> layer 1, mip 0 */
        {4, 2, 1, 1, agpu_box(0, 0, 6, 3)},  /* mip 1, layer 0 -> mip 1, layer 1 */
        {1, 0, 0, 0, agpu_box(4, 2, 12, 6)}, /* mip 0 -> mip 1 */
        {0, 12, 6, 5, agpu_box(0, 0, 4, 2)}, /* mip 2, layer 1 -> mip 0 */
    };
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 8);

    desc.MipLevels = 3;
    desc.ArraySize = 2;
    check_regions(t, &desc, &desc, rows, sizeof rows / sizeof rows[0]);
}

/* A copy of block-aligned regions must change exactly its blocks. */
static void block_regions(struct agpu_test *t)
{
    const struct region rows[] = {
        {0, 4, 8, 0, agpu_box(0, 0, 8, 4)},
        {0, 0, 0, 0, agpu_box(4, 4, 8, 12)},
        {0, 12, 12, 0, agpu_box(12, 12, 14, 14)}, /* the last, partial blocks of both */
        {0, 0, 0, 0, agpu_box(0, 0, 14, 14)},
    };
    struct agpu_resource_desc desc = agpu_texture_desc(*(const uint32_t *)t->test_case->arg, 14, 14);

    check_regions(t, &desc, &desc, rows, sizeof rows / sizeof rows[0]);
}

/* Given overlapping regions of one texture, the copy must act as if the source had been read first. */
static void within_one(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    const D3D10_DDI_BOX box = agpu_box(0, 0, 12, 12);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 10);
    uint8_t *before = agpu_scratch(0);
    uint8_t *expected = agpu_scratch(1);

    /* Source and destination overlap: the result must be as if the source had been read first. */
    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 10, before);
    agpu_fill_image(&desc, 0, 10, expected);
    agpu_check_hr(t, agpu_umd_copy_region(t, texture, 0, 3, 2, texture, 0, &box), S_OK);
    agpu_paste(&desc, 0, expected, 3, 2, &desc, 0, before, &box);
    agpu_check_image(t, texture, &desc, 0, expected);
}

/* A copy with an invalid region, format or kind must change nothing. */
static void refused_regions(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    struct agpu_resource_desc small_desc = agpu_texture_desc(RGBA, 8, 8);
    struct agpu_resource_desc bgra_desc = agpu_texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 16, 16);
    D3D10DDI_HRESOURCE dst = agpu_make_texture(t, &desc, 11);
    D3D10DDI_HRESOURCE src = agpu_make_texture(t, &desc, 12);
    D3D10DDI_HRESOURCE small = agpu_make_texture(t, &small_desc, 13);
    D3D10DDI_HRESOURCE bgra = agpu_make_texture(t, &bgra_desc, 14);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, 1024, NULL);
    D3D10DDI_HRESOURCE none = {NULL};
    const D3D10_DDI_BOX past = agpu_box(8, 8, 17, 16);
    const D3D10_DDI_BOX fits = agpu_box(0, 0, 8, 8);
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_assert(t, dst.pDrvPrivate && src.pDrvPrivate && small.pDrvPrivate && bgra.pDrvPrivate &&
                       buffer.pDrvPrivate);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 0, src, 0, &past), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 9, 0, src, 0, &fits), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 9, src, 0, &fits), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, small, 0, 0, 0, src, 0, NULL), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 1, 0, 0, src, 0, &fits), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 0, src, 1, &fits), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 0, bgra, 0, &fits), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 0, buffer, 0, NULL), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 0, 0, none, 0, NULL), E_INVALIDARG);
    agpu_check_hr(t, umd->context.pfnResourceCopyRegion(umd->device, dst, 0, 0, 0, 1, src, 0, &fits),
                  E_INVALIDARG);
    agpu_check_errors(t, 10, E_INVALIDARG);
    agpu_umd_copy(t, dst, buffer); /* kinds differ: no effect, no error */
    agpu_check_errors(t, 0, S_OK);
    agpu_umd_copy(t, dst, bgra);
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_umd_copy(t, dst, dst);
    agpu_return_unless(agpu_check_texture(t, dst, &desc, 11));
    agpu_check_texture(t, small, &small_desc, 13);
}

/* A copy of block formats that is not aligned to blocks must be refused and change nothing. */
static void refused_blocks(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BC1, 16, 16);
    D3D10DDI_HRESOURCE dst, src;
    const struct region rows[] = {
        {0, 0, 0, 0, agpu_box(2, 0, 6, 4)},
        {0, 0, 0, 0, agpu_box(0, 0, 6, 4)},
        {0, 2, 0, 0, agpu_box(0, 0, 4, 4)},
        {0, 0, 6, 0, agpu_box(0, 0, 4, 4)},
    };

    agpu_return_unless(agpu_asks_texture(t, &desc));
    dst = agpu_make_texture(t, &desc, 15);
    src = agpu_make_texture(t, &desc, 16);
    agpu_assert(t, dst.pDrvPrivate && src.pDrvPrivate);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, rows[i].x, rows[i].y, src, 0, &rows[i].box),
                      E_INVALIDARG);
        agpu_check_errors(t, 1, E_INVALIDARG);
    }
    agpu_check_texture(t, dst, &desc, 15);
}

/* CopyResource between textures with different numbers of mips must copy those that both have. */
static void smaller_destination(struct agpu_test *t)
{
    struct agpu_resource_desc big = agpu_texture_desc(RGBA, 16, 16);
    struct agpu_resource_desc small = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE src, dst;
    uint8_t *expected = agpu_scratch(0);

    agpu_without_rules(t); /* without the runtime's usage rules */
    /* CopyResource copies the subresources that both have. */
    big.MipLevels = 3;
    src = agpu_make_texture(t, &big, 17);
    dst = agpu_make_texture(t, &small, 18);
    agpu_assert(t, src.pDrvPrivate && dst.pDrvPrivate);
    agpu_umd_copy(t, dst, src);
    agpu_fill_image(&big, 0, 17, expected);
    agpu_check_image(t, dst, &small, 0, expected);
}

/* A buffer copy with any offset and size must change exactly its bytes, also in a buffer that has no guest memory. */
static void buffer_bytes(struct agpu_test *t)
{
    static const struct {
        uint32_t x, left, right;
    } rows[] = {{1, 0, 3}, {100, 33, 46}, {4, 4, 8}, {0, 1, 400}, {399, 399, 400}, {396, 0, 400}};
    uint8_t *source = agpu_scratch(0);
    uint8_t *expected = agpu_scratch(1);
    D3D10DDI_HRESOURCE src;

    agpu_without_rules(t); /* without the runtime's usage rules */
    /* Offsets and sizes that are no multiples of 4 do not fit the packet: the driver uses another method. */
    agpu_fill_pattern(source, 400, 60);
    src = agpu_make_default(t, 400, source);
    agpu_assert(t, src.pDrvPrivate != NULL);
    for (unsigned n = 0; n < 2 * sizeof rows / sizeof rows[0]; n++) {
        const unsigned i = n / 2;
        const D3D10_DDI_BOX box = agpu_box((int32_t)rows[i].left, 0, (int32_t)rows[i].right, 1);
        uint32_t bytes = rows[i].right - rows[i].left;
        D3D10DDI_HRESOURCE dst;

        agpu_part(t, "row %u, %s", i, n % 2 ? "DYNAMIC" : "DEFAULT");
        agpu_fill_pattern(expected, 400, 61);
        dst = n % 2 ? agpu_make_dynamic(t, 400, D3D10_DDI_BIND_VERTEX_BUFFER)
                    : agpu_make_default(t, 400, expected);
        agpu_assert(t, dst.pDrvPrivate != NULL);
        agpu_return_unless(n % 2 == 0 ||
                           agpu_write_through(t, dst, D3D10_DDI_MAP_WRITE_DISCARD, 0, expected, 400));
        agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, rows[i].x, 0, src, 0, &box), S_OK);
        if (bytes > 400 - rows[i].x) {
            bytes = 400 - rows[i].x; /* clipped to the destination */
        }
        memcpy(expected + rows[i].x, source + rows[i].left, bytes);
        agpu_return_unless(agpu_check_contents(t, dst, expected, 400));
        agpu_umd_destroy(t, dst);
    }
}

/* Given overlapping regions of one buffer, the copy must act as if the source had been read first. */
static void buffer_within_one(struct agpu_test *t)
{
    const D3D10_DDI_BOX box = agpu_box(0, 0, 512, 1);
    uint8_t *data = agpu_scratch(0);
    D3D10DDI_HRESOURCE buffer;

    agpu_fill_pattern(data, 1024, 62);
    buffer = agpu_make_default(t, 1024, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_check_hr(t, agpu_umd_copy_region(t, buffer, 0, 256, 0, buffer, 0, &box), S_OK);
    memmove(data + 256, data, 512);
    agpu_check_contents(t, buffer, data, 1024);
}

#define COPY(name, section, function)                                                                        \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,       \
        .run = (function)                                                                                    \
    }
#define REGIONS(name, format, function)                                                                      \
    {                                                                                                        \
        .id = "copy.texture." name, .spec = "umd.md 7.3", .needs = AGPU_NEED_UMD,                            \
        .features = AEROGPU_FEATURE_TRANSFER, .arg = &(const uint32_t){format}, .run = (function)            \
    }

static const struct agpu_case umd_copy_cases[] = {
    COPY("copy.texture.whole", "umd.md 7.2", umd_copy_whole),
    COPY("copy.texture.chain", "umd.md 7.2", umd_copy_chain),
    COPY("copy.texture.to_staging", "umd.md 7.2", to_staging),
    COPY("copy.texture.to_staging_mips", "umd.md 7.2", to_staging_mips),
    COPY("copy.texture.fewer_mips", "umd.md 7.2", smaller_destination),
    REGIONS("regions", RGBA, umd_copy_regions),
    REGIONS("regions_bgra", DXGI_FORMAT_B8G8R8A8_UNORM, umd_copy_regions),
    REGIONS("regions_b5g6r5", DXGI_FORMAT_B5G6R5_UNORM, umd_copy_regions),
    REGIONS("regions_b5g5r5a1", DXGI_FORMAT_B5G5R5A1_UNORM, umd_copy_regions),
    COPY("copy.texture.between_mips_and_layers", "umd.md 7.3", between_mips_and_layers),
    COPY("copy.texture.within_one", "umd.md 7.3", within_one),
    COPY("copy.texture.refused", "umd.md 7.3", refused_regions),
    REGIONS("blocks", BC1, block_regions),
    REGIONS("blocks_bc2", DXGI_FORMAT_BC2_UNORM, block_regions),
    REGIONS("blocks_bc3", DXGI_FORMAT_BC3_UNORM_SRGB, block_regions),
    REGIONS("blocks_bc7", DXGI_FORMAT_BC7_UNORM, block_regions),
    COPY("copy.texture.misaligned_blocks", "umd.md 7.3", refused_blocks),
    COPY("copy.buffer.any_bytes", "umd.md 7.3", buffer_bytes),
    COPY("copy.buffer.within_one", "umd.md 7.3", buffer_within_one),
};

AGPU_CASE_TABLE(agpu_cases_umd_copy, umd_copy_cases);
