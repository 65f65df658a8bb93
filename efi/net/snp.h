/* snp.h: one network card through EFI_SIMPLE_NETWORK: taken over, frames out and in, given back. Polled. */
#ifndef AGPU_NET_SNP_H
#define AGPU_NET_SNP_H

#include "efi/net/snp_find.h"

#define AGPU_SNP_FRAME_MAX  1514 /* Ethernet header and 1500 bytes */
#define AGPU_SNP_TAG_SIZE   4    /* of 802.1Q */
#define AGPU_SNP_QUEUE      16   /* frames that wait for the card */
#define AGPU_SNP_POLL_LIMIT 4    /* receives a poll, so that a noisy network cannot hold the cases up */

struct agpu_snp_counters {
    uint64_t sent, received;
    uint64_t send_errors;    /* frames that the card refused */
    uint64_t send_lost;      /* frames that the card never gave back */
    uint64_t spurious;       /* completions of frames that were not in flight */
    uint64_t receive_errors; /* receives that failed */
    uint64_t other_vlan;     /* frames of another VLAN, or of none, while there is one */
};

/* A frame that waits for the card, or is in flight. */
struct agpu_snp_frame {
    uint8_t bytes[AGPU_SNP_FRAME_MAX + AGPU_SNP_TAG_SIZE];
    uint16_t size;
    bool reply;
};

struct agpu_snp {
    struct agpu_snp_card card;
    bool open, exclusive;
    uint8_t *receive_buffer;
    size_t receive_capacity;
    struct agpu_snp_frame *frames; /* ring of AGPU_SNP_QUEUE; the first is in flight if in_flight */
    unsigned first, waiting;
    unsigned replies; /* of those waiting */
    bool in_flight;
    bool lost_last; /* the last frame sent was never given back */
    uint64_t sent_ns;
    /* The caller's: frames go out with this VLAN's tag, which whoever fills them in does not see, and those without it do not come
     * in; 0: no tag. */
    uint16_t vlan;
    struct agpu_snp_counters counters;
};

/* Takes the card from the driver that has it, starts it, opens its filters. NULL, or what failed, with
 * *status saying how; the card is closed then. */
const char *agpu_snp_open(struct agpu_snp *snp, const struct agpu_snp_card *card, EFI_STATUS *status);

/* Stops the card and gives it back to the firmware's network stack. */
void agpu_snp_close(struct agpu_snp *snp);

/* False when the card says that no cable is in. */
bool agpu_snp_media(const struct agpu_snp *snp);

/* Free places for frames. */
unsigned agpu_snp_room(const struct agpu_snp *snp);

/* True when no frame waits or is in flight. */
bool agpu_snp_idle(const struct agpu_snp *snp);

/* Replies among the frames that wait or are in flight. */
unsigned agpu_snp_replies(const struct agpu_snp *snp);

/* A place for a frame of AGPU_SNP_FRAME_MAX bytes, to be filled and then queued with its size, and as a reply or not; NULL
 * without room. */
uint8_t *agpu_snp_frame(struct agpu_snp *snp);
void agpu_snp_queue(struct agpu_snp *snp, size_t size, bool reply);

/* Retires the frame in flight, starts the next, and hands at most AGPU_SNP_POLL_LIMIT received ones to
 * input. */
void agpu_snp_poll(struct agpu_snp *snp, void (*input)(void *ctx, const uint8_t *frame, size_t size),
                   void *ctx);

#endif
