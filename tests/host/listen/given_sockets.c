/* given_sockets.c: reads LISTEN_PID and LISTEN_FDS. */
#include "tests/host/listen/given_sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_FD 3
#define FDS_MAX  8

/* Takes one socket of each kind. Returns the error, or NULL. */
static const char *take_socket(struct agpu_given_sockets *given, int fd)
{
    struct sockaddr_in6 address = {0};
    socklen_t size = sizeof address;
    int type = 0, listens = 0;
    socklen_t length = sizeof type;

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        return "is not a socket";
    }
    if (address.sin6_family != AF_INET6) {
        return "is not of IPv6: ListenDatagram=6666 and ListenStream=6666 without an address have both "
               "families, and "
               "[::ffff:10.0.0.1]:6666 is one of IPv4";
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        return "cannot be made non-blocking";
    }
    if (type == SOCK_DGRAM) {
        if (given->udp >= 0) {
            return "is a second datagram socket";
        }
        given->udp = fd;
        given->port = ntohs(address.sin6_port);
        return NULL;
    }
    length = sizeof listens;
    if (type != SOCK_STREAM || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 ||
        !listens) {
        return "is neither a datagram socket nor listening: set Accept=no in the socket unit";
    }
    if (given->tcp >= 0) {
        return "is a second listening socket";
    }
    given->tcp = fd;
    return NULL;
}

bool agpu_given_sockets_take(struct agpu_given_sockets *given)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    long count;

    *given = (struct agpu_given_sockets){.udp = -1, .tcp = -1};
    if (pid == NULL || fds == NULL || strtol(pid, NULL, 10) != (long)getpid()) {
        return true;
    }
    count = strtol(fds, NULL, 10);
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (count <= 0) {
        return true;
    }
    given->any = true;
    for (int fd = FIRST_FD; fd < FIRST_FD + (count < FDS_MAX ? (int)count : FDS_MAX); fd++) {
        const char *wrong = take_socket(given, fd);

        if (wrong != NULL) {
            fprintf(stderr, "agpu listen: file descriptor %d, which was given as a socket, %s\n", fd, wrong);
            return false;
        }
    }
    if (given->udp < 0) {
        fputs("agpu listen: none of the given sockets is a datagram socket: set ListenDatagram=6666 in the "
              "socket unit\n",
              stderr);
    }
    return given->udp >= 0;
}
