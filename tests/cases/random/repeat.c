/* repeat.c: generates long runs: the same few steps up to plan.again times, so that what a device counts reaches a
 * limit in the middle of other state. */
#include "tests/cases/random/repeat.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

#define ALLOC_ID       0xFFFFFD00u
#define READ_REGION    3u
#define UNKNOWN_HANDLE 0xFFF0F0F0u
#define WORD           4u /* size of the buffers */
#define LEAST_EXPONENT 4u

/* Starts a submission whose fence is certain to signal. */
static void open_signalled(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    step = agpu_gen_open(g);
    step->fence = ++g->fence;
    step->flags = 0;
}

static void put_ack(struct agpu_gen *g)
{
    agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

static void put_swap_copy(struct agpu_gen *g, uint32_t to, uint32_t from, uint32_t flags)
{
    struct aerogpu_cmd_copy_buffer *copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);

    copy->dst_buffer = to;
    copy->src_buffer = from;
    copy->size_bytes = WORD;
    copy->flags = flags;
}

static void put_entry(struct agpu_gen *g)
{
    agpu_gen_entry_add(g->program,
                       &(struct agpu_gen_entry){.id = ALLOC_ID, .region = READ_REGION, .size = WORD});
}

/* Exchanges the contents of two buffers, one of them in guest memory: a submission that is lost, or has no table,
 * shows at once. */
static void put_swap(struct agpu_gen *g, const uint32_t handles[3])
{
    open_signalled(g);
    put_entry(g);
    put_swap_copy(g, handles[2], handles[0], 0);
    put_swap_copy(g, handles[0], handles[1], AEROGPU_COPY_FLAG_WRITEBACK_DST);
    put_swap_copy(g, handles[1], handles[2], 0);
}

static void put_buffers(struct agpu_gen *g, uint32_t handles[3])
{
    struct aerogpu_cmd_upload_resource *upload;

    open_signalled(g);
    put_entry(g);
    for (uint32_t i = 0; i < 3; i++) {
        struct aerogpu_cmd_create_buffer *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

        handles[i] = agpu_gen_new_handle(g);
        create->buffer_handle = handles[i];
        create->size_bytes = WORD;
        create->backing_alloc_id = i == 0 ? ALLOC_ID : 0;
    }
    upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, WORD);
    upload->resource_handle = handles[1];
    upload->size_bytes = WORD;
    *(uint32_t *)(void *)(upload + 1) = (uint32_t)agpu_gen_random_u64(&g->random);
}

/* A packet that is refused: each counts as an error. */
static void put_refused(struct agpu_gen *g)
{
    open_signalled(g);
    agpu_gen_last(g)->invalid = true;
    put_swap_copy(g, UNKNOWN_HANDLE, UNKNOWN_HANDLE, 0);
}

static void put_repeat(struct agpu_gen *g, uint32_t first, uint64_t times)
{
    const uint32_t steps = g->program->step_count - first;
    struct agpu_gen_step *step = agpu_gen_do(g, AGPU_GEN_REPEAT);

    step->size = (uint8_t)steps;
    step->value = times;
    g->fence += times; /* one submission each */
    g->ring_tail += (uint32_t)times;
}

void agpu_gen_again(struct agpu_gen *g)
{
    const bool refused = agpu_gen_has(g, AGPU_GEN_AREA_ERROR) && agpu_gen_one_in(g, 2);
    const uint32_t times = 1u << agpu_gen_between(g, LEAST_EXPONENT, 16);
    uint32_t handles[3], first;

    if (g->plan.again == 0 || g->held_below != 0 || g->damaged ||
        !agpu_gen_feature(g, AEROGPU_FEATURE_TRANSFER)) {
        return;
    }
    put_buffers(g, handles);
    agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_gen_close(g, true);
    first = g->program->step_count;
    put_ack(g);
    if (refused) {
        put_refused(g);
    } else {
        put_swap(g, handles);
    }
    agpu_gen_close(g, true);
    put_repeat(g, first, times < g->plan.again ? times : g->plan.again);
    for (uint32_t i = 0; i < 3; i++) {
        struct aerogpu_cmd_destroy_resource *destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

        destroy->resource_handle = handles[i];
    }
    agpu_gen_close(g, true);
}
