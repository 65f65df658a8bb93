/* client.c: the client's state machine of a control connection (tests/handbook/control.md 1 to 3). */
#include "tests/host/ctl/client.h"

#include <stdio.h>
#include <string.h>

void agpu_ctl_client_begin(struct agpu_ctl_client *c, const uint8_t key[AGPU_KEY_SIZE],
                           const uint8_t nonce[AGPU_WIRE_NONCE], bool halts)
{
    memset(c, 0, sizeof *c);
    c->halts = halts;
    memcpy(c->key, key, sizeof c->key);
    agpu_put_u16(c->hello, (uint16_t)AGPU_CTL_MAGIC);
    agpu_put_u16(c->hello + 2, (uint16_t)(AGPU_CTL_MAGIC >> 16));
    c->hello[4] = AGPU_CTL_VERSION;
    memcpy(c->hello + 8, nonce, AGPU_WIRE_NONCE);
    memcpy(c->out + AGPU_WIRE_HEADER, c->hello, sizeof c->hello);
    c->out_size = agpu_wire_finish(c->out, AGPU_CTL_HELLO, sizeof c->hello, NULL);
}

bool agpu_ctl_client_ask(struct agpu_ctl_client *c, const char *text, const void *bytes, size_t size)
{
    const size_t length = strlen(text);
    uint8_t *frame = c->out + c->out_size;
    uint8_t *payload = frame + AGPU_WIRE_HEADER;

    if (c->state != AGPU_CTL_TALKING || length > AGPU_CTL_COMMAND_MAX || size > AGPU_CTL_STREAM_MAX ||
        c->out_size != 0) {
        return false;
    }
    agpu_put_u16(payload, (uint16_t)length);
    agpu_put_u16(payload + 2, 0);
    memcpy(payload + AGPU_CTL_HEAD, text, length);
    if (size != 0) {
        memcpy(payload + AGPU_CTL_HEAD + length, bytes, size);
    }
    c->out_size += agpu_wire_finish(frame, AGPU_CTL_REQUEST, AGPU_CTL_HEAD + length + size, &c->out_seal);
    c->halted = false;
    return true;
}

void agpu_ctl_client_halt(struct agpu_ctl_client *c)
{
    if (c->state == AGPU_CTL_TALKING && !c->halted) {
        c->out_size += agpu_wire_finish(c->out + c->out_size, AGPU_CTL_HALT, 0, &c->out_seal);
        c->halted = true;
    }
}

size_t agpu_ctl_client_room(struct agpu_ctl_client *c, uint8_t **to)
{
    memmove(c->in, c->in + c->in_at, c->in_size - c->in_at);
    c->in_size -= c->in_at;
    c->in_at = 0;
    *to = c->in + c->in_size;
    return sizeof c->in - c->in_size;
}

void agpu_ctl_client_came(struct agpu_ctl_client *c, size_t size)
{
    c->in_size += size;
}

size_t agpu_ctl_client_output(const struct agpu_ctl_client *c, const uint8_t **bytes)
{
    *bytes = c->out;
    return c->out_size;
}

void agpu_ctl_client_sent(struct agpu_ctl_client *c, size_t size)
{
    memmove(c->out, c->out + size, c->out_size - size);
    c->out_size -= size;
}

static enum agpu_ctl_event end_it(struct agpu_ctl_client *c, const char *reason)
{
    c->state = AGPU_CTL_AT_END;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
    return AGPU_CTL_ENDED;
}

static enum agpu_ctl_event take_challenge(struct agpu_ctl_client *c, const uint8_t *payload, size_t size)
{
    if (size != AGPU_CTL_CHALLENGE_SIZE || payload[0] != AGPU_CTL_VERSION) {
        return end_it(
            c, "the image has another version of the control protocol: use image and agpu of one build");
    }
    agpu_wire_session(agpu_credentials_hash, c->key, agpu_wire_control, c->hello, sizeof c->hello,
                      payload + 4, &c->in_seal, &c->out_seal);
    c->out_size +=
        agpu_wire_finish(c->out + c->out_size, c->halts ? AGPU_CTL_HALT : AGPU_CTL_PROOF, 0, &c->out_seal);
    c->state = AGPU_CTL_PROVING;
    return AGPU_CTL_NOTHING;
}

