/* boot_pxe.c: EFI_PXE_BASE_CODE of the loaded image's device. */
#include "efi/boot_pxe.h"

#include <string.h>

#include "efi/dhcp_packet.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/ipv4.h"

#define TFTP_ERROR_DENIED 2 /* RFC 1350 */

static EFI_PXE_BASE_CODE_PROTOCOL *pxe;
static EFI_IP_ADDRESS server;
static char folder[AGPU_BOOT_FOLDER_MAX]; /* ends with a slash */

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

    pxe = loaded != NULL && loaded->DeviceHandle != NULL ? agpu_protocol(loaded->DeviceHandle, &agpu_guid_pxe)
                                                         : NULL;
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

static const char *describe_failure(EFI_STATUS status)
{
    if (status == EFI_TFTP_ERROR && pxe->Mode->TftpErrorReceived &&
        pxe->Mode->TftpError.ErrorCode == TFTP_ERROR_DENIED) {
        return "the server refuses it";
    }
    return status == EFI_TFTP_ERROR || status == EFI_NOT_FOUND ? agpu_file_missing
           : status == EFI_BUFFER_TOO_SMALL                    ? "file is too long"
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
    status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, *data, FALSE, &read, NULL, &server,
                        (UINT8 *)path, NULL, FALSE);
    if (!EFI_ERROR(status) && read <= max) {
        *size = read;
        return NULL;
    }
    agpu_heap_free(NULL, *data);
    *data = NULL;
    return describe_failure(EFI_ERROR(status) ? status : EFI_BUFFER_TOO_SMALL);
}
