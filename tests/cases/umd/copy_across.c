/* copy_across.c: copies between the formats of one family, which have the same bytes: typeless, UNORM, sRGB
 * (umd.md 7.2, 7.3). */
#include <string.h>

#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/umd_deferred.h"

#define T      AEROGPU_FEATURE_TRANSFER
#define PAIRS  6u
#define WIDTH  20u
#define HEIGHT 12u

/* Typeless, UNORM and sRGB. */
struct across_family {
    uint32_t formats[3];
};

/* Pair n of different formats of the family. */
struct across_pair {
    struct agpu_resource_desc from, to;
};

static struct across_pair across_pair(struct agpu_test *t, uint32_t n)
{
    const struct across_family *family = agpu_stack_case(t)->variant;
    const uint32_t from = n / 2, to = (from + 1 + n % 2) % 3;

    agpu_part(t, "DXGI format %s to %s", agpu_dxgi_name(family->formats[from]),
              agpu_dxgi_name(family->formats[to]));
    return (struct across_pair){.from = agpu_texture_desc(family->formats[from], WIDTH, HEIGHT),
                                .to = agpu_texture_desc(family->formats[to], WIDTH, HEIGHT)};
}

/* Each format asks the same of a device as the sRGB one or less. */
static bool across_asks(struct agpu_test *t)
{
    const struct across_family *family = agpu_stack_case(t)->variant;
    struct agpu_resource_desc desc = agpu_texture_desc(family->formats[2], WIDTH, HEIGHT);

    return agpu_asks_texture(t, &desc);
}

/* CopyResource must copy every mip between two formats of one family, in both directions. */
static void across_whole(struct agpu_test *t)
{
    agpu_return_unless(across_asks(t));
    for (uint32_t n = 0; n < PAIRS; n++) {
        struct across_pair pair = across_pair(t, n);
        D3D10DDI_HRESOURCE src, dst;

        pair.from.MipLevels = pair.to.MipLevels = 2;
        src = agpu_make_texture(t, &pair.from, 1 + n);
        dst = agpu_make_texture(t, &pair.to, 20);
        agpu_assert(t, src.pDrvPrivate && dst.pDrvPrivate);
        agpu_umd_copy(t, dst, src);
        agpu_check_errors(t, 0, S_OK);
        agpu_return_unless(agpu_check_texture(t, dst, &pair.to, 1 + n));
        agpu_return_unless(agpu_check_texture(t, src, &pair.from, 1 + n));
    }
}

/* CopySubresourceRegion must copy a box between them, and nothing beside it, also from what the device copied to the
 * source just before. */
static void across_region(struct agpu_test *t)
{
    const D3D10_DDI_BOX box = agpu_box(4, 0, 16, 8);
    uint8_t *expected = agpu_scratch(0), *image = agpu_scratch(1);

    agpu_return_unless(across_asks(t));
    for (uint32_t n = 0; n < PAIRS; n++) {
        const struct across_pair pair = across_pair(t, n);
        D3D10DDI_HRESOURCE first, src, dst;

        first = agpu_make_texture(t, &pair.from, 1 + n);
        src = agpu_make_texture(t, &pair.from, 21);
        dst = agpu_make_texture(t, &pair.to, 22);
        agpu_assert(t, first.pDrvPrivate && src.pDrvPrivate && dst.pDrvPrivate);
        agpu_umd_copy(t, src, first); /* guest memory of the source does not have these bytes */
        agpu_check_hr(t, agpu_umd_copy_region(t, dst, 0, 8, 4, src, 0, &box), S_OK);
        agpu_fill_image(&pair.from, 0, 1 + n, image);
        agpu_fill_image(&pair.to, 0, 22, expected);
        agpu_paste(&pair.to, 0, expected, 8, 4, &pair.from, 0, image, &box);
        agpu_return_unless(agpu_check_image(t, dst, &pair.to, 0, expected));
    }
}

