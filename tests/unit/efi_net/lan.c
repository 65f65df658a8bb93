/* lan.c: a fake card under efi/net, and the firmware services that it calls. */
#include "tests/unit/efi_net/lan.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "efi/boot_id.h"
#include "efi/clock.h"
#include "efi/heap.h"
#include "efi/leave.h"
#include "efi/net/snp_find.h"
#include "efi/pump.h"
#include "efi/serial.h"
#include "efi/words.h"
#include "lwip/timeouts.h"
#include "tests/cases/harness/report.h"

#define RING 64

const uint8_t lan_mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

static uint64_t now_ns;
static struct agpu_stream stream;
static const struct lan_peer *peer;
static bool running;
static char said[8192];
static size_t said_length;
static struct agpu_config config;
static uint16_t tag;
static bool without_carrier; /* when the driver finds the card next */

static struct {
    EFI_SIMPLE_NETWORK snp;
    EFI_SIMPLE_NETWORK_MODE mode;
    void *completed;
    uint8_t ring[RING][LAN_FRAME_MAX + 4];
    size_t sizes[RING];
    unsigned first, count;
} card;

/* The unit of all waiting. */
static void half_millisecond(void)
{
    static unsigned halves;

    now_ns += 500000;
    if (halves++ % 2 == 0 && peer->tick != NULL) {
        peer->tick(peer->ctx);
    }
    agpu_net_poll();
}

/* ---- the firmware ---- */

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;
EFI_HANDLE agpu_image;
EFI_SYSTEM_TABLE *agpu_system;
EFI_GUID agpu_guid_snp;

uint64_t agpu_clock_ns(void *ctx)
{
    (void)ctx;
    return now_ns;
}

const char *agpu_boot_id(void)
{
    return "0123456789abcdef";
}

void *agpu_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return calloc(1, size);
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

bool agpu_serial_drained(void)
{
    return true;
}

void agpu_serial_hush(void)
{
}

void agpu_serial_poll(void)
{
}

void agpu_pump(void)
{
    half_millisecond();
}

