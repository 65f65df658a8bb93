/* stream_world.c: moves bytes between the two ends at random, and compares what arrives with what was sent. */
#include "tests/unit/host_stream/stream_world.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

#define BOOT "0123456789abcdef"

uint32_t world_random(struct stream_world *w)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->random >> 33);
}

void world_begin(struct stream_world *w, uint64_t seed, bool keyed, size_t ring)
{
    memset(w, 0, sizeof *w);
    w->random = seed * 77 + 1;
    struct agpu_uplink_config config = {.boot = BOOT,
                                        .token = "word",
                                        .hash = keyed ? agpu_credentials_hash : NULL,
                                        .storage = w->storage,
                                        .storage_size = ring != 0 ? ring : sizeof w->storage};
    memset(config.key, 0x5A, sizeof config.key);
    agpu_uplink_init(&w->uplink, &config);
    w->credentials.keyed = keyed;
    memset(w->credentials.key, 0x5A, sizeof w->credentials.key);
    strcpy(w->credentials.token, "word");
}

/* Builds item number n. */
static size_t make_item(uint64_t n, char *text)
{
    int length = sprintf(text, "6,%llu,%llu,-;log - level=info text=", (unsigned long long)n,
                         (unsigned long long)(n * 3));

    for (uint64_t i = 0; i < n * 7919 % (n % 50 == 0 ? 9000 : 300); i++) {
        text[length++] = (char)('a' + (n + i) % 26);
    }
    return (size_t)length;
}

static enum agpu_item_kind kind_of(uint64_t n)
{
    return n % 7 == 3 ? AGPU_ITEM_PIECE : AGPU_ITEM_RECORD;
}

void world_put(struct stream_world *w)
{
    static char text[AGPU_WIRE_ITEM_MAX];

    world_put_item(w, kind_of(w->put), text, make_item(w->put, text));
}

void world_put_item(struct stream_world *w, enum agpu_item_kind kind, const void *bytes, size_t size)
{
    assert_true(w->put < WORLD_ITEMS_MAX);
    assert_true(agpu_uplink_put(&w->uplink, (uint8_t)kind, bytes, size));
    w->put++;
}

static void take_item(struct stream_world *w, const struct agpu_intake_item *item)
{
    static char text[AGPU_WIRE_ITEM_MAX];

    if (!agpu_intake_run_take(&w->run, item->number)) {
        return;
    }
    assert_true(item->number < w->put);
    if (w->taken != NULL) {
        w->taken(w->taken_ctx, item);
        w->arrived[item->number]++;
        return;
    }
    assert_int_equal(item->kind, kind_of(item->number));
    assert_int_equal(item->size, make_item(item->number, text));
    assert_memory_equal(item->bytes, text, item->size);
    assert_true(item->number >= w->last || w->last == 0);
    w->last = item->number + 1;
    w->arrived[item->number]++;
}

/* Delivers up to count bytes to the collector. */
static void carry_up(struct stream_world *w, size_t count)
{
    struct agpu_intake_item item;
    uint8_t *to;
    size_t room = agpu_intake_room(&w->intake, &to);

    room = room < w->up.size ? room : w->up.size;
    room = room < count ? room : count;
    memcpy(to, w->up.bytes, room);
    memmove(w->up.bytes, w->up.bytes + room, w->up.size - room);
    w->up.size -= room;
    agpu_intake_came(&w->intake, room);
    for (;;) {
        switch (agpu_intake_next(&w->intake, &item, w->now_ns / 1000)) {
        case AGPU_INTAKE_HELLO:
            agpu_intake_welcome(&w->intake, w->run.next);
            continue;
        case AGPU_INTAKE_OPEN:
            assert_string_equal(w->intake.boot, BOOT);
            w->opened++;
            continue;
        case AGPU_INTAKE_ITEM:
            assert_true(w->opened > 0);
            take_item(w, &item);
            continue;
        case AGPU_INTAKE_NOTHING:
            agpu_intake_ack(&w->intake, w->run.next);
            return;
        case AGPU_INTAKE_OVER:
            w->over++;
            return;
        }
    }
}

static void end_link(struct stream_world *w)
{
    if (w->linked && w->intake.state != AGPU_INTAKE_ENDED && world_random(w) % 2) {
        carry_up(w, world_random(w) % (w->up.size + 1)); /* it arrives, its acknowledgement is lost */
    }
    w->linked = false;
    w->up.size = w->down.size = 0;
    agpu_uplink_broken(&w->uplink, w->now_ns);
}

