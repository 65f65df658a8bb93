/* serial.c: the firmware's EFI_SERIAL_IO, or a 16550 at COM1 where the firmware has no driver for one.
 *
 * Firmware often has its console on the same port. EFI_SERIAL_IO is then shared with its terminal driver
 * (opened GET_PROTOCOL, nothing is disconnected), and the screen (screen.h) leaves consoles with a UART
 * alone: what goes over the line after the entry record is records only. */
#include "efi/serial.h"

#include "efi/heap.h"
#include "efi/machine.h"
#include "efi/queue.h"

#define QUEUE_SIZE (512 * 1024)
#define FIFO_SIZE  16

/* 16550 at COM1. */
#define COM1           0x3F8
#define COM1_DATA      (COM1 + 0)
#define COM1_IER       (COM1 + 1)
#define COM1_FCR       (COM1 + 2)
#define COM1_LCR       (COM1 + 3)
#define COM1_MCR       (COM1 + 4)
#define COM1_LSR       (COM1 + 5)
#define COM1_SCRATCH   (COM1 + 7)
#define LCR_8N1        0x03
#define LCR_DIVISOR    0x80
#define LSR_THR_EMPTY  0x20
#define LSR_ALL_EMPTY  0x40
#define FCR_ENABLE     0x07
#define MCR_DTR_RTS    0x03
#define DIVISOR_115200 1

static enum { PORT_NONE, PORT_EFI, PORT_COM1 } port;
static EFI_SERIAL_IO_PROTOCOL *serial_io;
static struct agpu_queue queue;
static size_t sent; /* bytes of the oldest packet that are out */
static bool closed;

static void serial_sink_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (!closed) {
        agpu_queue_put(&queue, packet, length);
    }
}

void agpu_serial_add_sink(struct agpu_stream *stream)
{
    void *storage = agpu_heap_alloc(NULL, QUEUE_SIZE);

    if (storage == NULL) {
        return;
    }
    agpu_queue_init(&queue, storage, QUEUE_SIZE);
    agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "serial", .packet = serial_sink_packet});
}

/* A 16550 keeps what is written to its scratch register; a missing one reads as the bus floats. */
static bool com1_present(void)
{
    uint8_t before = agpu_in8(COM1_SCRATCH);

    agpu_out8(COM1_SCRATCH, 0x5A);
    bool first = agpu_in8(COM1_SCRATCH) == 0x5A;
    agpu_out8(COM1_SCRATCH, 0xA5);
    bool second = agpu_in8(COM1_SCRATCH) == 0xA5;
    agpu_out8(COM1_SCRATCH, before);
    return first && second;
}

static void com1_setup(void)
{
    agpu_out8(COM1_IER, 0);
    agpu_out8(COM1_LCR, LCR_DIVISOR);
    agpu_out8(COM1_DATA, DIVISOR_115200);
    agpu_out8(COM1_IER, 0); /* high half of the divisor */
    agpu_out8(COM1_LCR, LCR_8N1);
    agpu_out8(COM1_FCR, FCR_ENABLE);
    agpu_out8(COM1_MCR, MCR_DTR_RTS);
}

const char *agpu_serial_open(void)
{
    UINTN count;
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_serial, &count);

    for (UINTN i = 0; i < count && serial_io == NULL; i++) {
        serial_io = agpu_protocol(handles[i], &agpu_guid_serial);
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    if (serial_io != NULL) {
        port = PORT_EFI;
        return "EFI_SERIAL_IO";
    }
    if (com1_present()) {
        com1_setup();
        port = PORT_COM1;
        return "COM1";
    }
    agpu_serial_close();
    return NULL;
}

void agpu_serial_close(void)
{
    closed = true;
    port = PORT_NONE;
    while (agpu_queue_size(&queue)) {
        agpu_queue_pop(&queue);
    }
}

/* Writes bytes to an empty FIFO; returns how many it took. */
static size_t write_fifo(const uint8_t *bytes, size_t size)
{
    if (port == PORT_COM1) {
        agpu_out8_string(COM1_DATA, bytes, size);
        return size;
    }
    UINTN taken = size;
    EFI_STATUS status = serial_io->Write(serial_io, &taken, (void *)bytes);
    return EFI_ERROR(status) && status != EFI_TIMEOUT ? 0 : taken;
}

static bool fifo_empty(void)
{
    uint32_t control = 0;

    if (port == PORT_COM1) {
        return agpu_in8(COM1_LSR) & LSR_THR_EMPTY;
    }
    /* A driver that cannot tell paces its Write() itself. */
    return EFI_ERROR(serial_io->GetControl(serial_io, &control)) ||
           (control & EFI_SERIAL_OUTPUT_BUFFER_EMPTY);
}

void agpu_serial_poll(void)
{
    /* A fast line (a virtual machine's) empties at once: then a whole record goes in one poll. */
    for (int burst = 0; burst < 32 && port != PORT_NONE; burst++) {
        uint8_t bytes[FIFO_SIZE];
        size_t size = agpu_queue_size(&queue), chunk = size - sent < FIFO_SIZE ? size - sent : FIFO_SIZE;

        if (!size || !fifo_empty() || !agpu_queue_peek(&queue, sent, bytes, chunk)) {
            return;
        }
        size_t taken = write_fifo(bytes, chunk);
        sent += taken;
        if (sent == size) {
            agpu_queue_pop(&queue);
            sent = 0;
        }
        if (taken < chunk) {
            return;
        }
    }
}

bool agpu_serial_drained(void)
{
    if (port == PORT_NONE) {
        return true;
    }
    if (agpu_queue_size(&queue)) {
        return false;
    }
    return port == PORT_COM1 ? (agpu_in8(COM1_LSR) & LSR_ALL_EMPTY) != 0 : fifo_empty();
}
