/* intake.c: the state machine of the stream's receiving end (tests/handbook/stream.md 2 to 4). */
#include "tests/host/wire/intake.h"

#include <string.h>

void agpu_intake_begin(struct agpu_intake *in, const struct agpu_credentials *credentials,
                       const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_us)
{
    memset(in, 0, sizeof *in);
    in->credentials = credentials;
    in->since_us = now_us;
    memcpy(in->nonce, nonce, sizeof in->nonce);
}

static enum agpu_intake_event end_it(struct agpu_intake *in, const char *reason)
{
    if (in->state != AGPU_INTAKE_ENDED) {
        in->state = AGPU_INTAKE_ENDED;
        in->reason = reason;
    }
    return AGPU_INTAKE_OVER;
}

/* Returns the free part of the caller's memory, so that nothing is copied twice: the rest of the last frame moves to
 * the front. */
size_t agpu_intake_room(struct agpu_intake *in, uint8_t **to)
{
    if (in->state == AGPU_INTAKE_ENDED) {
        return 0;
    }
    memmove(in->in, in->in + in->in_at, in->in_size - in->in_at);
    in->in_size -= in->in_at;
    in->in_at = 0;
    *to = in->in + in->in_size;
    return sizeof in->in - in->in_size;
}

void agpu_intake_came(struct agpu_intake *in, size_t size)
{
    in->in_size += size;
}

/* ---- output ---- */

/* Room for one more frame of at most AGPU_WIRE_ANSWER_MAX bytes. */
static bool has_room(const struct agpu_intake *in)
{
    return sizeof in->out - in->out_size >= AGPU_WIRE_ANSWER_MAX;
}

void agpu_intake_refuse(struct agpu_intake *in, const char *text)
{
    const size_t length = strlen(text);
    const size_t size = length < AGPU_WIRE_REFUSE_MAX ? length : AGPU_WIRE_REFUSE_MAX;

    if (has_room(in)) {
        uint8_t *frame = in->out + in->out_size;

        memcpy(frame + AGPU_WIRE_HEADER, text, size);
        in->out_size += agpu_wire_finish(frame, AGPU_WIRE_REFUSE, size, NULL);
    }
    end_it(in, text);
}

void agpu_intake_welcome(struct agpu_intake *in, uint64_t resume)
{
    uint8_t *frame = in->out + in->out_size;
    uint8_t *payload = frame + AGPU_WIRE_HEADER;

    if (in->state != AGPU_INTAKE_ASKED) {
        return;
    }
    /* two machines share an id, or the collector has other state for it: start over */
    if (resume > in->next) {
        resume = 0;
    }
    memset(payload, 0, AGPU_WIRE_WELCOME_SIZE);
    payload[0] = AGPU_WIRE_VERSION;
    memcpy(payload + 4, in->nonce, AGPU_WIRE_NONCE);
    agpu_put_u64(payload + 20, resume);
    if (in->credentials->keyed) {
        payload[1] = AGPU_WIRE_KEYED;
        agpu_wire_session(agpu_credentials_hash, in->credentials->key, agpu_wire_stream, in->hello,
                          in->hello_size, in->nonce, &in->in_seal, &in->out_seal);
    }
    in->out_size += agpu_wire_finish(frame, AGPU_WIRE_WELCOME, AGPU_WIRE_WELCOME_SIZE, &in->out_seal);
    in->acked = resume;
    in->state = AGPU_INTAKE_WELCOMED;
}

static void send_ack(struct agpu_intake *in)
{
    uint8_t *frame = in->out + in->out_size;

    agpu_put_u64(frame + AGPU_WIRE_HEADER, in->acked);
    in->out_size += agpu_wire_finish(frame, AGPU_WIRE_ACK, AGPU_WIRE_ACK_SIZE, &in->out_seal);
    in->ack_wanted = false;
}

void agpu_intake_ack(struct agpu_intake *in, uint64_t upto)
{
    if (in->state == AGPU_INTAKE_UP && upto > in->acked) {
        in->acked = upto;
        in->ack_wanted = true;
        if (has_room(in)) {
            send_ack(in);
        }
    }
}

size_t agpu_intake_output(struct agpu_intake *in, const uint8_t **bytes)
{
    *bytes = in->out;
    return in->out_size;
}

void agpu_intake_sent(struct agpu_intake *in, size_t size)
{
    memmove(in->out, in->out + size, in->out_size - size);
    in->out_size -= size;
    if (in->ack_wanted && in->state == AGPU_INTAKE_UP && has_room(in)) {
        send_ack(in);
    }
}

/* ---- input ---- */

static enum agpu_intake_event take_hello(struct agpu_intake *in, const uint8_t *hello, size_t size)
{
    const size_t boot = size >= AGPU_WIRE_HELLO_SIZE ? hello[6] : 0;
    const size_t token = size >= AGPU_WIRE_HELLO_SIZE ? hello[7] : 0;
    const char *texts = (const char *)hello + AGPU_WIRE_HELLO_SIZE;

