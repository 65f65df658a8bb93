/* given_sockets.h: takes sockets that the parent process has opened, such as systemd (sd_listen_fds(3), socket
 * activation). */
#ifndef AGPU_HOST_LISTEN_GIVEN_SOCKETS_H
#define AGPU_HOST_LISTEN_GIVEN_SOCKETS_H

#include <stdbool.h>

struct agpu_given_sockets {
    bool any; /* false: none were passed, and the other members are meaningless */
    int udp;  /* for datagrams */
    int tcp;  /* listening; -1: none */
    unsigned port;
};

/* Takes the sockets named in the environment, closes none, and removes the variables. Returns false, with the reason
 * on stderr, when they are unusable: expected is one IPv6 UDP socket (which may accept IPv4, too), and at most one
 * listening TCP socket. */
bool agpu_given_sockets_take(struct agpu_given_sockets *given);

#endif
