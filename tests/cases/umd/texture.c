/* texture.c: textures through the ported driver: creation and initial data of every format, mips and arrays (umd.md 5).
 * A device need only write back 32-bit colour (commands.md 6.4); other formats that it writes back must be right. */
#include <string.h>

#include "mm/runtime/usage_rules.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/umd_textures.h"

/* A shape that some case creates with data and reads back. */
struct shape {
    uint32_t format, width, height, mips, layers;
};

static struct agpu_resource_desc desc_of(const struct shape *shape)
{
    struct agpu_resource_desc desc = agpu_texture_desc(shape->format, shape->width, shape->height);

    desc.MipLevels = shape->mips;
    desc.ArraySize = shape->layers;
    return desc;
}

/* Given a texture created with initial data, the device must have each subresource's texels. */
static void initial_data(struct agpu_test *t)
{
    struct agpu_resource_desc desc = desc_of(t->test_case->arg);

    agpu_return_unless(agpu_asks_texture(t, &desc));
    agpu_check_texture(t, agpu_make_texture(t, &desc, 1), &desc, 1);
}

/* Given an immutable texture, the device must have the texels of its creation. */
static void umd_texture_immutable(struct agpu_test *t)
{
    struct agpu_resource_desc desc = desc_of(t->test_case->arg);

    desc.Usage = D3D10_DDI_USAGE_IMMUTABLE;
    agpu_check_texture(t, agpu_make_texture(t, &desc, 1), &desc, 1);
}

/* A texture created without initial data must be all zeros in each subresource. */
static void without_data(struct agpu_test *t)
{
    struct agpu_resource_desc desc = desc_of(t->test_case->arg);
    uint8_t *zeros = agpu_scratch(0);
    D3D10DDI_HRESOURCE texture;

    agpu_return_unless(agpu_asks_texture(t, &desc));
    texture = agpu_make_texture(t, &desc, 0);
    memset(zeros, 0, AGPU_IMAGE_BYTES);
    for (uint32_t i = 0; i < agpu_subresources_of(&desc); i++) {
        agpu_return_unless(agpu_check_image(t, texture, &desc, i, zeros));
    }
}

/* Given initial data with padded rows, or pitch 0 for none, the texture must have the texels without padding. */
static void umd_texture_padded_source(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 33, 9);
    struct agpu_image image = agpu_image_of(&desc, 0);
    uint8_t *padded = agpu_scratch(0);
    uint8_t *tight = agpu_scratch(1);
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = padded, .SysMemPitch = image.row_bytes + 76};
    D3D10DDI_HRESOURCE texture;
    HRESULT hr;

    agpu_fill_image(&desc, 0, 2, tight);
    memset(padded, 0xEE, AGPU_IMAGE_BYTES);
    for (uint32_t row = 0; row < image.rows; row++) {
        memcpy(padded + row * initial.SysMemPitch, tight + row * image.row_bytes, image.row_bytes);
    }
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    texture = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_return_unless(agpu_check_image(t, texture, &desc, 0, tight));
    /* Pitch 0 means no padding (CRE-24). */
    initial = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = tight};
    texture = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_image(t, texture, &desc, 0, tight);
}

