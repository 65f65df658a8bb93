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
#define GLYPH   4u                   /* edge of a glyph; 16 fit into the cache, 1,024 into the copies */
#define LARGE   (64u * 1024 + BYTES) /* more than one upload of the driver has */
#define LARGES  64u

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
    const struct agpu_resource_desc desc =
        agpu_buffer_desc(BYTES, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static uint32_t stream_expected[USES * BYTES / 4];

/* Given an update before each use, as an application does for every draw, each copy (in place of a draw) must read its
 * own update. */
static void update_per_use(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint32_t words[BYTES / 4];
    D3D10DDI_HRESOURCE buffer = constant_buffer(t), seen = agpu_make_default(t, sizeof stream_expected, NULL);
    uint32_t before;

    agpu_assert(t, buffer.pDrvPrivate != NULL && seen.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < USES; i++) {
        fill_update(words, i);
        memcpy(stream_expected + i * (BYTES / 4), words, BYTES);
        umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, buffer, 0, NULL, words, 0, 0);
        agpu_check_hr(
            t, umd->context.pfnResourceCopyRegion(umd->device, seen, 0, i * BYTES, 0, 0, buffer, 0, NULL),
            S_OK);
    }
    agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
    agpu_check_contents(t, seen, stream_expected, sizeof stream_expected);
    agpu_check_contents(t, buffer, stream_expected + (USES - 1) * (BYTES / 4), BYTES);
}

/* Given two updates of 3 bytes before each use, each copy must read all updates so far. Only the first update may
 * submit, to learn the other bytes of its words. */
static void bytes_per_use(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t now[BYTES], *seen_bytes = (uint8_t *)stream_expected;
    uint32_t before;

    agpu_fill_pattern(now, BYTES, 7);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, BYTES, now),
                       seen = agpu_make_default(t, sizeof stream_expected, NULL);
    agpu_assert(t, buffer.pDrvPrivate != NULL && seen.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < UPDATES; i++) {
        const uint32_t left = i * 7 % (BYTES - 2);
        const D3D10_DDI_BOX box = bytes_of(left, left + 3);
        const uint8_t part[3] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)~i};

        umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &box, part, 0, 0);
        memcpy(now + left, part, 3);
        if (i % 2) {
            memcpy(seen_bytes + i / 2 * BYTES, now, BYTES);
            agpu_check_hr(t,
                          umd->context.pfnResourceCopyRegion(umd->device, seen, 0, i / 2 * BYTES, 0, 0,
                                                             buffer, 0, NULL),
                          S_OK);
        }
    }
    agpu_check(t, agpu_submission_calls() - before <= 1);
    agpu_check_contents(t, seen, stream_expected, sizeof stream_expected);
    agpu_check_contents(t, buffer, now, BYTES);
}

/* Given updates of more than 64 KiB before each use, each copy of the first and last words must read its own update,
 * without a submission. */
static void large_per_use(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_BOX ends[] = {bytes_of(0, 4), bytes_of(65532, 65540), bytes_of(LARGE - 4, LARGE)};
    static uint32_t words[LARGE / 4];
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, LARGE, NULL);
    D3D10DDI_HRESOURCE seen = agpu_make_default(t, LARGES * 16, NULL);
    uint32_t before;

    agpu_assert(t, buffer.pDrvPrivate != NULL && seen.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < LARGES; i++) {
        for (uint32_t word = 0; word < LARGE / 4; word++) {
            words[word] = i << 16 | word;
        }
        umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, NULL, words, 0, 0);
        for (uint32_t end = 0, at = 0; end < 3; at += (uint32_t)(ends[end].right - ends[end].left), end++) {
            agpu_check_hr(t,
                          umd->context.pfnResourceCopyRegion(umd->device, seen, 0, i * 16 + at, 0, 0, buffer,
                                                             0, &ends[end]),
                          S_OK);
            memcpy((uint8_t *)stream_expected + i * 16 + at, (const uint8_t *)words + ends[end].left,
                   (size_t)(ends[end].right - ends[end].left));
        }
    }
    agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
    agpu_check_contents(t, seen, stream_expected, LARGES * 16);
    agpu_check_contents(t, buffer, words, LARGE);
}

/* Writes 1,024 glyphs into a texture, each before the copy (in place of a draw) that reads it, and checks all copies.
 * There may be at most `most` submissions. */
