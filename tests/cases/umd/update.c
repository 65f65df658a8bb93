/* update.c: UpdateSubresource of textures: whole, boxed, with any source pitch, in order with
 * copies (umd.md 7.1). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/umd_textures.h"

#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define BC1  DXGI_FORMAT_BC1_UNORM

/* An update of the whole texture must replace every texel, also when repeated. */
static void umd_update_whole(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 30, 21);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, texture.pDrvPrivate != NULL);
    for (uint32_t round = 1; round <= 3; round++) {
        agpu_fill_image(&desc, 0, round, image);
        agpu_umd_update(t, texture, 0, NULL, image, 0); /* pitch 0: no padding */
        agpu_return_unless(agpu_check_image(t, texture, &desc, 0, image));
    }
}

/* An update from rows with padding must write the texels and not the padding. */
static void umd_update_padded_source(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 30, 21);
    struct agpu_image image = agpu_image_of(&desc, 0);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    uint8_t *tight = agpu_scratch(0);
    uint8_t *padded = agpu_scratch(1);
    uint32_t pitch = image.row_bytes + 52;

    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 4, tight);
    memset(padded, 0xEE, AGPU_IMAGE_BYTES);
    for (uint32_t row = 0; row < image.rows; row++) {
        memcpy(padded + row * pitch, tight + row * image.row_bytes, image.row_bytes);
    }
    agpu_umd_update(t, texture, 0, NULL, padded, pitch);
    agpu_check_image(t, texture, &desc, 0, tight);
}

/* Updates boxes of one subresource after another and compares every subresource each time. */
static void check_boxes(struct agpu_test *t, const struct agpu_resource_desc *desc, uint32_t subresource,
                        const D3D10_DDI_BOX *boxes, unsigned count)
{
    struct agpu_resource_desc patch_desc = *desc;
    D3D10DDI_HRESOURCE texture;
    uint8_t *expected = agpu_scratch(0);
    uint8_t *patch = agpu_scratch(1);
    uint8_t *other = agpu_scratch(2);

    agpu_return_unless(agpu_asks_texture(t, desc));
    texture = agpu_make_texture(t, desc, 5);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(desc, subresource, 5, expected);
    patch_desc.MipLevels = patch_desc.ArraySize = 1;
    for (unsigned i = 0; i < count; i++) {
        D3D10_DDI_BOX all = agpu_box(0, 0, boxes[i].right - boxes[i].left, boxes[i].bottom - boxes[i].top);

        agpu_part(t, "box %u", i);
        patch_desc.Width = (uint32_t)all.right;
        patch_desc.Height = (uint32_t)all.bottom;
        agpu_fill_image(&patch_desc, 0, 6 + i, patch);
        agpu_umd_update(t, texture, subresource, &boxes[i], patch, agpu_image_of(&patch_desc, 0).row_bytes);
        agpu_paste(desc, subresource, expected, (uint32_t)boxes[i].left, (uint32_t)boxes[i].top, &patch_desc,
                   0, patch, &all);
        agpu_return_unless(agpu_check_image(t, texture, desc, subresource, expected));
    }
    agpu_part_end(t);
    for (uint32_t i = 0; i < agpu_subresources_of(desc); i++) {
        if (i == subresource) {
            continue;
        }
        agpu_fill_image(desc, i, 5, other);
        agpu_return_unless(agpu_check_image(t, texture, desc, i, other));
    }
}

/* An update of a box, at corners and edges too, must change exactly the texels inside. */
static void umd_update_boxes(struct agpu_test *t)
{
    const D3D10_DDI_BOX rows[] = {
        agpu_box(0, 0, 1, 1),    agpu_box(5, 3, 17, 11), agpu_box(0, 20, 30, 21),
        agpu_box(29, 0, 30, 21), agpu_box(0, 0, 30, 21), agpu_box(28, 19, 30, 21),
    };
    struct agpu_resource_desc desc = agpu_texture_desc(*(const uint32_t *)t->test_case->arg, 30, 21);

    check_boxes(t, &desc, 0, rows, sizeof rows / sizeof rows[0]);
}

