/* uplink.c: the states of the stream's sending end (tests/handbook/stream.md 2 to 4). */
#include "efi/net/uplink.h"

#include <string.h>

#define MS UINT64_C(1000000)

#define CONNECT_NS       (5000 * MS) /* TCP's own retries are slower than a new attempt */
#define GREETING_NS      (5000 * MS)
#define ANSWER_NS        (4000 * MS)
#define POLL_GAP_NS      (500 * MS) /* a longer gap between polls means that a case kept the processor */
#define PAUSE_MIN_NS     (250 * MS)
#define PAUSE_REFUSED_NS (30000 * MS)

void agpu_uplink_init(struct agpu_uplink *u, const struct agpu_uplink_config *config)
{
    *u = (struct agpu_uplink){.config = *config, .pause_ns = PAUSE_MIN_NS};
    agpu_backlog_init(&u->backlog, config->storage, config->storage_size);
}

static void set_reason(struct agpu_uplink *u, const char *text, size_t length)
{
    length = length < sizeof u->reason - 1 ? length : sizeof u->reason - 1;
    memcpy(u->reason, text, length);
    u->reason[length] = '\0';
}

static void go_wrong(struct agpu_uplink *u, const char *text)
{
    set_reason(u, text, strlen(text));
    u->state = AGPU_UPLINK_WRONG;
    u->out_size = u->out_at = 0;
}

/* True when an item was sent and not acknowledged. */
static bool answer_owed(const struct agpu_uplink *u)
{
    return u->backlog.acked < u->backlog.cursor;
}

bool agpu_uplink_put(struct agpu_uplink *u, enum agpu_item_kind kind, const void *bytes, size_t size)
{
    return size <= AGPU_WIRE_ITEM_MAX && agpu_backlog_put(&u->backlog, (uint8_t)kind, bytes, size);
}

/* Input that arrived while a case kept the processor has not been read yet: extends the deadline of the
 * peer. */
static void allow_for_absence(struct agpu_uplink *u, uint64_t now_ns)
{
    const uint64_t deadline = agpu_uplink_deadline(u);
    const bool waits = u->state == AGPU_UPLINK_CONNECTING || u->state == AGPU_UPLINK_GREETING ||
                       u->state == AGPU_UPLINK_OPEN;

    if (waits && now_ns >= deadline && now_ns - u->polled_ns > POLL_GAP_NS) {
        u->since_ns += now_ns - deadline + POLL_GAP_NS;
    }
    u->polled_ns = now_ns;
}

enum agpu_uplink_wish agpu_uplink_poll(struct agpu_uplink *u, uint64_t now_ns)
{
    allow_for_absence(u, now_ns);
    if (now_ns >= agpu_uplink_deadline(u)) {
        switch (u->state) {
        case AGPU_UPLINK_APART:
            return AGPU_UPLINK_CONNECT;
        case AGPU_UPLINK_CONNECTING:
            go_wrong(u, "no answer to the connection");
            break;
        case AGPU_UPLINK_GREETING:
            go_wrong(u, "the peer accepts the connection but sends nothing: is it agpu listen?");
            break;
        case AGPU_UPLINK_OPEN:
            go_wrong(u, "the collector sends no acknowledgements");
            break;
        case AGPU_UPLINK_WRONG:
            break;
        }
    }
    return u->state == AGPU_UPLINK_WRONG ? AGPU_UPLINK_CLOSE : AGPU_UPLINK_NOTHING;
}

uint64_t agpu_uplink_deadline(const struct agpu_uplink *u)
{
    switch (u->state) {
    case AGPU_UPLINK_APART:
        return u->retry_ns;
    case AGPU_UPLINK_CONNECTING:
        return u->since_ns + CONNECT_NS;
    case AGPU_UPLINK_GREETING:
        return u->since_ns + GREETING_NS;
    case AGPU_UPLINK_OPEN:
        return answer_owed(u) ? u->since_ns + ANSWER_NS : UINT64_MAX;
    case AGPU_UPLINK_WRONG:
        break;
    }
    return 0;
}

void agpu_uplink_connecting(struct agpu_uplink *u, uint64_t now_ns)
{
    u->state = AGPU_UPLINK_CONNECTING;
    u->since_ns = now_ns;
    u->in_size = 0;
    u->out_size = u->out_at = 0;
    u->out_seal.hash = u->in_seal.hash = NULL;
}

