/* test_bare_nic.c: the drivers of agpu.elf for e1000 and RTL8139 on cards made of memory: frames in order past the ends
 * of the rings, and cards that write anything into the memory that they share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "efi/bare/console.h"
#include "efi/bare/memory.h"
#include "efi/bare/nic.h"
#include "efi/bare/services.h"
#include "efi/bare/time.h"

#define FRAME_MAX   1518u
#define E1000_SLOTS 64u
#define RTL_RING    32768u

/* ---- the machine ---- */

static _Alignas(8) uint8_t registers[0x20000];
static struct agpu_bare_function function;
static struct agpu_nic *nic;
static uint16_t vendor_id, device_id, command;
static unsigned reports;
static bool stuck; /* a reset never ends */

uint32_t agpu_bare_config_read(const struct agpu_bare_function *of, uint32_t offset, unsigned size)
{
    (void)of, (void)size;
    return offset == AGPU_PCI_VENDOR_ID   ? vendor_id
           : offset == AGPU_PCI_DEVICE_ID ? device_id
           : offset == AGPU_PCI_COMMAND   ? command
                                          : 0;
}

void agpu_bare_config_write(const struct agpu_bare_function *of, uint32_t offset, unsigned size,
                            uint32_t value)
{
    (void)of;
    assert_int_equal(offset, AGPU_PCI_COMMAND);
    assert_int_equal(size, 2);
    command = (uint16_t)value;
}

/* The card may use memory only from Initialize to Shutdown. */
static void expect_dma(bool on)
{
    assert_int_equal(command & (AGPU_PCI_COMMAND_MASTER | AGPU_PCI_COMMAND_MEMORY),
                     (on ? AGPU_PCI_COMMAND_MASTER : 0) | AGPU_PCI_COMMAND_MEMORY);
}

struct agpu_bare_function *agpu_bare_pci_function(unsigned index)
{
    return index == 0 ? &function : NULL;
}

EFI_HANDLE agpu_bare_add_handle(const EFI_GUID *guid, void *interface)
{
    (void)guid;
    return interface;
}

/* A page without access follows each allocation. */
void *agpu_bare_pages(uint64_t count)
{
    uint8_t *memory = mmap(NULL, (count + 1) * AGPU_BARE_PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + count * AGPU_BARE_PAGE, AGPU_BARE_PAGE, PROT_NONE), 0);
    return memory;
}

void agpu_bare_print(const char *format, ...)
{
    (void)format;
    reports++;
}

static uint32_t get_register(uint32_t offset, size_t size)
{
    uint32_t value = 0;

    memcpy(&value, registers + offset, size);
    return value;
}

static void set_register(uint32_t offset, uint32_t value, size_t size)
{
    memcpy(registers + offset, &value, size);
}

/* Time in which the card ends its reset. */
EFI_STATUS EFIAPI agpu_bare_stall(UINTN microseconds)
{
    (void)microseconds;
    if (!stuck) {
        set_register(0x0000, get_register(0x0000, 4) & ~(1u << 26), 4);
        registers[0x37] &= (uint8_t)~0x10u;
        set_register(0x38, 0xFFF0, 2);
    }
    return EFI_SUCCESS;
}

static void start_card(uint16_t vendor, uint16_t device)
{
    vendor_id = vendor;
    device_id = device;
    memset(registers, 0, sizeof registers);
    memcpy(registers + (vendor == 0x8086 ? 0x5400 : 0), "\x52\x54\0\x12\x34\x56", 6);
    reports = 0;
    stuck = false;
    command = AGPU_PCI_COMMAND_MASTER; /* as the program before left it */
    for (unsigned i = 0; i < 2; i++) {
        function.bars[i] = (struct agpu_bare_bar){(uintptr_t)registers, sizeof registers, false, false};
    }
    nic = agpu_nic_open(&function);
    assert_non_null(nic);
    expect_dma(false);
    assert_memory_equal(nic->mode.CurrentAddress.Addr, "\x52\x54\0\x12\x34\x56", 6);
    assert_int_equal(nic->snp.Start(&nic->snp), EFI_SUCCESS);
    assert_int_equal(nic->snp.Initialize(&nic->snp, 0, 0), EFI_SUCCESS);
    expect_dma(true);
}

