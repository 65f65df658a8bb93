/* d3d9.c: packets in the form of Direct3D 9: states, shader tokens and vertex declarations that a device which executes
 * DXBC shaders ignores, and never acts on (commands.md 7, 8, 10, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/scene.h"

#define RGBA        AEROGPU_FORMAT_R8G8B8A8_UNORM
#define GREY        AGPU_RGBA(51, 51, 51, 51)
#define VS          AEROGPU_SHADER_STAGE_VERTEX
#define PS          AEROGPU_SHADER_STAGE_PIXEL
#define D3D9_DEPTH  30u
#define D3D9_IMAGE  31u
#define D3D9_OBJECT 60u
#define COUNT(rows) (uint32_t)(sizeof(rows) / sizeof(rows)[0])

/* ---- render states ---- */

/* A device that applied a row would draw the white cell in front of grey in another way. They add up: alpha test,
 * blending, stencil and depth test each take several rows. */
static const struct {
    const char *what;
    uint32_t id, value;
} d3d9_render_states[] = {
    {"a draw after FILLMODE = WIREFRAME", 8, 2},
    {"a draw after CULLMODE = CW", 22, 2},
    {"a draw after CULLMODE = CCW", 22, 3},
    {"a draw after ALPHABLENDENABLE = TRUE", 27, 1},
    {"a draw after SRCBLEND = ZERO", 19, 1},
    {"a draw after DESTBLEND = ONE", 20, 2},
    {"a draw after BLENDOP = MIN", 171, 4},
    {"a draw after BLENDFACTOR = 0", 193, 0},
    {"a draw after ALPHAREF = 0", 24, 0},
    {"a draw after ALPHAFUNC = NEVER", 25, 1},
    {"a draw after ALPHATESTENABLE = TRUE", 15, 1},
    {"a draw after COLORWRITEENABLE = 0", 168, 0},
    {"a draw after MULTISAMPLEMASK = 0", 162, 0},
    {"a draw after SCISSORTESTENABLE = TRUE", 174, 1},
    {"a draw after SRGBWRITEENABLE = TRUE", 194, 1},
    {"a draw after FOGENABLE = TRUE", 28, 1},
    {"a draw after ZENABLE = TRUE", 7, 1},
    {"a draw after ZFUNC = NEVER", 23, 1},
    {"a draw after STENCILFUNC = NEVER", 56, 1},
    {"a draw after STENCILENABLE = TRUE", 52, 1},
    {"a draw after CLIPPLANEENABLE = 63", 152, 63},
    {"a draw after DEPTHBIAS = 1.0", 195, 0x3F800000},
    {"a draw after LIGHTING = TRUE", 137, 1},
    {"a draw after POINTSIZE = 128.0", 154, 0x43000000},
    {"a draw after state 0", 0, UINT32_MAX},
    {"a draw after state 210, the first that Direct3D 9 does not have", 210, UINT32_MAX},
    {"a draw after state 255", 255, 1},
    {"a draw after state 256 + CULLMODE", 256 + 22, 2},
    {"a draw after state 65536 + COLORWRITEENABLE", 0x10000 + 168, 0},
    {"a draw after state 2^31 + ALPHABLENDENABLE", 0x80000000 + 27, 1},
    {"a draw after state 2^32 - 1", UINT32_MAX, UINT32_MAX},
};

static void put_render_state(struct agpu_rig *r, uint32_t row)
{
    struct aerogpu_cmd_set_render_state *set = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_STATE, sizeof *set);

    set->state = d3d9_render_states[row].id;
    set->value = d3d9_render_states[row].value;
}

/* Given render states of Direct3D 9 that would hide or change a draw, and numbers that are no state, each draw must be
 * as without them. */
