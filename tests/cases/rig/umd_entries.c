/* umd_entries.c: tests function tables (umd_entries.h). */
#include "tests/cases/rig/umd_entries.h"

#include <string.h>

#include "pci/machine/text.h"

#define EDGE        AGPU_EDGE
#define MOST        256u /* entries of a table */
#define OBJECT_SIZE 256u

static uint8_t entries_object_memory[OBJECT_SIZE];
static uint32_t drawn_texels;

bool agpu_entries_begin(struct agpu_test *t, struct agpu_entry_scene *scene)
{
    struct agpu_resource_desc texture = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    struct agpu_resource_desc buffer =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quad[4];
    HRESULT hr;

    *scene = (struct agpu_entry_scene){.test = t, .device = umd->device, .memory = entries_object_memory};
    agpu_without_rules(t); /* Windows never makes some of these calls */
    if (!agpu_draw_begin(t, EDGE)) {
        return false;
    }
    scene->texture = agpu_make_texture(t, &texture, 1);
    scene->srv = agpu_make_srv(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = scene->texture});
    scene->query = agpu_make_event(t);
    scene->buffer = agpu_umd_create(t, &buffer, &hr);
    if (umd->funcs.pfnCreateHullShader != NULL) {
        scene->hull = agpu_make_shader(t, umd->funcs.pfnCreateHullShader, &agpu_hs_triangle_5_0);
        scene->domain = agpu_make_shader(t, umd->funcs.pfnCreateDomainShader, &agpu_ds_triangle_5_0);
        scene->uav = agpu_make_uav(t, &(D3D11DDIARG_CREATEUNORDEREDACCESSVIEW){
                                          .hDrvResource = scene->buffer, .Format = DXGI_FORMAT_R32_TYPELESS});
    }
    agpu_scene_quad(quad, 0.5f, 1, 0, 0, 1);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof quad, quad), sizeof quad[0], AGPU_DRAW_STRIP);
    return agpu_check(t, hr == S_OK && scene->srv.pDrvPrivate != NULL && scene->query.pDrvPrivate != NULL);
}

/* Returns a text about one entry. */
static const char *about(const struct agpu_entry *row, const char *what)
{
    static char buffer[160];

    agpu_format_line(buffer, sizeof buffer, "%s%s", row->name, what);
    return buffer;
}

static bool check_answer(const struct agpu_entry_scene *scene, const struct agpu_entry *row, HRESULT hr,
                         bool null)
{
    struct agpu_test *t = scene->test;
    struct agpu_runtime_error_record errors = agpu_runtime_errors(t->env->umd.runtime_device);
    const bool creates = row->answer == AGPU_ENTRY_CREATES;
    bool reports =
        creates || row->answer == AGPU_ENTRY_ALWAYS || (row->answer == AGPU_ENTRY_REPORTS && !null);
    HRESULT expected = creates || row->answer == AGPU_ENTRY_REFUSES ? E_NOTIMPL
                       : row->answer == AGPU_ENTRY_INVALID          ? E_INVALIDARG
                                                                    : S_OK;
    bool ok = agpu_check_u64(t, (uint32_t)hr, (uint32_t)expected, about(row, " returns"), true, AGPU_HERE);

    agpu_runtime_errors_clear(t->env->umd.runtime_device);
    ok &=
        agpu_check_u64(t, errors.count, reports, about(row, ": errors through SetErrorCb"), false, AGPU_HERE);
    if (reports && errors.count != 0) {
        ok &= agpu_check_u64(t, (uint32_t)errors.first, (uint32_t)E_NOTIMPL, about(row, " reports"), true,
                             AGPU_HERE);
    }
    return ok;
}

/* Draws the next texel of the target, row by row. */
static void draw_texel(struct agpu_entry_scene *scene)
{
    const struct agpu_umd_rig *umd = &scene->test->env->umd;
    const D3D10_DDI_VIEWPORT one = {.TopLeftX = (float)(scene->draws % EDGE),
                                    .TopLeftY = (float)(scene->draws / EDGE),
                                    .Width = 1,
                                    .Height = 1,
                                    .MaxDepth = 1};

    umd->context.pfnSetViewports(umd->device, 1, 0, &one);
    umd->context.pfnDraw(umd->device, 4, 0);
    scene->draws++;
}

static bool walk_entry(struct agpu_entry_scene *scene, const struct agpu_entry *row)
{
    void (*entry)(void);
    bool ok;

    memcpy(&entry, (const uint8_t *)scene->table + row->offset, sizeof entry);
    ok = agpu_check_true(scene->test, entry != NULL, about(row, " is there"), AGPU_HERE);
    if (!ok || row->call == NULL) {
        return ok;
    }
    if (row->answer == AGPU_ENTRY_REPORTS) {
        scene->null = true;
        ok = check_answer(scene, row, row->call(scene), true);
        scene->null = false;
    }
    ok &= check_answer(scene, row, row->call(scene), false);
    draw_texel(scene);
    return ok;
}

bool agpu_entries_walk(struct agpu_entry_scene *scene, const void *table, size_t bytes,
                       const struct agpu_entry *rows, uint32_t count)
{
    const uint32_t entries = (uint32_t)(bytes / sizeof(void (*)(void)));
    bool named[MOST] = {false};

    scene->table = table;
    if (!agpu_check_eq_u64(scene->test, count, entries) || !agpu_check(scene->test, entries <= MOST)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool *seen = &named[rows[i].offset / sizeof(void (*)(void))];

        if (!agpu_check_true(scene->test, !*seen, about(&rows[i], " is named once"), AGPU_HERE) ||
            !walk_entry(scene, &rows[i])) {
            return false;
        }
        *seen = true;
    }
    return true;
}

static uint32_t expected_texels(uint32_t x, uint32_t y)
{
    return y * EDGE + x < drawn_texels ? AGPU_RED : AGPU_NOTHING;
}

void agpu_entries_end(struct agpu_entry_scene *scene)
{
    drawn_texels = scene->draws;
    agpu_check(scene->test, scene->draws != 0 && scene->draws < EDGE * EDGE);
    agpu_draw_expect(scene->test, expected_texels, 0);
}
