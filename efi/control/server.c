/* server.c: the states of control connections (tests/host/ctl/README.md 1 to 3). */
#include "efi/control/server.h"

#include <string.h>

#define MS UINT64_C(1000000)

#define GREETING_NS (3000 * MS)  /* from the connection to the proof */
#define ROOM_NS     (50 * MS)    /* before one that proves nothing gives way */
#define SILENT_NS   (10000 * MS) /* a client that says nothing for so long gives way to another */
/* Connections: what strangers cost is bounded by these, three short hashes each. Few enough for that to be little of a processor's
 * time, and so many that a client finds its way among strangers. */
#define TRIES_BURST    50u
#define TRIES_EVERY_NS (5 * MS)

void agpu_ctl_init(struct agpu_ctl_server *s, const struct agpu_ctl_config *config)
{
    memset(s, 0, sizeof *s);
    s->config = *config;
    s->owner = -1;
    s->tries_left = TRIES_BURST;
}

static bool take_try(struct agpu_ctl_server *s, uint64_t now_ns)
{
    const uint64_t more = (now_ns - s->tries_ns) / TRIES_EVERY_NS;

    if (more != 0) {
        s->tries_left = more < TRIES_BURST - s->tries_left ? s->tries_left + (unsigned)more : TRIES_BURST;
        s->tries_ns = now_ns;
    }
    if (s->tries_left == 0) {
        return false;
    }
    s->tries_left--;
    return true;
}

int agpu_ctl_connect(struct agpu_ctl_server *s, uint64_t now_ns)
{
    const bool may = take_try(s, now_ns);

    for (int i = 0; may && i < AGPU_CTL_SESSIONS; i++) {
        if (s->sessions[i].state == AGPU_CTL_FREE) {
            memset(&s->sessions[i], 0, sizeof s->sessions[i]);
            s->sessions[i].state = AGPU_CTL_GREETED;
            s->sessions[i].since_ns = now_ns;
            return i;
        }
    }
    s->refused++;
    return -1;
}

static void end_owner(struct agpu_ctl_server *s)
{
    s->owner = -1;
    s->asked = false;
    s->in_size = s->out_size = s->out_at = 0;
}

void agpu_ctl_gone(struct agpu_ctl_server *s, int session)
{
    if (session == s->owner) {
        end_owner(s);
    }
    s->sessions[session].state = AGPU_CTL_FREE;
}

static void end_session(struct agpu_ctl_server *s, int session)
{
    if (session == s->owner) {
        end_owner(s);
    }
    s->sessions[session].state = AGPU_CTL_OVER;
}

/* The last that a session says; a client's what was being sent to it is cut off. */
static void refuse(struct agpu_ctl_server *s, int session, const char *text)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    const size_t length = strlen(text);
    const size_t size = length < AGPU_CTL_REFUSE_MAX ? length : AGPU_CTL_REFUSE_MAX;

    end_session(s, session);
    memcpy(one->out + AGPU_WIRE_HEADER, text, size);
    one->out_size = agpu_wire_finish(one->out, AGPU_CTL_REFUSE, size, NULL);
    one->out_at = 0;
    s->refused++;
}

static void take_hello(struct agpu_ctl_server *s, int session)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    const uint8_t *hello = one->in + AGPU_WIRE_HEADER;
    uint8_t *challenge = one->out + AGPU_WIRE_HEADER;

    if ((agpu_get_u16(hello) | (uint32_t)agpu_get_u16(hello + 2) << 16) != AGPU_CTL_MAGIC) {
        end_session(s, session);
        return;
    }
    if (hello[4] != AGPU_CTL_VERSION) {
        refuse(s, session, "control has another version: use image and agpu of one build");
        return;
    }
    memset(challenge, 0, AGPU_CTL_CHALLENGE_SIZE);
    challenge[0] = AGPU_CTL_VERSION;
    s->config.nonce(challenge + 4);
    if (!agpu_wire_session(s->config.hash, s->config.key, agpu_wire_control, hello, AGPU_CTL_HELLO_SIZE,
                           challenge + 4, &one->out_seal, &one->in_seal)) {
        refuse(s, session, "no memory for the keyed hash");
        return;
    }
    one->out_size = agpu_wire_finish(one->out, AGPU_CTL_CHALLENGE, AGPU_CTL_CHALLENGE_SIZE, NULL);
    one->out_at = 0;
    one->state = AGPU_CTL_CHALLENGED;
}

