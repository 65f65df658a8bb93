/* lossy_link.c: a cable between two datagram netdevs of QEMU that loses, repeats and delays frames at random, and is
 * cut once.
 *
 *   lossy_link OWN1 QEMU1 OWN2 QEMU2 LOST REPEATED DELAYED CUT MS
 *
 * The first four are unix sockets, the next three percentages. The cable is cut after frame CUT for MS milliseconds.
 * Ends on SIGTERM and prints what it did. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX 65536

struct side {
    int fd;
    struct sockaddr_un peer;
    unsigned carried, lost, repeated, delayed;
    uint8_t held[FRAME_MAX]; /* a frame that others overtake */
    size_t held_size;
};

static uint32_t randomness = 1;

static struct {
    unsigned after, ms; /* frames; 0 ms: never */
    unsigned frames, lost;
    uint64_t until_ms;
} cut;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns whether the cable is cut at this frame. */
static bool is_cut(void)
{
    cut.frames++;
    if (cut.ms != 0 && cut.frames == cut.after) {
        cut.until_ms = now_ms() + cut.ms;
    }
    if (cut.frames < cut.after || now_ms() >= cut.until_ms) {
        return false;
    }
    cut.lost++;
    return true;
}

static uint32_t percent(void)
{
    randomness = randomness * 1664525u + 1013904223u;
    return (randomness >> 8) % 100;
}

static bool set_path(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        fprintf(stderr, "lossy_link: the path is too long: %s\n", path);
        return false;
    }
    strcpy(address->sun_path, path);
    return true;
}

static bool open_side(struct side *side, const char *own, const char *peer)
{
    struct sockaddr_un local;

    if (!set_path(&local, own) || !set_path(&side->peer, peer)) {
        return false;
    }
    side->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (side->fd < 0 || bind(side->fd, (const struct sockaddr *)&local, sizeof local) != 0) {
        fprintf(stderr, "lossy_link: %s: %s\n", own, strerror(errno));
        return false;
    }
    return true;
}

/* Sends to the machine at that side. A frame that cannot be sent is lost, as on a cable. */
static void send_frame(struct side *to, const uint8_t *frame, size_t size)
{
    sendto(to->fd, frame, size, MSG_DONTWAIT, (const struct sockaddr *)&to->peer, sizeof to->peer);
    to->carried++;
}

static void carry(struct side *from, struct side *to, const unsigned chances[3])
{
    static uint8_t frame[FRAME_MAX];
    const ssize_t size = recv(from->fd, frame, sizeof frame, MSG_DONTWAIT);

    if (size <= 0) {
        return;
    }
    if (is_cut()) {
        return;
    }
    if (percent() < chances[0]) {
        to->lost++;
        return;
    }
    if (to->held_size == 0 && percent() < chances[2]) {
        memcpy(to->held, frame, (size_t)size);
        to->held_size = (size_t)size;
        to->delayed++;
        return;
    }
    send_frame(to, frame, (size_t)size);
    if (percent() < chances[1]) {
        send_frame(to, frame, (size_t)size);
        to->repeated++;
    }
    if (to->held_size != 0) {
        send_frame(to, to->held, to->held_size);
        to->held_size = 0;
    }
}

int main(int argc, char **argv)
{
    static struct side sides[2];
    unsigned chances[3];
    sigset_t set;

    if (argc != 10 || !open_side(&sides[0], argv[1], argv[2]) || !open_side(&sides[1], argv[3], argv[4])) {
        fputs("usage: lossy_link OWN1 QEMU1 OWN2 QEMU2 LOST REPEATED DELAYED CUT MS\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < 3; i++) {
        chances[i] = (unsigned)strtoul(argv[5 + i], NULL, 10);
    }
    cut.after = (unsigned)strtoul(argv[8], NULL, 10);
    cut.ms = (unsigned)strtoul(argv[9], NULL, 10);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct pollfd fds[] = {{.fd = sides[0].fd, .events = POLLIN},
                           {.fd = sides[1].fd, .events = POLLIN},
                           {.fd = signalfd(-1, &set, SFD_CLOEXEC), .events = POLLIN}};
    while (poll(fds, 3, -1) >= 0 && fds[2].revents == 0) {
        for (unsigned i = 0; i < 2; i++) {
            if (fds[i].revents != 0) {
                carry(&sides[i], &sides[1 - i], chances);
            }
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        printf("to side %u: %u frames carried, %u lost, %u repeated, %u delayed\n", i + 1, sides[i].carried,
               sides[i].lost, sides[i].repeated, sides[i].delayed);
    }
    printf("cut: %u frames lost\n", cut.lost);
    return 0;
}
