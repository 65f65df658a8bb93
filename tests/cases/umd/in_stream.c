/* in_stream.c: updates of buffers and textures that recorded or running work uses: in order, without one submission
 * each, and without loss of the device's bytes beside them (umd.md 7.1). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_textures.h"
#include "tests/cases/rig/umd_views.h"

#define UPDATES 1024u
#define USES    512u
#define BYTES   256u
#define RGBA    DXGI_FORMAT_R8G8B8A8_UNORM

static D3D10_DDI_BOX bytes_of(uint32_t left, uint32_t right)
{
    return (D3D10_DDI_BOX){.left = (int32_t)left, .right = (int32_t)right, .bottom = 1, .back = 1};
}

/* Fills in the data of update n: every word identifies the update. */
static void fill_update(uint32_t *words, uint32_t update)
{
    for (uint32_t i = 0; i < BYTES / 4; i++) {
        words[i] = update << 8 | i;
    }
}

static D3D10DDI_HRESOURCE constant_buffer(struct agpu_test *t)
{
    const D3D10DDIARG_CREATERESOURCE desc =
        agpu_buffer_desc(BYTES, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

/* Given an update before each use, as an application does for every draw, each copy (in place of a draw) must read its
 * own update. */
static void update_per_use(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    static uint32_t expected[USES * BYTES / 4];
    uint32_t words[BYTES / 4];
    D3D10DDI_HRESOURCE buffer = constant_buffer(t), seen = agpu_make_default(t, sizeof expected, NULL);
    uint32_t before;

    agpu_assert(t, buffer.pDrvPrivate != NULL && seen.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < USES; i++) {
        fill_update(words, i);
        memcpy(expected + i * (BYTES / 4), words, BYTES);
        umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, buffer, 0, NULL, words, 0, 0);
        agpu_check_hr(
            t, umd->context.pfnResourceCopyRegion(umd->device, seen, 0, i * BYTES, 0, 0, buffer, 0, NULL),
            S_OK);
    }
    agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
    agpu_check_contents(t, seen, expected, sizeof expected);
    agpu_check_contents(t, buffer, expected + (USES - 1) * (BYTES / 4), BYTES);
}

/* Given updates without other recorded work, and with a submission that may still run in between, each must take effect
 * in order. */
static void updates_alone(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint32_t words[BYTES / 4];
    D3D10DDI_HRESOURCE buffer = constant_buffer(t);
    uint32_t before;

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < UPDATES; i++) {
        if (i == UPDATES / 2) {
            agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
            agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
            before = agpu_submission_calls();
        }
        fill_update(words, i);
        umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, NULL, words, 0, 0);
    }
    agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
    agpu_check_contents(t, buffer, words, BYTES);
}

/* An update of a box in a buffer that the device has filled must change no byte beside it, whether or not the fill was
 * submitted. */
static void buffer_beside_box(struct agpu_test *t)
{
    static const uint32_t spans[][2] = {{16, 64}, {0, 4},    {252, 256}, {101, 103},
                                        {7, 9},   {33, 250}, {0, 255}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t expected[BYTES], part[BYTES];

    for (uint32_t flushes = 0; flushes < 2; flushes++) {
        memset(part, 0xEE, BYTES);
        agpu_fill_pattern(expected, BYTES, 40 + flushes);
        D3D10DDI_HRESOURCE buffer = agpu_make_default(t, BYTES, part);
        D3D10DDI_HRESOURCE source = agpu_make_default(t, BYTES, expected);
        agpu_assert(t, buffer.pDrvPrivate != NULL && source.pDrvPrivate != NULL);
        agpu_umd_copy(t, buffer, source); /* guest memory of the buffer does not have these bytes */
        for (uint32_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
            uint32_t left = spans[i][0], right = spans[i][1];
            const D3D10_DDI_BOX box = bytes_of(left, right);

            agpu_fill_pattern(part, BYTES, 50 + i);
            if (flushes) {
                agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
            }
            umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &box, part, 0, 0);
            memcpy(expected + left, part, right - left);
            if (!agpu_check_contents(t, buffer, expected, BYTES)) {
                agpu_metric(t, "failing_box", i, "1");
                return;
            }
        }
    }
}

/* Given a texture that the device has cleared, an update of a box by the CPU must keep the texels beside it. */
static void texture_beside_box(struct agpu_test *t)
{
    D3D10DDIARG_CREATERESOURCE desc = agpu_texture_desc(RGBA, 24, 16), patch_desc = desc;
    const D3D10_DDI_BOX box = agpu_box(5, 3, 17, 11), all = agpu_box(0, 0, 12, 8);
    uint8_t *expected = agpu_scratch(0), *patch = agpu_scratch(1);

    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET;
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 5);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, texture);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 0, 1, 1);
    for (uint32_t i = 0; i < 24 * 16; i++) {
        memcpy(expected + 4 * (size_t)i, (const uint8_t[4]){255, 0, 255, 255}, 4);
    }
    patch_desc.Width = 12;
    patch_desc.Height = 8;
    agpu_fill_image(&patch_desc, 0, 6, patch);
    agpu_umd_update(t, texture, 0, &box, patch, agpu_image_of(&patch_desc, 0).row_bytes);
    agpu_paste(&desc, 0, expected, 5, 3, &patch_desc, 0, patch, &all);
    agpu_check_image(t, texture, &desc, 0, expected);
}

#define IN_STREAM(name, function)                                                                            \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 7.1", .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,    \
        .run = (function)                                                                                    \
    }

static const struct agpu_case cases[] = {
    IN_STREAM("buffer.update.per_use", update_per_use),
    IN_STREAM("buffer.update.without_submissions", updates_alone),
    IN_STREAM("buffer.update.beside_box", buffer_beside_box),
    /* Devices may refresh whole textures (commands.md 6.2). */
    AGPU_STACK_CASE("texture.update.beside_box", "umd.md 7.1", AEROGPU_FEATURE_TRANSFER,
                    AGPU_CASE_MODEL_CHOICE, .body = texture_beside_box),
};

AGPU_CASE_TABLE(agpu_cases_umd_in_stream, cases);
