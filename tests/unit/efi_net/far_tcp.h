/* far_tcp.h: the TCP of the machine at the other end of the cable, as small as may be: one connection that the image makes,
 * segments out of order dropped, every segment acknowledged, its own sent again at intervals that double. */
#ifndef AGPU_TEST_EFI_NET_FAR_TCP_H
#define AGPU_TEST_EFI_NET_FAR_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAR_TCP_OUT_MAX 8192

/* What stands on this TCP. */
struct far_tcp_user {
    void *ctx;
    void (*accepted)(void *ctx);
    void (*received)(void *ctx, const uint8_t *bytes, size_t size);
    void (*send)(void *ctx, const uint8_t *frame, size_t size); /* onto the cable */
};

struct far_tcp {
    const struct far_tcp_user *user;
    uint32_t ip, image_ip;
    uint16_t port;
    bool refuses;                                  /* nobody listens: every segment is answered by a reset */
    unsigned rto_first_ms, rto_min_ms, rto_max_ms; /* before it is sent again: SYN; others; at most */
    uint64_t now_ms;
    /* The connection; image_port 0: none. */
    uint16_t image_port;
    bool established;
    uint32_t received;   /* next number of the image's */
    uint32_t sent_first; /* number of out[0] */
    uint8_t out[FAR_TCP_OUT_MAX];
    size_t out_size, out_sent;
    unsigned rto_ms;
    uint64_t resend_ms; /* UINT64_MAX: nothing is under way */
    unsigned connections, resets, again;
};

/* A frame of the image's that is TCP to this port and address, or is not looked at. */
void far_tcp_frame(struct far_tcp *tcp, const uint8_t *frame, size_t size);

/* A millisecond has passed. */
void far_tcp_tick(struct far_tcp *tcp);

/* Bytes to the image; those that there is no room for are forgotten, and false. */
bool far_tcp_send(struct far_tcp *tcp, const void *bytes, size_t size);

/* The machine is switched off and on: it knows of no connection. */
void far_tcp_forget(struct far_tcp *tcp);

#endif
