/* intake.h: the collector's end of one connection of the lossless stream (README.md): who connects, what it brings, and
 * what it is told. Bytes and the time go in; events, bytes and a deadline come out. No I/O. */
#ifndef AGPU_HOST_WIRE_INTAKE_H
#define AGPU_HOST_WIRE_INTAKE_H

#include "efi/protocol/stream_frame.h"
#include "tests/host/wire/credentials.h"

/* From the connection to READY; and without any item, while a machine that runs says something each second. */
#define AGPU_INTAKE_GREETING_US UINT64_C(15000000)
#define AGPU_INTAKE_IDLE_US     UINT64_C(120000000)

enum agpu_intake_event {
    AGPU_INTAKE_NOTHING, /* more bytes are wanted */
    AGPU_INTAKE_HELLO,   /* agpu_intake_welcome() or _refuse() must answer it */
    AGPU_INTAKE_OPEN,    /* it is who it says it is, as far as credentials are asked for */
    AGPU_INTAKE_ITEM,
    AGPU_INTAKE_OVER /* to be closed when agpu_intake_output() has no more; reason says why */
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
    uint64_t since_us; /* the connection, or its last item */
    uint8_t nonce[AGPU_WIRE_NONCE];
    /* Of the HELLO. */
    char boot[AGPU_WIRE_BOOT_MAX + 1];
    uint64_t first, next;
    bool opened; /* it was OPEN */
    const char *reason;
    uint8_t hello[AGPU_WIRE_HELLO_MAX];
    size_t hello_size;
    struct agpu_wire_seal out_seal, in_seal;
    uint8_t in[AGPU_WIRE_MAX];
    size_t in_at, in_size; /* frames that are taken, and what came */
    uint64_t acked;
    bool ack_wanted; /* there was no room for it */
    uint8_t out[4 * AGPU_WIRE_ANSWER_MAX];
    size_t out_size;
};

/* What of one boot is here. Zero-initialised: nothing. */
struct agpu_intake_run {
    uint64_t next;    /* the item that is wanted next */
    uint64_t copies;  /* items that came again */
    uint64_t skipped; /* items that the machine had no more when they were wanted */
};

/* nonce: never used before. */
void agpu_intake_begin(struct agpu_intake *intake, const struct agpu_credentials *credentials,
                       const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_us);

/* Where to put what comes, and how much. 0 only when AGPU_INTAKE_OVER, or events wait to be taken. Then: so much came. */
size_t agpu_intake_room(struct agpu_intake *intake, uint8_t **to);
void agpu_intake_came(struct agpu_intake *intake, size_t size);

/* The next event. To be called until it is NOTHING or OVER. item is filled in for ITEM. */
enum agpu_intake_event agpu_intake_next(struct agpu_intake *intake, struct agpu_intake_item *item,
                                        uint64_t now_us);

/* Answers to HELLO. resume: agpu_intake_run.next of that boot. text: at most AGPU_WIRE_REFUSE_MAX bytes are sent. */
void agpu_intake_welcome(struct agpu_intake *intake, uint64_t resume);
void agpu_intake_refuse(struct agpu_intake *intake, const char *text);

/* All items below this are with us for good. Sent when it is news. */
void agpu_intake_ack(struct agpu_intake *intake, uint64_t upto);

/* What is to be sent; and so much of it was. */
size_t agpu_intake_output(struct agpu_intake *intake, const uint8_t **bytes);
void agpu_intake_sent(struct agpu_intake *intake, size_t size);

/* When agpu_intake_next() has to be called without anything having come. */
uint64_t agpu_intake_deadline(const struct agpu_intake *intake);

/* Is this item news? Then the one behind it is wanted next. */
bool agpu_intake_run_take(struct agpu_intake_run *run, uint64_t number);

#endif
