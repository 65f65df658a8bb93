/* test_snp.c: the network driver with a card that misbehaves as real firmware drivers do. */
#include <stdlib.h>
#include <string.h>

#include "efi/clock.h"
#include "efi/heap.h"
#include "efi/net/snp.h"
#include "tests/unit/test.h"

/* ---- the firmware that snp.c runs on ---- */

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;
EFI_HANDLE agpu_image;
EFI_GUID agpu_guid_snp;

static uint64_t now_ns;

uint64_t agpu_clock_ns(void *ctx)
{
    (void)ctx;
    return now_ns;
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

static struct {
    EFI_SIMPLE_NETWORK snp;
    EFI_SIMPLE_NETWORK_MODE mode;
    unsigned open_refusals; /* exclusive opens that fail before one succeeds */
    unsigned disconnects, opens, closes;
    unsigned initialize_failures;
    uint32_t filter_taken; /* the only combination that the driver accepts */
    uint8_t sent[64][AGPU_SNP_FRAME_MAX];
    size_t sent_size[64];
    unsigned sent_count;
    void *in_flight, *completed; /* buffers that GetStatus will return */
    bool hold;                   /* no transmission completes */
    EFI_STATUS transmit_status;
    unsigned to_receive;
    EFI_STATUS receive_status;
} card;

static EFI_STATUS EFIAPI open_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface, EFI_HANDLE agent,
                                       EFI_HANDLE controller, UINT32 attributes)
{
    (void)handle, (void)guid, (void)agent, (void)controller;
    assert_int_equal(attributes, EFI_OPEN_PROTOCOL_BY_DRIVER | EFI_OPEN_PROTOCOL_EXCLUSIVE);
    if (card.open_refusals) {
        card.open_refusals--;
        return EFI_ACCESS_DENIED;
    }
    card.opens++;
    *interface = &card.snp;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_protocol(EFI_HANDLE handle, EFI_GUID *guid, EFI_HANDLE agent,
                                        EFI_HANDLE controller)
{
    (void)handle, (void)guid, (void)agent, (void)controller;
    card.closes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI disconnect(EFI_HANDLE controller, EFI_HANDLE driver, EFI_HANDLE child)
{
    (void)controller, (void)driver, (void)child;
    card.disconnects++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stall(UINTN us)
{
    now_ns += us * 1000;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start(EFI_SIMPLE_NETWORK *this)
{
    assert_int_equal(this->Mode->State, EfiSimpleNetworkStopped);
    this->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stop(EFI_SIMPLE_NETWORK *this)
{
    this->Mode->State = EfiSimpleNetworkStopped;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI initialize(EFI_SIMPLE_NETWORK *this, UINTN rx, UINTN tx)
{
    (void)rx, (void)tx;
    assert_int_equal(this->Mode->State, EfiSimpleNetworkStarted);
    if (card.initialize_failures) {
        card.initialize_failures--;
        return EFI_DEVICE_ERROR;
    }
    this->Mode->State = EfiSimpleNetworkInitialized;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI shutdown_card(EFI_SIMPLE_NETWORK *this)
{
    this->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive_filters(EFI_SIMPLE_NETWORK *this, UINT32 enable, UINT32 disable,
                                         BOOLEAN reset, UINTN count, EFI_MAC_ADDRESS *list)
{
    (void)disable, (void)reset, (void)count, (void)list;
    assert_int_equal(enable & ~this->Mode->ReceiveFilterMask, 0);
    if (card.filter_taken && enable != card.filter_taken) {
        return EFI_INVALID_PARAMETER;
    }
    this->Mode->ReceiveFilterSetting = enable;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_status(EFI_SIMPLE_NETWORK *this, UINT32 *interrupts, VOID **buffer)
{
    (void)this;
    *interrupts = 0;
    *buffer = card.completed;
    card.completed = NULL;
    if (*buffer == NULL && !card.hold) {
        *buffer = card.in_flight;
        card.in_flight = NULL;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI transmit(EFI_SIMPLE_NETWORK *this, UINTN header, UINTN size, VOID *buffer,
                                  EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    (void)this, (void)from, (void)to, (void)protocol;
    assert_int_equal(header, 0);
    assert_in_range(size, 60, AGPU_SNP_FRAME_MAX);
    if (EFI_ERROR(card.transmit_status)) {
        return card.transmit_status;
    }
    if (!card.hold) {
        assert_null(card.in_flight); /* one at a time */
    }
    card.in_flight = buffer;
    memcpy(card.sent[card.sent_count], buffer, size);
    card.sent_size[card.sent_count++] = size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive(EFI_SIMPLE_NETWORK *this, UINTN *header, UINTN *size, VOID *buffer,
                                 EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    (void)this, (void)header, (void)from, (void)to, (void)protocol;
    assert_true(*size >= AGPU_SNP_FRAME_MAX + 8);
    if (EFI_ERROR(card.receive_status)) {
        return card.receive_status;
    }
    if (!card.to_receive) {
        return EFI_NOT_READY;
    }
    card.to_receive--;
    memset(buffer, 0x77, 100);
    *size = 100;
    return EFI_SUCCESS;
}

static struct agpu_snp snp;
static unsigned inputs;

static void input(void *ctx, const uint8_t *frame, size_t size)
{
    assert_ptr_equal(ctx, &snp);
    assert_int_equal(frame[99], 0x77);
    assert_int_equal(size, 100);
    inputs++;
}

static void poll_card(void)
{
    agpu_snp_poll(&snp, input, &snp);
}

static struct agpu_snp_card description(void)
{
    return (struct agpu_snp_card){.handle = &card, .snp = &card.snp};
}

static int setup(void **state)
{
    (void)state;
    memset(&card, 0, sizeof card);
    boot = (EFI_BOOT_SERVICES){.OpenProtocol = open_protocol,
                               .CloseProtocol = close_protocol,
                               .DisconnectController = disconnect,
                               .Stall = stall};
    card.snp = (EFI_SIMPLE_NETWORK){.Start = start,
                                    .Stop = stop,
                                    .Initialize = initialize,
                                    .Shutdown = shutdown_card,
                                    .ReceiveFilters = receive_filters,
                                    .GetStatus = get_status,
                                    .Transmit = transmit,
                                    .Receive = receive,
                                    .Mode = &card.mode};
    card.mode.State = EfiSimpleNetworkStopped;
    card.mode.ReceiveFilterMask = 0x1F;
    card.mode.MediaHeaderSize = 14;
    card.mode.MaxPacketSize = 1500;
    inputs = 0;
    return 0;
}

static void open_card(void)
{
    struct agpu_snp_card found = description();
    EFI_STATUS status;

    assert_null(agpu_snp_open(&snp, &found, &status));
    assert_int_equal(card.mode.State, EfiSimpleNetworkInitialized);
}

static int teardown(void **state)
{
    (void)state;
    agpu_snp_close(&snp);
    assert_int_equal(card.opens, card.closes);
    return 0;
}

static void queue_frame(uint8_t byte, size_t size)
{
    uint8_t *frame = agpu_snp_frame(&snp);

    assert_non_null(frame);
    memset(frame, byte, size);
    agpu_snp_queue(&snp, size, false);
}

/* ---- tests ---- */

FIXTURE(setup, teardown);

TEST(a_card_in_use_is_taken_over)
{
    card.mode.State = EfiSimpleNetworkInitialized;
    card.open_refusals = 1;
    open_card();
    assert_int_equal(card.disconnects, 1);
    assert_int_equal(card.opens, 1);
}

TEST(a_card_that_cannot_be_had_alone_is_used_anyway)
{
    card.open_refusals = 2;
    open_card();
    assert_int_equal(card.opens, 0);
}

TEST(initialize_is_tried_again)
{
    struct agpu_snp_card found = description();
    EFI_STATUS status;

    card.initialize_failures = 9;
    open_card();
    agpu_snp_close(&snp);
    card.initialize_failures = 10;
    assert_string_equal(agpu_snp_open(&snp, &found, &status), "Initialize");
    assert_int_equal(status, EFI_DEVICE_ERROR);
    assert_int_equal(card.mode.State, EfiSimpleNetworkStopped);
    assert_int_equal(card.opens, card.closes);
}

TEST(filters_go_from_wide_to_narrow)
{
    struct agpu_snp_card found = description();
    EFI_STATUS status;

    open_card();
    assert_int_equal(card.mode.ReceiveFilterSetting, 0x1F);
    agpu_snp_close(&snp);
    card.filter_taken = 0x05;
    open_card();
    assert_int_equal(card.mode.ReceiveFilterSetting, 0x05);
    agpu_snp_close(&snp);
    card.mode.ReceiveFilterMask = 0x02; /* no unicast at all */
    assert_string_equal(agpu_snp_open(&snp, &found, &status), "ReceiveFilters");
}

TEST(frames_leave_in_order_padded_one_at_a_time)
{
    open_card();
    queue_frame(1, 42);
    queue_frame(2, 1514);
    assert_false(agpu_snp_idle(&snp));
    card.hold = true;
    poll_card();
    poll_card();
    assert_int_equal(card.sent_count, 1);
    assert_int_equal(card.sent_size[0], 60);
    assert_int_equal(card.sent[0][41], 1);
    assert_int_equal(card.sent[0][42], 0);
    card.hold = false;
    poll_card();
    assert_int_equal(card.sent_count, 2);
    assert_int_equal(card.sent_size[1], 1514);
    poll_card();
    assert_true(agpu_snp_idle(&snp));
    assert_int_equal(snp.counters.sent, 2);
}

TEST(a_full_queue_has_no_place)
{
    open_card();
    for (unsigned i = 0; i < AGPU_SNP_QUEUE; i++) {
        queue_frame((uint8_t)i, 60);
    }
    assert_null(agpu_snp_frame(&snp));
    assert_int_equal(agpu_snp_room(&snp), 0);
    for (unsigned i = 0; i < AGPU_SNP_QUEUE + 1; i++) {
        poll_card();
    }
    assert_int_equal(card.sent_count, AGPU_SNP_QUEUE);
    for (unsigned i = 0; i < AGPU_SNP_QUEUE; i++) {
        assert_int_equal(card.sent[i][0], i);
    }
    assert_true(agpu_snp_idle(&snp));
}

TEST(a_spurious_completion_is_no_completion)
{
    int other;

    open_card();
    queue_frame(1, 60);
    card.hold = true;
    poll_card();
    card.completed = &other;
    poll_card();
    assert_false(agpu_snp_idle(&snp));
    assert_int_equal(snp.counters.spurious, 1);
    assert_int_equal(snp.counters.sent, 0);
}

TEST(a_frame_that_never_completes_is_given_up)
{
    open_card();
    queue_frame(1, 60);
    queue_frame(2, 60);
    queue_frame(3, 60);
    card.hold = true;
    poll_card();
    now_ns += 1999 * AGPU_NS_PER_MS; /* its network may be busy */
    poll_card();
    assert_int_equal(card.sent_count, 1);
    now_ns += 2 * AGPU_NS_PER_MS;
    poll_card();
    assert_int_equal(card.sent_count, 2);
    assert_int_equal(snp.counters.send_lost, 1);
    now_ns += 201 * AGPU_NS_PER_MS; /* it never returned a buffer: a shorter limit applies */
    poll_card();
    assert_int_equal(card.sent_count, 3);
    assert_int_equal(snp.counters.send_lost, 2);
}

TEST(a_busy_card_is_asked_again_a_refusing_one_is_not)
{
    open_card();
    queue_frame(1, 60);
    card.transmit_status = EFI_NOT_READY;
    poll_card();
    assert_false(agpu_snp_idle(&snp));
    card.transmit_status = EFI_DEVICE_ERROR;
    poll_card();
    assert_true(agpu_snp_idle(&snp));
    assert_int_equal(snp.counters.send_errors, 1);
}

TEST(receiving_is_limited_a_poll)
{
    open_card();
    card.to_receive = 10;
    poll_card();
    assert_int_equal(inputs, AGPU_SNP_POLL_LIMIT);
    poll_card();
    poll_card();
    assert_int_equal(inputs, 10);
    card.receive_status = EFI_DEVICE_ERROR;
    poll_card();
    assert_int_equal(snp.counters.receive_errors, 1);
}

TEST(a_closed_card_is_left_alone)
{
    open_card();
    agpu_snp_close(&snp);
    assert_int_equal(card.mode.State, EfiSimpleNetworkStopped);
    card.to_receive = 1;
    poll_card();
    assert_int_equal(inputs, 0);
    assert_null(agpu_snp_frame(&snp));
    assert_true(agpu_snp_idle(&snp));
}