/* Room in the client's output for a frame with so much payload, and keep bytes more; NULL: there is none. */
static uint8_t *client_room(struct agpu_ctl_server *s, size_t size, size_t keep)
{
    memmove(s->out, s->out + s->out_at, s->out_size - s->out_at);
    s->out_size -= s->out_at;
    s->out_at = 0;
    return sizeof s->out - s->out_size >= AGPU_CTL_FRAME_OF(size) + keep ? s->out + s->out_size : NULL;
}

static void send_to_client(struct agpu_ctl_server *s, uint8_t *frame, unsigned type, size_t size)
{
    const size_t whole = agpu_wire_finish(frame, type, size, &s->sessions[s->owner].out_seal);

    if (whole == 0) {
        end_session(s, s->owner);
        return;
    }
    s->out_size += whole;
}

static void welcome(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    const size_t size = strlen(s->config.welcome);

    s->owner = session;
    s->generation++;
    s->sessions[session].state = AGPU_CTL_OWNER;
    s->sessions[session].since_ns = now_ns;
    uint8_t *frame = client_room(s, size, 0);
    memcpy(frame + AGPU_WIRE_HEADER, s->config.welcome, size);
    send_to_client(s, frame, AGPU_CTL_WELCOME, size);
}

static void take_proof(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];

    if (!agpu_wire_check(one->in, &one->in_seal)) {
        s->forged++;
        refuse(s, session, "the key is not the one of this machine's agpu.cfg");
        return;
    }
    if (s->owner >= 0 && (s->asked || now_ns - s->sessions[s->owner].since_ns < SILENT_NS)) {
        refuse(s, session, "another client is connected: it gives way when it ends, or is silent for 10 s");
        return;
    }
    if (s->owner >= 0) {
        refuse(s, s->owner, "another client has taken the place of this one");
    }
    welcome(s, session, now_ns);
}

/* Bytes of the frame whose header is there; 0: it is none that may come now. */
static size_t frame_size(const struct agpu_ctl_session *one, const uint8_t *header)
{
    const size_t payload = agpu_get_u16(header);

    switch (one->state) {
    case AGPU_CTL_GREETED:
        return header[2] == AGPU_CTL_HELLO && payload == AGPU_CTL_HELLO_SIZE ? AGPU_WIRE_HEADER + payload : 0;
    case AGPU_CTL_CHALLENGED:
        return header[2] == AGPU_CTL_PROOF && payload == 0 ? AGPU_WIRE_HEADER + AGPU_WIRE_MAC : 0;
    case AGPU_CTL_OWNER:
        return header[2] == AGPU_CTL_REQUEST && payload >= AGPU_CTL_HEAD && payload <= AGPU_CTL_REQUEST_MAX
                   ? AGPU_CTL_FRAME_OF(payload)
                   : 0;
    case AGPU_CTL_FREE:
    case AGPU_CTL_OVER:
        break;
    }
    return 0;
}

static void take_request(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    const size_t text = agpu_get_u16(s->in + AGPU_WIRE_HEADER);

    s->sessions[session].since_ns = now_ns;
    if (!agpu_wire_check(s->in, &s->sessions[session].in_seal)) {
        s->forged++;
        end_session(s, session);
    } else if (text > AGPU_CTL_COMMAND_MAX || text > agpu_get_u16(s->in) - (size_t)AGPU_CTL_HEAD) {
        refuse(s, session, "a request whose sizes do not agree");
    } else {
        s->asked = true;
    }
}

static void take_frame(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    switch (s->sessions[session].state) {
    case AGPU_CTL_GREETED:
        take_hello(s, session);
        break;
    case AGPU_CTL_CHALLENGED:
        take_proof(s, session, now_ns);
        break;
    case AGPU_CTL_OWNER:
        take_request(s, session, now_ns);
        break;
    case AGPU_CTL_FREE:
    case AGPU_CTL_OVER:
        break;
    }
}

void agpu_ctl_input(struct agpu_ctl_server *s, int session, const void *bytes, size_t size, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    const uint8_t *from = bytes;

    while (size != 0 && one->state != AGPU_CTL_FREE && one->state != AGPU_CTL_OVER) {
        const bool client = one->state == AGPU_CTL_OWNER;
        uint8_t *in = client ? s->in : one->in;
        size_t *have = client ? &s->in_size : &one->in_size;
        size_t needs = AGPU_WIRE_HEADER;

        if (client && s->asked) { /* one that does not wait for its answer */
            refuse(s, session, "a request before the last one was answered");
            return;
        }
        if (*have >= AGPU_WIRE_HEADER) {
            needs = frame_size(one, in);
        }
        const size_t part = needs - *have < size ? needs - *have : size;

        memcpy(in + *have, from, part);
        *have += part;
        from += part;
        size -= part;
        if (*have == AGPU_WIRE_HEADER) {
            needs = frame_size(one, in);
            if (needs == 0) {
                s->forged++;
                end_session(s, session); /* it speaks something else */
                return;
            }
        }
        if (*have == needs) {
            *have = 0;
            take_frame(s, session, now_ns);
        }
    }
}

