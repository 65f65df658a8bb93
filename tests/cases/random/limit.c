/* limit.c: generates many objects, resources whose sizes are limits, submissions that take several service points. */
#include "tests/cases/random/limit.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/bad.h"
#include "tests/cases/random/function.h"
#include "tests/cases/random/input.h"
#include "tests/cases/random/resource.h"

#define SUBMISSION_BYTES 8192u
/* Sizes that every device can hold, and that our model refuses. */
#define SMALL (UINT64_C(1) << 20)
#define LARGE (UINT64_C(1) << 30)
/* More than the 512 MiB of a service point (device.md 4.10). */
#define COPIED (2u << 20)
#define COPIES 260u
/* Submissions of the batch that takes so long, and events meanwhile. */
#define BATCH  4u
#define EVENTS 3u

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

static void copy_often(struct agpu_gen *g, uint32_t to, uint32_t from)
{
    for (uint32_t i = COPIES + agpu_gen_below(g, COPIES / 16); i > 0; i--) {
        struct aerogpu_cmd_copy_buffer *copy = agpu_gen_packet_with(g, AEROGPU_CMD_COPY_BUFFER, 0);

        copy->dst_buffer = to;
        copy->src_buffer = from;
        copy->size_bytes = COPIED;
    }
}

/* An event that changes nothing of a batch that has begun (ring.md 2). */
static void meet_batch(struct agpu_gen *g)
{
    const uint32_t event = agpu_gen_below(g, 7);

    switch (event) {
    case 0:
    case 1:
        agpu_gen_register(g, AEROGPU_MMIO_REG_RING_CONTROL, event == 0 ? AEROGPU_RING_CONTROL_ENABLE : 0);
        break;
    case 2: /* waits for the next doorbell, in a slot that the batch does not have */
        if (g->ring_count >= BATCH + EVENTS) {
            agpu_gen_open(g);
            g->open = false;
            g->ring_tail++;
        }
        break;
    case 3:
        agpu_gen_register(g, AEROGPU_MMIO_REG_RING_GPA_LO, 4096 * agpu_gen_below(g, 8));
        break;
    case 4:
        if (agpu_gen_has(g, AGPU_GEN_AREA_SCANOUT) && !g->scanout_on) {
            g->scanout_on = true;
            agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
        }
        break;
    default: /* without bus master or memory space, then with both */
        agpu_gen_write_command(g, event == 5 ? 2 : 4);
        agpu_gen_write_command(g, 6);
        break;
    }
}

static void create_copied(struct agpu_gen *g, uint32_t handle)
{
    struct aerogpu_cmd_create_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

    packet->buffer_handle = handle;
    packet->size_bytes = COPIED;
}

static void destroy_copied(struct agpu_gen *g, uint32_t handle)
{
    struct aerogpu_cmd_destroy_resource *packet = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

    packet->resource_handle = handle;
    agpu_gen_retire(g, handle);
}

/* A present that waits for an edge if the scanout is on, a whole period before the next edge. */
static void put_held(struct agpu_gen *g)
{
    struct aerogpu_cmd_present *packet;

    if (g->scanout_on || agpu_gen_one_in(g, 2)) {
        agpu_gen_close(g, true);
        g->scanout_on = true;
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_PRESENT);
    packet->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    g->held_below = g->scanout_on ? g->fence : 0;
}

/* Several fences wait for edges, with immediate ones between them. */
void agpu_gen_hold(struct agpu_gen *g)
{
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_HELD_FENCES) || !agpu_gen_feature(g, AEROGPU_FEATURE_VBLANK) ||
        g->ring_count <= 4) {
        return;
    }
    if (!g->scanout_on) {
        agpu_gen_register(g, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
        g->scanout_on = true;
    }
    for (uint32_t i = agpu_gen_between(g, 1, 5); i > 0; i--) {
        if (!agpu_gen_one_in(g, 3)) {
            struct aerogpu_cmd_present *packet = agpu_gen_packet(g, AEROGPU_CMD_PRESENT);

            packet->flags = AEROGPU_PRESENT_FLAG_VSYNC;
            g->held_below = g->fence;
        }
        agpu_gen_open(g);
        agpu_gen_close(g, false);
    }
    agpu_gen_close(g, true);
}

/* Copies so much that our model continues at its next service point, with more work behind that. Meanwhile come other
 * events, and nothing is observed. */
void agpu_gen_long(struct agpu_gen *g)
{
    uint32_t to, from;
    bool reset;

    if (g->plan.heavy == 0 || !agpu_gen_one_in(g, g->plan.heavy) || g->held_below != 0) {
        return;
    }
    to = agpu_gen_new_handle(g);
    from = agpu_gen_new_handle(g);
    reset = agpu_gen_one_in(g, 6);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_gen_create_buffer(g);
    }
    create_copied(g, to);
    create_copied(g, from);
    agpu_gen_close(g, true);
    g->batch = BATCH;
    if (agpu_gen_has(g, AGPU_GEN_AREA_SCANOUT)) {
        put_held(g);
    }
    copy_often(g, to, from);
    for (uint32_t i = reset ? 0 : 3; i > 0; i--) { /* their table is used after the pause */
        agpu_gen_copy_buffer(g);
    }
    if (agpu_gen_has(g, AGPU_GEN_AREA_ERROR) && agpu_gen_one_in(g, 3)) {
        agpu_gen_bad_packet(g);
    }
    agpu_gen_close(g, false);
    if (!reset) {
        agpu_gen_open(g);
        agpu_gen_copy_buffer(g);
        agpu_gen_copy_texture(g);
    }
    agpu_gen_close(g, true);
    agpu_gen_last(g)->size = AGPU_GEN_UNOBSERVED;
    if (reset) {
        agpu_gen_discard(g);
        return;
    }
    for (uint32_t i = agpu_gen_below(g, EVENTS + 1); i > 0; i--) {
        meet_batch(g);
    }
    if (agpu_gen_one_in(g, 2)) { /* last, since the device sees it when the batch is over */
        agpu_gen_do(g, AGPU_GEN_DOORBELL)->size = AGPU_GEN_UNOBSERVED;
    }
    agpu_gen_compare(g);
    agpu_gen_ring_set(g);
    destroy_copied(g, to);
    destroy_copied(g, from);
}
