/* blt.c: windowed presents: Blt copies a buffer onto a part of the window's surface; stretching is refused (umd.md
 * 3.1). */
#include "mm/runtime/usage_rules.h"

#include "tests/cases/rig/umd_textures.h"

#define BGRA   DXGI_FORMAT_B8G8R8A8_UNORM
#define WIDTH  16u
#define HEIGHT 8u
#define DESK   40u /* texels per edge of the surface with the windows */

struct blt_scene {
    struct agpu_resource_desc window_desc, desk_desc;
    D3D10DDI_HRESOURCE window, desk;
};

static bool blt_begin(struct agpu_test *t, struct blt_scene *scene)
{
    scene->window_desc = agpu_texture_desc(BGRA, WIDTH, HEIGHT);
    scene->desk_desc = agpu_texture_desc(BGRA, DESK, DESK);
    scene->window_desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    scene->window = agpu_make_texture(t, &scene->window_desc, 1);
    scene->desk = agpu_make_texture(t, &scene->desk_desc, 2);
    return agpu_check(t, scene->window.pDrvPrivate != NULL && scene->desk.pDrvPrivate != NULL);
}

/* Blts onto a rectangle of this size, with its corner here. */
static HRESULT blt_to(struct agpu_test *t, const struct blt_scene *scene, uint32_t left, uint32_t top,
                      uint32_t width, uint32_t height)
{
    const DXGI_DDI_ARG_BLT args = {.hDstResource = scene->desk,
                                   .DstLeft = left,
                                   .DstTop = top,
                                   .DstRight = left + width,
                                   .DstBottom = top + height,
                                   .hSrcResource = scene->window};

    return t->env->umd.funcs.pfnBlt(t->env->umd.device, &args);
}

/* Given windows at every corner, overlapping and moved, each frame must be where its Blt put it, and nothing beside it
 * may change. */
static void blt_copies(struct agpu_test *t)
{
    static const uint32_t places[][2] = {
        {0, 0}, {DESK - WIDTH, 0}, {0, DESK - HEIGHT}, {DESK - WIDTH, DESK - HEIGHT}, {9, 5}, {11, 7}};
    const D3D10_DDI_BOX whole = agpu_box(0, 0, WIDTH, HEIGHT);
    uint8_t *expected = agpu_scratch(1), *image = agpu_scratch(2);
    struct blt_scene scene;

    agpu_return_unless(blt_begin(t, &scene));
    agpu_fill_image(&scene.desk_desc, 0, 2, expected);
    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        agpu_fill_image(&scene.window_desc, 0, 10 + i, image);
        agpu_umd_update(t, scene.window, 0, NULL, image, 0);
        agpu_check_hr(t, blt_to(t, &scene, places[i][0], places[i][1], WIDTH, HEIGHT), S_OK);
        agpu_paste(&scene.desk_desc, 0, expected, places[i][0], places[i][1], &scene.window_desc, 0, image,
                   &whole);
        agpu_return_unless(agpu_check_image(t, scene.desk, &scene.desk_desc, 0, expected));
    }
    agpu_check_image(t, scene.window, &scene.window_desc, 0, image); /* which has not changed */
}

/* A Blt that is larger, smaller, reversed, or past an edge must return an error and change nothing; the next Blt must
 * work. */
static void blt_refusals(struct agpu_test *t)
{
    const D3D10_DDI_BOX whole = agpu_box(0, 0, WIDTH, HEIGHT);
    uint8_t *expected = agpu_scratch(1), *image = agpu_scratch(2);
    struct blt_scene scene;

    agpu_return_unless(blt_begin(t, &scene));
    agpu_fill_image(&scene.desk_desc, 0, 2, expected);
    agpu_check_hr(t, blt_to(t, &scene, 0, 0, 2 * WIDTH, 2 * HEIGHT), E_NOTIMPL);
    agpu_check_hr(t, blt_to(t, &scene, 4, 4, WIDTH / 2, HEIGHT / 2), E_NOTIMPL);
    agpu_check_hr(t, blt_to(t, &scene, 4, 4, WIDTH, HEIGHT - 1), E_NOTIMPL);
    agpu_check_hr(t, blt_to(t, &scene, WIDTH, HEIGHT, (uint32_t)0 - WIDTH, (uint32_t)0 - HEIGHT), E_NOTIMPL);
    agpu_check_hr(t, blt_to(t, &scene, DESK - WIDTH + 1, 0, WIDTH, HEIGHT), E_INVALIDARG);
    agpu_check_hr(t, blt_to(t, &scene, 0, DESK - HEIGHT + 1, WIDTH, HEIGHT), E_INVALIDARG);
    agpu_check_hr(t, t->env->umd.funcs.pfnBlt(t->env->umd.device, NULL), E_INVALIDARG);
    agpu_check_errors(t, 0, S_OK); /* the result reports it */
    agpu_return_unless(agpu_check_image(t, scene.desk, &scene.desk_desc, 0, expected));
    agpu_check_hr(t, blt_to(t, &scene, 3, 2, WIDTH, HEIGHT), S_OK);
    agpu_fill_image(&scene.window_desc, 0, 1, image);
    agpu_paste(&scene.desk_desc, 0, expected, 3, 2, &scene.window_desc, 0, image, &whole);
    agpu_check_image(t, scene.desk, &scene.desk_desc, 0, expected);
}

/* The runtime must refuse a Blt to a resource that the device may not write. */
static void blt_usage(struct agpu_test *t)
{
    struct blt_scene scene;
    struct agpu_resource_desc desc;
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = agpu_scratch(3)};
    HRESULT hr;

    agpu_return_unless(blt_begin(t, &scene));
    desc = scene.desk_desc;
    desc.Usage = D3D10_DDI_USAGE_IMMUTABLE;
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    agpu_fill_image(&desc, 0, 7, agpu_scratch(3));
    scene.desk = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_hr(t, blt_to(t, &scene, 0, 0, WIDTH, HEIGHT), E_INVALIDARG);
    agpu_check_refused(t, 1, AGPU_RULE_COPY_IMMUTABLE);
    agpu_check_texture(t, scene.desk, &scene.desk_desc, 7);
}

#define BLT(name, function)                                                                                  \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 3.1", .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,    \
        .run = (function)                                                                                    \
    }

static const struct agpu_case umd_blt_cases[] = {
    BLT("present.blt.copies", blt_copies),
    BLT("present.blt.refused", blt_refusals),
    BLT("present.blt.usage", blt_usage),
};

AGPU_CASE_TABLE(agpu_cases_umd_blt, umd_blt_cases);
