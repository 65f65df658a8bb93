/* given_sockets.h: sockets that whoever started the program had opened for it, systemd for one (sd_listen_fds(3), socket activation). */
#ifndef AGPU_HOST_LISTEN_GIVEN_SOCKETS_H
#define AGPU_HOST_LISTEN_GIVEN_SOCKETS_H

#include <stdbool.h>

struct agpu_given_sockets {
    bool any; /* false: none are given, and the others are of no meaning */
    int udp;  /* for datagrams */
    int tcp;  /* listening; -1: none */
    unsigned port;
};

/* Takes the sockets that the environment names, closes none, and ends what the environment says of them. False, with the reason on
 * stderr, when what is given cannot be listened on: expected is one UDP socket of IPv6 (which may have IPv4, too), and at most one TCP
 * socket that listens. */
bool agpu_given_sockets_take(struct agpu_given_sockets *given);

#endif