/* A staging texture must get the bytes of a texture of another format of the family, and give them back. */
static void across_staging(struct agpu_test *t)
{
    uint8_t *expected = agpu_scratch(0);

    agpu_return_unless(across_asks(t));
    for (uint32_t n = 0; n < PAIRS; n++) {
        const struct across_pair pair = across_pair(t, n);
        const struct agpu_resource_desc between = agpu_staging_desc(
            pair.to.Format, WIDTH, HEIGHT, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
        D3D10DDI_HRESOURCE src = agpu_make_texture(t, &pair.from, 1 + n);
        D3D10DDI_HRESOURCE staging = agpu_make_poisoned(t, &between);
        D3D10DDI_HRESOURCE dst = agpu_make_texture(t, &pair.from, 23);

        agpu_assert(t, src.pDrvPrivate && staging.pDrvPrivate && dst.pDrvPrivate);
        agpu_umd_copy(t, staging, src);
        agpu_umd_copy(t, dst, staging); /* while the first copy may still run */
        agpu_fill_image(&pair.to, 0, 1 + n, expected);
        agpu_return_unless(agpu_check_written_back(t, staging, &between, 0, expected));
        agpu_return_unless(agpu_check_texture(t, dst, &pair.from, 1 + n));
        agpu_fill_image(&pair.to, 0, 30 + n, expected);
        agpu_return_unless(agpu_write_image(t, staging, &between, 0, D3D10_DDI_MAP_WRITE, expected));
        agpu_umd_copy(t, dst, staging);
        agpu_return_unless(agpu_check_texture(t, dst, &pair.from, 30 + n));
    }
}

/* A map of a staging texture must be busy while such a copy to it has not run, and show the copy afterwards. */
static void across_busy(struct agpu_test *t)
{
    const struct across_pair pair = across_pair(t, 2);
    const struct agpu_resource_desc read =
        agpu_staging_desc(pair.to.Format, WIDTH, HEIGHT, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE src, staging;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint8_t *expected = agpu_scratch(0);

    agpu_return_unless(across_asks(t));
    src = agpu_make_texture(t, &pair.from, 1);
    staging = agpu_make_poisoned(t, &read);
    agpu_assert(t, src.pDrvPrivate && staging.pDrvPrivate);
    agpu_assert(t, t->env->umd.context.pfnFlush(t->env->umd.device) == S_OK);
    agpu_assert(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_gate_hold(t);
    agpu_umd_copy(t, staging, src);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped),
                  DXGI_ERROR_WAS_STILL_DRAWING);
    agpu_gate_open(t);
    agpu_fill_image(&pair.to, 0, 1, expected);
    agpu_check_written_back(t, staging, &read, 0, expected);
}

/* A copy must have what the device drew into the source before, and not what it draws after. */
static void across_drawn(struct agpu_test *t)
{
    agpu_return_unless(across_asks(t));
    for (uint32_t n = 0; n < PAIRS; n++) {
        const struct across_pair pair = across_pair(t, n);
        D3D10DDI_HRESOURCE target = agpu_make_target(t, pair.from.Format, WIDTH, HEIGHT);
        D3D10DDI_HRESOURCE dst = agpu_make_texture(t, &pair.to, 24);
        D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);

        agpu_assert(t, dst.pDrvPrivate && view.pDrvPrivate);
        agpu_clear_view(t, view, 1, 1, 1, 1);
        agpu_clear_view(t, view, 1, 0, 1, 1); /* the same bytes in every order and encoding */
        agpu_umd_copy(t, dst, target);
        agpu_clear_view(t, view, 0, 1, 0, 1);
        agpu_return_unless(agpu_check_solid(t, dst, &pair.to, 0, 255, 0, 255, 255));
    }
}

/* Copies between formats must be the same in command lists, also in a list within another list. */
static void across_deferred(struct agpu_test *t)
{
    const struct agpu_resource_desc from = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT),
                                    to = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, WIDTH, HEIGHT);
    const D3D10_DDI_BOX box = agpu_box(0, 0, 8, 8);
    struct agpu_case_recorder dc = agpu_defer(t), outer = agpu_defer(t);
    uint8_t *expected = agpu_scratch(0), *image = agpu_scratch(1);
    D3D10DDI_HRESOURCE src, whole, part, again;

    agpu_assert(t, dc.fn && outer.fn);
    agpu_return_unless(agpu_asks_texture(t, &to));
    src = agpu_make_texture(t, &from, 1);
    whole = agpu_make_texture(t, &to, 2);
    part = agpu_make_texture(t, &to, 3);
    again = agpu_make_texture(t, &from, 4);
    agpu_assert(t, src.pDrvPrivate && whole.pDrvPrivate && part.pDrvPrivate && again.pDrvPrivate);
    dc.fn->pfnResourceCopy(dc.device, agpu_resource_on(t, dc, whole), agpu_resource_on(t, dc, src));
    agpu_check_hr(t,
                  dc.fn->pfnResourceCopyRegion(dc.device, agpu_resource_on(t, dc, part), 0, 4, 4, 0,
                                               agpu_resource_on(t, dc, src), 0, &box),
                  S_OK);
    dc.fn->pfnResourceCopy(dc.device, agpu_resource_on(t, dc, again), agpu_resource_on(t, dc, whole));
    agpu_check_recorder_errors(t, dc, 0, S_OK);
    agpu_resource_on(t, outer, again); /* so that the outer list has other numbers */
    agpu_execute_on(t, agpu_finish(t, dc), outer);
    agpu_execute(t, agpu_finish(t, outer));
    agpu_return_unless(agpu_check_texture(t, whole, &to, 1));
    agpu_return_unless(agpu_check_texture(t, again, &from, 1));
    agpu_fill_image(&from, 0, 1, image);
    agpu_fill_image(&to, 0, 3, expected);
    agpu_paste(&to, 0, expected, 4, 4, &from, 0, image, &box);
    agpu_check_image(t, part, &to, 0, expected);
}