static void serve_image(struct stream_world *w)
{
    const uint8_t *bytes;
    size_t size;

    switch (agpu_uplink_poll(&w->uplink, w->now_ns)) {
    case AGPU_UPLINK_NOTHING:
        break;
    case AGPU_UPLINK_CLOSE:
        end_link(w);
        break;
    case AGPU_UPLINK_CONNECT:
        w->connections++;
        agpu_uplink_connecting(&w->uplink, w->now_ns);
        if (w->now_ns < w->stalled_until_ns || world_random(w) % 1000 < w->faults.refused) {
            agpu_uplink_broken(&w->uplink, w->now_ns);
            break;
        }
        const uint8_t nonce[AGPU_WIRE_NONCE] = {++w->nonces};
        w->linked = true;
        agpu_uplink_connected(&w->uplink, nonce, w->now_ns);
        agpu_intake_begin(&w->intake, &w->credentials, nonce, w->now_ns / 1000);
        break;
    }
    while (w->linked && (size = agpu_uplink_output(&w->uplink, &bytes, w->now_ns)) != 0) {
        const size_t room = sizeof w->up.bytes - w->up.size;
        const size_t most = 1 + world_random(w) % 5000;
        size_t part = size < room ? size : room;

        part = part < most ? part : most;
        if (part == 0) {
            break;
        }
        memcpy(w->up.bytes + w->up.size, bytes, part);
        w->up.size += part;
        agpu_uplink_sent(&w->uplink, part);
    }
}

static void carry_down(struct stream_world *w)
{
    const uint8_t *bytes;
    size_t size = agpu_intake_output(&w->intake, &bytes);
    const size_t room = sizeof w->down.bytes - w->down.size;

    size = size < room ? size : room;
    size = size != 0 ? world_random(w) % (size + 1) : 0;
    memcpy(w->down.bytes + w->down.size, bytes, size);
    w->down.size += size;
    agpu_intake_sent(&w->intake, size);
    size = w->down.size != 0 ? world_random(w) % (w->down.size + 1) : 0;
    agpu_uplink_input(&w->uplink, w->down.bytes, size, w->now_ns);
    memmove(w->down.bytes, w->down.bytes + size, w->down.size - size);
    w->down.size -= size;
}

static bool happens(struct stream_world *w, unsigned thousandths)
{
    return world_random(w) % 1000 < thousandths;
}

static void do_harm(struct stream_world *w, struct world_pipe *pipe)
{
    const size_t at = pipe->size > 2 ? world_random(w) % (pipe->size - 1) : 0;
    const size_t some = pipe->size > 2 ? 1 + world_random(w) % (pipe->size - at - 1) : 0;

    if (some == 0) {
        return;
    }
    if (happens(w, w->faults.damage)) {
        pipe->bytes[at] ^= (uint8_t)(1 + world_random(w) % 255);
    }
    if (happens(w, w->faults.repeated) && pipe->size + some <= sizeof pipe->bytes) {
        memmove(pipe->bytes + at + some, pipe->bytes + at, pipe->size - at);
        pipe->size += some;
    }
    if (happens(w, w->faults.missing)) {
        memmove(pipe->bytes + at, pipe->bytes + at + some, pipe->size - at - some);
        pipe->size -= some;
    } else if (happens(w, w->faults.swapped)) {
        for (size_t i = 0; i < some / 2; i++) {
            const uint8_t byte = pipe->bytes[at + i];

            pipe->bytes[at + i] = pipe->bytes[at + some - 1 - i];
            pipe->bytes[at + some - 1 - i] = byte;
        }
    }
}

void world_step(struct stream_world *w)
{
    w->now_ns += world_random(w) % WORLD_STEP_NS;
    if (happens(w, w->faults.cut) && w->linked) {
        end_link(w);
    }
    if (happens(w, w->faults.stall)) {
        w->stalled_until_ns = w->now_ns + world_random(w) % 30000 * UINT64_C(1000000);
    }
    serve_image(w);
    if (w->now_ns < w->stalled_until_ns || !w->linked) {
        return;
    }
    do_harm(w, &w->up);
    if (w->intake.state != AGPU_INTAKE_ENDED) {
        carry_up(w, world_random(w) % 20000);
    }
    do_harm(w, &w->down);
    carry_down(w);
    if (w->intake.state == AGPU_INTAKE_ENDED && w->linked && w->intake.out_size == 0 && w->down.size == 0) {
        end_link(w);
    }
}

bool world_drain(struct stream_world *w, unsigned steps)
{
    while (!agpu_uplink_drained(&w->uplink) && steps-- > 0) {
        world_step(w);
    }
    return agpu_uplink_drained(&w->uplink);
}
