/* snp.c: drives the card by the rules that iPXE's driver snpnet learnt from real firmware. */
#include "efi/net/snp.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/heap.h"

#define FRAME_MIN          60 /* without checksum; some drivers do not pad short frames */
#define RX_PAD             8  /* required by drivers that were written for MNP */
#define INITIALIZE_TRIES   10 /* some drivers fail until the link is up */
#define INITIALIZE_WAIT_US 10000
/* Longest time that a frame may be in flight. A card that completes frames gets long, because its network may
 * be busy; one that did not complete the last frame may never complete any. */
#define SEND_LOST_NS       (2000 * AGPU_NS_PER_MS)
#define SEND_LOST_AGAIN_NS (200 * AGPU_NS_PER_MS)

#define TAG_AT    12u  /* after both addresses */
#define TAG_TYPE  0x81 /* followed by a zero (802.1Q 9.4) */
#define VLAN_MASK 0x0FFFu

#define UNICAST   EFI_SIMPLE_NETWORK_RECEIVE_UNICAST
#define MULTICAST EFI_SIMPLE_NETWORK_RECEIVE_MULTICAST
#define BROADCAST EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST
#define PROMISC   EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS
#define PROMISC_M EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS_MULTICAST

/* Drivers accept different combinations. Some receive broadcasts only in promiscuous mode, so that comes
 * first. */
static const uint32_t filters[] = {
    UNICAST | MULTICAST | BROADCAST | PROMISC | PROMISC_M,
    UNICAST | MULTICAST | BROADCAST | PROMISC_M,
    UNICAST | MULTICAST | BROADCAST,
    UNICAST | BROADCAST,
    UNICAST,
};

/* Exclusive opening makes the firmware disconnect its network stack; if that fails, disconnects it
 * explicitly. */
static void take_over(struct agpu_snp *snp)
{
    void *interface;

    for (int attempt = 0; attempt < 2; attempt++) {
        EFI_STATUS status = agpu_boot->OpenProtocol(
            snp->card.handle, &agpu_guid_snp, &interface, agpu_image, snp->card.handle,
            EFI_OPEN_PROTOCOL_BY_DRIVER | EFI_OPEN_PROTOCOL_EXCLUSIVE);

        snp->exclusive = !EFI_ERROR(status);
        if (snp->exclusive) {
            return;
        }
        agpu_boot->DisconnectController(snp->card.handle, NULL, NULL);
    }
}

static EFI_STATUS initialize_card(EFI_SIMPLE_NETWORK *card)
{
    EFI_STATUS status = EFI_SUCCESS;

    for (int attempt = 0; attempt < INITIALIZE_TRIES; attempt++) {
        if (attempt) {
            agpu_boot->Stall(INITIALIZE_WAIT_US);
        }
        status = card->Initialize(card, 0, 0);
        if (!EFI_ERROR(status)) {
            return status;
        }
    }
    return status;
}

static EFI_STATUS open_filters(EFI_SIMPLE_NETWORK *card)
{
    EFI_STATUS status = EFI_UNSUPPORTED;

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        uint32_t mask = filters[i] & card->Mode->ReceiveFilterMask;

        if (mask != filters[i]) {
            continue;
        }
        status = card->ReceiveFilters(card, mask, 0, TRUE, 0, NULL);
        if (!EFI_ERROR(status)) {
            return status;
        }
    }
    return status;
}

const char *agpu_snp_open(struct agpu_snp *snp, const struct agpu_snp_card *card, EFI_STATUS *status)
{
    EFI_SIMPLE_NETWORK *nic = card->snp;

    *snp = (struct agpu_snp){.card = *card, .open = true};
    const char *failed = "no memory for frames";
    *status = EFI_OUT_OF_RESOURCES;
    take_over(snp);
    snp->frames = agpu_heap_alloc(NULL, sizeof *snp->frames * AGPU_SNP_QUEUE);
    snp->receive_capacity = (size_t)nic->Mode->MediaHeaderSize + nic->Mode->MaxPacketSize + RX_PAD;
    if (snp->receive_capacity < AGPU_SNP_FRAME_MAX + AGPU_SNP_TAG_SIZE + RX_PAD) {
        snp->receive_capacity = AGPU_SNP_FRAME_MAX + AGPU_SNP_TAG_SIZE + RX_PAD;
    }
    snp->receive_buffer = agpu_heap_alloc(NULL, snp->receive_capacity);
    if (snp->frames == NULL || snp->receive_buffer == NULL) {
        goto failed;
    }

    failed = "Start";
    if (nic->Mode->State == EfiSimpleNetworkInitialized) {
        nic->Shutdown(nic);
    }
    if (nic->Mode->State == EfiSimpleNetworkStopped) {
        *status = nic->Start(nic);
        if (EFI_ERROR(*status) && *status != EFI_ALREADY_STARTED) {
            goto failed;
        }
    }
    failed = "Initialize";
    *status = initialize_card(nic);
    if (EFI_ERROR(*status)) {
        goto failed;
    }
    failed = "ReceiveFilters";
    *status = open_filters(nic);
    if (EFI_ERROR(*status)) {
        goto failed;
    }
    return NULL;

failed:
    agpu_snp_close(snp);
    return failed;
}

void agpu_snp_close(struct agpu_snp *snp)
{
    EFI_SIMPLE_NETWORK *nic = snp->card.snp;

    if (!snp->open) {
        return;
    }
    snp->open = false;
    nic->Shutdown(nic);
    nic->Stop(nic);
    if (snp->exclusive) {
        agpu_boot->CloseProtocol(snp->card.handle, &agpu_guid_snp, agpu_image, snp->card.handle);
    }
    agpu_heap_free(NULL, snp->frames);
    agpu_heap_free(NULL, snp->receive_buffer);
    snp->frames = NULL;
    snp->receive_buffer = NULL;
}

