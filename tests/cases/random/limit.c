/* limit.c: generates many objects, resources whose sizes are limits, submissions that take several service points. */
#include "tests/cases/random/limit.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/function.h"
#include "tests/cases/random/input.h"

#define SUBMISSION_BYTES 8192u
/* Sizes that every device can hold, and that our model refuses. */
#define SMALL (UINT64_C(1) << 20)
#define LARGE (UINT64_C(1) << 30)
/* The model spends 132 bytes of its 512 MiB for a row of one texel (device.md 4.10). */
#define ROWS   8192u
#define CLEARS 520u

static void send_sampler(struct agpu_gen *g, uint32_t handle)
{
    struct aerogpu_cmd_create_sampler *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_SAMPLER);

    packet->sampler_handle = handle;
}

static void send_shader(struct agpu_gen *g, uint32_t handle)
{
    agpu_gen_put_shader(g, handle, AEROGPU_SHADER_STAGE_PIXEL, &agpu_ps_constant_4_0);
}

static void send_layout(struct agpu_gen *g, uint32_t handle)
{
    agpu_gen_input_layout(g, handle, 1)->dxgi_format = 2;
}

/* Creates more objects of one kind than a small table has, and destroys them. */
void agpu_gen_many(struct agpu_gen *g)
{
    static const struct {
        void (*send)(struct agpu_gen *g, uint32_t handle);
        uint32_t destroy, count;
    } kinds[] = {{send_sampler, AEROGPU_CMD_DESTROY_SAMPLER, 129},
                 {send_shader, AEROGPU_CMD_DESTROY_SHADER, 257},
                 {send_layout, AEROGPU_CMD_DESTROY_INPUT_LAYOUT, 65}};
    const uint32_t kind = agpu_gen_below(g, 3);
    uint32_t handles[257];

    for (uint32_t i = 0; i < kinds[kind].count; i++) {
        handles[i] = agpu_gen_new_handle(g);
        kinds[kind].send(g, handles[i]);
        if (agpu_gen_last(g)->bytes > SUBMISSION_BYTES) {
            agpu_gen_close(g, false);
        }
    }
    for (uint32_t i = 0; i < kinds[kind].count; i++) {
        uint32_t *packet = agpu_gen_packet(g, kinds[kind].destroy);

        packet[2] = handles[i];
    }
}

/* Creates a buffer or a texture with sizes at limits; what is valid, but larger than our model can hold, is an error of
 * its own. */
void agpu_gen_edges(struct agpu_gen *g)
{
    struct agpu_gen_resource texture = {.format =
                                            &agpu_gen_formats[agpu_gen_below(g, agpu_gen_format_count)]};
    struct aerogpu_cmd_destroy_resource *destroy;
    uint32_t handle;

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_DAMAGED)) {
        return;
    }
    for (uint32_t tries = 0; tries < 8; tries++) {
        texture.width = agpu_gen_limit(g);
        texture.height = agpu_gen_one_in(g, 2) ? 1 : agpu_gen_limit(g);
        texture.layers = agpu_gen_one_in(g, 2) ? 1 : agpu_gen_limit(g);
        texture.mips = 1;
        texture.pitch = agpu_gen_one_in(g, 4) ? agpu_gen_limit(g) : 0;
        texture.size = (uint64_t)texture.width * texture.height;
        texture.size = texture.size < UINT64_C(1) << 32 ? texture.size * texture.layers : texture.size;
        texture.size = texture.size < LARGE && texture.pitch > texture.width
                           ? (uint64_t)texture.pitch * texture.height * texture.layers
                           : texture.size;
        if (texture.size <= SMALL / 16 || texture.size > 4 * LARGE) {
            break;
        }
    }
    agpu_gen_close(g, false);
    agpu_gen_open(g)->invalid = true;
    handle = agpu_gen_resource_handle(g);
    if (texture.size > SMALL / 16 && texture.size <= 4 * LARGE) {
        struct aerogpu_cmd_create_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

        packet->buffer_handle = handle;
        packet->size_bytes = agpu_gen_one_in(g, 2) ? (SMALL - 4) + 4 * (uint64_t)agpu_gen_below(g, 3)
                                                   : LARGE + 4 + ((uint64_t)agpu_gen_limit(g) << 4);
    } else {
        struct aerogpu_cmd_create_texture2d *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

        packet->texture_handle = handle;
        packet->format = texture.format->number;
        packet->width = texture.width;
        packet->height = texture.height;
        packet->mip_levels = texture.mips;
        packet->array_layers = texture.layers;
        packet->row_pitch_bytes = texture.pitch;
    }
    agpu_gen_close(g, false);
    destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
    destroy->resource_handle = handle;
    agpu_gen_retire(g, handle);
}

/* Clears a high texture so often that our model continues at its next service point, with more work behind it. */
void agpu_gen_long(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_render_targets *set;
    struct aerogpu_cmd_destroy_resource *destroy;
    uint32_t handle;

    if (!g->plan.heavy || !agpu_gen_one_in(g, 4)) {
        return;
    }
    agpu_gen_close(g, true);
    handle = agpu_gen_resource_handle(g);
    agpu_gen_send_texture(g, handle, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1, ROWS, 1);
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    set->color_count = 1;
    set->colors[0] = handle;
    for (uint32_t i = 0; i < CLEARS; i++) {
        struct aerogpu_cmd_clear *clear = agpu_gen_packet_with(g, AEROGPU_CMD_CLEAR, 0);

        clear->flags = AEROGPU_CLEAR_COLOR;
        clear->color_rgba_f32[i % 4] = agpu_gen_bits(1.0f);
    }
    agpu_gen_close(g, false);
    agpu_gen_interrupts(g);
    agpu_gen_open(g);
    agpu_gen_close(g, true);
    agpu_gen_time(g);
    destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
    destroy->resource_handle = handle;
    agpu_gen_retire(g, handle);
    memset(g->colors, 0, sizeof g->colors);
    g->depth = 0;
}
