/* e1000.c: Intel's 8254x and 82574 by descriptors of the old format (82574 datasheet, chapters 3.2, 3.3, 10.2). */
#include "efi/bare/e1000.h"

#include <string.h>

#include "efi/bare/memory.h"
#include "efi/bare/time.h"

#define SLOTS AGPU_NIC_SLOTS /* a ring has a multiple of 8 descriptors */

/* Offsets of registers in BAR0. */
#define REG_CONTROL    0x0000u
#define REG_STATUS     0x0008u
#define REG_MASK_CLEAR 0x00D8u
#define REG_RECEIVE    0x0100u
#define REG_SEND       0x0400u
#define REG_SEND_GAP   0x0410u
#define REG_RINGS_RX   0x2800u
#define REG_RINGS_TX   0x3800u
#define REG_MULTICAST  0x5200u
#define REG_ADDRESS    0x5400u
#define REGISTERS_MIN  0x6000u

/* Offsets from a ring's first register. */
#define RING_LOW    0x00u
#define RING_HIGH   0x04u
#define RING_LENGTH 0x08u
#define RING_HEAD   0x10u
#define RING_TAIL   0x18u

#define CONTROL_AUTO_SPEED  (1u << 5)
#define CONTROL_LINK_UP     (1u << 6)
#define CONTROL_RESET       (1u << 26)
#define CONTROL_LINK_RESET  (1u << 3)
#define CONTROL_PHY_RESET   (1u << 31)
#define STATUS_LINK_UP      (1u << 1)
#define RECEIVE_ON          (1u << 1)
#define RECEIVE_ALL         (1u << 3 | 1u << 4 | 1u << 15) /* unicast, multicast, broadcast */
#define RECEIVE_NO_CHECKSUM (1u << 26)
#define SEND_ON             (1u << 1)
#define SEND_PAD            (1u << 3)
#define SEND_COLLISIONS     (0x0Fu << 4 | 0x40u << 12)
#define SEND_GAP            0x0060200Au
#define MULTICAST_WORDS     128u
#define RESET_US            1000u /* registers must not be read during the first microsecond of a reset */

#define COMMAND_WHOLE  0x0Bu /* end of the frame, insert its checksum, report the status */
#define STATUS_DONE    0x01u
#define STATUS_END     0x02u
#define ERRORS_OF_CARD 0x97u /* all but those of checksums that this driver does not use */

struct e1000_descriptor {
    uint64_t address;
    uint16_t bytes;
    uint8_t offset, command; /* received: the checksum of the frame's data */
    uint8_t status, errors;
    uint16_t special;
};
_Static_assert(sizeof(struct e1000_descriptor) == 16, "as the card reads it");

struct e1000_shared {
    struct e1000_descriptor receive[SLOTS], send[SLOTS];
    uint8_t received[SLOTS][AGPU_NIC_BUFFER_BYTES], sending[SLOTS][AGPU_NIC_BUFFER_BYTES];
};

struct e1000_card {
    struct agpu_nic nic; /* first: a pointer to it is one to the card */
    volatile uint8_t *registers;
    struct e1000_shared *shared;
    uint32_t received; /* running numbers of slots; the card's head and tail are not read */
    uint32_t sent, finished;
};

static struct e1000_card *e1000_of(struct agpu_nic *nic)
{
    return (struct e1000_card *)nic;
}

static volatile uint32_t *e1000_register(const struct e1000_card *card, uint32_t offset)
{
    return (volatile uint32_t *)(volatile void *)(card->registers + offset);
}

/* Gives a slot to the card, with all fields: the card may have written any. */
static void post_descriptor(volatile struct e1000_descriptor *at, const void *buffer, uint32_t bytes)
{
    *at = (struct e1000_descriptor){
        .address = (uintptr_t)buffer, .bytes = (uint16_t)bytes, .command = COMMAND_WHOLE};
    __asm__ volatile("" ::: "memory"); /* before the tail; the processor keeps the order of stores */
}

static void open_ring(const struct e1000_card *card, uint32_t ring, const void *descriptors)
{
    *e1000_register(card, ring + RING_LOW) = (uint32_t)(uintptr_t)descriptors;
    *e1000_register(card, ring + RING_HIGH) = (uint32_t)((uint64_t)(uintptr_t)descriptors >> 32);
    *e1000_register(card, ring + RING_LENGTH) = SLOTS * (uint32_t)sizeof(struct e1000_descriptor);
    *e1000_register(card, ring + RING_HEAD) = 0;
    *e1000_register(card, ring + RING_TAIL) = 0;
}

static bool reset_e1000(const struct e1000_card *card)
{
    *e1000_register(card, REG_MASK_CLEAR) = UINT32_MAX;
    *e1000_register(card, REG_RECEIVE) = 0;
    *e1000_register(card, REG_SEND) = 0;
    *e1000_register(card, REG_CONTROL) |= CONTROL_RESET;
    agpu_bare_stall(RESET_US);
    for (unsigned i = 0; i < AGPU_NIC_WAIT_MS && (*e1000_register(card, REG_CONTROL) & CONTROL_RESET) != 0;
         i++) {
        agpu_bare_stall(1000);
    }
    *e1000_register(card, REG_MASK_CLEAR) = UINT32_MAX;
    return (*e1000_register(card, REG_CONTROL) & CONTROL_RESET) == 0;
}