static void write_glyphs(struct agpu_test *t, const struct agpu_resource_desc *desc, uint32_t most)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const bool dynamic = desc->Usage == D3D10_DDI_USAGE_DYNAMIC;
    const struct agpu_resource_desc glyph_desc = agpu_texture_desc(RGBA, GLYPH, GLYPH);
    const struct agpu_resource_desc seen_desc = agpu_texture_desc(RGBA, 32 * GLYPH, 32 * GLYPH);
    const D3D10_DDI_BOX all = agpu_box(0, 0, GLYPH, GLYPH);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, desc, 0), seen = agpu_make_texture(t, &seen_desc, 0);
    uint8_t *image = agpu_scratch(0), *now = agpu_scratch(1);
    uint32_t glyph[GLYPH * GLYPH], before;

    agpu_assert(t, texture.pDrvPrivate != NULL && seen.pDrvPrivate != NULL);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    before = agpu_submission_calls();
    for (uint32_t i = 0; i < UPDATES; i++) {
        const uint32_t x = i * GLYPH % desc->Width, y = i * GLYPH / desc->Width * GLYPH % desc->Height;
        const D3D10_DDI_BOX box =
            agpu_box((int32_t)x, (int32_t)y, (int32_t)(x + GLYPH), (int32_t)(y + GLYPH));
        const uint32_t to_x = i % 32 * GLYPH, to_y = i / 32 * GLYPH;

        for (uint32_t texel = 0; texel < GLYPH * GLYPH; texel++) {
            glyph[texel] = i << 8 | texel;
        }
        if (dynamic) {
            (void)agpu_write_image(t, texture, desc, 0, D3D10_DDI_MAP_WRITE_DISCARD, glyph);
        } else {
            agpu_umd_update(t, texture, 0, &box, glyph, GLYPH * 4);
        }
        agpu_check_hr(t, agpu_umd_copy_region(t, seen, 0, to_x, to_y, texture, 0, &box), S_OK);
        agpu_paste(desc, 0, now, x, y, &glyph_desc, 0, (const uint8_t *)glyph, &all);
        agpu_paste(&seen_desc, 0, image, to_x, to_y, &glyph_desc, 0, (const uint8_t *)glyph, &all);
    }
    agpu_check(t, agpu_submission_calls() - before <= most);
    agpu_check_image(t, seen, &seen_desc, 0, image);
    agpu_check_image(t, texture, desc, 0, now);
}

/* Given a glyph written into a cache of 16 before each use, each use must read its own glyph, without a submission. */
static void glyph_per_use(struct agpu_test *t)
{
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 4 * GLYPH, 4 * GLYPH);

    write_glyphs(t, &desc, 0);
}

/* Given a dynamic texture mapped with DISCARD before each use, each use must read its own contents, and only a full
 * command buffer may be submitted. */
static void texture_map_per_use(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, GLYPH, GLYPH);

    desc.Usage = D3D10_DDI_USAGE_DYNAMIC;
    desc.CPUAccessFlags = D3D10_DDI_CPU_ACCESS_WRITE;
    write_glyphs(t, &desc, 4);
}

/* Command buffers as usual; renamed guest memory is submitted instead (umd.md 6.3). */
static void usual_command_buffers(struct agpu_runtime_config *config)
{
    config->command_buffer_bytes = 256u << 10;
    config->options.dynamic_guest_backed = 0;
}

/* An update of more rows than one upload has, of a texture that a recorded copy reads, must reach all its rows and
 * neither the texels beside the box nor the copy. */
static void large_box_in_use(struct agpu_test *t)
{
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 120, 120);
    const struct agpu_resource_desc patch_desc = agpu_texture_desc(RGBA, 116, 114);
    const D3D10_DDI_BOX box = agpu_box(3, 5, 119, 119), all = agpu_box(0, 0, 116, 114);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 5), copy = agpu_make_texture(t, &desc, 0);
    uint8_t *image = agpu_scratch(0), *patch = agpu_scratch(1);
    uint32_t before;

    agpu_assert(t, texture.pDrvPrivate != NULL && copy.pDrvPrivate != NULL);
    agpu_fill_image(&patch_desc, 0, 6, patch);
    before = agpu_submission_calls();
    agpu_umd_copy(t, copy, texture);
    agpu_umd_update(t, texture, 0, &box, patch, 116 * 4);
    agpu_check_eq_u64(t, agpu_submission_calls() - before, 0);
    agpu_check_texture(t, copy, &desc, 5);
    agpu_fill_image(&desc, 0, 5, image);
    agpu_paste(&desc, 0, image, 3, 5, &patch_desc, 0, patch, &all);
    agpu_check_image(t, texture, &desc, 0, image);
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
 * submitted. The device fills it again after some updates. */