/* The refusing end has no key: its text is unauthenticated. */
static enum agpu_ctl_event take_refusal(struct agpu_ctl_client *c, const uint8_t *payload, size_t size)
{
    const size_t length = size < AGPU_CTL_REFUSE_MAX ? size : AGPU_CTL_REFUSE_MAX;

    c->state = AGPU_CTL_AT_END;
    memcpy(c->reason, payload, length);
    c->reason[length] = '\0';
    return AGPU_CTL_ENDED;
}

static enum agpu_ctl_event take_text(struct agpu_ctl_client *c, const uint8_t *payload, size_t size,
                                     enum agpu_ctl_event event)
{
    c->text_size = size < AGPU_CTL_TEXT_MAX ? size : AGPU_CTL_TEXT_MAX;
    memcpy(c->text, payload, c->text_size);
    c->text[c->text_size] = '\0';
    c->size = 0;
    return event;
}

static enum agpu_ctl_event take_reply(struct agpu_ctl_client *c, const uint8_t *payload, size_t size)
{
    const size_t text = size >= AGPU_CTL_HEAD ? agpu_get_u16(payload) : 0;

    if (size < AGPU_CTL_HEAD || text > AGPU_CTL_TEXT_MAX || text > size - AGPU_CTL_HEAD ||
        size - AGPU_CTL_HEAD - text > sizeof c->bytes) {
        return end_it(c, "malformed answer: its sizes do not agree");
    }
    take_text(c, payload + AGPU_CTL_HEAD, text, AGPU_CTL_ANSWERED);
    c->good = payload[2] != 0;
    c->size = size - AGPU_CTL_HEAD - text;
    memcpy(c->bytes, payload + AGPU_CTL_HEAD + text, c->size);
    return AGPU_CTL_ANSWERED;
}

static enum agpu_ctl_event take_frame(struct agpu_ctl_client *c, const uint8_t *frame)
{
    const uint8_t *payload = frame + AGPU_WIRE_HEADER;
    const size_t size = agpu_get_u16(frame);

    if (frame[2] == AGPU_CTL_REFUSE) {
        return take_refusal(c, payload, size);
    }
    if (c->state == AGPU_CTL_ASKING) {
        return frame[2] == AGPU_CTL_CHALLENGE ? take_challenge(c, payload, size)
                                              : end_it(c, "the peer is not an image with control=");
    }
    if (!agpu_wire_check(frame, &c->in_seal)) {
        return end_it(c, "the peer does not have this key");
    }
    if (c->state == AGPU_CTL_PROVING && frame[2] == AGPU_CTL_WELCOME) {
        c->state = AGPU_CTL_TALKING;
        return take_text(c, payload, size, AGPU_CTL_WELCOMED);
    }
    if (c->state == AGPU_CTL_PROVING && c->halts && frame[2] == AGPU_CTL_REPLY) {
        const enum agpu_ctl_event event = take_reply(c, payload, size);

        c->state = AGPU_CTL_AT_END;
        return event;
    }
    if (c->state == AGPU_CTL_TALKING && frame[2] == AGPU_CTL_NOTE) {
        return take_text(c, payload, size, AGPU_CTL_NOTED);
    }
    if (c->state == AGPU_CTL_TALKING && frame[2] == AGPU_CTL_REPLY) {
        return take_reply(c, payload, size);
    }
    return end_it(c, "an answer without a request");
}

enum agpu_ctl_event agpu_ctl_client_next(struct agpu_ctl_client *c)
{
    enum agpu_ctl_event event = AGPU_CTL_NOTHING;

    while (event == AGPU_CTL_NOTHING && c->state != AGPU_CTL_AT_END) {
        const uint8_t *frame = c->in + c->in_at;
        const size_t have = c->in_size - c->in_at;
        const bool bare =
            have >= AGPU_WIRE_HEADER && (frame[2] == AGPU_CTL_REFUSE || c->state == AGPU_CTL_ASKING);
        const size_t whole = have >= AGPU_WIRE_HEADER ? agpu_wire_size(frame, bare ? NULL : &c->in_seal)
                                                      : AGPU_WIRE_HEADER + 1;

        if (whole > AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX)) {
            return end_it(c, "the peer is not an image with control=");
        }
        if (have < whole) {
            return AGPU_CTL_NOTHING;
        }
        c->in_at += whole;
        event = take_frame(c, frame);
    }
    return event;
}
