/* virtio_net.c: EFI_SIMPLE_NETWORK on virtio-net by PCI (virtio 1.2, chapters 4.1 and 5.1), polled, without offloads. A
 * card that breaks the protocol is reported once and not used any more. */
#include "efi/bare/virtio_net.h"

#include <string.h>

#include "efi/bare/console.h"
#include "efi/bare/memory.h"
#include "efi/bare/pci.h"
#include "efi/bare/services.h"
#include "efi/bare/time.h"
#include "efi/bare/virtio_queue.h"

#define CARDS_MAX         4u
#define VENDOR_VIRTIO     0x1AF4u
#define DEVICE_NET        0x1041u
#define DEVICE_NET_LEGACY 0x1000u /* also has the structures of virtio 1.0 unless they are disabled */

#define CAPABILITY_VENDOR 0x09u
#define CAPABILITIES_MAX  48u
enum { STRUCTURE_COMMON = 1, STRUCTURE_NOTIFY = 2, STRUCTURE_DEVICE = 4, STRUCTURE_COUNT = 5 };

/* Offsets in a capability. */
#define CAP_TYPE       3u
#define CAP_BAR        4u
#define CAP_OFFSET     8u
#define CAP_LENGTH     12u
#define CAP_MULTIPLIER 16u

struct virtio_common {
    uint32_t device_feature_select, device_feature, driver_feature_select, driver_feature;
    uint16_t msix_config, queue_count;
    uint8_t status, generation;
    uint16_t queue_select, queue_size, queue_msix, queue_enable, queue_notify;
    uint32_t queue_descriptors[2], queue_available[2],
        queue_used[2]; /* 64 bits, accessed in halves (4.1.3.1) */
};
_Static_assert(sizeof(struct virtio_common) == 56, "as the specification has it");

#define STATUS_ACKNOWLEDGE 1u
#define STATUS_DRIVER      2u
#define STATUS_DRIVER_OK   4u
#define STATUS_FEATURES_OK 8u
#define FEATURE_MAC        (1u << 5)
#define FEATURE_STATUS     (1u << 16)
#define FEATURE_VERSION_1  1u /* of the second 32 */
#define NO_VECTOR          0xFFFFu
#define LINK_UP            1u
#define LINK_POLLS         256u /* the link is read each 256th poll: a register costs more than the poll */
#define RESET_WAIT_MS      1000u

struct virtio_net_config {
    uint8_t mac[6];
    uint16_t status;
};

enum { QUEUE_RECEIVE, QUEUE_SEND, QUEUE_COUNT };

#define FRAME_HEADER 12u /* in front of each frame; all zero when sending */
#define FRAME_BYTES  1518u
#define BUFFER_BYTES 2048u
_Static_assert(FRAME_HEADER + FRAME_BYTES <= BUFFER_BYTES, "a tagged frame fits");

struct virtio_card {
    EFI_SIMPLE_NETWORK snp; /* first: a pointer to it is one to the card */
    EFI_SIMPLE_NETWORK_MODE mode;
    struct agpu_bare_function *function;
    volatile uint8_t *structures[STRUCTURE_COUNT];
    uint32_t notify_multiplier, notify_bytes;
    volatile uint16_t *notify[QUEUE_COUNT];
    struct agpu_virtq queues[QUEUE_COUNT];
    struct agpu_virtq_memory *shared[QUEUE_COUNT];
    uint8_t (*buffers[QUEUE_COUNT])[BUFFER_BYTES];
    void *sent[AGPU_VIRTQ_SIZE]; /* the caller's buffer of each slot */
    unsigned polls;              /* of its status */
    bool reported;
};

static struct virtio_card cards[CARDS_MAX];

static struct virtio_card *card_of(EFI_SIMPLE_NETWORK *snp)
{
    return (struct virtio_card *)snp;
}

static volatile struct virtio_common *common_of(const struct virtio_card *card)
{
    return (volatile struct virtio_common *)card->structures[STRUCTURE_COMMON];
}

static void report_card(struct virtio_card *card, const char *what)
{
    if (!card->reported) {
        agpu_bare_print("network card %02x:%02x.%x: %s; the card is not used", card->function->bus,
                        card->function->device, card->function->number, what);
    }
    card->reported = true;
}

/* ---- device ---- */