static const char *open_e1000(struct agpu_nic *nic)
{
    struct e1000_card *card = e1000_of(nic);

    if (nic->function->bars[0].bytes < REGISTERS_MIN) {
        return "expected registers in BAR0";
    }
    card->registers = (volatile uint8_t *)(uintptr_t)nic->function->bars[0].address;
    card->shared = agpu_bare_pages((sizeof *card->shared + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
    if (!reset_e1000(card)) { /* it loads the address from the card's EEPROM */
        return "expected the end of a reset within 1 s";
    }
    const uint64_t address =
        *e1000_register(card, REG_ADDRESS) | (uint64_t)*e1000_register(card, REG_ADDRESS + 4) << 32;
    memcpy(nic->mode.CurrentAddress.Addr, &address, 6);
    return NULL;
}

static const char *start_e1000(struct agpu_nic *nic)
{
    struct e1000_card *card = e1000_of(nic);

    if (!reset_e1000(card)) {
        return "expected the end of a reset within 1 s";
    }
    *e1000_register(card, REG_CONTROL) =
        (*e1000_register(card, REG_CONTROL) & ~(CONTROL_LINK_RESET | CONTROL_PHY_RESET)) |
        CONTROL_AUTO_SPEED | CONTROL_LINK_UP;
    for (unsigned i = 0; i < MULTICAST_WORDS; i++) {
        *e1000_register(card, REG_MULTICAST + 4 * i) = 0;
    }
    card->received = card->sent = card->finished = 0;
    open_ring(card, REG_RINGS_RX, card->shared->receive);
    open_ring(card, REG_RINGS_TX, card->shared->send);
    for (unsigned i = 0; i < SLOTS; i++) {
        post_descriptor(&card->shared->receive[i], card->shared->received[i], 0);
    }
    *e1000_register(card, REG_SEND_GAP) = SEND_GAP;
    *e1000_register(card, REG_SEND) = SEND_ON | SEND_PAD | SEND_COLLISIONS;
    *e1000_register(card, REG_RECEIVE) = RECEIVE_ON | RECEIVE_ALL | RECEIVE_NO_CHECKSUM;
    *e1000_register(card, REG_RINGS_RX + RING_TAIL) =
        SLOTS - 1; /* a ring with equal head and tail is empty */
    return NULL;
}

static void stop_e1000(struct agpu_nic *nic)
{
    reset_e1000(e1000_of(nic));
}

static bool e1000_link_up(struct agpu_nic *nic)
{
    return (*e1000_register(e1000_of(nic), REG_STATUS) & STATUS_LINK_UP) != 0;
}

static int send_e1000(struct agpu_nic *nic, const void *frame, uint32_t bytes)
{
    struct e1000_card *card = e1000_of(nic);
    const uint32_t slot = card->sent % SLOTS;

    if (card->sent - card->finished == SLOTS - 1) {
        return -1;
    }
    memcpy(card->shared->sending[slot], frame, bytes);
    post_descriptor(&card->shared->send[slot], card->shared->sending[slot], bytes);
    *e1000_register(card, REG_RINGS_TX + RING_TAIL) = ++card->sent % SLOTS;
    return (int)slot;
}

static int finish_e1000(struct agpu_nic *nic)
{
    struct e1000_card *card = e1000_of(nic);
    const uint32_t slot = card->finished % SLOTS;
    const volatile struct e1000_descriptor *at = &card->shared->send[slot];

    if (card->finished == card->sent || (at->status & STATUS_DONE) == 0) {
        return -1;
    }
    card->finished++;
    return (int)slot;
}

static int receive_e1000(struct agpu_nic *nic, void *to, size_t room)
{
    struct e1000_card *card = e1000_of(nic);
    const uint32_t slot = card->received % SLOTS;
    volatile struct e1000_descriptor *at = &card->shared->receive[slot];
    const uint8_t status = at->status;
    int size = -1;

    if ((status & STATUS_DONE) == 0) {
        return 0;
    }
    __asm__ volatile("" ::: "memory"); /* the rest is read after the status */
    const uint16_t bytes = at->bytes;
    if ((status & STATUS_END) != 0 && (at->errors & ERRORS_OF_CARD) == 0 && bytes != 0 && bytes <= room &&
        bytes <= AGPU_NIC_BUFFER_BYTES) {
        memcpy(to, card->shared->received[slot], bytes);
        size = bytes;
    }
    post_descriptor(at, card->shared->received[slot], 0);
    card->received++;
    *e1000_register(card, REG_RINGS_RX + RING_TAIL) = slot;
    return size;
}

/* The devices that QEMU has: e1000 in three variants, and e1000e. */
const struct agpu_nic_driver agpu_nic_e1000 = {.vendor = 0x8086,
                                               .devices = {0x100E, 0x1008, 0x100F, 0x10D3},
                                               .bytes = sizeof(struct e1000_card),
                                               .open = open_e1000,
                                               .start = start_e1000,
                                               .stop = stop_e1000,
                                               .link_up = e1000_link_up,
                                               .send = send_e1000,
                                               .finish = finish_e1000,
                                               .receive = receive_e1000};
