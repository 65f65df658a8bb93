/* boot_http.c: parses the device path of the loaded file: .../MAC/IPv4(own address, mask)/URI, followed by a
 * RAM disk if one was loaded. */
#include "efi/boot_http.h"

#include <string.h>

#include "efi/http_get.h"
#include "efi/http_protocol.h"
#include "efi/uri.h"
#include "pci/machine/text.h"

/* Offsets from the start of a node. */
#define MAC_AT         4
#define IPV4_OWN_AT    4
#define IPV4_MASK_AT   23
#define IPV4_NODE_SIZE 27 /* older nodes have no mask */
#define URI_AT         4

static struct agpu_http_place place;
static char folder[AGPU_BOOT_FOLDER_MAX];

static const uint8_t *find_node(EFI_HANDLE handle, uint8_t subtype, size_t least, size_t *size)
{
    const EFI_DEVICE_PATH *node = agpu_path_node(handle, MESSAGING_DEVICE_PATH, subtype);

    *size = node != NULL ? (size_t)node->Length[0] | (size_t)node->Length[1] << 8 : 0;
    return *size >= least ? (const uint8_t *)node : NULL;
}

/* EDK II ends the URI with a zero byte, against the specification. */
static bool read_uri(const char *uri, size_t size)
{
    const char *end = memchr(uri, '\0', size);

    return agpu_uri_folder(uri, end != NULL ? (size_t)(end - uri) : size, folder, sizeof folder);
}

bool agpu_boot_http_open(uint8_t mac[6])
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);
    EFI_HANDLE device = loaded != NULL ? loaded->DeviceHandle : NULL;
    EFI_DEVICE_PATH *path = device != NULL ? agpu_protocol(device, &agpu_guid_device_path) : NULL;
    EFI_GUID service = EFI_HTTP_SERVICE_BINDING_PROTOCOL_GUID;
    size_t size, uri_size;

    if (path == NULL) {
        return false;
    }
    const uint8_t *card = find_node(device, MSG_MAC_ADDR_DP, MAC_AT + 6, &size);
    const uint8_t *ipv4 = find_node(device, MSG_IPv4_DP, IPV4_NODE_SIZE, &size);
    const uint8_t *uri = find_node(device, MSG_URI_DP, URI_AT + 1, &uri_size);
    if (card == NULL || ipv4 == NULL || uri == NULL ||
        !read_uri((const char *)uri + URI_AT, uri_size - URI_AT) ||
        EFI_ERROR(agpu_boot->LocateDevicePath(&service, &path, &place.card))) {
        return false;
    }
    memcpy(mac, card + MAC_AT, 6);
    memcpy(&place.address, ipv4 + IPV4_OWN_AT, sizeof place.address);
    memcpy(&place.mask, ipv4 + IPV4_MASK_AT, sizeof place.mask);
    return true;
}

const char *agpu_boot_http_read(const char *name, size_t max, char where[AGPU_BOOT_NAME_MAX], char **data,
                                size_t *size)
{
    agpu_format_line(where, AGPU_BOOT_NAME_MAX, "%s%s", folder, name);
    return agpu_http_get(&place, where, max, data, size);
}