static void put_hello(struct agpu_uplink *u, const uint8_t nonce[AGPU_WIRE_NONCE])
{
    const size_t boot = strlen(u->config.boot);
    const size_t token = strlen(u->config.token);
    uint8_t *hello = u->hello;

    agpu_put_u16(hello, (uint16_t)AGPU_WIRE_MAGIC);
    agpu_put_u16(hello + 2, (uint16_t)(AGPU_WIRE_MAGIC >> 16));
    hello[4] = AGPU_WIRE_VERSION;
    hello[5] = u->config.hash != NULL ? AGPU_WIRE_KEYED : 0;
    hello[6] = (uint8_t)boot;
    hello[7] = (uint8_t)token;
    memcpy(hello + 8, nonce, AGPU_WIRE_NONCE);
    agpu_put_u64(hello + 24, u->backlog.first);
    agpu_put_u64(hello + 32, u->backlog.next);
    memcpy(hello + AGPU_WIRE_HELLO_SIZE, u->config.boot, boot);
    memcpy(hello + AGPU_WIRE_HELLO_SIZE + boot, u->config.token, token);
    u->hello_size = AGPU_WIRE_HELLO_SIZE + boot + token;
    memcpy(u->out + AGPU_WIRE_HEADER, hello, u->hello_size);
    u->out_size = agpu_wire_finish(u->out, AGPU_WIRE_HELLO, u->hello_size, NULL);
}

void agpu_uplink_connected(struct agpu_uplink *u, const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_ns)
{
    u->state = AGPU_UPLINK_GREETING;
    u->since_ns = now_ns;
    put_hello(u, nonce);
}

void agpu_uplink_broken(struct agpu_uplink *u, uint64_t now_ns)
{
    u->state = AGPU_UPLINK_APART;
    u->retry_ns = now_ns + u->pause_ns;
    u->out_size = u->out_at = 0;
    u->pause_ns = u->pause_ns * 2 < AGPU_UPLINK_PAUSE_MAX_NS ? u->pause_ns * 2 : AGPU_UPLINK_PAUSE_MAX_NS;
}

/* ---- answers ---- */

static void take_welcome(struct agpu_uplink *u, size_t size, uint64_t now_ns)
{
    const uint8_t *payload = u->in + AGPU_WIRE_HEADER;
    const uint64_t resume = agpu_get_u64(payload + 20);

    if (size != AGPU_WIRE_WELCOME_SIZE || payload[0] != AGPU_WIRE_VERSION) {
        go_wrong(u, "the collector uses another version of the stream: use image and agpu of one build");
    } else if (((payload[1] & AGPU_WIRE_KEYED) != 0) != (u->config.hash != NULL)) {
        go_wrong(u, "one of image and collector has a key, the other has none: key= in agpu.cfg, --key");
    } else if (u->in_seal.hash != NULL && !agpu_wire_check(u->in, &u->in_seal)) {
        go_wrong(u, "the collector has another key: key= in agpu.cfg and agpu listen --key differ");
    } else if (resume > u->backlog.next) {
        go_wrong(u, "the collector claims more records than were sent");
    } else {
        agpu_backlog_resume(&u->backlog, resume);
        u->state = AGPU_UPLINK_OPEN;
        u->since_ns = now_ns;
        u->opened++;
        u->refused = false;
        u->reason[0] = '\0';
        u->out_size = agpu_wire_finish(u->out, AGPU_WIRE_READY, 0, &u->out_seal);
        u->out_at = 0;
    }
}

static void take_ack(struct agpu_uplink *u, size_t size, uint64_t now_ns)
{
    const uint64_t upto = agpu_get_u64(u->in + AGPU_WIRE_HEADER);

    if (size != AGPU_WIRE_ACK_SIZE || !agpu_wire_check(u->in, &u->in_seal)) {
        go_wrong(u, "an acknowledgement is damaged, or not from the collector");
    } else if (upto > u->backlog.cursor) {
        go_wrong(u, "the collector acknowledges records that were not sent");
    } else if (upto > u->backlog.acked) {
        agpu_backlog_ack(&u->backlog, upto);
        u->since_ns = now_ns;
        u->pause_ns = PAUSE_MIN_NS;
    }
}