static void buffer_beside_box(struct agpu_test *t)
{
    static const uint32_t spans[][2] = {{16, 64}, {0, 4},    {252, 256}, {101, 103},
                                        {7, 9},   {33, 250}, {0, 255}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t bytes[BYTES], part[BYTES];

    for (uint32_t flushes = 0; flushes < 2; flushes++) {
        memset(part, 0xEE, BYTES);
        agpu_fill_pattern(bytes, BYTES, 40 + flushes);
        D3D10DDI_HRESOURCE buffer = agpu_make_default(t, BYTES, part);
        D3D10DDI_HRESOURCE source = agpu_make_default(t, BYTES, bytes);
        agpu_assert(t, buffer.pDrvPrivate != NULL && source.pDrvPrivate != NULL);
        agpu_umd_copy(t, buffer, source); /* guest memory of the buffer does not have these bytes */
        for (uint32_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
            uint32_t left = spans[i][0], right = spans[i][1];
            const D3D10_DDI_BOX box = bytes_of(left, right);

            agpu_part(t, "bytes %u to %u", left, right);
            if (i == 5) {
                agpu_fill_pattern(bytes, BYTES, 60 + flushes);
                agpu_umd_copy(t, buffer, agpu_make_default(t, BYTES, bytes));
            }
            agpu_fill_pattern(part, BYTES, 50 + i);
            if (flushes) {
                agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
            }
            umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &box, part, 0, 0);
            memcpy(bytes + left, part, right - left);
            agpu_return_unless(agpu_check_contents(t, buffer, bytes, BYTES));
        }
    }
}

/* Given a texture that the device has cleared, an update of a box by the CPU must keep the texels beside it. */
static void texture_beside_box(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 24, 16), patch_desc = desc;
    const D3D10_DDI_BOX box = agpu_box(5, 3, 17, 11), all = agpu_box(0, 0, 12, 8);
    uint8_t *image = agpu_scratch(0), *patch = agpu_scratch(1);

    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET;
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 5);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, texture);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 0, 1, 1);
    for (uint32_t i = 0; i < 24 * 16; i++) {
        memcpy(image + 4 * (size_t)i, (const uint8_t[4]){255, 0, 255, 255}, 4);
    }
    patch_desc.Width = 12;
    patch_desc.Height = 8;
    agpu_fill_image(&patch_desc, 0, 6, patch);
    agpu_umd_update(t, texture, 0, &box, patch, agpu_image_of(&patch_desc, 0).row_bytes);
    agpu_paste(&desc, 0, image, 5, 3, &patch_desc, 0, patch, &all);
    agpu_check_image(t, texture, &desc, 0, image);
}

#define IN_STREAM(name, function)                                                                            \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 7.1", .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,    \
        .run = (function)                                                                                    \
    }

static const struct agpu_case umd_in_stream_cases[] = {
    IN_STREAM("buffer.update.per_use", update_per_use),
    IN_STREAM("buffer.update.bytes_per_use", bytes_per_use),
    IN_STREAM("buffer.update.large_per_use", large_per_use),
    IN_STREAM("texture.update.glyph_per_use", glyph_per_use),
    IN_STREAM("texture.update.large_box_in_use", large_box_in_use),
    AGPU_STACK_CASE("texture.map.per_use", "umd.md 6.5", AEROGPU_FEATURE_TRANSFER, 0,
                    .body = texture_map_per_use, .configure = usual_command_buffers),
    IN_STREAM("buffer.update.without_submissions", updates_alone),
    IN_STREAM("buffer.update.beside_box", buffer_beside_box),
    AGPU_STACK_CASE("texture.update.beside_box", "umd.md 7.1", AEROGPU_FEATURE_TRANSFER, 0,
                    .body = texture_beside_box),
};

AGPU_CASE_TABLE(agpu_cases_umd_in_stream, umd_in_stream_cases);
