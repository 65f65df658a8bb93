/* inbox.c: two buffers that are swapped: the thread fills one while the caller reads the other. */
#include "tests/host/listen/inbox.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/host/run/session.h"
#include "tests/host/wire/netconsole.h"

#define BATCH 64
/* Time for datagrams to accumulate in the kernel under load, to share the cost of a wake-up. */
#define GATHER_MS 1
/* Number of batches read before the caller is notified. */
#define BATCHES_MAX 8

struct stored {
    struct agpu_sender from;
    uint64_t when_us;
    size_t size; /* the bytes follow, padded to 8 */
};

struct datagram_buffer {
    char *bytes;
    size_t used;
    size_t read;
};

struct agpu_inbox {
    int socket;
    int ready; /* eventfds */
    int stop;
    const struct agpu_allowed *allowed;
    pthread_t thread;
    pthread_mutex_t lock; /* protects the following members */
    struct datagram_buffer filling;
    struct agpu_inbox_counters counters;
    struct datagram_buffer reading; /* only the caller uses it */
    struct mmsghdr headers[BATCH];
    struct iovec vectors[BATCH];
    struct sockaddr_in6 addresses[BATCH];
    char controls[BATCH][CMSG_SPACE(sizeof(uint32_t))];
    char packets[BATCH][AGPU_DATAGRAM_MAX + 1];
};

static void signal_fd(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

static void store_datagram(struct agpu_inbox *inbox, const struct agpu_sender *from, const char *bytes,
                           size_t size, uint64_t now)
{
    const size_t padded = (size + 7) / 8 * 8;
    struct datagram_buffer *to = &inbox->filling;
    const struct stored head = {*from, now, size};

    if (AGPU_INBOX_BYTES - to->used < sizeof head + padded) {
        inbox->counters.dropped++;
        return;
    }
    memcpy(to->bytes + to->used, &head, sizeof head);
    memcpy(to->bytes + to->used + sizeof head, bytes, size);
    to->used += sizeof head + padded;
}

/* Records how many datagrams the kernel has dropped so far, from the control message of a datagram. */
static void note_lost(struct agpu_inbox *inbox, struct msghdr *header)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
        uint32_t lost;

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&lost, CMSG_DATA(c), sizeof lost);
            inbox->counters.lost = lost;
        }
    }
}

/* Returns false when the socket had fewer datagrams than the batch. */
static bool take_batch(struct agpu_inbox *inbox)
{
    struct agpu_packet packet;

    for (size_t i = 0; i < BATCH; i++) {
        inbox->vectors[i] = (struct iovec){inbox->packets[i], sizeof inbox->packets[i]};
        inbox->headers[i].msg_hdr = (struct msghdr){.msg_name = &inbox->addresses[i],
                                                    .msg_namelen = sizeof inbox->addresses[i],
                                                    .msg_iov = &inbox->vectors[i],
                                                    .msg_iovlen = 1,
                                                    .msg_control = inbox->controls[i],
                                                    .msg_controllen = sizeof inbox->controls[i]};
    }
    const int n = recvmmsg(inbox->socket, inbox->headers, BATCH, MSG_DONTWAIT, NULL);
    const uint64_t now = agpu_now_us();
    pthread_mutex_lock(&inbox->lock);
    for (int i = 0; i < n; i++) {
        const struct sockaddr_in6 *address = &inbox->addresses[i];
        const struct agpu_sender from = {
            .ip = address->sin6_addr,
            .scope = IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr) ? address->sin6_scope_id : 0,
            .port = ntohs(address->sin6_port)};
        const size_t size = inbox->headers[i].msg_len;

        note_lost(inbox, &inbox->headers[i].msg_hdr);
        if (!agpu_allowed_has(inbox->allowed, &from.ip)) {
            inbox->counters.not_allowed++;
        } else if (size > AGPU_DATAGRAM_MAX || agpu_packet_parse(inbox->packets[i], size, &packet) != NULL) {
            inbox->counters.malformed++;
        } else {
            store_datagram(inbox, &from, inbox->packets[i], size, now);
        }
    }
    pthread_mutex_unlock(&inbox->lock);
    return n == BATCH;
}

