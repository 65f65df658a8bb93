/* uplink.h: the image's end of the lossless stream (tests/host/wire/README.md): when to connect, what to send, what the
 * answers mean. Bytes and the time go in; bytes, a wish and a deadline come out. No I/O, and nobody waits for it. */
#ifndef AGPU_NET_UPLINK_H
#define AGPU_NET_UPLINK_H

#include "efi/net/backlog.h"
#include "efi/protocol/stream_frame.h"

/* What is wanted of the connection. */
enum agpu_uplink_wish {
    AGPU_UPLINK_NOTHING,
    AGPU_UPLINK_CONNECT, /* agpu_uplink_connecting(), then _connected() or _broken() */
    AGPU_UPLINK_CLOSE,   /* end it without waiting, then agpu_uplink_broken() */
};

enum agpu_uplink_state {
    AGPU_UPLINK_APART, /* until retry_ns */
    AGPU_UPLINK_CONNECTING,
    AGPU_UPLINK_GREETING, /* HELLO was sent */
    AGPU_UPLINK_OPEN,
    AGPU_UPLINK_WRONG, /* to be closed */
};

struct agpu_uplink_config {
    const char *boot, *token; /* the caller's; at most AGPU_WIRE_BOOT_MAX and _TOKEN_MAX bytes */
    agpu_wire_hash *hash;     /* NULL: without a key */
    uint8_t key[AGPU_WIRE_KEY];
    void *storage; /* of the backlog, the caller's */
    size_t storage_size;
};

struct agpu_uplink {
    struct agpu_uplink_config config;
    struct agpu_backlog backlog;
    enum agpu_uplink_state state;
    uint64_t since_ns;                     /* when the state began; when OPEN: since when an answer is owed */
    uint64_t polled_ns;                    /* when it was last asked what to do */
    uint64_t retry_ns;                     /* when APART */
    uint64_t pause_ns;                     /* before the next attempt */
    bool refused;                          /* by the collector, the last time that it said anything */
    uint64_t opened;                       /* connections that came as far as OPEN */
    char reason[AGPU_WIRE_REFUSE_MAX + 1]; /* why there is no connection, for a person; "": no news */
    struct agpu_wire_seal out_seal, in_seal;
    uint8_t hello[AGPU_WIRE_HELLO_MAX];
    size_t hello_size;
    uint8_t in[AGPU_WIRE_ANSWER_MAX];
    size_t in_size;
    uint8_t out[AGPU_WIRE_MAX]; /* one frame that is on its way out */
    size_t out_size, out_at;
};

/* config is copied; its storage and texts stay the caller's. The first wish is to connect. */
void agpu_uplink_init(struct agpu_uplink *uplink, const struct agpu_uplink_config *config);

/* One more item, to be sent when that is possible. False when it is longer than AGPU_WIRE_ITEM_MAX. */
bool agpu_uplink_put(struct agpu_uplink *uplink, enum agpu_item_kind kind, const void *bytes, size_t size);

/* What to do now. The time of the next call that can say something else is agpu_uplink_deadline(). */
enum agpu_uplink_wish agpu_uplink_poll(struct agpu_uplink *uplink, uint64_t now_ns);
/* UINT64_MAX: none. */
uint64_t agpu_uplink_deadline(const struct agpu_uplink *uplink);

/* What became of the wish to connect. nonce: never used before. */
void agpu_uplink_connecting(struct agpu_uplink *uplink, uint64_t now_ns);
void agpu_uplink_connected(struct agpu_uplink *uplink, const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_ns);
/* There is no connection, or none any more. */
void agpu_uplink_broken(struct agpu_uplink *uplink, uint64_t now_ns);

/* Bytes that came, cut anywhere. */
void agpu_uplink_input(struct agpu_uplink *uplink, const void *bytes, size_t size, uint64_t now_ns);

/* Bytes to send next, valid until the next call of any function; 0: nothing now. Of these, so many were taken. */
size_t agpu_uplink_output(struct agpu_uplink *uplink, const uint8_t **bytes, uint64_t now_ns);
void agpu_uplink_sent(struct agpu_uplink *uplink, size_t size);

/* Is all that was put with the collector, or overwritten? */
bool agpu_uplink_drained(const struct agpu_uplink *uplink);

#endif
