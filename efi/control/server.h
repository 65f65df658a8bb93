/* server.h: the image's end of control connections (tests/host/ctl/README.md): who may ask, what is asked, what is answered.
 * Bytes and the time go in; bytes and requests come out. No I/O, no waiting, and whoever has not proven to have the key gets
 * two short frames at most. Freestanding. */
#ifndef AGPU_EFI_CONTROL_SERVER_H
#define AGPU_EFI_CONTROL_SERVER_H

#include "efi/protocol/control_frame.h"

/* What a connection is made over. Each has places and tries of its own: who floods one keeps nobody out who is at the other. */
enum agpu_ctl_way {
    AGPU_CTL_NETWORK,
    AGPU_CTL_SERIAL,
    AGPU_CTL_WAYS,
};

/* Connections at once, over a way and in all: one client, and those that may become it. */
#define AGPU_CTL_WAY_SESSIONS 8
#define AGPU_CTL_SESSIONS     (AGPU_CTL_WAYS * AGPU_CTL_WAY_SESSIONS)

struct agpu_ctl_config {
    agpu_wire_hash *hash;
    uint8_t key[AGPU_WIRE_KEY];
    void (*nonce)(uint8_t out[AGPU_WIRE_NONCE]); /* nobody can foretell it, and it never comes again */
    const char *welcome; /* a row; the caller's, at most AGPU_CTL_NOTE_MAX characters */
};

enum agpu_ctl_state {
    AGPU_CTL_FREE,
    AGPU_CTL_GREETED,    /* HELLO is wanted */
    AGPU_CTL_CHALLENGED, /* PROOF is wanted, or HALT */
    AGPU_CTL_HALTING,    /* its HALT is to be answered */
    AGPU_CTL_OWNER,      /* the client */
    AGPU_CTL_OVER,       /* to be closed when agpu_ctl_output() has no more */
};

/* Who a session is, "10.0.2.2". */
#define AGPU_CTL_PEER_MAX 47

struct agpu_ctl_session {
    enum agpu_ctl_state state;
    char peer[AGPU_CTL_PEER_MAX + 1];
    uint64_t since_ns; /* the connection; of the client, its last frame */
    uint64_t over_ns;  /* since when its last words wait to be taken; 0: not looked at yet */
    struct agpu_wire_seal in_seal, out_seal;
    uint8_t in[AGPU_CTL_GREETING_MAX];
    size_t in_size;
    uint8_t out[AGPU_CTL_FRAME_OF(AGPU_CTL_REFUSE_MAX)];
    size_t out_size, out_at;
};

struct agpu_ctl_server {
    struct agpu_ctl_config config;
    struct agpu_ctl_session sessions[AGPU_CTL_SESSIONS];
    int owner;           /* which of them is the client; -1: none */
    uint64_t generation; /* clients so far */
    struct agpu_ctl_tries {
        unsigned left; /* connections that are taken now */
        uint64_t ns;   /* when that was counted up last */
    } tries[AGPU_CTL_WAYS];
    bool asked; /* in has a request that was not answered */
    bool halt;  /* somebody wants no further cases */
    bool left;  /* no connection is taken any more */
    uint64_t refused, forged;
    uint8_t in[AGPU_CTL_FRAME_OF(AGPU_CTL_REQUEST_MAX)];
    size_t in_size;
    uint8_t out[2 * AGPU_CTL_FRAME_OF(AGPU_CTL_REPLY_MAX)];
    size_t out_size, out_at;
};

void agpu_ctl_init(struct agpu_ctl_server *server, const struct agpu_ctl_config *config);

/* Somebody connects, whom peer names to others: the number of the session, -1 when the connection is to be refused. */
int agpu_ctl_connect(struct agpu_ctl_server *server, enum agpu_ctl_way way, const char *peer,
                     uint64_t now_ns);
/* Is there no connection any more. */
void agpu_ctl_gone(struct agpu_ctl_server *server, int session);

/* Bytes that came, cut anywhere. */
void agpu_ctl_input(struct agpu_ctl_server *server, int session, const void *bytes, size_t size,
                    uint64_t now_ns);
/* Bytes to send next; 0: nothing now. Of these, so many were taken. */
size_t agpu_ctl_output(struct agpu_ctl_server *server, int session, const uint8_t **bytes);
void agpu_ctl_sent(struct agpu_ctl_server *server, int session, size_t size);

/* The time passes. Whether the session is to be closed. */
bool agpu_ctl_is_over(struct agpu_ctl_server *server, int session, uint64_t now_ns);

/* The client's request, valid until it is answered, or another function is called; false: there is none. client: whose it is. */
struct agpu_ctl_asked {
    uint64_t client;
    const char *text; /* not terminated */
    size_t text_size;
    const uint8_t *bytes;
    size_t size;
};
bool agpu_ctl_request(const struct agpu_ctl_server *server, struct agpu_ctl_asked *out);

/* Does somebody want that no further case begins? Forgotten then; what came of it is to be told to all who do. */
bool agpu_ctl_take_halt(struct agpu_ctl_server *server);
void agpu_ctl_answer_halt(struct agpu_ctl_server *server, bool good, const char *text, size_t text_size);

/* The image leaves: all that there is of clients is told so, and no other is taken. */
void agpu_ctl_leave(struct agpu_ctl_server *server, const char *why);

/* Tells the client something while it waits. Left out when it reads too slowly, or is gone. */
void agpu_ctl_note(struct agpu_ctl_server *server, uint64_t client, const char *text, size_t size);

/* Answers it: at most AGPU_CTL_TEXT_MAX and _DATA_MAX bytes. Nothing when that client is gone. */
void agpu_ctl_reply(struct agpu_ctl_server *server, uint64_t client, bool good, const char *text,
                    size_t text_size, const void *bytes, size_t size);

#endif