/* An update of a box in mip 1 of layer 1 must change exactly its texels and no other subresource. */
static void box_in_mip_and_layer(struct agpu_test *t)
{
    const D3D10_DDI_BOX rows[] = {agpu_box(1, 0, 4, 2), agpu_box(0, 3, 8, 4), agpu_box(0, 0, 8, 4)};
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 8);

    desc.MipLevels = 3;
    desc.ArraySize = 2;
    check_boxes(t, &desc, 4 /* mip 1 of layer 1 */, rows, sizeof rows / sizeof rows[0]);
}

/* An update of a box of whole blocks, partial ones at the edge too, must change exactly these blocks. */
static void box_of_blocks(struct agpu_test *t)
{
    const D3D10_DDI_BOX rows[] = {agpu_box(4, 4, 8, 8), agpu_box(0, 0, 4, 14), agpu_box(12, 12, 14, 14),
                                  agpu_box(0, 8, 14, 12)};
    struct agpu_resource_desc desc = agpu_texture_desc(*(const uint32_t *)t->test_case->arg, 14, 14);

    check_boxes(t, &desc, 0, rows, sizeof rows / sizeof rows[0]);
}

/* Updates of every mip of two layers, in reverse order, must each reach their own subresource. */
static void each_subresource(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE texture;
    uint8_t *image = agpu_scratch(0);

    desc.MipLevels = 0;
    desc.ArraySize = 2;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    texture = agpu_make_texture(t, &desc, 0);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    for (uint32_t i = agpu_subresources_of(&desc); i-- > 0;) {
        agpu_fill_image(&desc, i, 20, image);
        agpu_umd_update(t, texture, i, NULL, image, 0);
    }
    agpu_check_texture(t, texture, &desc, 20);
}

/* Given an impossible box, subresource, source or pitch, the driver must report one error and leave the texture
 * unchanged; an empty box is not an error. */
static void umd_update_refused(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 21);
    uint8_t *other = agpu_scratch(0);
    D3D10_DDI_BOX bad[] = {agpu_box(8, 0, 20, 4), agpu_box(0, 8, 4, 17), agpu_box(-4, 0, 4, 4),
                           agpu_box(0, 0, 4, 4), agpu_box(0, 0, 4, 4)};
    D3D10_DDI_BOX empty = agpu_box(4, 4, 4, 8);
    D3D10_DDI_BOX good = agpu_box(0, 0, 8, 8);

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 22, other);
    bad[3].front = 1;
    bad[3].back = 2;
    bad[4].back = 2;
    agpu_umd_update(t, texture, 0, &empty, other, 0);
    agpu_check_errors(t, 0, S_OK);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        agpu_umd_update(t, texture, 0, &bad[i], other, 64);
        /* The code for a third dimension is the driver's choice (umd.md 7.1). */
        agpu_check_eq_u64(t, agpu_runtime_errors(t->env->umd.runtime_device).count, 1);
        agpu_runtime_errors_clear(t->env->umd.runtime_device);
    }
    agpu_umd_update(t, texture, 0, NULL, NULL, 64);
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_umd_update(t, texture, 1, NULL, other, 64);
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_umd_update(t, texture, 0, &good, other, 16); /* a row has 32 bytes */
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_check_texture(t, texture, &desc, 21);
}

/* Given a box that is not aligned to blocks, an update must leave the texture unchanged. */
static void misaligned_blocks(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BC1, 16, 16);
    D3D10DDI_HRESOURCE texture;
    const D3D10_DDI_BOX bad[] = {agpu_box(1, 0, 5, 4), agpu_box(0, 2, 4, 6), agpu_box(0, 0, 6, 4),
                                 agpu_box(0, 0, 4, 7)};
    uint8_t *other = agpu_scratch(0);

    agpu_return_unless(agpu_asks_texture(t, &desc));
    texture = agpu_make_texture(t, &desc, 23);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 24, other);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        agpu_umd_update(t, texture, 0, &bad[i], other, 32);
    }
    agpu_runtime_errors_clear(t->env->umd.runtime_device); /* reporting them is optional (umd.md 7.1) */
    agpu_check_texture(t, texture, &desc, 23);
}