size_t agpu_ctl_output(struct agpu_ctl_server *s, int session, const uint8_t **bytes)
{
    struct agpu_ctl_session *one = &s->sessions[session];

    if (one->out_at < one->out_size) {
        *bytes = one->out + one->out_at;
        return one->out_size - one->out_at;
    }
    *bytes = s->out + s->out_at;
    return session == s->owner ? s->out_size - s->out_at : 0;
}

void agpu_ctl_sent(struct agpu_ctl_server *s, int session, size_t size)
{
    struct agpu_ctl_session *one = &s->sessions[session];

    if (one->out_at < one->out_size) {
        one->out_at += size;
    } else {
        s->out_at += size;
    }
}

/* One that proves nothing is closed at the end of its time, or sooner, when another is waiting for its place. */
bool agpu_ctl_is_over(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    bool full = true;

    for (int i = 0; i < AGPU_CTL_SESSIONS; i++) {
        full = full && s->sessions[i].state != AGPU_CTL_FREE;
    }
    if ((one->state == AGPU_CTL_GREETED || one->state == AGPU_CTL_CHALLENGED) &&
        now_ns - one->since_ns > (full ? ROOM_NS : GREETING_NS)) {
        end_session(s, session);
    }
    return one->state == AGPU_CTL_OVER &&
           (one->out_at == one->out_size || now_ns - one->since_ns > GREETING_NS);
}

bool agpu_ctl_request(const struct agpu_ctl_server *s, struct agpu_ctl_asked *out)
{
    const uint8_t *payload = s->in + AGPU_WIRE_HEADER;

    if (!s->asked) {
        return false;
    }
    out->client = s->generation;
    out->text_size = agpu_get_u16(payload);
    out->text = (const char *)payload + AGPU_CTL_HEAD;
    out->bytes = payload + AGPU_CTL_HEAD + out->text_size;
    out->size = agpu_get_u16(s->in) - AGPU_CTL_HEAD - out->text_size;
    return true;
}

static bool is_client(const struct agpu_ctl_server *s, uint64_t client)
{
    return s->owner >= 0 && client == s->generation;
}

void agpu_ctl_note(struct agpu_ctl_server *s, uint64_t client, const char *text, size_t size)
{
    uint8_t *frame;

    if (!is_client(s, client) || size > AGPU_CTL_NOTE_MAX) {
        return;
    }
    frame = client_room(s, size, AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX));
    if (frame != NULL) {
        memcpy(frame + AGPU_WIRE_HEADER, text, size);
        send_to_client(s, frame, AGPU_CTL_NOTE, size);
    }
}

void agpu_ctl_reply(struct agpu_ctl_server *s, uint64_t client, bool good, const char *text, size_t text_size,
                    const void *bytes, size_t size)
{
    uint8_t *frame;

    if (!is_client(s, client) || !s->asked) {
        return;
    }
    s->asked = false;
    text_size = text_size < AGPU_CTL_TEXT_MAX ? text_size : AGPU_CTL_TEXT_MAX;
    size = size < AGPU_CTL_DATA_MAX ? size : AGPU_CTL_DATA_MAX;
    frame = client_room(s, AGPU_CTL_HEAD + text_size + size, 0);
    if (frame == NULL) { /* it never reads what it is sent */
        end_session(s, s->owner);
        return;
    }
    agpu_put_u16(frame + AGPU_WIRE_HEADER, (uint16_t)text_size);
    frame[AGPU_WIRE_HEADER + 2] = good;
    frame[AGPU_WIRE_HEADER + 3] = 0;
    memcpy(frame + AGPU_WIRE_HEADER + AGPU_CTL_HEAD, text, text_size);
    if (size != 0) {
        memcpy(frame + AGPU_WIRE_HEADER + AGPU_CTL_HEAD + text_size, bytes, size);
    }
    send_to_client(s, frame, AGPU_CTL_REPLY, AGPU_CTL_HEAD + text_size + size);
}