/* An invalid creation must fail with the right code and not disturb a valid texture afterwards. */
static void umd_texture_refused(struct agpu_test *t)
{
    static const uint8_t bytes[16 * 16 * 4];
    const D3D10_DDIARG_SUBRESOURCE_UP good = {.pSysMem = bytes};
    const D3D10_DDIARG_SUBRESOURCE_UP no_memory = {.pSysMem = NULL};
    const D3D10_DDIARG_SUBRESOURCE_UP short_pitch = {.pSysMem = bytes, .SysMemPitch = 60};
    const struct agpu_resource_desc base = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 16, 16);

    struct {
        struct agpu_resource_desc desc;
        HRESULT expected;
    } rows[] = {
        {base, E_NOTIMPL},    {base, E_NOTIMPL},    {base, E_NOTIMPL},    {base, E_NOTIMPL},
        {base, E_INVALIDARG}, {base, E_INVALIDARG}, {base, E_INVALIDARG}, {base, E_INVALIDARG},
        {base, E_NOTIMPL},    {base, E_NOTIMPL},
    };
    HRESULT hr;

    rows[0].desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE1D;
    rows[1].desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE3D;
    rows[2].desc.SampleDesc.Count = 4;
    rows[3].desc.Format = 999;
    rows[4].desc.Width = 0;
    rows[5].desc.pInitialDataUP = &no_memory;
    rows[5].desc.InitialDataCount = 1;
    rows[6].desc.pInitialDataUP = &short_pitch;
    rows[6].desc.InitialDataCount = 1;
    rows[7].desc.pInitialDataUP = &good; /* two subresources, data for one */
    rows[7].desc.InitialDataCount = 1;
    rows[7].desc.MipLevels = 2;
    rows[8].desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    rows[8].desc.MipLevels = 2;
    rows[9].desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    rows[9].desc.ArraySize = 2;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        D3D10DDI_HRESOURCE texture = agpu_umd_create(t, &rows[i].desc, &hr);

        agpu_part(t, "row %u", i);
        agpu_check_hr(t, hr, rows[i].expected);
        agpu_check_refused(t, i == 7, i == 7 ? AGPU_RULE_INITIAL_DATA : NULL);
        agpu_umd_destroy(t, texture);
    }
    agpu_part_end(t);
    agpu_runtime_errors_clear(t->env->umd.runtime_device);
    agpu_check_texture(t, agpu_make_texture(t, &base, 3), &base, 3);
}

/* Given 64 textures of which every other is destroyed, the rest must keep their texels. */
static void umd_texture_many_alive(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 16, 16);
    D3D10DDI_HRESOURCE textures[64];

    for (uint32_t i = 0; i < 64; i++) {
        textures[i] = agpu_make_texture(t, &desc, i + 1);
        agpu_assert(t, textures[i].pDrvPrivate != NULL);
    }
    for (uint32_t i = 0; i < 64; i += 2) {
        agpu_umd_destroy(t, textures[i]);
    }
    for (uint32_t i = 1; i < 64; i += 6) {
        agpu_return_unless(agpu_check_texture(t, textures[i], &desc, i + 1));
    }
}

/* Given a filled texture destroyed just before, a new texture without initial data must be all zeros. */
static void memory_is_clean(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 64, 64);
    uint8_t *zeros = agpu_scratch(0);

    memset(zeros, 0, AGPU_IMAGE_BYTES);
    for (uint32_t round = 0; round < 6; round++) {
        D3D10DDI_HRESOURCE filled = agpu_make_texture(t, &desc, round + 1);
        D3D10DDI_HRESOURCE fresh;

        agpu_return_unless(agpu_check_texture(t, filled, &desc, round + 1));
        agpu_umd_destroy(t, filled);
        fresh = agpu_make_texture(t, &desc, 0);
        agpu_return_unless(agpu_check_image(t, fresh, &desc, 0, zeros));
        agpu_umd_destroy(t, fresh);
    }
}

#define TEXTURE(name, section, function, ...)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,       \
        .run = (function), .arg = &(const struct shape){__VA_ARGS__},                                        \
    }

