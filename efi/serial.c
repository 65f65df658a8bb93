/* serial.c: the firmware's EFI_SERIAL_IO, or a 16550 at COM1 if the firmware has no driver for one.  Firmware
 * often has its console on the same port. EFI_SERIAL_IO is then shared with its terminal driver (opened with
 * GET_PROTOCOL, nothing is disconnected), and the screen (screen.h) does not use consoles with a UART: after
 * the entry record, the line carries only records. */
#include "efi/serial.h"

#include "efi/heap.h"
#include "efi/machine.h"
#include "efi/protocol/serial_line.h"
#include "efi/queue.h"

#define QUEUE_SIZE (512 * 1024)
#define FIFO_SIZE  16
#define READ_MAX   64   /* bytes per poll */
#define WAIT_US    5000 /* for a byte: about 4 times its duration at 9600 baud */

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
#define LSR_DATA       0x01
#define LSR_THR_EMPTY  0x20
#define LSR_ALL_EMPTY  0x40
#define FCR_ENABLE     0x07
#define MCR_DTR_RTS    0x03
#define DIVISOR_115200 1

static enum { PORT_NONE, PORT_EFI, PORT_COM1 } port;
static EFI_SERIAL_IO_PROTOCOL *serial_io;
static EFI_HANDLE serial_handle; /* of serial_io */
static struct agpu_queue queue;
static size_t sent; /* bytes already sent of the oldest packet, or of line */
static bool closed;
static struct agpu_serial_peer peer; /* came NULL: input is ignored */
static struct {
    size_t size; /* 0: no line of the peer is being sent */
    bool was_last;
    char text[AGPU_SERIAL_OUTPUT_MAX];
} line;

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

/* True when a 16550 is present: its scratch register stores a value; a missing chip reads as the floating
 * bus. */
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
    agpu_out8(COM1_IER, 0); /* high byte of the divisor */
    agpu_out8(COM1_LCR, LCR_8N1);
    agpu_out8(COM1_FCR, FCR_ENABLE);
    agpu_out8(COM1_MCR, MCR_DTR_RTS);
}

/* A driver waits for each byte, by default one second. A peer that does not read must not delay the cases
 * that long. */
static void limit_waits(void)
{
    const SERIAL_IO_MODE *mode = serial_io->Mode;

    serial_io->SetAttributes(serial_io, mode->BaudRate, mode->ReceiveFifoDepth, WAIT_US,
                             (EFI_PARITY_TYPE)mode->Parity, (UINT8)mode->DataBits,
                             (EFI_STOP_BITS_TYPE)mode->StopBits);
}