/* Finds the structures that the card's capabilities describe, inside its BARs. */
static bool find_structures(struct virtio_card *card)
{
    static const uint32_t smallest[STRUCTURE_COUNT] = {[STRUCTURE_COMMON] = sizeof(struct virtio_common),
                                                       [STRUCTURE_NOTIFY] = 2,
                                                       [STRUCTURE_DEVICE] = sizeof(struct virtio_net_config)};
    const struct agpu_bare_function *function = card->function;
    uint32_t at = agpu_bare_config_read(function, AGPU_PCI_CAPABILITY_POINTER, 1) & 0xFC;

    for (unsigned i = 0; at != 0 && i < CAPABILITIES_MAX; i++) {
        const uint32_t type = agpu_bare_config_read(function, at + CAP_TYPE, 1);
        const uint32_t bar = agpu_bare_config_read(function, at + CAP_BAR, 1);
        const uint64_t offset = agpu_bare_config_read(function, at + CAP_OFFSET, 4);
        const uint64_t length = agpu_bare_config_read(function, at + CAP_LENGTH, 4);

        if (agpu_bare_config_read(function, at, 1) == CAPABILITY_VENDOR && type < STRUCTURE_COUNT &&
            smallest[type] != 0 && card->structures[type] == NULL && bar < AGPU_PCI_BAR_COUNT &&
            length >= smallest[type] && offset + length <= function->bars[bar].bytes) {
            card->structures[type] = (volatile uint8_t *)(uintptr_t)(function->bars[bar].address + offset);
            if (type == STRUCTURE_NOTIFY) {
                card->notify_multiplier = agpu_bare_config_read(function, at + CAP_MULTIPLIER, 4);
                card->notify_bytes = (uint32_t)length;
            }
        }
        at = agpu_bare_config_read(function, at + 1, 1) & 0xFC;
    }
    return card->structures[STRUCTURE_COMMON] != NULL && card->structures[STRUCTURE_NOTIFY] != NULL &&
           card->structures[STRUCTURE_DEVICE] != NULL;
}

static bool reset_card(const struct virtio_card *card)
{
    common_of(card)->status = 0;
    for (unsigned i = 0; i < RESET_WAIT_MS && common_of(card)->status != 0; i++) {
        agpu_bare_stall(1000);
    }
    return common_of(card)->status == 0;
}

/* Accepts the features that this driver needs. Returns false when the card lacks one, or refuses. */
static bool agree_features(struct virtio_card *card)
{
    volatile struct virtio_common *common = common_of(card);
    uint32_t low, high;

    common->status = STATUS_ACKNOWLEDGE;
    common->status = STATUS_ACKNOWLEDGE | STATUS_DRIVER;
    common->device_feature_select = 0;
    low = common->device_feature & (FEATURE_MAC | FEATURE_STATUS);
    common->device_feature_select = 1;
    high = common->device_feature & FEATURE_VERSION_1;
    common->driver_feature_select = 0;
    common->driver_feature = low;
    common->driver_feature_select = 1;
    common->driver_feature = high;
    common->status = STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK;
    card->mode.MediaPresentSupported = (low & FEATURE_STATUS) != 0;
    return high != 0 && (low & FEATURE_MAC) != 0 && (common->status & STATUS_FEATURES_OK) != 0;
}

static void set_address(volatile uint32_t halves[2], const void *memory)
{
    halves[0] = (uint32_t)(uintptr_t)memory;
    halves[1] = (uint32_t)((uint64_t)(uintptr_t)memory >> 32);
}

static bool open_queue(struct virtio_card *card, unsigned number)
{
    volatile struct virtio_common *common = common_of(card);
    struct agpu_virtq_memory *memory = card->shared[number];

    common->queue_select = (uint16_t)number;
    const uint64_t notify = (uint64_t)common->queue_notify * card->notify_multiplier;
    if (common->queue_size < AGPU_VIRTQ_SIZE || notify + 2 > card->notify_bytes) {
        return false;
    }
    agpu_virtq_init(&card->queues[number], memory);
    card->notify[number] = (volatile uint16_t *)(card->structures[STRUCTURE_NOTIFY] + notify);
    common->queue_size = AGPU_VIRTQ_SIZE;
    common->queue_msix = NO_VECTOR;
    set_address(common->queue_descriptors, memory->descriptors);
    set_address(common->queue_available, &memory->available);
    set_address(common->queue_used, &memory->used);
    common->queue_enable = 1;
    return true;
}

