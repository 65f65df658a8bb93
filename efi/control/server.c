/* server.c: the states of control connections (tests/handbook/control.md 1 to 3). */
#include "efi/control/server.h"

#include <string.h>

#include "pci/machine/text.h"

#define MS UINT64_C(1000000)

#define GREETING_NS (3000 * MS) /* limit from connection to proof */
#define ROOM_NS     (50 * MS)   /* earliest time at which a connection without proof gives way */
#define HALTING_NS  (10000 * MS)
#define SILENT_NS   (10000 * MS) /* a client that is silent for this long gives way to another */
/* Rate limit of connections, which bounds the cost of unknown peers: three short hashes each. Low enough to
 * take little processor time, and high enough for a client to get through among them. */
#define TRIES_BURST    50u
#define TRIES_EVERY_NS (5 * MS)

void agpu_ctl_init(struct agpu_ctl_server *s, const struct agpu_ctl_config *config)
{
    memset(s, 0, sizeof *s);
    s->config = *config;
    s->owner = -1;
    for (unsigned way = 0; way < AGPU_CTL_WAYS; way++) {
        s->tries[way].left = TRIES_BURST;
    }
}

static bool take_try(struct agpu_ctl_tries *tries, uint64_t now_ns)
{
    const uint64_t more = (now_ns - tries->ns) / TRIES_EVERY_NS;

    if (more != 0) {
        tries->left = more < TRIES_BURST - tries->left ? tries->left + (unsigned)more : TRIES_BURST;
        tries->ns = now_ns;
    }
    if (tries->left == 0) {
        return false;
    }
    tries->left--;
    return true;
}

int agpu_ctl_connect(struct agpu_ctl_server *s, enum agpu_ctl_way way, const char *peer, uint64_t now_ns)
{
    const bool may = !s->left && take_try(&s->tries[way], now_ns);
    const int first = (int)way * AGPU_CTL_WAY_SESSIONS;
    const size_t length = strlen(peer);

    for (int i = first; may && i < first + AGPU_CTL_WAY_SESSIONS; i++) {
        struct agpu_ctl_session *one = &s->sessions[i];

        if (one->state == AGPU_CTL_FREE) {
            memset(one, 0, sizeof *one);
            one->state = AGPU_CTL_GREETED;
            one->since_ns = now_ns;
            memcpy(one->peer, peer, length < AGPU_CTL_PEER_MAX ? length : AGPU_CTL_PEER_MAX);
            return i;
        }
    }
    s->refused++;
    return -1;
}

/* Clears the client's state if this session is the client. */
static void forget_session(struct agpu_ctl_server *s, int session)
{
    if (session == s->owner) {
        s->owner = -1;
        s->asked = false;
        s->in_size = s->out_size = s->out_at = 0;
    }
}

void agpu_ctl_gone(struct agpu_ctl_server *s, int session)
{
    forget_session(s, session);
    s->sessions[session].state = AGPU_CTL_FREE;
}

static void end_session(struct agpu_ctl_server *s, int session)
{
    forget_session(s, session);
    s->sessions[session].state = AGPU_CTL_OVER;
    s->sessions[session].over_ns = 0;
}

/* Sends the last frame of a session; output pending for a client is cut off. */
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
        refuse(s, session, "the control protocol has another version: use image and agpu of one build");
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

/* Returns space in the client's output for a frame with this payload, leaving keep bytes more; NULL: there is
 * none. */
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

/* Names the current client, and how its session ends. */
static void refuse_another(struct agpu_ctl_server *s, int session)
{
    char buffer[AGPU_CTL_REFUSE_MAX + 1];

    agpu_format_line(buffer, sizeof buffer, "another client is connected, %s%s", s->sessions[s->owner].peer,
                     s->asked ? ", and waits for its answer: agpu ctl HOST stop ends a run"
                              : ": the place is free when it disconnects, or is silent for 10 s");
    refuse(s, session, buffer);
}

