/* boot_server.c: EFI_PXE_BASE_CODE of the loaded image's device. */
#include "efi/boot_server.h"

#include <string.h>

#include "efi/dhcp_packet.h"
#include "efi/heap.h"
#include "efi/ipv4.h"
#include "efi/words.h"

#define FOLDER_MAX 130

static EFI_PXE_BASE_CODE_PROTOCOL *pxe;
static EFI_IP_ADDRESS server;
static char folder[FOLDER_MAX]; /* with the slash at its end */

/* The packet that named server and file: the boot server's, else the proxy's, else that with the address. */
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

bool agpu_boot_server_open(void)
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
    return true;
}

size_t agpu_boot_server_option(char *out)
{
    const EFI_PXE_BASE_CODE_PACKET *ack = &pxe->Mode->DhcpAck;

    return agpu_words_of_dhcp(ack->Raw, sizeof ack->Raw, out);
}

void agpu_boot_server_own_name(char name[40])
{
    struct agpu_text text;

    agpu_text_begin(&text, name, 40);
    agpu_text_string(&text, "agpu");
    for (unsigned i = 0; i < 6; i++) {
        agpu_text_char(&text, '-');
        agpu_text_hex_digits(&text, pxe->Mode->DhcpAck.Dhcpv4.BootpHwAddr[i], 2);
    }
    agpu_text_string(&text, ".cfg");
}

const char *agpu_boot_server_read(const char *name, size_t max, char where[AGPU_BOOT_SERVER_NAME_MAX],
                                  char **data, size_t *size)
{
    char path[FOLDER_MAX + 40];
    struct agpu_text text;
    UINT64 read = max;
    EFI_STATUS status;

    agpu_text_begin(&text, path, sizeof path);
    agpu_text_string(&text, folder);
    agpu_text_string(&text, name);
    agpu_text_begin(&text, where, AGPU_BOOT_SERVER_NAME_MAX);
    agpu_text_string(&text, "tftp://");
    agpu_text_ipv4(&text, (uint32_t)server.v4.Addr[0] << 24 | (uint32_t)server.v4.Addr[1] << 16 |
                              (uint32_t)server.v4.Addr[2] << 8 | server.v4.Addr[3]);
    agpu_text_string(&text, path[0] == '/' ? "" : "/");
    agpu_text_string(&text, path);
    *data = agpu_heap_alloc(NULL, max);
    if (*data == NULL) {
        return "no memory";
    }
    status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, *data, FALSE, &read, NULL, &server,
                        (UINT8 *)path, NULL, FALSE);
    if (!EFI_ERROR(status)) {
        *size = read;
        return NULL;
    }
    agpu_heap_free(NULL, *data);
    *data = NULL;
    return status == EFI_TFTP_ERROR || status == EFI_NOT_FOUND ? "the server has no such file"
           : status == EFI_BUFFER_TOO_SMALL                    ? "file is too long"
           : status == EFI_TIMEOUT                             ? "no answer"
                                                               : "the firmware could not read it";
}