static void post_receive(struct virtio_card *card, unsigned slot)
{
    agpu_virtq_post(&card->queues[QUEUE_RECEIVE], slot, (uintptr_t)card->buffers[QUEUE_RECEIVE][slot],
                    BUFFER_BYTES, true);
}

static const char *start_card(struct virtio_card *card)
{
    if (!reset_card(card)) {
        return "expected status 0 within 1 s of a reset";
    }
    if (!agree_features(card)) {
        return "expected a card of virtio 1.0 or later with its own address";
    }
    for (unsigned i = 0; i < QUEUE_COUNT; i++) {
        if (!open_queue(card, i)) {
            return "expected two queues of at least 64 entries";
        }
    }
    common_of(card)->status = STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK | STATUS_DRIVER_OK;
    for (unsigned i = 0; i < AGPU_VIRTQ_SIZE; i++) {
        post_receive(card, i);
    }
    *card->notify[QUEUE_RECEIVE] = QUEUE_RECEIVE;
    return NULL;
}

static bool check_queues(struct virtio_card *card)
{
    for (unsigned i = 0; i < QUEUE_COUNT; i++) {
        if (card->queues[i].broken) {
            report_card(card, "an entry of its used ring is impossible");
            return false;
        }
    }
    return true;
}

/* ---- EFI_SIMPLE_NETWORK ---- */

