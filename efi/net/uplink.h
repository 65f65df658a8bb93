/* uplink.h: the image's end of the lossless stream (tests/handbook/stream.md): when to connect, what to
 * send, how to treat answers. Takes bytes and the time; returns bytes, an action and a deadline. No I/O,
 * never blocks. */
#ifndef AGPU_NET_UPLINK_H
#define AGPU_NET_UPLINK_H

#include "efi/net/backlog.h"
#include "efi/protocol/stream_frame.h"

/* Longest pause between two attempts to connect, unless the collector has refused the stream. */
#define AGPU_UPLINK_PAUSE_MAX_NS UINT64_C(4000000000)

/* Action on the connection that the caller must take. */
enum agpu_uplink_wish {
    AGPU_UPLINK_NOTHING,
    AGPU_UPLINK_CONNECT, /* call agpu_uplink_connecting(), then _connected() or _broken() */
    AGPU_UPLINK_CLOSE,   /* close without waiting, then call agpu_uplink_broken() */
};

enum agpu_uplink_state {
    AGPU_UPLINK_APART, /* until retry_ns */
    AGPU_UPLINK_CONNECTING,
    AGPU_UPLINK_GREETING, /* HELLO is sent */
    AGPU_UPLINK_OPEN,
    AGPU_UPLINK_WRONG, /* to be closed */
};

struct agpu_uplink_config {
    const char *boot, *token; /* owned by the caller; at most AGPU_WIRE_BOOT_MAX and _TOKEN_MAX bytes */
    agpu_wire_hash *hash;     /* NULL: no key */
    uint8_t key[AGPU_WIRE_KEY];
    void *storage; /* for the backlog; owned by the caller */
    size_t storage_size;
};

struct agpu_uplink {
    struct agpu_uplink_config config;
    struct agpu_backlog backlog;
    enum agpu_uplink_state state;
    uint64_t since_ns;                     /* start of the state; when OPEN: of the wait for an answer */
    uint64_t polled_ns;                    /* last agpu_uplink_poll() */
    uint64_t retry_ns;                     /* when APART */
    uint64_t pause_ns;                     /* before the next attempt */
    bool refused;                          /* the collector's last message was a refusal */
    uint64_t opened;                       /* connections that reached OPEN */
    char reason[AGPU_WIRE_REFUSE_MAX + 1]; /* reason for a missing connection; "": nothing new */
    struct agpu_wire_seal out_seal, in_seal;
    uint8_t hello[AGPU_WIRE_HELLO_MAX];
    size_t hello_size;
    uint8_t in[AGPU_WIRE_ANSWER_MAX];
    size_t in_size;
    uint8_t out[AGPU_WIRE_MAX]; /* the frame being sent */
    size_t out_size, out_at;
};

/* Copies config; its storage and texts stay the caller's. The first action is to connect. */
void agpu_uplink_init(struct agpu_uplink *uplink, const struct agpu_uplink_config *config);

/* Appends an item, which is sent when possible. False when it is longer than AGPU_WIRE_ITEM_MAX. */
bool agpu_uplink_put(struct agpu_uplink *uplink, enum agpu_item_kind kind, const void *bytes, size_t size);

/* Returns the action to take now. It cannot change before agpu_uplink_deadline(), unless there is input. */
enum agpu_uplink_wish agpu_uplink_poll(struct agpu_uplink *uplink, uint64_t now_ns);
/* Time of the next necessary agpu_uplink_poll(); UINT64_MAX: none. */
uint64_t agpu_uplink_deadline(const struct agpu_uplink *uplink);

/* Result of the action to connect. nonce must never have been used before. */
void agpu_uplink_connecting(struct agpu_uplink *uplink, uint64_t now_ns);
void agpu_uplink_connected(struct agpu_uplink *uplink, const uint8_t nonce[AGPU_WIRE_NONCE], uint64_t now_ns);
/* The connection failed or was closed. */
void agpu_uplink_broken(struct agpu_uplink *uplink, uint64_t now_ns);

/* Received bytes, split at any place. */
void agpu_uplink_input(struct agpu_uplink *uplink, const void *bytes, size_t size, uint64_t now_ns);

/* Returns the number of bytes to send next and sets *bytes, valid until the next call of any function; 0:
 * nothing now. agpu_uplink_sent() states how many of these were sent. */
size_t agpu_uplink_output(struct agpu_uplink *uplink, const uint8_t **bytes, uint64_t now_ns);
void agpu_uplink_sent(struct agpu_uplink *uplink, size_t size);

/* True when every item is acknowledged or overwritten. */
bool agpu_uplink_drained(const struct agpu_uplink *uplink);

#endif
