/* server.h: the image's end of control connections (tests/handbook/control.md): authentication, requests,
 * answers. Takes bytes and the time; returns bytes and requests. No I/O, no waiting. A peer that has not
 * proven to have the key gets two short frames at most. Freestanding. */
#ifndef AGPU_EFI_CONTROL_SERVER_H
#define AGPU_EFI_CONTROL_SERVER_H

#include "efi/protocol/control_frame.h"

/* Transport of a connection. Each has its own session slots and rate limit: a flood on one does not block the
 * other. */
enum agpu_ctl_way {
    AGPU_CTL_NETWORK,
    AGPU_CTL_SERIAL,
    AGPU_CTL_WAYS,
};

/* Concurrent connections, per transport and in all: one client, and candidates. */
#define AGPU_CTL_WAY_SESSIONS 8
#define AGPU_CTL_SESSIONS     (AGPU_CTL_WAYS * AGPU_CTL_WAY_SESSIONS)

struct agpu_ctl_config {
    agpu_wire_hash *hash;
    uint8_t key[AGPU_WIRE_KEY];
    void (*nonce)(uint8_t out[AGPU_WIRE_NONCE]); /* unpredictable, never repeated */
    const char *welcome; /* a row; owned by the caller, at most AGPU_CTL_NOTE_MAX characters */
};

enum agpu_ctl_state {
    AGPU_CTL_FREE,
    AGPU_CTL_GREETED,    /* expects HELLO */
    AGPU_CTL_CHALLENGED, /* expects PROOF or HALT */
    AGPU_CTL_HALTING,    /* its HALT awaits an answer */
    AGPU_CTL_OWNER,      /* the client */
    AGPU_CTL_OVER,       /* to be closed when agpu_ctl_output() has no more */
};

/* Length of the name of a peer, "10.0.2.2". */
#define AGPU_CTL_PEER_MAX 47

struct agpu_ctl_session {
    enum agpu_ctl_state state;
    char peer[AGPU_CTL_PEER_MAX + 1];
    uint64_t since_ns; /* start of the connection; for the client, time of its last frame */
    uint64_t over_ns;  /* time since which the last output waits to be taken; 0: not checked yet */
    struct agpu_wire_seal in_seal, out_seal;
    uint8_t in[AGPU_CTL_GREETING_MAX];
    size_t in_size;
    uint8_t out[AGPU_CTL_FRAME_OF(AGPU_CTL_REFUSE_MAX)];
    size_t out_size, out_at;
};

struct agpu_ctl_server {
    struct agpu_ctl_config config;
    struct agpu_ctl_session sessions[AGPU_CTL_SESSIONS];
    int owner;           /* session of the client; -1: none */
    uint64_t generation; /* number of clients so far */
    struct agpu_ctl_tries {
        unsigned left; /* connections that may be accepted now */
        uint64_t ns;   /* time of the last refill of left */
    } tries[AGPU_CTL_WAYS];
    bool asked; /* in holds an unanswered request */
    bool halt;  /* a peer asked for no further cases */
    bool left;  /* no connection is accepted any more */
    uint64_t refused, forged;
    uint8_t in[AGPU_CTL_FRAME_OF(AGPU_CTL_REQUEST_MAX)];
    size_t in_size;
    uint8_t out[2 * AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX)];
    size_t out_size, out_at;
};

void agpu_ctl_init(struct agpu_ctl_server *server, const struct agpu_ctl_config *config);

/* Accepts a connection; peer is its name in messages to others. Returns the number of the session, -1 when
 * the connection must be refused. */
int agpu_ctl_connect(struct agpu_ctl_server *server, enum agpu_ctl_way way, const char *peer,
                     uint64_t now_ns);
/* The connection is closed. */
void agpu_ctl_gone(struct agpu_ctl_server *server, int session);

/* Received bytes, split at any place. */
void agpu_ctl_input(struct agpu_ctl_server *server, int session, const void *bytes, size_t size,
                    uint64_t now_ns);
/* Returns the number of bytes to send next; 0: nothing now. agpu_ctl_sent() states how many of these were
 * sent. */
size_t agpu_ctl_output(struct agpu_ctl_server *server, int session, const uint8_t **bytes);
void agpu_ctl_sent(struct agpu_ctl_server *server, int session, size_t size);

/* Checks timeouts. True when the session must be closed. */
bool agpu_ctl_is_over(struct agpu_ctl_server *server, int session, uint64_t now_ns);

/* Returns the client's request, valid until it is answered or another function is called; false: there is
 * none. client: the generation that asked. */
struct agpu_ctl_asked {
    uint64_t client;
    const char *text; /* not terminated */
    size_t text_size;
    const uint8_t *bytes;
    size_t size;
};
bool agpu_ctl_request(const struct agpu_ctl_server *server, struct agpu_ctl_asked *out);

/* True when a peer asked for no further cases; clears the request. agpu_ctl_answer_halt() sends the result to
 * every peer that asked. */
bool agpu_ctl_take_halt(struct agpu_ctl_server *server);
void agpu_ctl_answer_halt(struct agpu_ctl_server *server, bool good, const char *text, size_t text_size);

/* The image leaves: tells all clients and accepts no others. */
void agpu_ctl_leave(struct agpu_ctl_server *server, const char *why);

/* Sends the client a note while it waits. Skipped when it reads too slowly, or is gone. */
void agpu_ctl_note(struct agpu_ctl_server *server, uint64_t client, const char *text, size_t size);

/* Answers the request: at most AGPU_CTL_TEXT_MAX and _DATA_MAX bytes. Does nothing when that client is
 * gone. */
void agpu_ctl_reply(struct agpu_ctl_server *server, uint64_t client, bool good, const char *text,
                    size_t text_size, const void *bytes, size_t size);

#endif