/* Copies recorded before an update must read the old texels, those after it the new ones. */
static void umd_update_in_order_with_copies(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 24, 24);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 30);
    D3D10DDI_HRESOURCE copies[3];
    uint8_t *image = agpu_scratch(0);

    agpu_assert(t, texture.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < 3; i++) {
        copies[i] = agpu_make_texture(t, &desc, 0);
        agpu_assert(t, copies[i].pDrvPrivate != NULL);
        agpu_umd_copy(t, copies[i], texture);
        agpu_fill_image(&desc, 0, 31 + i, image);
        agpu_umd_update(t, texture, 0, NULL, image, 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        agpu_return_unless(agpu_check_texture(t, copies[i], &desc, 30 + i));
    }
    agpu_check_texture(t, texture, &desc, 33);
}

/* An update of a mapped texture must be refused with E_FAIL and leave its texels unchanged. */
static void umd_update_mapped(struct agpu_test *t)
{
    struct agpu_resource_desc desc =
        agpu_staging_desc(RGBA, 8, 8, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 34);
    D3D10DDI_MAPPED_SUBRESOURCE map;
    uint8_t *image = agpu_scratch(0);

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 35, image);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &map), S_OK));
    agpu_umd_update(t, staging, 0, NULL, image, 0);
    agpu_check_errors(t, 1, E_FAIL);
    agpu_umd_unmap(t, staging);
    agpu_fill_image(&desc, 0, 34, image);
    agpu_check_mapped_image(t, staging, &desc, 0, image);
}

/* An update of a box of a staging texture must be visible to the CPU and to the device. */
static void umd_update_staging(struct agpu_test *t)
{
    const D3D10_DDI_BOX box = agpu_box(3, 2, 7, 6);

    struct agpu_resource_desc desc =
        agpu_staging_desc(RGBA, 12, 8, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    struct agpu_resource_desc patch_desc = agpu_texture_desc(RGBA, 4, 4);
    const D3D10_DDI_BOX all = agpu_box(0, 0, 4, 4);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 36);
    uint8_t *expected = agpu_scratch(0);
    uint8_t *patch = agpu_scratch(1);

    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 36, expected);
    agpu_fill_image(&patch_desc, 0, 37, patch);
    agpu_umd_update(t, texture, 0, &box, patch, 16);
    agpu_paste(&desc, 0, expected, 3, 2, &patch_desc, 0, patch, &all);
    agpu_return_unless(agpu_check_mapped_image(t, texture, &desc, 0, expected));
    agpu_check_image(t, texture, &desc, 0, expected);
}

#define UPDATE(name, function)                                                                               \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 7.1", .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,    \
        .run = (function)                                                                                    \
    }
#define BOXES(name, format, function)                                                                        \
    {                                                                                                        \
        .id = "texture.update." name, .spec = "umd.md 7.1", .needs = AGPU_NEED_UMD,                          \
        .features = AEROGPU_FEATURE_TRANSFER, .arg = &(const uint32_t){format}, .run = (function)            \
    }

static const struct agpu_case umd_update_cases[] = {
    UPDATE("texture.update.whole", umd_update_whole),
    UPDATE("texture.update.padded_source", umd_update_padded_source),
    BOXES("boxes", RGBA, umd_update_boxes),
    BOXES("boxes_b5g6r5", DXGI_FORMAT_B5G6R5_UNORM, umd_update_boxes),
    BOXES("boxes_b5g5r5a1", DXGI_FORMAT_B5G5R5A1_UNORM, umd_update_boxes),
    UPDATE("texture.update.box_in_mip_and_layer", box_in_mip_and_layer),
    BOXES("box_of_blocks", BC1, box_of_blocks),
    BOXES("box_of_blocks_bc3", DXGI_FORMAT_BC3_UNORM, box_of_blocks),
    BOXES("box_of_blocks_bc7", DXGI_FORMAT_BC7_UNORM_SRGB, box_of_blocks),
    UPDATE("texture.update.each_subresource", each_subresource),
    UPDATE("texture.update.refused", umd_update_refused),
    UPDATE("texture.update.misaligned_blocks", misaligned_blocks),
    UPDATE("texture.update.in_order_with_copies", umd_update_in_order_with_copies),
    UPDATE("texture.update.mapped", umd_update_mapped),
    UPDATE("texture.update.staging", umd_update_staging),
};

AGPU_CASE_TABLE(agpu_cases_umd_update, umd_update_cases);