const char *agpu_serial_open(void)
{
    UINTN count;
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_serial, &count);

    for (UINTN i = 0; i < count && serial_io == NULL; i++) {
        serial_io = agpu_protocol(handles[i], &agpu_guid_serial);
        serial_handle = handles[i];
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    if (serial_io != NULL) {
        limit_waits();
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

static bool fifo_empty(void)
{
    uint32_t control = 0;
    UINTN none = 0;
    uint8_t nothing;

    if (port == PORT_COM1) {
        return agpu_in8(COM1_LSR) & LSR_THR_EMPTY;
    }
    /* A driver that cannot report this paces its Write() itself. */
    if (EFI_ERROR(serial_io->GetControl(serial_io, &control)) ||
        (control & EFI_SERIAL_OUTPUT_BUFFER_EMPTY) != 0) {
        return true;
    }
    /* edk2's driver (PciSioSerialDxe) sends buffered bytes only when it is called. */
    serial_io->Read(serial_io, &none, &nothing);
    return false;
}

/* Writes bytes to an empty FIFO; returns how many were accepted. */
static size_t write_fifo(const uint8_t *bytes, size_t size)
{
    if (port == PORT_COM1) {
        agpu_out8_string(COM1_DATA, bytes, size);
        return size;
    }
    UINTN taken = size;
    EFI_STATUS status = serial_io->Write(serial_io, &taken, (void *)bytes);
    if (EFI_ERROR(status) && status != EFI_TIMEOUT) {
        return 0;
    }
    /* The line is stalled. edk2's driver (PciSioSerialDxe) then does not count the byte in its own buffer,
     * which it sends later. Other drivers accept the bytes here, because their FIFO was empty. */
    return status == EFI_TIMEOUT && taken < size ? taken + 1 : taken;
}

/* ---- peer ---- */

const char *agpu_serial_talk(const struct agpu_serial_peer *with)
{
    void *same;

    if (port == PORT_NONE) {
        return "control= has serial, but the image has no serial port (serial=off, or the machine has none)";
    }
    if (port == PORT_EFI &&
        EFI_ERROR(agpu_boot->OpenProtocol(serial_handle, &agpu_guid_serial, &same, agpu_image, NULL,
                                          EFI_OPEN_PROTOCOL_EXCLUSIVE))) {
        return "control= has serial, but the firmware does not release the serial port: no requests are read "
               "from it";
    }
    peer = *with;
    return NULL;
}

void agpu_serial_hush(void)
{
    peer = (struct agpu_serial_peer){.ctx = NULL};
    if (line.size != 0) {
        line.size = 0; /* the line in progress is cut off */
        sent = 0;
    }
}

void agpu_serial_end_talk(void)
{
    const bool talked = peer.came != NULL;

    agpu_serial_hush();
    if (talked && port == PORT_EFI) {
        agpu_boot->CloseProtocol(serial_handle, &agpu_guid_serial, agpu_image, NULL);
        agpu_boot->ConnectController(serial_handle, NULL, NULL, TRUE);
    }
}

static bool read_byte(char *to)
{
    uint32_t control = 0;
    UINTN size = 1;

    if (port == PORT_COM1) {
        if ((agpu_in8(COM1_LSR) & LSR_DATA) == 0) {
            return false;
        }
        *to = (char)agpu_in8(COM1_DATA);
        return true;
    }
    return !EFI_ERROR(serial_io->GetControl(serial_io, &control)) &&
           (control & EFI_SERIAL_INPUT_BUFFER_EMPTY) == 0 &&
           !EFI_ERROR(serial_io->Read(serial_io, &size, to)) && size == 1;
}

static void listen_to_peer(void)
{
    char bytes[READ_MAX];
    size_t size = 0;

    while (size < sizeof bytes && read_byte(bytes + size)) {
        size++;
    }
    if (size != 0) {
        peer.came(peer.ctx, bytes, size);
    }
}

/* Asks for a line between two records; lines and records alternate. */
static void ask_peer(void)
{
    if (sent != 0 || line.size != 0) {
        return;
    }
    if (peer.next_line != NULL && (!line.was_last || agpu_queue_size(&queue) == 0)) {
        line.size = peer.next_line(peer.ctx, line.text);
    }
    line.was_last = line.size != 0;
}

/* ---- output ---- */

/* Returns the next bytes, at most FIFO_SIZE; size: of the record or line that they belong to, 0 when there is
 * none. */
static size_t next_bytes(uint8_t bytes[FIFO_SIZE], size_t *size)
{
    ask_peer();
    *size = line.size != 0 ? line.size : agpu_queue_size(&queue);
    const size_t chunk = *size - sent < FIFO_SIZE ? *size - sent : FIFO_SIZE;

    if (*size == 0 || !fifo_empty()) {
        return 0;
    }
    if (line.size != 0) {
        for (size_t i = 0; i < chunk; i++) {
            bytes[i] = (uint8_t)line.text[sent + i];
        }
        return chunk;
    }
    return agpu_queue_peek(&queue, sent, bytes, chunk) ? chunk : 0;
}

void agpu_serial_poll(void)
{
    if (port != PORT_NONE && peer.came != NULL) {
        listen_to_peer();
    }
    /* A fast line (of a virtual machine) empties at once: one poll then sends a whole record. */
    for (int burst = 0; burst < 32 && port != PORT_NONE; burst++) {
        uint8_t bytes[FIFO_SIZE];
        size_t size, chunk = next_bytes(bytes, &size);

        if (chunk == 0) {
            return;
        }
        size_t taken = write_fifo(bytes, chunk);
        sent += taken;
        if (sent == size) {
            sent = 0;
            if (line.size != 0) {
                line.size = 0;
            } else {
                agpu_queue_pop(&queue);
            }
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
    if (agpu_queue_size(&queue) != 0 || line.size != 0) {
        return false;
    }
    return port == PORT_COM1 ? (agpu_in8(COM1_LSR) & LSR_ALL_EMPTY) != 0 : fifo_empty();
}