static void *receive_datagrams(void *ctx)
{
    struct agpu_inbox *inbox = ctx;
    struct pollfd fds[] = {{.fd = inbox->socket, .events = POLLIN}, {.fd = inbox->stop, .events = POLLIN}};

    for (;;) {
        if (poll(fds, 2, -1) < 0) {
            continue;
        }
        if (fds[1].revents) {
            return NULL;
        }
        unsigned batches = 1;
        while (take_batch(inbox) && batches < BATCHES_MAX) {
            batches++;
        }
        signal_fd(inbox->ready);
        if (batches < BATCHES_MAX && poll(fds + 1, 1, GATHER_MS) > 0) {
            return NULL;
        }
    }
}

struct agpu_inbox *agpu_inbox_open(int socket, const struct agpu_allowed *allowed)
{
    struct agpu_inbox *inbox = calloc(1, sizeof *inbox);
    const int on = 1;

    if (inbox == NULL) {
        return NULL;
    }
    inbox->socket = socket;
    inbox->allowed = allowed;
    inbox->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    inbox->stop = eventfd(0, EFD_CLOEXEC);
    inbox->filling.bytes = malloc(AGPU_INBOX_BYTES);
    inbox->reading.bytes = malloc(AGPU_INBOX_BYTES);
    setsockopt(socket, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    pthread_mutex_init(&inbox->lock, NULL);
    errno = ENOMEM;
    if (inbox->ready < 0 || inbox->stop < 0 || inbox->filling.bytes == NULL || inbox->reading.bytes == NULL ||
        (errno = pthread_create(&inbox->thread, NULL, receive_datagrams, inbox)) != 0) {
        const int failed = errno;

        close(inbox->ready);
        close(inbox->stop);
        free(inbox->filling.bytes);
        free(inbox->reading.bytes);
        free(inbox);
        errno = failed;
        return NULL;
    }
    return inbox;
}

int agpu_inbox_fd(const struct agpu_inbox *inbox)
{
    return inbox->ready;
}

void agpu_inbox_collect(struct agpu_inbox *inbox)
{
    uint64_t count;
    struct datagram_buffer read = inbox->reading;

    if (read.read < read.used) {
        return; /* the previous buffer is not read completely yet */
    }
    while (inbox->ready >= 0 && eventfd_read(inbox->ready, &count) < 0 && errno == EINTR) {
    }
    read.used = read.read = 0;
    pthread_mutex_lock(&inbox->lock);
    inbox->reading = inbox->filling;
    inbox->filling = read;
    pthread_mutex_unlock(&inbox->lock);
}

bool agpu_inbox_next(struct agpu_inbox *inbox, struct agpu_datagram *datagram)
{
    struct datagram_buffer *from = &inbox->reading;
    struct stored head;

    if (from->read == from->used) {
        return false;
    }
    memcpy(&head, from->bytes + from->read, sizeof head);
    *datagram = (struct agpu_datagram){.from = head.from,
                                       .when_us = head.when_us,
                                       .bytes = from->bytes + from->read + sizeof head,
                                       .size = head.size};
    from->read += sizeof head + (head.size + 7) / 8 * 8;
    return true;
}

struct agpu_inbox_counters agpu_inbox_counters(struct agpu_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    const struct agpu_inbox_counters counters = inbox->counters;
    pthread_mutex_unlock(&inbox->lock);
    return counters;
}

void agpu_inbox_close(struct agpu_inbox *inbox)
{
    signal_fd(inbox->stop);
    pthread_join(inbox->thread, NULL);
    pthread_mutex_destroy(&inbox->lock);
    close(inbox->ready);
    close(inbox->stop);
    free(inbox->filling.bytes);
    free(inbox->reading.bytes);
    free(inbox);
}
