/* boot_pxe.c: EFI_PXE_BASE_CODE of the loaded image's device. */
#include "efi/boot_pxe.h"

#include <string.h>

#include "efi/dhcp_packet.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/ipv4.h"

#define TFTP_ERROR_DENIED 2 /* RFC 1350 */
#define TFTP_DATA_HEADER  4

static EFI_GUID guid_callback = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_GUID;

static EFI_HANDLE card;
static EFI_PXE_BASE_CODE_PROTOCOL *pxe;
static EFI_IP_ADDRESS server;
static char folder[AGPU_BOOT_FOLDER_MAX]; /* ends with a slash */

/* The transfer in progress. The firmware has a timeout for each packet, none for the file: without a bound of ours a
 * server that never ends the file holds the machine inside Mtftp(). */
static struct {
    size_t max, received;
    uint64_t start_ns;
    char failed[120]; /* reason of an abort; empty: none */
} transfer;

/* Returns the packet that named server and file: the boot server's, else the proxy's, else the one that
 * assigned the address. */
static const EFI_PXE_BASE_CODE_PACKET *boot_packet(const EFI_PXE_BASE_CODE_MODE *mode)
{
    return mode->PxeReplyReceived     ? &mode->PxeReply
           : mode->ProxyOfferReceived ? &mode->ProxyOffer
                                      : &mode->DhcpAck;
}

static void find_folder(const EFI_PXE_BASE_CODE_PACKET *packet)
{
    size_t length =
        agpu_dhcp_option(packet->Raw, sizeof packet->Raw, AGPU_DHCP_BOOT_FILE, folder, sizeof folder - 1);

    if (length == 0) {
        length = sizeof packet->Dhcpv4.BootpBootFile;
        memcpy(folder, packet->Dhcpv4.BootpBootFile, length);
    }
    folder[length] = '\0';
    for (length = strlen(folder); length != 0 && folder[length - 1] != '/' && folder[length - 1] != '\\';) {
        length--;
    }
    folder[length] = '\0';
}

static void find_server(const EFI_PXE_BASE_CODE_PACKET *packet)
{
    static const uint8_t none[4];
    uint8_t address[4];

    memcpy(address, packet->Dhcpv4.BootpSiAddr, sizeof address);
    if (memcmp(address, none, sizeof none) == 0) {
        agpu_dhcp_option(packet->Raw, sizeof packet->Raw, AGPU_DHCP_SERVER, address, sizeof address);
    }
    memcpy(&server.v4, address, sizeof address);
}

bool agpu_boot_pxe_open(uint8_t mac[6])
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);

    card = loaded != NULL ? loaded->DeviceHandle : NULL;
    pxe = card != NULL ? agpu_protocol(card, &agpu_guid_pxe) : NULL;
    if (pxe == NULL || pxe->Mode == NULL || !pxe->Mode->Started || pxe->Mode->UsingIpv6 ||
        !pxe->Mode->DhcpAckReceived) {
        pxe = NULL;
        return false;
    }
    find_folder(boot_packet(pxe->Mode));
    find_server(boot_packet(pxe->Mode));
    memcpy(mac, pxe->Mode->DhcpAck.Dhcpv4.BootpHwAddr, 6);
    return true;
}

const uint8_t *agpu_boot_pxe_dhcp(size_t *size)
{
    const EFI_PXE_BASE_CODE_PACKET *ack = &pxe->Mode->DhcpAck;

    *size = sizeof ack->Raw;
    return ack->Raw;
}

static void describe_length(void)
{
    agpu_format_line(transfer.failed, sizeof transfer.failed,
                     "expected at most %zu bytes, found more; shorten the file", transfer.max);
}

/* Aborts the transfer when more than twice the expected bytes arrived (repeated packets count too) or its time is
 * over. The firmware calls it for each packet. */
