/* machine.c: short calls for handles and protocols. */
#include "efi/machine.h"

EFI_SYSTEM_TABLE *agpu_system;
EFI_BOOT_SERVICES *agpu_boot;
EFI_HANDLE agpu_image;

EFI_GUID agpu_guid_pci_io = EFI_PCI_IO_PROTOCOL_GUID;
EFI_GUID agpu_guid_root_bridge = EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL_GUID;
EFI_GUID agpu_guid_snp = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
EFI_GUID agpu_guid_nii = {0x1aced566, 0x76ed, 0x4218, {0xbc, 0x81, 0x76, 0x7f, 0x1f, 0x97, 0x7a, 0x89}};
EFI_GUID agpu_guid_serial = EFI_SERIAL_IO_PROTOCOL_GUID;
EFI_GUID agpu_guid_text_out = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
EFI_GUID agpu_guid_device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
EFI_GUID agpu_guid_loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
EFI_GUID agpu_guid_pxe = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
EFI_GUID agpu_guid_file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
/* EFI_CPU_ARCH_PROTOCOL of the Platform Initialization specification; GNU-EFI lacks it. */
EFI_GUID agpu_guid_cpu_arch = {0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

void agpu_machine_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    agpu_system = system;
    agpu_boot = system->BootServices;
    agpu_image = image;
    agpu_boot->SetWatchdogTimer(0, 0, 0, NULL);
}

void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid)
{
    void *interface = NULL;

    EFI_STATUS status =
        agpu_boot->OpenProtocol(handle, guid, &interface, agpu_image, NULL, EFI_OPEN_PROTOCOL_GET_PROTOCOL);
    return EFI_ERROR(status) ? NULL : interface;
}

EFI_HANDLE *agpu_handles(EFI_GUID *guid, UINTN *count)
{
    EFI_HANDLE *handles = NULL;

    *count = 0;
    if (EFI_ERROR(agpu_boot->LocateHandleBuffer(ByProtocol, guid, NULL, count, &handles))) {
        *count = 0;
        return NULL;
    }
    return handles;
}

/* Returns the size of a node in bytes, 0 for the end node or an invalid length. */
static size_t node_size(const EFI_DEVICE_PATH *node)
{
    size_t size = (size_t)node->Length[0] | (size_t)node->Length[1] << 8;
    bool end = (node->Type & EFI_DP_TYPE_MASK) == END_DEVICE_PATH_TYPE;

    return end || size < sizeof *node ? 0 : size;
}

static const EFI_DEVICE_PATH *next_node(const EFI_DEVICE_PATH *node)
{
    return (const EFI_DEVICE_PATH *)((const uint8_t *)node + node_size(node));
}

const EFI_DEVICE_PATH *agpu_last_node(EFI_HANDLE handle)
{
    const EFI_DEVICE_PATH *node = agpu_protocol(handle, &agpu_guid_device_path), *last = NULL;

    for (; node != NULL && node_size(node); node = next_node(node)) {
        last = node;
    }
    return last;
}

const EFI_DEVICE_PATH *agpu_path_node(EFI_HANDLE handle, uint8_t type, uint8_t subtype)
{
    const EFI_DEVICE_PATH *node = agpu_protocol(handle, &agpu_guid_device_path);

    for (; node != NULL && node_size(node); node = next_node(node)) {
        if (node->Type == type && node->SubType == subtype) {
            return node;
        }
    }
    return NULL;
}

bool agpu_path_has(EFI_HANDLE handle, uint8_t type, uint8_t subtype)
{
    return agpu_path_node(handle, type, subtype) != NULL;
}
