/* serial_sessions.h: server.c's sessions carried by lines of a serial port (tests/host/ctl/README.md 6): bytes of the port and the
 * time go in, lines to send come out. No I/O. Freestanding. */
#ifndef AGPU_EFI_CONTROL_SERIAL_SESSIONS_H
#define AGPU_EFI_CONTROL_SERIAL_SESSIONS_H

#include "efi/control/server.h"
#include "efi/protocol/serial_link.h"

/* Connections at once: the client, and those that may become it, or are noise that looks like one. */
#define AGPU_SERIAL_SESSIONS 4
/* Connections that are over, whose numbers are not taken again: what was said in one is of no use. */
#define AGPU_SERIAL_PAST 32

struct agpu_serial_sessions {
    struct agpu_ctl_server *server;
    struct agpu_serial_session {
        int session; /* the server's; -1: free */
        uint64_t since_ns;
        struct agpu_serial_link link;
    } all[AGPU_SERIAL_SESSIONS];
    uint64_t past[AGPU_SERIAL_PAST];
    unsigned past_count;
    unsigned turn;             /* whose line goes next */
    bool unknown;              /* somebody speaks in a connection that there is not */
    uint64_t unknown_number;   /* which */
    uint64_t damaged, foreign; /* lines that were meant to be some and are none; of no connection */
    size_t size; /* of line; more than it holds: the rest of one that is too long is passed over */
    char line[AGPU_SERIAL_LINE_MAX + 8];
};

void agpu_serial_sessions_init(struct agpu_serial_sessions *sessions, struct agpu_ctl_server *server);

/* Bytes that came, cut anywhere. */
void agpu_serial_sessions_input(struct agpu_serial_sessions *sessions, const char *bytes, size_t size,
                                uint64_t now_ns);

/* The next line to send, whole; its size, 0: none now. */
size_t agpu_serial_sessions_output(struct agpu_serial_sessions *sessions, uint64_t now_ns,
                                   char text[AGPU_SERIAL_OUTPUT_MAX]);

/* Has all been sent, and acknowledged? */
bool agpu_serial_sessions_sent(const struct agpu_serial_sessions *sessions);

#endif