static void d3d9_ignores_render_states(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    agpu_put_target(r, D3D9_DEPTH, AEROGPU_FORMAT_D24_UNORM_S8_UINT, AGPU_EDGE, AGPU_EDGE);
    agpu_put_targets(r, AGPU_TARGET, D3D9_DEPTH);
    agpu_put_clear_depth(r, 1, 7);
    agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_LESS);
    agpu_put_scissor(r, 1, 1, 1, 1); /* off */
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t row = 0; row < COUNT(d3d9_render_states);) {
        struct agpu_cell expected[AGPU_CELLS] = {{NULL, 0}};

        agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
        for (uint32_t cell = 0; cell < AGPU_CELLS && row < COUNT(d3d9_render_states); cell++, row++) {
            put_render_state(r, row);
            agpu_put_cell(r, cell);
            expected[cell] = (struct agpu_cell){d3d9_render_states[row].what, AGPU_WHITE};
        }
        agpu_return_unless(agpu_expect_cells_on(t, expected, GREY, 0));
    }
}

/* ---- sampler states ---- */

/* The first rows would sample the image in another way; the others name places that do not exist. */
static const struct {
    uint32_t stage, slot, state, value;
} d3d9_sampler_states[] = {
    {PS, 0, 1, 1},          /* ADDRESSU = WRAP */
    {PS, 0, 2, 2},          /* ADDRESSV = MIRROR */
    {PS, 0, 1, 4},          /* ADDRESSU = BORDER */
    {PS, 0, 4, UINT32_MAX}, /* BORDERCOLOR */
    {PS, 0, 5, 2},          /* MAGFILTER = LINEAR */
    {PS, 0, 6, 2},          /* MINFILTER = LINEAR */
    {PS, 0, 7, 2},          /* MIPFILTER = LINEAR */
    {PS, 0, 8, 0x40000000}, /* MIPMAPLODBIAS = 2.0 */
    {PS, 0, 9, 1},          /* MAXMIPLEVEL */
    {PS, 0, 10, 16},        /* MAXANISOTROPY */
    {PS, 0, 11, 1},         /* SRGBTEXTURE */
    {VS, 0, 1, 1},          {PS, 15, 1, 1},
    {PS, 16, 1, 1},         {PS, 256, 1, 1}, /* the displacement map of Direct3D 9 */
    {PS, 257, 1, 1},                         /* its first vertex texture */
    {PS, UINT32_MAX, 1, 1}, {PS, 0, 0, 1},
    {PS, 0, 14, 1},         {PS, 0, UINT32_MAX, UINT32_MAX},
    {2, 0, 1, 1},           {6, 0, 1, 1},
    {UINT32_MAX, 0, 1, 1},
};

static void put_sampler_state(struct agpu_rig *r, uint32_t row)
{
    struct aerogpu_cmd_set_sampler_state *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLER_STATE, sizeof *set);

    set->shader_stage = d3d9_sampler_states[row].stage;
    set->slot = d3d9_sampler_states[row].slot;
    set->state = d3d9_sampler_states[row].state;
    set->value = d3d9_sampler_states[row].value;
}

/* Two mips: 2 x 2 texels, and one that no draw of the case shows. */
static const uint32_t d3d9_texels[5] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, GREY, AGPU_WHITE};

/* Nearest and clamped, with coordinates from 0 to 2. */
static uint32_t d3d9_image(uint32_t x, uint32_t y)
{
    return d3d9_texels[(x >= AGPU_EDGE / 4) + 2 * (y >= AGPU_EDGE / 4)];
}

/* Given sampler states of Direct3D 9 that would sample in another way, a textured draw must be as without them. It must
 * be so after stages, slots and numbers that do not exist too, and with a sampler in the slot. */
static void d3d9_ignores_sampler_states(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 2);
    agpu_put_create_texture(r, D3D9_IMAGE, RGBA, 2, 2, 0, 0)->mip_levels = 2;
    agpu_put_upload(r, D3D9_IMAGE, 0, d3d9_texels, sizeof d3d9_texels);
    agpu_put_texture_slot(r, PS, 0, D3D9_IMAGE);
    for (uint32_t row = 0; row < 2 * COUNT(d3d9_sampler_states); row++) {
        const uint32_t number = row % COUNT(d3d9_sampler_states);

        if (row == COUNT(d3d9_sampler_states)) {
            agpu_put_sampler(r, 0, D3D9_OBJECT, AEROGPU_SAMPLER_FILTER_NEAREST,
                             AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
        }
        put_sampler_state(r, number);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw(r, 4);
        if (!agpu_expect(t, d3d9_image, 0)) {
            agpu_check_place(t, "wrong images after D3DSAMPLERSTATETYPE", d3d9_sampler_states[number].state,
                             1, 0);
            return;
        }
    }
}

