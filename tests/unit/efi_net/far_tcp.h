/* far_tcp.h: a minimal TCP for the machine at the other end of the cable. It has one connection, which the image opens,
 * drops segments out of order, acknowledges each segment, and retransmits at intervals that double. */
#ifndef AGPU_TEST_EFI_NET_FAR_TCP_H
#define AGPU_TEST_EFI_NET_FAR_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAR_TCP_OUT_MAX 8192

/* Callbacks of the application on this TCP. */
struct far_tcp_user {
    void *ctx;
    void (*accepted)(void *ctx);
    void (*received)(void *ctx, const uint8_t *bytes, size_t size);
    void (*send)(void *ctx, const uint8_t *frame, size_t size); /* puts a frame onto the cable */
};

struct far_tcp {
    const struct far_tcp_user *user;
    uint32_t ip, image_ip;
    uint16_t port;
    bool refuses;                                  /* no application: each segment is answered by a reset */
    unsigned rto_first_ms, rto_min_ms, rto_max_ms; /* until a retransmission: SYN; others; longest */
    uint64_t now_ms;
    /* The connection; image_port 0: no connection. */
    uint16_t image_port;
    bool established;
    uint32_t received;   /* next expected sequence number of the image */
    uint32_t sent_first; /* sequence number of out[0] */
    uint8_t out[FAR_TCP_OUT_MAX];
    size_t out_size, out_sent;
    unsigned rto_ms;
    uint64_t resend_ms; /* UINT64_MAX: everything is acknowledged */
    unsigned connections, resets, again;
};

/* Handles a frame of the image. Ignores it unless it is TCP to this port and address. */
void far_tcp_frame(struct far_tcp *tcp, const uint8_t *frame, size_t size);

/* One millisecond has passed. */
void far_tcp_tick(struct far_tcp *tcp);

/* Sends bytes to the image. Returns false, and drops those for which there is no room. */
bool far_tcp_send(struct far_tcp *tcp, const void *bytes, size_t size);

/* The machine restarts and has no connection any more. */
void far_tcp_forget(struct far_tcp *tcp);

#endif