static int start_e1000_card(void **state)
{
    (void)state;
    start_card(0x8086, 0x100E);
    return 0;
}

static int start_rtl8139_card(void **state)
{
    (void)state;
    start_card(0x10EC, 0x8139);
    return 0;
}

static EFI_STATUS receive(uint8_t *frame, UINTN *size)
{
    return nic->snp.Receive(&nic->snp, NULL, size, frame, NULL, NULL, NULL);
}

static EFI_STATUS transmit(void *frame, UINTN size)
{
    return nic->snp.Transmit(&nic->snp, 0, size, frame, NULL, NULL, NULL);
}

static void *finished(void)
{
    void *frame = NULL;

    nic->snp.GetStatus(&nic->snp, NULL, &frame);
    return frame;
}

static void fill_frame(uint8_t *frame, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++) {
        frame[i] = (uint8_t)(seed + i * 7);
    }
}

/* The driver must return this frame, and nothing after it. */
static void expect_frame(unsigned seed, size_t size)
{
    uint8_t got[FRAME_MAX], wanted[FRAME_MAX];
    UINTN room = sizeof got;

    fill_frame(wanted, size, seed);
    assert_int_equal(receive(got, &room), EFI_SUCCESS);
    assert_int_equal(room, size);
    assert_memory_equal(got, wanted, size);
    assert_int_equal(receive(got, &room), EFI_NOT_READY);
}

/* ---- the cards ---- */

struct fake_descriptor {
    uint64_t address;
    uint16_t bytes;
    uint8_t offset, command, status, errors;
    uint16_t special;
};

static struct fake_descriptor *e1000_descriptor(uint32_t ring, unsigned slot)
{
    return (struct fake_descriptor *)(uintptr_t)(get_register(ring, 4) | (uint64_t)get_register(ring + 4, 4)
                                                                             << 32) +
           slot;
}

/* The card may use a slot only in front of the tail. */
static void e1000_put(unsigned slot, size_t size, unsigned seed)
{
    struct fake_descriptor *at = e1000_descriptor(0x2800, slot);

    assert_int_not_equal(get_register(0x2818, 4), slot);
    fill_frame((uint8_t *)(uintptr_t)at->address, size, seed);
    at->bytes = (uint16_t)size;
    at->status = 3;
}

static uint32_t rtl_at;

static void rtl8139_put(size_t size, unsigned seed)
{
    uint8_t *ring = (uint8_t *)(uintptr_t)get_register(0x30, 4);
    const uint16_t header[2] = {1, (uint16_t)(size + 4)};

    memcpy(ring + rtl_at, header, sizeof header);
    fill_frame(ring + rtl_at + 4, size, seed);
    rtl_at = ((uint32_t)(rtl_at + 4 + header[1] + 3) & ~3u) % RTL_RING;
    registers[0x37] &= (uint8_t)~1u;
}

/* Sets the bit "empty" as the card does when the driver moves its pointer. */
static void rtl8139_update(void)
{
    if ((uint16_t)(get_register(0x38, 2) + 16) == (uint16_t)rtl_at) {
        registers[0x37] |= 1;
    }
}

/* ---- tests ---- */

static void e1000_frames_in_order(void **state)
{
    static uint8_t frames[E1000_SLOTS][FRAME_MAX];
    unsigned put = 0;

    (void)state;
    for (unsigned round = 0; round < 300; round++, put++) {
        e1000_put(put % E1000_SLOTS, 60 + round * 4 % (FRAME_MAX - 59), round);
        expect_frame(round, 60 + round * 4 % (FRAME_MAX - 59));
    }
    for (unsigned round = 0; round < 3; round++) {
        const uint32_t first = get_register(0x3818, 4);

        for (unsigned i = 0; i < E1000_SLOTS - 1; i++) {
            fill_frame(frames[i], 100, i);
            assert_int_equal(transmit(frames[i], 100), EFI_SUCCESS);
        }
        assert_int_equal(transmit(frames[0], 100), EFI_NOT_READY);
        assert_null(finished());
        for (unsigned i = 0; i < E1000_SLOTS - 1; i++) {
            struct fake_descriptor *at = e1000_descriptor(0x3800, (first + i) % E1000_SLOTS);

            assert_int_equal(at->bytes, 100);
            assert_memory_equal((void *)(uintptr_t)at->address, frames[i], 100);
            at->status = 1;
            assert_ptr_equal(finished(), frames[i]);
            assert_null(finished());
        }
    }
    assert_int_equal(reports, 0);
}

