/* rtl8139.c: Realtek's RTL8139 (datasheet 1.2, chapters 5 and 6): four registers for sending, and one ring of bytes for
 * receiving. */
#include "efi/bare/rtl8139.h"

#include <string.h>

#include "efi/bare/memory.h"
#include "efi/bare/time.h"

#define SLOTS         4u
#define RING_BYTES    32768u
#define RING_MARGIN   2048u /* frames continue after the end of the ring; and its first 16 bytes */
#define HEADER_BYTES  4u    /* in front of a frame: status and size, with its checksum */
#define CHECKSUM      4u
#define HEADER_GOOD   0x0001u
#define SIZE_NOT_YET  0xFFF0u /* the frame is still being written */
#define FRAME_MIN     60u
#define REGISTERS_MIN 256u

/* Offsets of registers in BAR1. */
#define REG_ADDRESS      0x00u
#define REG_SEND_STATUS  0x10u
#define REG_SEND_ADDRESS 0x20u
#define REG_RING         0x30u
#define REG_COMMAND      0x37u
#define REG_READ         0x38u
#define REG_MASK         0x3Cu
#define REG_SEND         0x40u
#define REG_RECEIVE      0x44u
#define REG_POWER        0x52u
#define REG_MEDIA        0x58u

#define COMMAND_EMPTY   0x01u
#define COMMAND_SEND    0x04u
#define COMMAND_RECEIVE 0x08u
#define COMMAND_RESET   0x10u
#define SEND_DONE       (1u << 13 | 1u << 14 | 1u << 15 | 1u << 30) /* copied, underrun, sent, aborted */
#define SEND_SETTINGS   (7u << 8 | 3u << 24)                        /* bursts, gap between frames */
/* All addresses; unlimited bursts; 32 KiB; whole frames only; frames continue after the end. */
#define RECEIVE_SETTINGS (0x0Fu | 1u << 7 | 7u << 8 | 2u << 11 | 7u << 13)
#define MEDIA_NO_LINK    0x04u
#define READ_OFFSET      16u /* the card counts from 16 bytes before (REG_READ) */

struct rtl8139_shared {
    uint8_t ring[RING_BYTES + RING_MARGIN];
    uint8_t sending[SLOTS][AGPU_NIC_BUFFER_BYTES];
};

struct rtl8139_card {
    struct agpu_nic nic; /* first: a pointer to it is one to the card */
    volatile uint8_t *registers;
    struct rtl8139_shared *shared;
    uint32_t read;           /* offset in the ring */
    uint32_t sent, finished; /* running numbers of slots */
};

static struct rtl8139_card *rtl8139_of(struct agpu_nic *nic)
{
    return (struct rtl8139_card *)nic;
}

static volatile uint32_t *rtl8139_register(const struct rtl8139_card *card, uint32_t offset)
{
    return (volatile uint32_t *)(volatile void *)(card->registers + offset);
}

static bool reset_rtl8139(const struct rtl8139_card *card)
{
    card->registers[REG_POWER] = 0;
    card->registers[REG_COMMAND] = COMMAND_RESET;
    for (unsigned i = 0; i < AGPU_NIC_WAIT_MS && (card->registers[REG_COMMAND] & COMMAND_RESET) != 0; i++) {
        agpu_bare_stall(1000);
    }
    return (card->registers[REG_COMMAND] & COMMAND_RESET) == 0;
}

