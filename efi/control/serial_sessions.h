/* serial_sessions.h: sessions of server.c over lines of a serial port (tests/handbook/control.md 5). Takes
 * bytes of the port and the time; returns lines to send. No I/O. Freestanding. */
#ifndef AGPU_EFI_CONTROL_SERIAL_SESSIONS_H
#define AGPU_EFI_CONTROL_SERIAL_SESSIONS_H

#include "efi/control/server.h"
#include "efi/protocol/serial_link.h"

/* Concurrent connections: the client, candidates, and noise that looks like one. */
#define AGPU_SERIAL_SESSIONS 4
/* Ended connections whose numbers are not accepted again, so that recorded lines cannot be replayed. */
#define AGPU_SERIAL_PAST 32

struct agpu_serial_sessions {
    struct agpu_ctl_server *server;
    struct agpu_serial_session {
        int session; /* session number of the server; -1: free */
        uint64_t since_ns;
        struct agpu_serial_link link;
    } all[AGPU_SERIAL_SESSIONS];
    uint64_t past[AGPU_SERIAL_PAST];
    unsigned past_count;
    unsigned turn;             /* the session that sends the next line */
    bool unknown;              /* a line named a connection that does not exist */
    uint64_t unknown_number;   /* its number */
    uint64_t damaged, foreign; /* damaged lines; lines of unknown connections */
    size_t size;               /* of line; larger than line: the rest of an overlong line is skipped */
    char line[AGPU_SERIAL_LINE_MAX + 8];
};

void agpu_serial_sessions_init(struct agpu_serial_sessions *sessions, struct agpu_ctl_server *server);

/* Received bytes, split at any place. */
void agpu_serial_sessions_input(struct agpu_serial_sessions *sessions, const char *bytes, size_t size,
                                uint64_t now_ns);

/* Writes the next whole line to send; returns its size, 0: none now. */
size_t agpu_serial_sessions_output(struct agpu_serial_sessions *sessions, uint64_t now_ns,
                                   char text[AGPU_SERIAL_OUTPUT_MAX]);

/* True when everything has been sent and acknowledged. */
bool agpu_serial_sessions_sent(const struct agpu_serial_sessions *sessions);

#endif