/* A copy of an empty box must do nothing and report nothing (Direct3D: "an empty box results in a no-op"). */
static void empty_boxes(struct agpu_test *t)
{
    static const D3D10_DDI_BOX boxes[] = {{.left = 4, .right = 4, .bottom = 1, .back = 1},
                                          {.left = 8, .right = 4, .bottom = 1, .back = 1},
                                          {.right = 4, .bottom = 0, .back = 1},
                                          {.right = 4, .bottom = 1, .back = 0}};
    const struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT);
    D3D10DDI_HRESOURCE from = agpu_make_texture(t, &desc, 1), to = agpu_make_texture(t, &desc, 2);
    uint8_t bytes[64], other[64];

    agpu_fill_pattern(bytes, sizeof bytes, 3);
    agpu_fill_pattern(other, sizeof other, 4);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, sizeof bytes, bytes),
                       second = agpu_make_default(t, sizeof other, other);
    agpu_assert(t, from.pDrvPrivate && to.pDrvPrivate && buffer.pDrvPrivate && second.pDrvPrivate);
    agpu_without_rules(t);
    for (uint32_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        agpu_check_hr(t, agpu_umd_copy_region(t, to, 0, 0, 0, from, 0, &boxes[i]), S_OK);
        agpu_check_hr(t, agpu_umd_copy_region(t, second, 0, 0, 0, buffer, 0, &boxes[i]), S_OK);
        agpu_umd_update(t, to, 0, &boxes[i], bytes, 0);
        agpu_umd_update(t, second, 0, &boxes[i], bytes, 0);
    }
    agpu_check_errors(t, 0, S_OK);
    agpu_return_unless(agpu_check_texture(t, to, &desc, 2));
    agpu_check_contents(t, second, other, sizeof other);
}

#define FAMILY(name)                                                                                         \
    {                                                                                                        \
        {                                                                                                    \
            DXGI_FORMAT_##name##_TYPELESS, DXGI_FORMAT_##name##_UNORM, DXGI_FORMAT_##name##_UNORM_SRGB       \
        }                                                                                                    \
    }

static const struct across_family across_rgba = FAMILY(R8G8B8A8), bgra = FAMILY(B8G8R8A8),
                                  across_bgrx = FAMILY(B8G8R8X8), bc1 = FAMILY(BC1), bc2 = FAMILY(BC2),
                                  bc3 = FAMILY(BC3), bc7 = FAMILY(BC7);

#define ACROSS(name, function, family)                                                                       \
    AGPU_STACK_CASE(name, "umd.md 7.2", T, 0, .body = (function), .variant = &(family))
#define COPIES(name, family)                                                                                 \
    ACROSS("texture.copy_across." name ".whole", across_whole, family),                                      \
        ACROSS("texture.copy_across." name ".region", across_region, family),                                \
        ACROSS("texture.copy_across." name ".staging", across_staging, family)

static const struct agpu_case umd_copy_across_cases[] = {
    COPIES("rgba", across_rgba),
    ACROSS("texture.copy_across.rgba.drawn", across_drawn, across_rgba),
    COPIES("bgra", bgra),
    ACROSS("texture.copy_across.bgra.drawn", across_drawn, bgra),
    COPIES("bgrx", across_bgrx),
    ACROSS("texture.copy_across.bgrx.drawn", across_drawn, across_bgrx),
    COPIES("bc1", bc1),
    COPIES("bc2", bc2),
    COPIES("bc3", bc3),
    COPIES("bc7", bc7),
    AGPU_STACK_CASE("texture.copy_across.busy", "umd.md 7.2", T, 0, .body = across_busy, .gate = true,
                    .variant = &across_rgba),
    AGPU_DEFERRED_UNDRAWN_CASE("texture.copy_across.deferred", "umd.md 15.1", across_deferred),
    AGPU_STACK_CASE("texture.copy.empty_boxes", "umd.md 7.3", T, 0, .body = empty_boxes),
};

AGPU_CASE_TABLE(agpu_cases_umd_copy_across, umd_copy_across_cases);