static void e1000_bad_frames_are_discarded(void **state)
{
    static const struct fake_descriptor bad[] = {
        {.bytes = 0, .status = 3},
        {.bytes = 2049, .status = 3},
        {.bytes = UINT16_MAX, .status = 3},
        {.bytes = 100, .status = 1},
        {.bytes = 100, .status = 3, .errors = 1},
        {.bytes = FRAME_MAX + 1, .status = 3},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t frame[FRAME_MAX];
        UINTN room = sizeof frame;

        *e1000_descriptor(0x2800, i) = bad[i]; /* and another address */
        assert_int_equal(receive(frame, &room), EFI_DEVICE_ERROR);
    }
    for (unsigned i = 6; i < 6 + E1000_SLOTS; i++) { /* each slot is good again */
        e1000_put(i % E1000_SLOTS, 60, i);
        expect_frame(i, 60);
    }
}

static void rtl8139_frames_in_order(void **state)
{
    static uint8_t frames[5][FRAME_MAX];

    (void)state;
    rtl_at = 0;
    registers[0x37] |= 1;
    for (unsigned round = 0; round < 300; round++) {
        rtl8139_put(60 + round * 37 % (FRAME_MAX - 59), round);
        uint8_t got[FRAME_MAX];
        UINTN room = sizeof got;
        assert_int_equal(receive(got, &room), EFI_SUCCESS);
        rtl8139_update();
        uint8_t wanted[FRAME_MAX];
        fill_frame(wanted, room, round);
        assert_int_equal(room, 60 + round * 37 % (FRAME_MAX - 59));
        assert_memory_equal(got, wanted, room);
        assert_int_equal(receive(got, &room), EFI_NOT_READY);
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 4; i++) {
            fill_frame(frames[i], 40, i);
            assert_int_equal(transmit(frames[i], 40), EFI_SUCCESS);
            assert_int_equal(get_register(0x10 + 4 * i, 4), 60);
            assert_memory_equal((void *)(uintptr_t)get_register(0x20 + 4 * i, 4), frames[i], 40);
        }
        assert_int_equal(transmit(frames[4], 40), EFI_NOT_READY);
        assert_null(finished());
        for (unsigned i = 0; i < 4; i++) {
            set_register(0x10 + 4 * i, 60 | 1u << 15, 4);
            assert_ptr_equal(finished(), frames[i]);
        }
    }
    assert_int_equal(reports, 0);
}

/* A header that cannot be: the driver starts the card again, because the place of the next frame is not known. */
static void rtl8139_bad_headers_restart_the_card(void **state)
{
    static const uint16_t bad[][2] = {{0, 64}, {1, 4}, {1, 0}, {1, FRAME_MAX + 5}, {1, UINT16_MAX}};

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t frame[FRAME_MAX];
        UINTN room = sizeof frame;

        rtl_at = 0;
        memcpy((void *)(uintptr_t)get_register(0x30, 4), bad[i], sizeof bad[i]);
        registers[0x37] = 0x0C;
        set_register(0x44, 0, 4);
        assert_int_equal(receive(frame, &room), EFI_DEVICE_ERROR);
        assert_int_not_equal(get_register(0x44, 4), 0);
        rtl8139_put(60, i);
        assert_int_equal(receive(frame, &room), EFI_SUCCESS);
        assert_int_equal(nic->snp.Initialize(&nic->snp, 0, 0), EFI_SUCCESS);
    }
    memcpy((void *)(uintptr_t)get_register(0x30, 4), (uint16_t[]){1, 0xFFF0}, 4); /* not yet there */
    UINTN room = FRAME_MAX;
    uint8_t frame[FRAME_MAX];
    assert_int_equal(receive(frame, &room), EFI_NOT_READY);
}