bool agpu_snp_media(const struct agpu_snp *snp)
{
    const EFI_SIMPLE_NETWORK_MODE *mode = snp->card.snp->Mode;

    return !mode->MediaPresentSupported || mode->MediaPresent;
}

unsigned agpu_snp_room(const struct agpu_snp *snp)
{
    return snp->open ? AGPU_SNP_QUEUE - snp->waiting : 0;
}

bool agpu_snp_idle(const struct agpu_snp *snp)
{
    return !snp->open || !snp->waiting;
}

uint8_t *agpu_snp_frame(struct agpu_snp *snp)
{
    return agpu_snp_room(snp) ? snp->frames[(snp->first + snp->waiting) % AGPU_SNP_QUEUE].bytes : NULL;
}

unsigned agpu_snp_replies(const struct agpu_snp *snp)
{
    return snp->replies;
}

static size_t put_tag(uint8_t *frame, size_t size, uint16_t vlan)
{
    memmove(frame + TAG_AT + AGPU_SNP_TAG_SIZE, frame + TAG_AT, size - TAG_AT);
    frame[TAG_AT] = TAG_TYPE;
    frame[TAG_AT + 1] = 0;
    frame[TAG_AT + 2] = (uint8_t)(vlan >> 8);
    frame[TAG_AT + 3] = (uint8_t)vlan;
    return size + AGPU_SNP_TAG_SIZE;
}

/* Removes the tag and returns the new size; 0 when the frame has another tag, or none. */
static size_t take_tag(uint8_t *frame, size_t size, uint16_t vlan)
{
    if (size < TAG_AT + AGPU_SNP_TAG_SIZE + 2 || frame[TAG_AT] != TAG_TYPE || frame[TAG_AT + 1] != 0 ||
        (((unsigned)frame[TAG_AT + 2] << 8 | frame[TAG_AT + 3]) & VLAN_MASK) != vlan) {
        return 0;
    }
    size -= AGPU_SNP_TAG_SIZE;
    memmove(frame + TAG_AT, frame + TAG_AT + AGPU_SNP_TAG_SIZE, size - TAG_AT);
    return size;
}

void agpu_snp_queue(struct agpu_snp *snp, size_t size, bool reply)
{
    struct agpu_snp_frame *frame = &snp->frames[(snp->first + snp->waiting) % AGPU_SNP_QUEUE];

    if (size < FRAME_MIN) {
        memset(frame->bytes + size, 0, FRAME_MIN - size);
        size = FRAME_MIN;
    }
    if (snp->vlan != 0) {
        size = put_tag(frame->bytes, size, snp->vlan);
    }
    frame->size = (uint16_t)size;
    frame->reply = reply;
    snp->replies += reply;
    snp->waiting++;
}

static void retire_frames(struct agpu_snp *snp)
{
    snp->in_flight = false;
    snp->replies -= snp->frames[snp->first].reply;
    snp->first = (snp->first + 1) % AGPU_SNP_QUEUE;
    snp->waiting--;
}

/* Allows one frame in flight: sending a buffer that GetStatus has not returned yet is an error in many
 * drivers. */
static void poll_send(struct agpu_snp *snp)
{
    EFI_SIMPLE_NETWORK *nic = snp->card.snp;
    void *done = NULL;
    uint32_t interrupts;

    if (EFI_ERROR(nic->GetStatus(nic, &interrupts, &done))) {
        done = NULL;
    }
    if (done != NULL && snp->in_flight && done == snp->frames[snp->first].bytes) {
        snp->counters.sent++;
        snp->lost_last = false;
        retire_frames(snp);
    } else if (done != NULL) {
        snp->counters.spurious++;
    } else if (snp->in_flight &&
               agpu_clock_ns(NULL) - snp->sent_ns > (snp->lost_last ? SEND_LOST_AGAIN_NS : SEND_LOST_NS)) {
        snp->counters.send_lost++;
        snp->lost_last = true;
        retire_frames(snp);
    }
    if (snp->in_flight || !snp->waiting) {
        return;
    }
    struct agpu_snp_frame *frame = &snp->frames[snp->first];
    EFI_STATUS status = nic->Transmit(nic, 0, frame->size, frame->bytes, NULL, NULL, NULL);
    if (status == EFI_NOT_READY) { /* the card's queue is full: retry at the next poll */
        return;
    }
    snp->in_flight = true;
    snp->sent_ns = agpu_clock_ns(NULL);
    if (EFI_ERROR(status)) {
        snp->counters.send_errors++;
        retire_frames(snp);
    }
}

void agpu_snp_poll(struct agpu_snp *snp, void (*input)(void *ctx, const uint8_t *frame, size_t size),
                   void *ctx)
{
    EFI_SIMPLE_NETWORK *nic = snp->card.snp;

    if (!snp->open) {
        return;
    }
    poll_send(snp);
    for (int i = 0; i < AGPU_SNP_POLL_LIMIT; i++) {
        UINTN size = snp->receive_capacity;
        EFI_STATUS status = nic->Receive(nic, NULL, &size, snp->receive_buffer, NULL, NULL, NULL);

        if (status == EFI_NOT_READY) {
            return;
        }
        if (EFI_ERROR(status) || size > snp->receive_capacity) {
            snp->counters.receive_errors++;
            return;
        }
        snp->counters.received++;
        if (snp->vlan != 0 && (size = take_tag(snp->receive_buffer, size, snp->vlan)) == 0) {
            snp->counters.other_vlan++;
            continue;
        }
        input(ctx, snp->receive_buffer, size);
    }
}