/* ---- shaders and vertex declarations ---- */

struct d3d9_blob {
    uint32_t words;
    uint32_t word[8];
    uint32_t stage; /* of a shader */
};

/* Token streams of shader models 1 to 3: version, instructions, end. */
static const struct d3d9_blob d3d9_shaders[] = {
    {2, {0xFFFE0101, 0x0000FFFF}, VS},
    {8, {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000, 0x02000001, 0xC00F0000, 0x90E40000, 0xFFFF}, VS},
    {8, {0xFFFE0300, 0x0200001F, 0x80000000, 0xE00F0000, 0x02000001, 0xE00F0000, 0xA0E40000, 0xFFFF}, VS},
    {5, {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF}, PS},
    {5, {0xFFFF0300, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF}, PS},
    {1, {0xFFFF0300}, PS},                            /* no end */
    {3, {0xFFFF0200, 0x7FFFFFFE, 0x0000FFFF}, PS},    /* a comment longer than the blob */
    {3, {0xFFFF0300, 0x0F000001, 0x0000FFFF}, PS},    /* an instruction longer than the blob */
    {2, {0xFFFE0200, 0x0000FFFF}, PS},                /* of the other stage */
    {4, {0x43425844, 0xFFFE0200, 0x0000FFFF, 0}, VS}, /* with the mark of a container */
};

/* Elements {stream, offset, type, method, usage, usage index} of 8 bytes; {FF, 0, 17, 0, 0, 0} is the end. */
static const struct d3d9_blob d3d9_declarations[] = {
    {6, {0x00000000, 0x00000003, 0x00100000, 0x000A0003, 0x000000FF, 0x00000011}, 0},
    {6, {0x0000FFFE, 0xFFFFFFFF, 0xFFFF000F, 0x00FFFF10, 0x000000FF, 0x00000011}, 0},
    {2, {0x000000FF, 0x00000011}, 0},
};
static const struct d3d9_blob d3d9_broken_declarations[] = {
    {4, {0x00000000, 0x00000003, 0x00100000, 0x000A0003}, 0}, /* no end */
    {3, {0x00000000, 0x000000FF, 0x00000011}, 0},             /* half an element in front of the end */
    {3, {0x000000FF, 0x00000011, 0x00000000}, 0},
    {1, {0x000000FF}, 0},
};

static void put_blob(struct agpu_rig *r, const struct d3d9_blob *blob, bool shader)
{
    struct aerogpu_cmd_create_input_layout *create;

    if (shader) {
        agpu_put_shader_bytes(r, D3D9_OBJECT, blob->stage, 0, blob->word, blob->words * 4);
        return;
    }
    create = agpu_rig_packet(r, AEROGPU_CMD_CREATE_INPUT_LAYOUT, (uint32_t)sizeof *create + blob->words * 4);
    create->input_layout_handle = D3D9_OBJECT;
    create->blob_size_bytes = blob->words * 4;
    memcpy(create + 1, blob->word, blob->words * 4);
}

static void put_blob_end(struct agpu_rig *r, bool shader)
{
    const uint32_t opcode = shader ? AEROGPU_CMD_DESTROY_SHADER : AEROGPU_CMD_DESTROY_INPUT_LAYOUT;
    struct aerogpu_cmd_destroy_shader *destroy = agpu_rig_packet(r, opcode, sizeof *destroy);

    destroy->shader_handle = D3D9_OBJECT; /* input layouts have their handle at the same offset */
}

/* Draws with the object, in the pipeline of agpu_scene_solid(), and once more without it. */
static bool draw_with_blob(struct agpu_test *t, const struct d3d9_blob *blob, bool shader)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool refused;

    if (shader) {
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = blob->stage == VS ? D3D9_OBJECT : AGPU_VS,
                                                       .ps = blob->stage == PS ? D3D9_OBJECT : AGPU_PS});
    } else {
        agpu_put_set_layout(r, D3D9_OBJECT);
    }
    agpu_put_draw(r, 4);
    /* Devices may draw with vertex inputs that do not fit (commands.md 15). */
    if (!(shader || t->env->model ? agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE)
                                  : agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused))) {
        return false;
    }
    put_blob_end(r, shader);
    agpu_put_clear_color(r, 1, 0, 0, 1);
    agpu_scene_solid(t, 0.5f, 0, 1, 0, 1);
    agpu_put_draw(r, 4);
    return agpu_expect_all(t, AGPU_GREEN, 0);
}

