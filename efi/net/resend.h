/* resend.h: the latest packets, kept for whoever lost some: the request of netconsd's client library (libncrx), read and carried out at
 * a bounded rate. No I/O and no clock. */
#ifndef AGPU_NET_RESEND_H
#define AGPU_NET_RESEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_RESEND_PACKETS 8192
#define AGPU_RESEND_BYTES   (1024 * 1024)
#define AGPU_RESEND_WISHES  64
#define AGPU_RESEND_PEERS   8 /* who may ask, numbered by the caller */

struct agpu_resend_packet {
    uint64_t seq;
    uint32_t at;
    uint32_t size;
};

/* Records that somebody asked for, and did not get yet. */
struct agpu_resend_wish {
    unsigned to; /* the number of the target that asked */
    uint64_t first, last;
    unsigned sent; /* packets of the record first: one in several pieces has several */
};

/* How far somebody is who may ask. */
enum agpu_resend_state {
    AGPU_RESEND_SILENT,  /* never said anything: it may be something that only listens */
    AGPU_RESEND_ASKS,    /* says when it lacks something, and will say when it lacks nothing */
    AGPU_RESEND_HAS_ALL, /* said so, of the newest packet */
};

/* Zero-initialised: keeps nothing. */
struct agpu_resend {
    struct agpu_resend_packet *packets; /* ring, the caller's memory, as bytes */
    uint8_t *bytes;
    unsigned first, count;
    uint32_t next_at;
    struct agpu_resend_wish wishes[AGPU_RESEND_WISHES];
    unsigned wish_count;
    enum agpu_resend_state states[AGPU_RESEND_PEERS];
    unsigned allowed; /* to be sent now, counted up as time passes */
    uint64_t allowed_ns;
    uint64_t requests, sent; /* in all */
    uint64_t gone;           /* records that were asked for, and are not kept any more */
    uint64_t not_understood; /* requests that were none */
};

/* Memory of AGPU_RESEND_PACKETS packets and AGPU_RESEND_BYTES bytes; it keeps nothing yet. */
void agpu_resend_init(struct agpu_resend *resend, struct agpu_resend_packet *packets, uint8_t *bytes);

/* A packet, "<level>,<seq>,...": kept for as long as there is room. Numbers grow, or everything begins anew. */
void agpu_resend_keep(struct agpu_resend *resend, const char *packet, size_t size);

/* The packet that was kept last; NULL: none. Valid until the next one is kept. */
const char *agpu_resend_newest(const struct agpu_resend *resend, size_t *size);

/* "ncrx<seq>", and behind blanks "<seq>" or "<seq>-<seq>" of those that are missing; words with '=' in them are not looked at. Takes
 * as many as there is place for. One that names none, and the newest packet's number, says that all of them have come. False when it is
 * no request. to: below AGPU_RESEND_PEERS. */
bool agpu_resend_request(struct agpu_resend *resend, unsigned to, const char *text, size_t size);

/* The next packet to send, and to whom; NULL: none, or not now. What was returned is to be sent, or agpu_resend_again() called. Valid until
 * the next packet is kept. */
const char *agpu_resend_next(struct agpu_resend *resend, uint64_t now_ns, unsigned *to, size_t *size);
void agpu_resend_again(struct agpu_resend *resend);

#endif
