/* client.h: the client's end of a control connection (README.md): a greeting, requests, what comes back. Bytes go in, events
 * and bytes come out. No I/O. */
#ifndef AGPU_HOST_CTL_CLIENT_H
#define AGPU_HOST_CTL_CLIENT_H

#include "efi/protocol/control_frame.h"
#include "tests/host/wire/credentials.h"

enum agpu_ctl_event {
    AGPU_CTL_NOTHING, /* more bytes are wanted */
    AGPU_CTL_WELCOMED,
    AGPU_CTL_NOTED,    /* text */
    AGPU_CTL_ANSWERED, /* good, text, bytes */
    AGPU_CTL_ENDED,    /* reason */
};

struct agpu_ctl_client {
    enum { AGPU_CTL_ASKING, AGPU_CTL_PROVING, AGPU_CTL_TALKING, AGPU_CTL_AT_END } state;
    bool halts; /* HALT in the place of PROOF */
    uint8_t key[AGPU_KEY_SIZE];
    uint8_t hello[AGPU_CTL_HELLO_SIZE];
    struct agpu_wire_seal in_seal, out_seal;
    /* Of the last event. */
    bool good;
    char text[AGPU_CTL_TEXT_MAX + 1];
    size_t text_size;
    uint8_t bytes[AGPU_CTL_DATA_MAX];
    size_t size;
    char reason[AGPU_CTL_REFUSE_MAX + 1];
    uint8_t in[2 * AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX)];
    size_t in_at, in_size;
    uint8_t out[AGPU_CTL_FRAME_OF(AGPU_CTL_REQUEST_MAX) + AGPU_CTL_GREETING_MAX + AGPU_CTL_FRAME_OF(0)];
    bool halted; /* that was said for this request */
    size_t out_size;
};

/* nonce: never used before. halts: it wants no further cases, and nothing else; that is ANSWERED without a WELCOME. */
void agpu_ctl_client_begin(struct agpu_ctl_client *client, const uint8_t key[AGPU_KEY_SIZE],
                           const uint8_t nonce[AGPU_WIRE_NONCE], bool halts);

/* False when it is too long. Its answer must be waited for. */
bool agpu_ctl_client_ask(struct agpu_ctl_client *client, const char *text, const void *bytes, size_t size);

/* What it waits for is to end soon: no further cases. The answer still comes. */
void agpu_ctl_client_halt(struct agpu_ctl_client *client);

/* Room for bytes that came, and how many did. */
size_t agpu_ctl_client_room(struct agpu_ctl_client *client, uint8_t **to);
void agpu_ctl_client_came(struct agpu_ctl_client *client, size_t size);

/* What they mean, one event after the other. */
enum agpu_ctl_event agpu_ctl_client_next(struct agpu_ctl_client *client);

/* Bytes to send; of these, so many were taken. */
size_t agpu_ctl_client_output(const struct agpu_ctl_client *client, const uint8_t **bytes);
void agpu_ctl_client_sent(struct agpu_ctl_client *client, size_t size);

#endif