/* Given a token stream of shader model 1 to 3, well-formed or not, a device may store or refuse it; a draw with it must
 * be refused, and later draws work. */
static void d3d9_refuses_tokens(struct agpu_test *t)
{
    bool refused, some = false;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t row = 0; row < COUNT(d3d9_shaders); row++) {
        put_blob(agpu_rig_of(t), &d3d9_shaders[row], true);
        agpu_return_unless(agpu_run_unsettled(t, &refused));
        some = some || refused;
        agpu_return_unless(draw_with_blob(t, &d3d9_shaders[row], true));
    }
    agpu_choice(t, "tokens_of_direct3d_9", some ? "refused" : "stored");
}

/* A vertex declaration must be stored, and a draw that needs it be refused. A declaration without its end, or with half
 * an element, may be refused at once. */
static void d3d9_stores_declarations(struct agpu_test *t)
{
    bool refused;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t row = 0; row < COUNT(d3d9_declarations); row++) {
        put_blob(agpu_rig_of(t), &d3d9_declarations[row], false);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(draw_with_blob(t, &d3d9_declarations[row], false));
    }
    for (uint32_t row = 0; row < COUNT(d3d9_broken_declarations); row++) {
        put_blob(agpu_rig_of(t), &d3d9_broken_declarations[row], false);
        agpu_return_unless(t->env->model ? agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE)
                                         : agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused));
        agpu_return_unless(draw_with_blob(t, &d3d9_broken_declarations[row], false));
    }
}

/* ---- without shaders ---- */

/* A device of any executor must accept the states that Direct3D 9 has, store or refuse everything else of it, and then
 * clear a target. */
static void d3d9_is_harmless(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool refused;

    for (uint32_t row = 0; row < COUNT(d3d9_render_states); row++) {
        put_render_state(r, row);
        agpu_return_unless(d3d9_render_states[row].id - 7 < 203 ? agpu_run_clean(t)
                                                                : agpu_run_unsettled(t, &refused));
    }
    for (uint32_t row = 0; row < COUNT(d3d9_sampler_states); row++) {
        const bool known = d3d9_sampler_states[row].stage <= PS && d3d9_sampler_states[row].slot < 16 &&
                           d3d9_sampler_states[row].state - 1 < 13;

        put_sampler_state(r, row);
        agpu_return_unless(known ? agpu_run_clean(t) : agpu_run_unsettled(t, &refused));
    }
    for (uint32_t row = 0; row < COUNT(d3d9_shaders) + COUNT(d3d9_declarations); row++) {
        const bool shader = row < COUNT(d3d9_shaders);

        put_blob(r, shader ? &d3d9_shaders[row] : &d3d9_declarations[row - COUNT(d3d9_shaders)], shader);
        agpu_return_unless(agpu_run_unsettled(t, &refused));
        put_blob_end(r, shader);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_put_target(r, AGPU_TARGET, RGBA, AGPU_EDGE, AGPU_EDGE);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_clear_color(r, 0, 1, 0, 1);
    agpu_expect_all(t, AGPU_GREEN, 0);
}

static const struct agpu_case render_d3d9_cases[] = {
    AGPU_SCENE_CASE("render.d3d9.render_states", "commands.md 8", 0, d3d9_ignores_render_states),
    AGPU_SCENE_CASE("render.d3d9.sampler_states", "commands.md 10", 0, d3d9_ignores_sampler_states),
    AGPU_SCENE_CASE("render.d3d9.tokens", "commands.md 7", 0, d3d9_refuses_tokens),
    AGPU_SCENE_CASE("render.d3d9.declarations", "commands.md 7", 0, d3d9_stores_declarations),
    AGPU_SCENE_CASE("render.d3d9.harmless", "commands.md 15", 0, d3d9_is_harmless),
};

AGPU_CASE_TABLE(agpu_cases_render_d3d9, render_d3d9_cases);