static void take_frame(struct agpu_uplink *u, uint64_t now_ns)
{
    const size_t size = agpu_get_u16(u->in);

    if (u->in[2] == AGPU_WIRE_REFUSE) {
        go_wrong(u, "");
        set_reason(u, (const char *)u->in + AGPU_WIRE_HEADER, size);
        u->pause_ns = PAUSE_REFUSED_NS;
        u->refused = true;
    } else if (u->in[2] == AGPU_WIRE_WELCOME && u->state == AGPU_UPLINK_GREETING) {
        take_welcome(u, size, now_ns);
    } else if (u->in[2] == AGPU_WIRE_ACK && u->state == AGPU_UPLINK_OPEN) {
        take_ack(u, size, now_ns);
    } else {
        go_wrong(u, "the answer is not of this stream's protocol: is it agpu listen?");
    }
}

/* Returns the total size of the frame in u->in, as far as known. */
static size_t frame_needs(struct agpu_uplink *u)
{
    struct agpu_wire_seal *seal = u->in[2] == AGPU_WIRE_REFUSE ? NULL : &u->in_seal;

    if (u->in_size < AGPU_WIRE_HEADER) {
        return AGPU_WIRE_HEADER;
    }
    if (u->in[2] == AGPU_WIRE_WELCOME && u->state == AGPU_UPLINK_GREETING && u->config.hash != NULL &&
        agpu_get_u16(u->in) == AGPU_WIRE_WELCOME_SIZE) {
        const size_t whole = AGPU_WIRE_HEADER + AGPU_WIRE_WELCOME_SIZE;

        /* The WELCOME's nonce is part of the key of its hash; a WELCOME without a key has no hash. */
        if (u->in_size < whole || (u->in[AGPU_WIRE_HEADER + 1] & AGPU_WIRE_KEYED) == 0) {
            return whole;
        }
        if (seal->hash == NULL &&
            !agpu_wire_session(u->config.hash, u->config.key, agpu_wire_stream, u->hello, u->hello_size,
                               u->in + AGPU_WIRE_HEADER + 4, &u->out_seal, &u->in_seal)) {
            go_wrong(u, "no memory for the keyed hash");
        }
    }
    return agpu_wire_size(u->in, seal);
}

void agpu_uplink_input(struct agpu_uplink *u, const void *bytes, size_t size, uint64_t now_ns)
{
    const uint8_t *from = bytes;

    while (u->state == AGPU_UPLINK_GREETING || u->state == AGPU_UPLINK_OPEN) {
        const size_t needs = frame_needs(u);

        if (needs > sizeof u->in) {
            go_wrong(u, "the answer is not of this stream's protocol: is it agpu listen?");
        } else if (u->in_size >= AGPU_WIRE_HEADER && u->in_size == needs) {
            u->in_size = 0;
            take_frame(u, now_ns);
        } else if (size == 0) {
            return;
        } else {
            const size_t part = needs - u->in_size < size ? needs - u->in_size : size;

            memcpy(u->in + u->in_size, from, part);
            u->in_size += part;
            from += part;
            size -= part;
        }
    }
}

/* ---- output ---- */

static void next_item(struct agpu_uplink *u, uint64_t now_ns)
{
    uint8_t *payload = u->out + AGPU_WIRE_HEADER;
    uint8_t kind;
    const size_t size =
        agpu_backlog_peek(&u->backlog, &kind, payload + AGPU_WIRE_ITEM_HEAD, AGPU_WIRE_ITEM_MAX);

    if (size == 0) {
        return;
    }
    memset(payload, 0, AGPU_WIRE_ITEM_HEAD);
    agpu_put_u64(payload, u->backlog.cursor);
    payload[8] = kind;
    u->out_size = agpu_wire_finish(u->out, AGPU_WIRE_ITEM, AGPU_WIRE_ITEM_HEAD + size, &u->out_seal);
    if (u->out_size == 0) {
        go_wrong(u, "no memory for the keyed hash");
        return;
    }
    if (!answer_owed(u)) {
        u->since_ns = now_ns;
    }
    agpu_backlog_advance(&u->backlog);
}

size_t agpu_uplink_output(struct agpu_uplink *u, const uint8_t **bytes, uint64_t now_ns)
{
    if (u->out_at == u->out_size) {
        u->out_at = u->out_size = 0;
        if (u->state == AGPU_UPLINK_OPEN) {
            next_item(u, now_ns);
        }
    }
    *bytes = u->out + u->out_at;
    return u->out_size - u->out_at;
}

void agpu_uplink_sent(struct agpu_uplink *u, size_t size)
{
    u->out_at += size < u->out_size - u->out_at ? size : u->out_size - u->out_at;
}

bool agpu_uplink_drained(const struct agpu_uplink *u)
{
    return u->backlog.acked >= u->backlog.next || u->backlog.first == u->backlog.next;
}