static EFI_STATUS EFIAPI start_snp(EFI_SIMPLE_NETWORK *snp)
{
    snp->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stop_snp(EFI_SIMPLE_NETWORK *snp)
{
    snp->Mode->State = EfiSimpleNetworkStopped;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI initialize_snp(EFI_SIMPLE_NETWORK *snp, UINTN more_receive, UINTN more_send)
{
    struct virtio_card *card = card_of(snp);
    const char *failed = start_card(card);

    (void)more_receive, (void)more_send;
    if (failed != NULL) {
        report_card(card, failed);
        return EFI_DEVICE_ERROR;
    }
    snp->Mode->State = EfiSimpleNetworkInitialized;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI shut_down_snp(EFI_SIMPLE_NETWORK *snp)
{
    reset_card(card_of(snp));
    snp->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

/* A card without filters receives every frame. */
static EFI_STATUS EFIAPI set_filters(EFI_SIMPLE_NETWORK *snp, UINT32 enable, UINT32 disable,
                                     BOOLEAN reset_multicast, UINTN count, EFI_MAC_ADDRESS *multicast)
{
    (void)disable, (void)reset_multicast, (void)count, (void)multicast;
    snp->Mode->ReceiveFilterSetting = enable;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_snp_status(EFI_SIMPLE_NETWORK *snp, UINT32 *interrupts, VOID **buffer)
{
    struct virtio_card *card = card_of(snp);
    uint32_t bytes;
    const int slot = agpu_virtq_take(&card->queues[QUEUE_SEND], &bytes);

    if (interrupts != NULL) {
        *interrupts = 0;
    }
    if (snp->Mode->MediaPresentSupported && card->polls++ % LINK_POLLS == 0) {
        const volatile struct virtio_net_config *config =
            (const volatile struct virtio_net_config *)card->structures[STRUCTURE_DEVICE];
        snp->Mode->MediaPresent = (config->status & LINK_UP) != 0;
    }
    if (buffer != NULL) {
        *buffer = slot >= 0 ? card->sent[slot] : NULL;
    }
    return check_queues(card) ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI transmit_frame(EFI_SIMPLE_NETWORK *snp, UINTN header_size, UINTN size, VOID *buffer,
                                        EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    struct virtio_card *card = card_of(snp);
    const int slot = agpu_virtq_free_slot(&card->queues[QUEUE_SEND]);

    (void)from, (void)to, (void)protocol;
    if (header_size != 0 || size > FRAME_BYTES) {
        return EFI_UNSUPPORTED;
    }
    if (!check_queues(card)) {
        return EFI_DEVICE_ERROR;
    }
    if (slot < 0) {
        return EFI_NOT_READY;
    }
    uint8_t *frame = card->buffers[QUEUE_SEND][slot];
    memset(frame, 0, FRAME_HEADER);
    memcpy(frame + FRAME_HEADER, buffer, size);
    card->sent[slot] = buffer;
    agpu_virtq_post(&card->queues[QUEUE_SEND], (unsigned)slot, (uintptr_t)frame,
                    (uint32_t)(FRAME_HEADER + size), false);
    *card->notify[QUEUE_SEND] = QUEUE_SEND;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive_frame(EFI_SIMPLE_NETWORK *snp, UINTN *header_size, UINTN *size, VOID *buffer,
                                       EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    struct virtio_card *card = card_of(snp);
    uint32_t bytes;
    const int slot = agpu_virtq_take(&card->queues[QUEUE_RECEIVE], &bytes);
    EFI_STATUS status = EFI_SUCCESS;

    (void)header_size, (void)from, (void)to, (void)protocol;
    if (slot < 0) {
        return check_queues(card) ? EFI_NOT_READY : EFI_DEVICE_ERROR;
    }
    if (bytes < FRAME_HEADER || bytes - FRAME_HEADER > *size) {
        status = EFI_DEVICE_ERROR;
    } else {
        *size = bytes - FRAME_HEADER;
        memcpy(buffer, card->buffers[QUEUE_RECEIVE][slot] + FRAME_HEADER, *size);
    }
    post_receive(card, (unsigned)slot);
    *card->notify[QUEUE_RECEIVE] = QUEUE_RECEIVE;
    return status;
}

/* ---- finding cards ---- */

static bool open_card(struct virtio_card *card, struct agpu_bare_function *function)
{
    const uint32_t command = agpu_bare_config_read(function, AGPU_PCI_COMMAND, 2);

    *card = (struct virtio_card){.function = function};
    if (!find_structures(card)) {
        report_card(card, "expected the structures of virtio 1.0 in its BARs");
        return false;
    }
    agpu_bare_config_write(function, AGPU_PCI_COMMAND, 2,
                           command | AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER |
                               AGPU_PCI_COMMAND_INTX_OFF);
    for (unsigned i = 0; i < QUEUE_COUNT; i++) {
        const uint64_t bytes = sizeof *card->shared[i] + AGPU_VIRTQ_SIZE * BUFFER_BYTES;

        card->shared[i] = agpu_bare_pages((bytes + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
        card->buffers[i] = (uint8_t(*)[BUFFER_BYTES])(card->shared[i] + 1);
    }
    card->snp = (EFI_SIMPLE_NETWORK){.Start = start_snp,
                                     .Stop = stop_snp,
                                     .Initialize = initialize_snp,
                                     .Shutdown = shut_down_snp,
                                     .ReceiveFilters = set_filters,
                                     .GetStatus = get_snp_status,
                                     .Transmit = transmit_frame,
                                     .Receive = receive_frame,
                                     .Mode = &card->mode};
    card->mode = (EFI_SIMPLE_NETWORK_MODE){
        .State = EfiSimpleNetworkStopped,
        .HwAddressSize = 6,
        .MediaHeaderSize = 14,
        .MaxPacketSize = 1500,
        .ReceiveFilterMask = EFI_SIMPLE_NETWORK_RECEIVE_UNICAST | EFI_SIMPLE_NETWORK_RECEIVE_MULTICAST |
                             EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST | EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS |
                             EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS_MULTICAST,
        .IfType = 1,
    };
    for (unsigned i = 0; i < 6; i++) {
        card->mode.CurrentAddress.Addr[i] = card->structures[STRUCTURE_DEVICE][i];
    }
    card->mode.PermanentAddress = card->mode.CurrentAddress;
    return true;
}

void agpu_bare_virtio_net_open(void)
{
    static const EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    struct agpu_bare_function *function;
    unsigned found = 0;

    for (unsigned i = 0; found < CARDS_MAX && (function = agpu_bare_pci_function(i)) != NULL; i++) {
        const uint32_t device = agpu_bare_config_read(function, AGPU_PCI_DEVICE_ID, 2);

        if (agpu_bare_config_read(function, AGPU_PCI_VENDOR_ID, 2) == VENDOR_VIRTIO &&
            (device == DEVICE_NET || device == DEVICE_NET_LEGACY) && open_card(&cards[found], function)) {
            agpu_bare_add_handle(&guid, &cards[found++].snp);
        }
    }
}