/* Noise in registers and shared memory: no frame is larger than the caller's buffer, and nothing outside is touched. */
static void noise_stays_inside(void **state)
{
    unsigned frames = 0;

    (void)state;
    srand(1);
    for (unsigned round = 0; round < 300000; round++) {
        uint8_t frame[FRAME_MAX];
        UINTN room = (UINTN)rand() % (sizeof frame + 1);
        const UINTN most = room;

        if (vendor_id == 0x8086) {
            const uint32_t ring = rand() % 2 != 0 ? 0x2800 : 0x3800;
            struct fake_descriptor *at =
                e1000_descriptor(ring, (get_register(ring + 0x18, 4) + (unsigned)rand() % 3) % E1000_SLOTS);

            *at = (struct fake_descriptor){.address = (uint64_t)rand() << 33,
                                           .bytes = (uint16_t)(rand() % 4 == 0 ? rand() : rand() % 1600),
                                           .status = (uint8_t)(rand() % 4),
                                           .errors = (uint8_t)(rand() % 2 * rand())};
        } else {
            uint8_t *ring = (uint8_t *)(uintptr_t)get_register(0x30, 4);
            const uint16_t at = (uint16_t)(get_register(0x38, 2) + 16);
            const uint16_t header[2] = {(uint16_t)(rand() | rand() % 2),
                                        (uint16_t)(rand() % 4 == 0 ? rand() : rand() % 1600)};

            memcpy(ring + at % RTL_RING, header, sizeof header);
            registers[0x37] = (uint8_t)(rand() & ~0x10);
            set_register(0x10 + 4 * ((uint32_t)rand() % 4), (uint32_t)rand(), 4);
        }
        if (receive(frame, &room) == EFI_SUCCESS) {
            assert_in_range(room, 1, most);
            frames++;
        }
        transmit(frame, (UINTN)rand() % (FRAME_MAX + 10));
        finished();
    }
    assert_true(frames > 1000);
}

static void a_reset_without_end_is_reported_once(void **state)
{
    (void)state;
    stuck = true;
    assert_int_equal(nic->snp.Initialize(&nic->snp, 0, 0), EFI_DEVICE_ERROR);
    assert_int_equal(nic->snp.Initialize(&nic->snp, 0, 0), EFI_DEVICE_ERROR);
    assert_int_equal(transmit(registers, 100), EFI_DEVICE_ERROR);
    assert_int_equal(reports, 1);
    expect_dma(false);
    stuck = false;
    assert_int_equal(nic->snp.Initialize(&nic->snp, 0, 0), EFI_SUCCESS);
    assert_int_equal(transmit(registers, 100), EFI_SUCCESS);
    assert_int_equal(nic->snp.Shutdown(&nic->snp), EFI_SUCCESS);
    expect_dma(false);
}

/* Without registers of the expected size there is no card. */
static void a_small_bar_is_refused(void **state)
{
    (void)state;
    function.bars[0].bytes = function.bars[1].bytes = 128;
    assert_null(agpu_nic_open(&function));
    assert_int_equal(reports, 1);
    device_id = 0x1234;
    assert_null(agpu_nic_open(&function)); /* nor another device's driver */
    assert_int_equal(reports, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(e1000_frames_in_order, start_e1000_card),
        cmocka_unit_test_setup(e1000_bad_frames_are_discarded, start_e1000_card),
        cmocka_unit_test_setup(rtl8139_frames_in_order, start_rtl8139_card),
        cmocka_unit_test_setup(rtl8139_bad_headers_restart_the_card, start_rtl8139_card),
        {"e1000: noise_stays_inside", noise_stays_inside, start_e1000_card, NULL, NULL},
        {"rtl8139: noise_stays_inside", noise_stays_inside, start_rtl8139_card, NULL, NULL},
        {"e1000: a_reset_without_end_is_reported_once", a_reset_without_end_is_reported_once,
         start_e1000_card, NULL, NULL},
        {"rtl8139: a_reset_without_end_is_reported_once", a_reset_without_end_is_reported_once,
         start_rtl8139_card, NULL, NULL},
        {"e1000: a_small_bar_is_refused", a_small_bar_is_refused, start_e1000_card, NULL, NULL},
        {"rtl8139: a_small_bar_is_refused", a_small_bar_is_refused, start_rtl8139_card, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
