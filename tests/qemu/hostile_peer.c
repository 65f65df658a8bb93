/* hostile_peer.c: the other machines on the image's network, on QEMU's -netdev dgram: a collector that counts, a
 * DHCP server, and an attacker.
 *
 *   hostile_peer PEER-SOCKET QEMU-SOCKET arp|flood|frames|dhcp
 *       runs until SIGTERM, then prints a line for each sequence number that it received
 *   hostile_peer --judge FILE SEQ
 *       prints which of 0..SEQ are in such a file */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"

#define SEQ_MAX 65536

const uint8_t lan_mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

static int lan = -1;
static struct sockaddr_un image = {.sun_family = AF_UNIX};
static volatile sig_atomic_t stop;
static bool heard[SEQ_MAX];

void lan_deliver(const void *frame, size_t size)
{
    /* A frame without room is lost, as on a network. Before the image starts, its socket does not exist. */
    if (sendto(lan, frame, size, MSG_DONTWAIT, (const struct sockaddr *)&image, sizeof image) < 0 &&
        errno != EAGAIN && errno != ENOENT && errno != ECONNREFUSED && errno != ENOBUFS) {
        perror("hostile_peer: cannot send");
    }
}

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static uint8_t random_byte(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return (uint8_t)(state >> 24);
}

static void any_frame(void)
{
    uint8_t frame[LAN_FRAME_MAX];
    const size_t size = 14 + (random_byte() << 8 | random_byte()) % (sizeof frame - 14u);

    for (size_t i = 0; i < size; i++) {
        frame[i] = random_byte();
    }
    if (size > 60 && random_byte() % 4 != 0) {
        memcpy(frame, lan_mac, 6);
        memcpy(frame + 12, random_byte() & 1 ? "\x08\x00\x45" : "\x08\x06\x00", 3);
    }
    lan_deliver(frame, size);
}

/* Sends the attacks of one millisecond. */
static void attack(const char *kind, unsigned ms)
{
    static const uint8_t everybody[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

    if (strcmp(kind, "arp") == 0 && ms % 50 == 0) {
        peer_arp(2, PEER_TARGET_IP, peer_hostile_mac, lan_mac);
        peer_arp(1, PEER_TARGET_IP, peer_hostile_mac, everybody);
    }
    for (unsigned i = 0; strcmp(kind, "flood") == 0 && i < 8; i++) {
        if (i % 2 == 0) {
            peer_echo(PEER_OTHER_IP);
        } else {
            peer_arp(1, PEER_OTHER_IP, peer_hostile_mac, everybody);
        }
    }
    for (unsigned i = 0; (strcmp(kind, "frames") == 0 || strcmp(kind, "dhcp") == 0) && i < 2; i++) {
        any_frame();
    }
}

static void take_frames(struct peers *peers)
{
    uint8_t frame[2048];
    ssize_t size;

    while ((size = recv(lan, frame, sizeof frame, MSG_DONTWAIT)) >= 42) {
        const unsigned records = peers->records;
        unsigned long seq;

        peers_frame(peers, frame, (size_t)size);
        if (peers->records != records && sscanf(peers->last, "%*u,%lu,", &seq) == 1 && seq < SEQ_MAX) {
            heard[seq] = true;
        }
    }
}

static int judge(const char *path, unsigned long last)
{
    unsigned long seq, missing = 0, diverted = 0;
    char line[100];
    FILE *file = fopen(path, "re");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "heard %lu", &seq) == 1 && seq < SEQ_MAX) {
            heard[seq] = true;
        }
        sscanf(line, "diverted %lu", &diverted);
    }
    for (seq = 0; seq <= last && seq < SEQ_MAX; seq++) {
        missing += !heard[seq];
    }
    printf("records 0..%lu: %lu missing, %lu diverted\n", last, missing, diverted);
    return file != NULL ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct peers peers = {.answers = true, .serves_dhcp = true, .lease_s = 2};
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    struct timespec began, now;
    unsigned long done = 0;

    if (argc != 4) {
        fprintf(stderr,
                "usage: hostile_peer PEER-SOCKET QEMU-SOCKET arp|flood|frames|dhcp; --judge FILE SEQ\n");
        return 2;
    }
    if (strcmp(argv[1], "--judge") == 0) {
        return judge(argv[2], strtoul(argv[3], NULL, 10));
    }
    signal(SIGTERM, on_signal);
    snprintf(own.sun_path, sizeof own.sun_path, "%s", argv[1]);
    snprintf(image.sun_path, sizeof image.sun_path, "%s", argv[2]);
    lan = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (lan < 0 || bind(lan, (struct sockaddr *)&own, sizeof own) != 0) {
        perror("hostile_peer: cannot make its socket");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &began);
    while (!stop) {
        struct pollfd fd = {.fd = lan, .events = POLLIN};

        poll(&fd, 1, 1);
        take_frames(&peers);
        clock_gettime(CLOCK_MONOTONIC, &now);
        const unsigned long ms =
            (unsigned long)(now.tv_sec - began.tv_sec) * 1000 + (unsigned long)(now.tv_nsec / 1000000);
        /* At first the network is undisturbed. An attacker that is late does not catch up. */
        if (peers.records > 10 && ms > done) {
            attack(argv[3], (unsigned)ms);
        }
        done = ms;
    }
    take_frames(&peers);
    printf("%u datagrams of records; %u ARP and %u echo replies, %u DHCP messages\n", peers.records,
           peers.arp_replies, peers.echo_replies, peers.dhcp_asked);
    printf("diverted %u\n", peers.diverted);
    for (unsigned long seq = 0; seq < SEQ_MAX; seq++) {
        if (heard[seq]) {
            printf("heard %lu\n", seq);
        }
    }
    return 0;
}
