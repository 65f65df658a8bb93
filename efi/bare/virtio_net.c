/* virtio_net.c: virtio-net by PCI (virtio 1.2, chapters 4.1 and 5.1). */
#include "efi/bare/virtio_net.h"

#include <string.h>

#include "efi/bare/memory.h"
#include "efi/bare/time.h"
#include "efi/bare/virtio_queue.h"

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

struct virtio_net_config {
    uint8_t mac[6];
    uint16_t status;
};

enum { QUEUE_RECEIVE, QUEUE_SEND, QUEUE_COUNT };

#define FRAME_HEADER 12u /* in front of each frame; all zero when sending */
_Static_assert(FRAME_HEADER + AGPU_NIC_FRAME_BYTES <= AGPU_NIC_BUFFER_BYTES, "a tagged frame fits");
_Static_assert(AGPU_VIRTQ_SIZE <= AGPU_NIC_SLOTS, "a slot of the queue is one of the card");

struct virtio_card {
    struct agpu_nic nic; /* first: a pointer to it is one to the card */
    volatile uint8_t *structures[STRUCTURE_COUNT];
    uint32_t notify_multiplier, notify_bytes;
    volatile uint16_t *notify[QUEUE_COUNT];
    struct agpu_virtq queues[QUEUE_COUNT];
    struct agpu_virtq_memory *shared[QUEUE_COUNT];
    uint8_t (*buffers[QUEUE_COUNT])[AGPU_NIC_BUFFER_BYTES];
    bool has_status;
};

static struct virtio_card *virtio_of(struct agpu_nic *nic)
{
    return (struct virtio_card *)nic;
}

static volatile struct virtio_common *common_of(const struct virtio_card *card)
{
    return (volatile struct virtio_common *)card->structures[STRUCTURE_COMMON];
}

/* Finds the structures that the card's capabilities describe, inside its BARs. */
static bool find_structures(struct virtio_card *card)
{
    static const uint32_t smallest[STRUCTURE_COUNT] = {[STRUCTURE_COMMON] = sizeof(struct virtio_common),
                                                       [STRUCTURE_NOTIFY] = 2,
                                                       [STRUCTURE_DEVICE] = sizeof(struct virtio_net_config)};
    const struct agpu_bare_function *function = card->nic.function;
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

static bool reset_virtio(const struct virtio_card *card)
{
    common_of(card)->status = 0;
    for (unsigned i = 0; i < AGPU_NIC_WAIT_MS && common_of(card)->status != 0; i++) {
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
    card->has_status = (low & FEATURE_STATUS) != 0;
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
                    AGPU_NIC_BUFFER_BYTES, true);
}

static const char *open_virtio(struct agpu_nic *nic)
{
    struct virtio_card *card = virtio_of(nic);

    if (!find_structures(card)) {
        return "expected the structures of virtio 1.0 in its BARs";
    }
    for (unsigned i = 0; i < QUEUE_COUNT; i++) {
        const uint64_t bytes = sizeof *card->shared[i] + AGPU_VIRTQ_SIZE * AGPU_NIC_BUFFER_BYTES;

        card->shared[i] = agpu_bare_pages((bytes + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
        card->buffers[i] = (uint8_t(*)[AGPU_NIC_BUFFER_BYTES])(card->shared[i] + 1);
    }
    for (unsigned i = 0; i < 6; i++) {
        nic->mode.CurrentAddress.Addr[i] = card->structures[STRUCTURE_DEVICE][i];
    }
    return NULL;
}

static const char *start_virtio(struct agpu_nic *nic)
{
    struct virtio_card *card = virtio_of(nic);

    if (!reset_virtio(card)) {
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

static void stop_virtio(struct agpu_nic *nic)
{
    reset_virtio(virtio_of(nic));
}

static bool virtio_link_up(struct agpu_nic *nic)
{
    const struct virtio_card *card = virtio_of(nic);
    const volatile struct virtio_net_config *config =
        (const volatile struct virtio_net_config *)card->structures[STRUCTURE_DEVICE];

    return !card->has_status || (config->status & LINK_UP) != 0;
}

static int take_slot(struct virtio_card *card, unsigned number, uint32_t *bytes)
{
    const int slot = agpu_virtq_take(&card->queues[number], bytes);

    if (card->queues[number].broken) {
        card->nic.broken = "an entry of its used ring is impossible";
    }
    return slot;
}

static int finish_virtio(struct agpu_nic *nic)
{
    uint32_t bytes;

    return take_slot(virtio_of(nic), QUEUE_SEND, &bytes);
}

static int send_virtio(struct agpu_nic *nic, const void *frame, uint32_t bytes)
{
    struct virtio_card *card = virtio_of(nic);
    const int slot = agpu_virtq_free_slot(&card->queues[QUEUE_SEND]);

    if (slot >= 0) {
        uint8_t *copy = card->buffers[QUEUE_SEND][slot];

        memset(copy, 0, FRAME_HEADER);
        memcpy(copy + FRAME_HEADER, frame, bytes);
        agpu_virtq_post(&card->queues[QUEUE_SEND], (unsigned)slot, (uintptr_t)copy, FRAME_HEADER + bytes,
                        false);
        *card->notify[QUEUE_SEND] = QUEUE_SEND;
    }
    return slot;
}

static int receive_virtio(struct agpu_nic *nic, void *to, size_t room)
{
    struct virtio_card *card = virtio_of(nic);
    uint32_t bytes;
    const int slot = take_slot(card, QUEUE_RECEIVE, &bytes);
    int size = -1;

    if (slot < 0) {
        return 0;
    }
    if (bytes > FRAME_HEADER && bytes - FRAME_HEADER <= room) {
        size = (int)(bytes - FRAME_HEADER);
        memcpy(to, card->buffers[QUEUE_RECEIVE][slot] + FRAME_HEADER, (size_t)size);
    }
    post_receive(card, (unsigned)slot);
    *card->notify[QUEUE_RECEIVE] = QUEUE_RECEIVE;
    return size;
}

const struct agpu_nic_driver agpu_nic_virtio = {.vendor = VENDOR_VIRTIO,
                                                .devices = {DEVICE_NET, DEVICE_NET_LEGACY},
                                                .bytes = sizeof(struct virtio_card),
                                                .open = open_virtio,
                                                .start = start_virtio,
                                                .stop = stop_virtio,
                                                .link_up = virtio_link_up,
                                                .send = send_virtio,
                                                .finish = finish_virtio,
                                                .receive = receive_virtio};