static void take_proof(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];

    if (!agpu_wire_check(one->in, &one->in_seal)) {
        s->forged++;
        refuse(s, session, "the key differs from the one in this machine's agpu.cfg");
        return;
    }
    if (one->in[2] == AGPU_CTL_HALT) {
        one->state = AGPU_CTL_HALTING;
        s->halt = true;
        return;
    }
    if (s->owner >= 0 && (s->asked || now_ns - s->sessions[s->owner].since_ns < SILENT_NS)) {
        refuse_another(s, session);
        return;
    }
    if (s->owner >= 0) {
        refuse(s, s->owner, "another client has replaced this one");
    }
    welcome(s, session, now_ns);
}

/* Returns the size of the frame with this header; 0: it is not allowed now. */
static size_t frame_size(const struct agpu_ctl_session *one, const uint8_t *header)
{
    const size_t payload = agpu_get_u16(header);
    const bool halt = header[2] == AGPU_CTL_HALT && payload == 0;

    switch (one->state) {
    case AGPU_CTL_GREETED:
        return header[2] == AGPU_CTL_HELLO && payload == AGPU_CTL_HELLO_SIZE ? AGPU_WIRE_HEADER + payload : 0;
    case AGPU_CTL_CHALLENGED:
        return halt || (header[2] == AGPU_CTL_PROOF && payload == 0) ? AGPU_CTL_FRAME_OF(0) : 0;
    case AGPU_CTL_OWNER:
        return halt || (header[2] == AGPU_CTL_REQUEST && payload >= AGPU_CTL_HEAD &&
                        payload <= AGPU_CTL_REQUEST_MAX)
                   ? AGPU_CTL_FRAME_OF(payload)
                   : 0;
    case AGPU_CTL_HALTING: /* it may send nothing more */
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
        refuse(s, session, "malformed request: its sizes do not agree");
    } else {
        s->asked = true;
    }
}

/* The client asks to stop what it waits for; ignored when the answer has been sent meanwhile. */
static void take_halt(struct agpu_ctl_server *s, int session)
{
    if (!agpu_wire_check(s->sessions[session].in, &s->sessions[session].in_seal)) {
        s->forged++;
        end_session(s, session);
    } else {
        s->halt = s->halt || s->asked;
    }
}

static void take_frame(struct agpu_ctl_server *s, int session, const uint8_t *frame, uint64_t now_ns)
{
    switch (s->sessions[session].state) {
    case AGPU_CTL_GREETED:
        take_hello(s, session);
        break;
    case AGPU_CTL_CHALLENGED:
        take_proof(s, session, now_ns);
        break;
    case AGPU_CTL_OWNER:
        if (frame[2] == AGPU_CTL_HALT) {
            take_halt(s, session);
        } else {
            take_request(s, session, now_ns);
        }
        break;
    case AGPU_CTL_HALTING:
    case AGPU_CTL_FREE:
    case AGPU_CTL_OVER:
        break;
    }
}

/* A header has arrived: checks that its frame is allowed now. A client's request goes to the server's buffer,
 * because it exceeds the session's. */
static bool begin_frame(struct agpu_ctl_server *s, int session)
{
    struct agpu_ctl_session *one = &s->sessions[session];

    if (frame_size(one, one->in) == 0) {
        s->forged++;
        end_session(s, session); /* it speaks another protocol */
        return false;
    }
    if (one->state == AGPU_CTL_OWNER && one->in[2] == AGPU_CTL_REQUEST) {
        if (s->asked) { /* it did not wait for its answer */
            refuse(s, session, "a request before the last one was answered");
            return false;
        }
        memcpy(s->in, one->in, AGPU_WIRE_HEADER);
        s->in_size = AGPU_WIRE_HEADER;
        one->in_size = 0;
    }
    return true;
}