static EFI_STATUS EFIAPI open_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface, EFI_HANDLE agent,
                                       EFI_HANDLE controller, UINT32 attributes)
{
    (void)handle, (void)guid, (void)agent, (void)controller, (void)attributes;
    *interface = &card.snp;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_protocol(EFI_HANDLE handle, EFI_GUID *guid, EFI_HANDLE agent,
                                        EFI_HANDLE controller)
{
    (void)handle, (void)guid, (void)agent, (void)controller;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stall(UINTN us)
{
    now_ns += us * 1000;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_started(EFI_SIMPLE_NETWORK *this)
{
    this->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_stopped(EFI_SIMPLE_NETWORK *this)
{
    this->Mode->State = EfiSimpleNetworkStopped;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI initialize(EFI_SIMPLE_NETWORK *this, UINTN rx, UINTN tx)
{
    (void)rx, (void)tx;
    this->Mode->State = EfiSimpleNetworkInitialized;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive_filters(EFI_SIMPLE_NETWORK *this, UINT32 enable, UINT32 disable,
                                         BOOLEAN reset, UINTN count, EFI_MAC_ADDRESS *list)
{
    (void)this, (void)enable, (void)disable, (void)reset, (void)count, (void)list;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_status(EFI_SIMPLE_NETWORK *this, UINT32 *interrupts, VOID **buffer)
{
    (void)this;
    *interrupts = 0;
    *buffer = card.completed;
    card.completed = NULL;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI transmit(EFI_SIMPLE_NETWORK *this, UINTN header, UINTN size, VOID *buffer,
                                  EFI_MAC_ADDRESS *source, EFI_MAC_ADDRESS *destination, UINT16 *protocol)
{
    (void)this, (void)header, (void)source, (void)destination, (void)protocol;
    card.completed = buffer;
    if (peer->frame != NULL && (!card.mode.MediaPresentSupported || card.mode.MediaPresent)) {
        peer->frame(peer->ctx, buffer, size);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive(EFI_SIMPLE_NETWORK *this, UINTN *header, UINTN *size, VOID *buffer,
                                 EFI_MAC_ADDRESS *source, EFI_MAC_ADDRESS *destination, UINT16 *protocol)
{
    (void)this, (void)header, (void)source, (void)destination, (void)protocol;
    if (card.count == 0) {
        return EFI_NOT_READY;
    }
    memcpy(buffer, card.ring[card.first], card.sizes[card.first]);
    *size = card.sizes[card.first];
    card.first = (card.first + 1) % RING;
    card.count--;
    return EFI_SUCCESS;
}

unsigned agpu_snp_find(struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX])
{
    memset(&card, 0, sizeof card);
    boot.OpenProtocol = open_protocol;
    boot.CloseProtocol = close_protocol;
    boot.Stall = stall;
    card.mode =
        (EFI_SIMPLE_NETWORK_MODE){.MediaHeaderSize = 14, .MaxPacketSize = 1500, .ReceiveFilterMask = 0x1F};
    card.snp.Mode = &card.mode;
    card.mode.MediaPresentSupported = without_carrier;
    without_carrier = false;
    card.snp.Start = set_started;
    card.snp.Stop = set_stopped;
    card.snp.Initialize = initialize;
    card.snp.Shutdown = set_started;
    card.snp.ReceiveFilters = receive_filters;
    card.snp.GetStatus = get_status;
    card.snp.Transmit = transmit;
    card.snp.Receive = receive;
    cards[0] = (struct agpu_snp_card){.handle = &card, .snp = &card.snp};
    memcpy(cards[0].mac, lan_mac, sizeof lan_mac);
    return 1;
}

/* ---- the network ---- */

static void keep_record(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (length >= sizeof said - said_length) {
        said_length = 0;
    }
    memcpy(said + said_length, packet, length);
    said_length += length;
    said[said_length] = '\0';
}

static void no_problem(void *ctx, const struct agpu_config_problem *problem)
{
    (void)ctx, (void)problem;
    abort(); /* an error in the test itself */
}

static void ignore_problem(void *ctx, const struct agpu_config_problem *problem)
{
    (void)ctx, (void)problem;
}

/* Takes the settings of an answer, like efi/config_load.c. */
static void take_settings(const uint8_t *packet, size_t size)
{
    char words[AGPU_WORDS_MAX + 1];
    size_t length;

    if (config.source_count == 1 && agpu_words_of_dhcp(packet, size, words, &length)) {
        agpu_config_source(&config, "DHCP");
        agpu_config_parse(&config, words, length, ignore_problem, NULL);
    }
}

void lan_start(const char *text, const struct lan_peer *with)
{
    static bool sink_added;

    lan_stop();
    *sys_timeouts_get_next_timeout() = NULL; /* lwIP is started again, which it does not support by itself */
    peer = with;
    said_length = 0;
    said[0] = '\0';
    agpu_config_defaults(&config);
    agpu_config_source(&config, "file");
    agpu_config_parse(&config, text, strlen(text), no_problem, NULL);
    if (!sink_added) {
        agpu_stream_init(&stream, agpu_clock_ns, NULL, 0);
        agpu_net_add_sink(&stream);
        agpu_stream_add_sink(&stream, &(struct agpu_sink){.name = "kept", .packet = keep_record});
        sink_added = true;
    }
    stream.seq = 0;
    running = true;
    now_ns += 1000000;
    agpu_net_start(&stream, &config, "build", take_settings);
}

void lan_stop(void)
{
    if (running) {
        agpu_net_stop();
        now_ns += UINT64_C(1000000000);
        sys_check_timeouts(); /* TCP's timer stops itself */
    }
    running = false;
}

int lan_end(void **state)
{
    (void)state;
    lan_stop();
    return 0;
}

void lan_deliver(const void *frame, size_t size)
{
    if (card.count < RING && size <= LAN_FRAME_MAX) {
        const unsigned at = (card.first + card.count++) % RING;

        if (tag != 0) {
            memcpy(card.ring[at], frame, 12);
            memcpy(card.ring[at] + 12, (const uint8_t[]){0x81, 0, (uint8_t)(tag >> 8), (uint8_t)tag}, 4);
            memcpy(card.ring[at] + 16, (const uint8_t *)frame + 12, size - 12);
            card.sizes[at] = size + 4;
            return;
        }
        memcpy(card.ring[at], frame, size);
        card.sizes[at] = size;
    }
}

void lan_carrier(bool there)
{
    card.mode.MediaPresentSupported = TRUE;
    card.mode.MediaPresent = there;
}

void lan_begins_without_carrier(void)
{
    without_carrier = true;
}

void lan_tag(uint16_t vlan)
{
    tag = vlan;
}

void lan_run(unsigned milliseconds)
{
    for (unsigned i = 0; i < 2 * milliseconds; i++) {
        half_millisecond();
    }
}

void lan_leave(void)
{
    agpu_net_report();
    agpu_leave_drain();
    agpu_net_report_waiting();
}

uint64_t lan_now_ms(void)
{
    return now_ns / 1000000;
}

void lan_say(const char *text)
{
    agpu_stream_log(&stream, AGPU_LOG_INFO, text);
}

void lan_say_summary(void)
{
    agpu_send_summary(&stream, &(struct agpu_summary){.worst = AGPU_PASS});
}

void lan_say_many(unsigned count, unsigned every_ms)
{
    char text[40];

    for (unsigned i = 0; i < count; i++) {
        snprintf(text, sizeof text, "record %u", i);
        lan_say(text);
        lan_run(every_ms);
    }
}

const char *lan_records(void)
{
    return said;
}
