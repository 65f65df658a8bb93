/* snp.h: one network card through EFI_SIMPLE_NETWORK: takes it from the firmware, sends and receives frames
 * by polling, and returns it. */
#ifndef AGPU_NET_SNP_H
#define AGPU_NET_SNP_H

#include "efi/net/snp_find.h"

#define AGPU_SNP_FRAME_MAX  1514 /* Ethernet header and 1500 bytes */
#define AGPU_SNP_TAG_SIZE   4    /* of 802.1Q */
#define AGPU_SNP_QUEUE      16   /* frame buffers */
#define AGPU_SNP_POLL_LIMIT 4    /* receives per poll, so that a noisy network cannot delay the cases */

struct agpu_snp_counters {
    uint64_t sent, received;
    uint64_t send_errors;    /* frames that the card refused */
    uint64_t send_lost;      /* frames that the card never completed */
    uint64_t spurious;       /* completions of frames that were not in flight */
    uint64_t receive_errors; /* failed receives */
    uint64_t other_vlan;     /* with a VLAN set: frames of another VLAN, or untagged */
};

/* A frame that is queued or in flight. */
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
    unsigned replies; /* replies in the queue */
    bool in_flight;
    bool lost_last; /* the last frame sent never completed */
    uint64_t sent_ns;
    /* Set by the caller; 0: no tag. Outgoing frames get this VLAN's tag, and incoming frames without it are
     * dropped. The caller sees no tags. */
    uint16_t vlan;
    struct agpu_snp_counters counters;
};

/* Takes the card from its current driver, starts it and opens its filters. Returns NULL, or what failed, with
 * *status; the card is then closed. */
const char *agpu_snp_open(struct agpu_snp *snp, const struct agpu_snp_card *card, EFI_STATUS *status);

/* Stops the card and returns it to the firmware's network stack. */
void agpu_snp_close(struct agpu_snp *snp);

/* False when the card reports that no cable is plugged in. */
bool agpu_snp_media(const struct agpu_snp *snp);

/* Free frame buffers. */
unsigned agpu_snp_room(const struct agpu_snp *snp);

/* True when no frame is queued or in flight. */
bool agpu_snp_idle(const struct agpu_snp *snp);

/* Replies that are queued or in flight. */
unsigned agpu_snp_replies(const struct agpu_snp *snp);

/* Returns a buffer of AGPU_SNP_FRAME_MAX bytes, to be filled and then queued with its size and reply flag;
 * NULL when all are in use. */
uint8_t *agpu_snp_frame(struct agpu_snp *snp);
void agpu_snp_queue(struct agpu_snp *snp, size_t size, bool reply);

/* Retires the frame in flight, starts the next, and passes at most AGPU_SNP_POLL_LIMIT received frames to
 * input. */
void agpu_snp_poll(struct agpu_snp *snp, void (*input)(void *ctx, const uint8_t *frame, size_t size),
                   void *ctx);

#endif