static const char *open_rtl8139(struct agpu_nic *nic)
{
    struct rtl8139_card *card = rtl8139_of(nic);

    if (nic->function->bars[1].bytes < REGISTERS_MIN) {
        return "expected registers in BAR1";
    }
    card->registers = (volatile uint8_t *)(uintptr_t)nic->function->bars[1].address;
    card->shared = agpu_bare_pages((sizeof *card->shared + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
    for (unsigned i = 0; i < 6; i++) {
        nic->mode.CurrentAddress.Addr[i] = card->registers[REG_ADDRESS + i];
    }
    return NULL;
}

static const char *start_rtl8139(struct agpu_nic *nic)
{
    struct rtl8139_card *card = rtl8139_of(nic);

    if (!reset_rtl8139(card)) {
        return "expected the end of a reset within 1 s";
    }
    card->read = card->sent = card->finished = 0;
    *rtl8139_register(card, REG_RING) = (uint32_t)(uintptr_t)card->shared->ring;
    *(volatile uint16_t *)(volatile void *)(card->registers + REG_MASK) = 0;
    card->registers[REG_COMMAND] = COMMAND_SEND | COMMAND_RECEIVE; /* before the settings, which need it */
    *rtl8139_register(card, REG_SEND) = SEND_SETTINGS;
    *rtl8139_register(card, REG_RECEIVE) = RECEIVE_SETTINGS;
    return NULL;
}

static void stop_rtl8139(struct agpu_nic *nic)
{
    reset_rtl8139(rtl8139_of(nic));
}

static bool rtl8139_link_up(struct agpu_nic *nic)
{
    return (rtl8139_of(nic)->registers[REG_MEDIA] & MEDIA_NO_LINK) == 0;
}

static int send_rtl8139(struct agpu_nic *nic, const void *frame, uint32_t bytes)
{
    struct rtl8139_card *card = rtl8139_of(nic);
    const uint32_t slot = card->sent % SLOTS;
    uint8_t *copy = card->shared->sending[slot];

    if (card->sent - card->finished == SLOTS) {
        return -1;
    }
    memset(copy, 0, FRAME_MIN); /* the card does not pad */
    memcpy(copy, frame, bytes);
    *rtl8139_register(card, REG_SEND_ADDRESS + 4 * slot) = (uint32_t)(uintptr_t)copy;
    *rtl8139_register(card, REG_SEND_STATUS + 4 * slot) =
        bytes < FRAME_MIN ? FRAME_MIN : bytes; /* sends it */
    card->sent++;
    return (int)slot;
}

static int finish_rtl8139(struct agpu_nic *nic)
{
    struct rtl8139_card *card = rtl8139_of(nic);
    const uint32_t slot = card->finished % SLOTS;

    if (card->finished == card->sent ||
        (*rtl8139_register(card, REG_SEND_STATUS + 4 * slot) & SEND_DONE) == 0) {
        return -1;
    }
    card->finished++;
    return (int)slot;
}

static int receive_rtl8139(struct agpu_nic *nic, void *to, size_t room)
{
    struct rtl8139_card *card = rtl8139_of(nic);
    const uint8_t *at = card->shared->ring + card->read;
    uint16_t header[2];

    if ((card->registers[REG_COMMAND] & COMMAND_EMPTY) != 0) {
        return 0;
    }
    __asm__ volatile("" ::: "memory"); /* the ring is read after the register */
    memcpy(header, at, sizeof header);
    if (header[1] == SIZE_NOT_YET) {
        return 0;
    }
    if ((header[0] & HEADER_GOOD) == 0 || header[1] <= CHECKSUM ||
        header[1] > AGPU_NIC_FRAME_BYTES + CHECKSUM) {
        nic->broken = start_rtl8139(nic); /* the place of the next frame is not known */
        return -1;
    }
    const uint32_t bytes = header[1] - CHECKSUM;
    if (bytes <= room) {
        memcpy(to, at + HEADER_BYTES, bytes);
    }
    card->read = ((card->read + HEADER_BYTES + header[1] + 3) & ~3u) % RING_BYTES;
    *(volatile uint16_t *)(volatile void *)(card->registers + REG_READ) =
        (uint16_t)(card->read - READ_OFFSET);
    return bytes <= room ? (int)bytes : -1;
}

const struct agpu_nic_driver agpu_nic_rtl8139 = {.vendor = 0x10EC,
                                                 .devices = {0x8139},
                                                 .bytes = sizeof(struct rtl8139_card),
                                                 .open = open_rtl8139,
                                                 .start = start_rtl8139,
                                                 .stop = stop_rtl8139,
                                                 .link_up = rtl8139_link_up,
                                                 .send = send_rtl8139,
                                                 .finish = finish_rtl8139,
                                                 .receive = receive_rtl8139};