static const struct agpu_case umd_texture_cases[] = {
    TEXTURE("texture.initial.rgba", "umd.md 5.5", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 37, 19, 1, 1),
    TEXTURE("texture.initial.bgra", "umd.md 5.5", initial_data, DXGI_FORMAT_B8G8R8A8_UNORM, 64, 64, 1, 1),
    TEXTURE("texture.initial.rgba_typeless", "umd.md 2.1", initial_data, DXGI_FORMAT_R8G8B8A8_TYPELESS, 8, 8,
            1, 1),
    TEXTURE("texture.initial.rgba_srgb", "umd.md 2.3", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, 20, 20,
            1, 1),
    TEXTURE("texture.initial.bgra_srgb", "umd.md 2.3", initial_data, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, 20, 20,
            1, 1),
    TEXTURE("texture.initial.immutable", "umd.md 5.3", umd_texture_immutable, DXGI_FORMAT_R8G8B8A8_UNORM, 16,
            16, 1, 1),
    TEXTURE("texture.initial.one_texel", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 1, 1, 1, 1),
    TEXTURE("texture.initial.wide", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 4096, 1, 1, 1),
    TEXTURE("texture.initial.tall", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 1, 4096, 1, 1),
    TEXTURE("texture.initial.full_chain", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 32, 32, 0,
            1),
    TEXTURE("texture.initial.odd_chain", "umd.md 5.2", initial_data, DXGI_FORMAT_B8G8R8A8_UNORM, 37, 5, 0, 1),
    TEXTURE("texture.initial.array", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 17, 9, 1, 6),
    TEXTURE("texture.initial.mips_and_array", "umd.md 5.2", initial_data, DXGI_FORMAT_R8G8B8A8_UNORM, 16, 8,
            3, 4),
    TEXTURE("texture.initial.b5g6r5", "umd.md 5.2", initial_data, DXGI_FORMAT_B5G6R5_UNORM, 13, 7, 1, 1),
    TEXTURE("texture.initial.b5g5r5a1", "umd.md 5.2", initial_data, DXGI_FORMAT_B5G5R5A1_UNORM, 13, 7, 0, 2),
    TEXTURE("texture.initial.bc1", "umd.md 5.2", initial_data, DXGI_FORMAT_BC1_UNORM, 32, 16, 0, 1),
    TEXTURE("texture.initial.bc1_srgb", "umd.md 5.2", initial_data, DXGI_FORMAT_BC1_UNORM_SRGB, 8, 8, 1, 1),
    TEXTURE("texture.initial.bc2", "umd.md 5.2", initial_data, DXGI_FORMAT_BC2_UNORM, 16, 16, 1, 2),
    TEXTURE("texture.initial.bc3", "umd.md 5.2", initial_data, DXGI_FORMAT_BC3_UNORM, 16, 16, 0, 1),
    TEXTURE("texture.initial.bc7_chain", "umd.md 5.2", initial_data, DXGI_FORMAT_BC7_UNORM_SRGB, 37, 21, 0,
            2),
    TEXTURE("texture.initial.bc3_odd", "umd.md 5.2", initial_data, DXGI_FORMAT_BC3_UNORM_SRGB, 61, 3, 0, 1),
    TEXTURE("texture.initial.b5g6r5_chain", "umd.md 5.2", initial_data, DXGI_FORMAT_B5G6R5_UNORM, 67, 9, 0,
            3),
    TEXTURE("texture.initial.bc7", "umd.md 5.2", initial_data, DXGI_FORMAT_BC7_UNORM, 16, 16, 1, 1),
    TEXTURE("texture.initial.bc_partial_blocks", "umd.md 5.2", initial_data, DXGI_FORMAT_BC1_UNORM, 5, 5, 0,
            1),
    TEXTURE("texture.initial.padded_source", "umd.md 5.5", umd_texture_padded_source, 0, 0, 0, 0, 0),
    TEXTURE("texture.no_data.zero", "vidmm.md 2", without_data, DXGI_FORMAT_R8G8B8A8_UNORM, 40, 40, 1, 1),
    TEXTURE("texture.no_data.zero_mips", "vidmm.md 2", without_data, DXGI_FORMAT_R8G8B8A8_UNORM, 16, 16, 0,
            2),
    TEXTURE("texture.no_data.memory_is_clean", "vidmm.md 2", memory_is_clean, 0, 0, 0, 0, 0),
    TEXTURE("texture.refused.create", "umd.md 5.1", umd_texture_refused, 0, 0, 0, 0, 0),
    TEXTURE("texture.lifetime.many_alive", "umd.md 5", umd_texture_many_alive, 0, 0, 0, 0, 0),
};

AGPU_CASE_TABLE(agpu_cases_umd_texture, umd_texture_cases);