static EFI_PXE_BASE_CODE_CALLBACK_STATUS EFIAPI check_transfer(EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL *this,
                                                               EFI_PXE_BASE_CODE_FUNCTION function,
                                                               BOOLEAN received, UINT32 size,
                                                               EFI_PXE_BASE_CODE_PACKET *packet)
{
    const uint64_t limit_ns = agpu_boot_transfer_ns(transfer.max);

    (void)this, (void)function, (void)packet;
    transfer.received += received && size > TFTP_DATA_HEADER ? size - TFTP_DATA_HEADER : 0;
    if (transfer.received / 2 > transfer.max) {
        describe_length();
    } else if (agpu_clock_ns(NULL) - transfer.start_ns >= limit_ns) {
        agpu_format_line(transfer.failed, sizeof transfer.failed,
                         "expected the file within %ju s, found %zu bytes and no end; check the TFTP server",
                         limit_ns / AGPU_NS_PER_S, transfer.received);
    } else {
        return EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
    }
    return EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT;
}

/* Calls the firmware's TFTP with check_transfer() installed. Firmware that does not accept the callback reads without
 * it. */
static EFI_STATUS read_file_checked(char *path, char *data, UINT64 *size)
{
    static EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL callback = {EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_REVISION,
                                                           check_transfer};
    BOOLEAN on = TRUE, off = FALSE;
    EFI_STATUS status;

    transfer.max = *size;
    transfer.received = 0;
    transfer.failed[0] = '\0';
    transfer.start_ns = agpu_clock_ns(NULL);
    const bool installed = !EFI_ERROR(
        agpu_boot->InstallProtocolInterface(&card, &guid_callback, EFI_NATIVE_INTERFACE, &callback));
    if (installed) {
        pxe->SetParameters(pxe, NULL, NULL, NULL, NULL, &on);
    }
    status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, data, FALSE, size, NULL, &server,
                        (UINT8 *)path, NULL, FALSE);
    if (installed) {
        pxe->SetParameters(pxe, NULL, NULL, NULL, NULL, &off);
        agpu_boot->UninstallProtocolInterface(card, &guid_callback, &callback);
    }
    return status;
}

static const char *describe_failure(EFI_STATUS status)
{
    if (status == EFI_BUFFER_TOO_SMALL) {
        describe_length();
    }
    if (transfer.failed[0] != '\0') {
        return transfer.failed;
    }
    if (status == EFI_TFTP_ERROR && pxe->Mode->TftpErrorReceived &&
        pxe->Mode->TftpError.ErrorCode == TFTP_ERROR_DENIED) {
        return "the server refuses it";
    }
    return status == EFI_TFTP_ERROR || status == EFI_NOT_FOUND ? agpu_file_missing
           : status == EFI_TIMEOUT                             ? "no answer"
                                                               : "the firmware could not read it";
}

const char *agpu_boot_pxe_read(const char *name, size_t max, char where[AGPU_BOOT_NAME_MAX], char **data,
                               size_t *size)
{
    char path[AGPU_BOOT_NAME_MAX];
    struct agpu_text text;
    UINT64 read = max;
    EFI_STATUS status;

    agpu_format_line(path, sizeof path, "%s%s", folder, name);
    agpu_text_begin(&text, where, AGPU_BOOT_NAME_MAX);
    agpu_text_string(&text, "tftp://");
    agpu_text_ipv4(&text, (uint32_t)server.v4.Addr[0] << 24 | (uint32_t)server.v4.Addr[1] << 16 |
                              (uint32_t)server.v4.Addr[2] << 8 | server.v4.Addr[3]);
    agpu_format(&text, "%s%s", path[0] == '/' ? "" : "/", path);
    *data = agpu_heap_alloc(NULL, max);
    if (*data == NULL) {
        return "no memory";
    }
    status = read_file_checked(path, *data, &read);
    if (!EFI_ERROR(status) && read <= max) {
        *size = read;
        return NULL;
    }
    agpu_heap_free(NULL, *data);
    *data = NULL;
    return describe_failure(EFI_ERROR(status) ? status : EFI_BUFFER_TOO_SMALL);
}