void agpu_ctl_input(struct agpu_ctl_server *s, int session, const void *bytes, size_t size, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    const uint8_t *from = bytes;

    while (size != 0 && one->state != AGPU_CTL_FREE && one->state != AGPU_CTL_OVER) {
        const bool request = session == s->owner && s->in_size != 0;
        uint8_t *in = request ? s->in : one->in;
        size_t *have = request ? &s->in_size : &one->in_size;
        const size_t needs = *have < AGPU_WIRE_HEADER ? AGPU_WIRE_HEADER : frame_size(one, in);
        const size_t part = needs - *have < size ? needs - *have : size;

        memcpy(in + *have, from, part);
        *have += part;
        from += part;
        size -= part;
        if (*have == AGPU_WIRE_HEADER && !begin_frame(s, session)) {
            return;
        }
        if (*have > AGPU_WIRE_HEADER && *have == needs) {
            *have = 0;
            take_frame(s, session, in, now_ns);
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

/* A session without proof is closed when its time is up, or sooner when all slots are in use. */
bool agpu_ctl_is_over(struct agpu_ctl_server *s, int session, uint64_t now_ns)
{
    struct agpu_ctl_session *one = &s->sessions[session];
    const int first = session - session % AGPU_CTL_WAY_SESSIONS; /* first session of its transport */
    bool full = true;

    for (int i = first; i < first + AGPU_CTL_WAY_SESSIONS; i++) {
        full = full && s->sessions[i].state != AGPU_CTL_FREE;
    }
    if ((one->state == AGPU_CTL_GREETED || one->state == AGPU_CTL_CHALLENGED) &&
        now_ns - one->since_ns > (full ? ROOM_NS : GREETING_NS)) {
        end_session(s, session);
    }
    if (one->state == AGPU_CTL_HALTING && now_ns - one->since_ns > HALTING_NS) {
        refuse(s, session, "the request was not processed in time: the running case never waits");
    }
    if (one->state == AGPU_CTL_OVER && one->over_ns == 0) {
        one->over_ns = now_ns;
    }
    return one->state == AGPU_CTL_OVER &&
           (one->out_at == one->out_size || now_ns - one->over_ns > GREETING_NS);
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

bool agpu_ctl_take_halt(struct agpu_ctl_server *s)
{
    const bool halt = s->halt;

    s->halt = false;
    return halt;
}

void agpu_ctl_answer_halt(struct agpu_ctl_server *s, bool good, const char *text, size_t text_size)
{
    text_size =
        text_size < AGPU_CTL_REFUSE_MAX - AGPU_CTL_HEAD ? text_size : AGPU_CTL_REFUSE_MAX - AGPU_CTL_HEAD;
    for (int i = 0; i < AGPU_CTL_SESSIONS;
         i++) { /* several sessions may have asked; the client gets the reply to its request */
        struct agpu_ctl_session *one = &s->sessions[i];
        uint8_t *payload = one->out + AGPU_WIRE_HEADER;

        if (one->state != AGPU_CTL_HALTING) {
            continue;
        }
        end_session(s, i);
        agpu_put_u16(payload, (uint16_t)text_size);
        payload[2] = good;
        payload[3] = 0;
        memcpy(payload + AGPU_CTL_HEAD, text, text_size);
        one->out_size = agpu_wire_finish(one->out, AGPU_CTL_REPLY, AGPU_CTL_HEAD + text_size, &one->out_seal);
        one->out_at = 0;
    }
}

void agpu_ctl_leave(struct agpu_ctl_server *s, const char *why)
{
    s->left = true;
    for (int i = 0; i < AGPU_CTL_SESSIONS; i++) {
        const enum agpu_ctl_state state = s->sessions[i].state;

        if (state != AGPU_CTL_FREE && state != AGPU_CTL_OVER &&
            !(i == s->owner && s->out_size != s->out_at)) { /* an answer is being sent to the client */
            refuse(s, i, why);
        }
    }
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
    if (frame == NULL) { /* the client does not read its answers */
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