    if (size < AGPU_WIRE_HELLO_SIZE ||
        (agpu_get_u16(hello) | (uint32_t)agpu_get_u16(hello + 2) << 16) != AGPU_WIRE_MAGIC) {
        return end_it(in, "it uses another protocol");
    }
    if (hello[4] != AGPU_WIRE_VERSION) {
        agpu_intake_refuse(in, "the stream has another version: use image and agpu of one build");
        return AGPU_INTAKE_OVER;
    }
    if (size != AGPU_WIRE_HELLO_SIZE + boot + token || !agpu_is_token(texts, boot, AGPU_WIRE_BOOT_MAX) ||
        (token != 0 && !agpu_is_token(texts + boot, token, AGPU_WIRE_TOKEN_MAX))) {
        return end_it(in, "its greeting is malformed");
    }
    if (!agpu_credentials_token(in->credentials, texts + boot, token)) {
        agpu_intake_refuse(in,
                           "it does not have the token: token= in agpu.cfg and agpu listen --token differ");
        return AGPU_INTAKE_OVER;
    }
    if (((hello[5] & AGPU_WIRE_KEYED) != 0) != in->credentials->keyed) {
        agpu_intake_refuse(in, in->credentials->keyed
                                   ? "it has no key and agpu listen has one: key= in agpu.cfg is missing"
                                   : "it has a key and agpu listen has none: agpu listen --key is missing");
        return AGPU_INTAKE_OVER;
    }
    memcpy(in->boot, texts, boot);
    in->boot[boot] = '\0';
    in->first = agpu_get_u64(hello + 24);
    in->next = agpu_get_u64(hello + 32);
    memcpy(in->hello, hello, size);
    in->hello_size = size;
    in->state = AGPU_INTAKE_ASKED;
    return in->first <= in->next ? AGPU_INTAKE_HELLO : end_it(in, "its greeting is malformed");
}

static enum agpu_intake_event take_item(struct agpu_intake *in, const uint8_t *payload, size_t size,
                                        struct agpu_intake_item *item, uint64_t now_us)
{
    if (size <= AGPU_WIRE_ITEM_HEAD || (payload[8] != AGPU_ITEM_RECORD && payload[8] != AGPU_ITEM_PIECE)) {
        return end_it(in, "an item is malformed");
    }
    in->since_us = now_us;
    *item = (struct agpu_intake_item){.number = agpu_get_u64(payload),
                                      .kind = (enum agpu_item_kind)payload[8],
                                      .bytes = (const char *)payload + AGPU_WIRE_ITEM_HEAD,
                                      .size = size - AGPU_WIRE_ITEM_HEAD};
    return item->number < AGPU_SEQ_LIMIT ? AGPU_INTAKE_ITEM
                                         : end_it(in, "an item's number is past its bound");
}

static enum agpu_intake_event take_frame(struct agpu_intake *in, const uint8_t *frame,
                                         struct agpu_intake_item *item, uint64_t now_us)
{
    const size_t size = agpu_get_u16(frame);
    const uint8_t *payload = frame + AGPU_WIRE_HEADER;

    if (in->state == AGPU_INTAKE_GREETED && frame[2] == AGPU_WIRE_HELLO) {
        return take_hello(in, payload, size);
    }
    if (!agpu_wire_check(frame, &in->in_seal)) {
        return end_it(in, "a keyed hash is wrong");
    }
    if (in->state == AGPU_INTAKE_WELCOMED && frame[2] == AGPU_WIRE_READY && size == 0) {
        in->state = AGPU_INTAKE_UP;
        in->opened = true;
        in->since_us = now_us;
        return AGPU_INTAKE_OPEN;
    }
    if (in->state == AGPU_INTAKE_UP && frame[2] == AGPU_WIRE_ITEM) {
        return take_item(in, payload, size, item, now_us);
    }
    return end_it(in, "it sends frames that are not expected");
}

enum agpu_intake_event agpu_intake_next(struct agpu_intake *in, struct agpu_intake_item *item,
                                        uint64_t now_us)
{
    const size_t left = in->in_size - in->in_at;
    const uint8_t *frame = in->in + in->in_at;
    size_t size;

    if (in->state == AGPU_INTAKE_ENDED) {
        return AGPU_INTAKE_OVER;
    }
    if (in->state == AGPU_INTAKE_ASKED) { /* nothing may follow before the answer has arrived */
        return left == 0 ? AGPU_INTAKE_NOTHING : end_it(in, "it does not wait for the answer");
    }
    size = left >= AGPU_WIRE_HEADER ? agpu_wire_size(frame, &in->in_seal) : AGPU_WIRE_HEADER;
    if (size > AGPU_WIRE_MAX ||
        (in->state == AGPU_INTAKE_GREETED && size > AGPU_WIRE_HEADER + AGPU_WIRE_HELLO_MAX)) {
        return end_it(in, "it uses another protocol");
    }
    if (left < AGPU_WIRE_HEADER || left < size) {
        return now_us < agpu_intake_deadline(in)
                   ? AGPU_INTAKE_NOTHING
                   : end_it(in, in->state == AGPU_INTAKE_UP ? "it was silent for two minutes"
                                                            : "it did not greet in time");
    }
    in->in_at += size;
    return take_frame(in, frame, item, now_us);
}

uint64_t agpu_intake_deadline(const struct agpu_intake *in)
{
    if (in->state == AGPU_INTAKE_ENDED) {
        return 0;
    }
    return in->since_us + (in->state == AGPU_INTAKE_UP ? AGPU_INTAKE_IDLE_US : AGPU_INTAKE_GREETING_US);
}

bool agpu_intake_run_take(struct agpu_intake_run *run, uint64_t number)
{
    if (number < run->next) {
        run->copies++;
        return false;
    }
    run->skipped += number - run->next;
    run->next = number + 1;
    return true;
}
