/* client.h: the client's end of a control connection (tests/handbook/control.md): handshake, requests, answers. Bytes
 * go in, events and bytes come out. No I/O. */
#ifndef AGPU_HOST_CTL_CLIENT_H
#define AGPU_HOST_CTL_CLIENT_H

#include "efi/protocol/control_frame.h"
#include "tests/host/wire/credentials.h"

enum agpu_ctl_event {
    AGPU_CTL_NOTHING, /* more bytes are needed */
    AGPU_CTL_WELCOMED,
    AGPU_CTL_NOTED,    /* text */
    AGPU_CTL_ANSWERED, /* good, text, bytes */
    AGPU_CTL_ENDED,    /* reason */
};

struct agpu_ctl_client {
    enum { AGPU_CTL_ASKING, AGPU_CTL_PROVING, AGPU_CTL_TALKING, AGPU_CTL_AT_END } state;
    bool halts; /* sends HALT in place of PROOF */
    uint8_t key[AGPU_KEY_SIZE];
    uint8_t hello[AGPU_CTL_HELLO_SIZE];
    struct agpu_wire_seal in_seal, out_seal;
    /* The last event: */
    bool good;
    char text[AGPU_CTL_TEXT_MAX + 1];
    size_t text_size;
    uint8_t bytes[AGPU_CTL_DATA_MAX];
    size_t size;
    char reason[AGPU_CTL_REFUSE_MAX + 1];
    uint8_t in[2 * AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX)];
    size_t in_at, in_size;
    uint8_t out[AGPU_CTL_FRAME_OF(AGPU_CTL_REQUEST_MAX) + AGPU_CTL_GREETING_MAX + AGPU_CTL_FRAME_OF(0)];
    bool halted; /* a halt was sent for this request */
    size_t out_size;
};

/* nonce must never have been used before. halts: the connection only requests a halt, that no further cases run; the
 * event is ANSWERED without a WELCOME. */
void agpu_ctl_client_begin(struct agpu_ctl_client *client, const uint8_t key[AGPU_KEY_SIZE],
                           const uint8_t nonce[AGPU_WIRE_NONCE], bool halts);

/* Sends a request. Returns false when it is too long. Wait for its answer before the next. */
bool agpu_ctl_client_ask(struct agpu_ctl_client *client, const char *text, const void *bytes, size_t size);

/* Requests that the current request ends soon: no further cases run. The answer still arrives. */
void agpu_ctl_client_halt(struct agpu_ctl_client *client);

/* agpu_ctl_client_room() returns where to put received bytes; agpu_ctl_client_came() reports how many there are. */
size_t agpu_ctl_client_room(struct agpu_ctl_client *client, uint8_t **to);
void agpu_ctl_client_came(struct agpu_ctl_client *client, size_t size);

/* Returns the next event of the received bytes. */
enum agpu_ctl_event agpu_ctl_client_next(struct agpu_ctl_client *client);

/* agpu_ctl_client_output() returns the bytes to send; agpu_ctl_client_sent() reports how many were sent. */
size_t agpu_ctl_client_output(const struct agpu_ctl_client *client, const uint8_t **bytes);
void agpu_ctl_client_sent(struct agpu_ctl_client *client, size_t size);

#endif
