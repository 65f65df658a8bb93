/* intake.h: the collector's end of one connection of the lossless stream (tests/handbook/stream.md): authentication,
 * items, acknowledgements. Bytes and the time go in; events, bytes and a deadline come out. No I/O. */
#ifndef AGPU_HOST_WIRE_INTAKE_H
#define AGPU_HOST_WIRE_INTAKE_H

#include "efi/protocol/stream_frame.h"
#include "tests/host/wire/credentials.h"

/* Time limits: from the connection to READY; and between two items, since a running machine sends one each second. */
#define AGPU_INTAKE_GREETING_US UINT64_C(15000000)
#define AGPU_INTAKE_IDLE_US     UINT64_C(120000000)

enum agpu_intake_event {
    AGPU_INTAKE_NOTHING, /* more bytes are needed */
    AGPU_INTAKE_HELLO,   /* answer with agpu_intake_welcome() or _refuse() */
    AGPU_INTAKE_OPEN,    /* the peer has shown its credentials, if any are required */
    AGPU_INTAKE_ITEM,
    AGPU_INTAKE_OVER /* close it when agpu_intake_output() returns nothing more; reason says why */
};

enum agpu_intake_state {
    AGPU_INTAKE_GREETED,
    AGPU_INTAKE_ASKED,
    AGPU_INTAKE_WELCOMED,
    AGPU_INTAKE_UP,
    AGPU_INTAKE_ENDED
};

/* Valid until the next call of agpu_intake_next(). */
struct agpu_intake_item {
    uint64_t number;
    enum agpu_item_kind kind;
    const char *bytes;
    size_t size;
};

struct agpu_intake {
    const struct agpu_credentials *credentials; /* the caller's */
    enum agpu_intake_state state;
    uint64_t since_us; /* time of the connection, or of its last item */
    uint8_t nonce[AGPU_WIRE_NONCE];
    /* From the HELLO. */
    char boot[AGPU_WIRE_BOOT_MAX + 1];
    uint64_t first, next;
    bool opened; /* OPEN was reported */
    const char *reason;
    uint8_t hello[AGPU_WIRE_HELLO_MAX];
    size_t hello_size;
    struct agpu_wire_seal out_seal, in_seal;
    uint8_t in[AGPU_WIRE_MAX];
    size_t in_at, in_size; /* bytes of frames already processed, and bytes received */
    uint64_t acked;
    bool ack_wanted; /* an acknowledgement is pending: the output had no room for it */
    uint8_t out[4 * AGPU_WIRE_ANSWER_MAX];
    size_t out_size;
};

/* The items of one boot that have arrived. Zero-initialised: none. */
struct agpu_intake_run {
    uint64_t next;    /* number of the next expected item */
    uint64_t copies;  /* items received again */
    uint64_t skipped; /* items that the machine had already discarded when they were requested */
};

/* nonce must never have been used before. */
void agpu_intake_begin(struct agpu_intake *intake, const struct agpu_credentials *credentials,
                       const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_us);

/* agpu_intake_room() returns where to put received bytes, and how many fit: 0 only when AGPU_INTAKE_OVER, or when
 * events are pending. agpu_intake_came() then reports how many were put there. */
size_t agpu_intake_room(struct agpu_intake *intake, uint8_t **to);
void agpu_intake_came(struct agpu_intake *intake, size_t size);

/* Returns the next event. Call it until it returns NOTHING or OVER. Fills in item for ITEM. */
enum agpu_intake_event agpu_intake_next(struct agpu_intake *intake, struct agpu_intake_item *item,
                                        uint64_t now_us);

/* Answer a HELLO. resume: agpu_intake_run.next of that boot. text is truncated to AGPU_WIRE_REFUSE_MAX bytes. */
void agpu_intake_welcome(struct agpu_intake *intake, uint64_t resume);
void agpu_intake_refuse(struct agpu_intake *intake, const char *text);

/* All items below upto are stored permanently. Sends an acknowledgement when upto has grown. */
void agpu_intake_ack(struct agpu_intake *intake, uint64_t upto);

/* agpu_intake_output() returns the bytes to send; agpu_intake_sent() reports how many of them were sent. */
size_t agpu_intake_output(struct agpu_intake *intake, const uint8_t **bytes);
void agpu_intake_sent(struct agpu_intake *intake, size_t size);

/* Returns when agpu_intake_next() must be called although nothing has arrived. */
uint64_t agpu_intake_deadline(const struct agpu_intake *intake);

/* Returns true when this item is new; the next expected item is then the following one. */
bool agpu_intake_run_take(struct agpu_intake_run *run, uint64_t number);

#endif
