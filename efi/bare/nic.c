/* nic.c: one EFI_SIMPLE_NETWORK for all drivers. A card that breaks the protocol is reported once and not used any
 * more. */
#include "efi/bare/nic.h"

#include <string.h>

#include "efi/bare/console.h"
#include "efi/bare/e1000.h"
#include "efi/bare/memory.h"
#include "efi/bare/rtl8139.h"
#include "efi/bare/services.h"
#include "efi/bare/virtio_net.h"

#define CARDS_MAX  4u
#define LINK_POLLS 256u /* the link is read each 256th poll: a register costs more than the poll */

static const struct agpu_nic_driver *const drivers[] = {&agpu_nic_virtio, &agpu_nic_e1000, &agpu_nic_rtl8139};

static struct agpu_nic *nic_of(EFI_SIMPLE_NETWORK *snp)
{
    return (struct agpu_nic *)snp;
}

/* Returns false for a card that is not usable, and reports it once. */
static bool nic_works(struct agpu_nic *nic)
{
    if (nic->broken != NULL && !nic->reported) {
        agpu_bare_print("network card %02x:%02x.%x: %s; the card is not used", nic->function->bus,
                        nic->function->device, nic->function->number, nic->broken);
        nic->reported = true;
    }
    return nic->broken == NULL;
}

/* Sets the command register. */
static void allow_dma(const struct agpu_nic *nic, bool on)
{
    const uint32_t command = agpu_bare_config_read(nic->function, AGPU_PCI_COMMAND, 2);

    agpu_bare_config_write(nic->function, AGPU_PCI_COMMAND, 2,
                           (command & ~(uint32_t)AGPU_PCI_COMMAND_MASTER) | AGPU_PCI_COMMAND_MEMORY |
                               AGPU_PCI_COMMAND_INTX_OFF | (on ? AGPU_PCI_COMMAND_MASTER : 0));
}

static EFI_STATUS EFIAPI start_snp(EFI_SIMPLE_NETWORK *snp)
{
    snp->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stop_snp(EFI_SIMPLE_NETWORK *snp)
{
    snp->Mode->State = EfiSimpleNetworkStopped;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI initialize_snp(EFI_SIMPLE_NETWORK *snp, UINTN more_receive, UINTN more_send)
{
    struct agpu_nic *nic = nic_of(snp);

    (void)more_receive, (void)more_send;
    nic->driver->stop(nic); /* the card may still have the addresses of the program before */
    allow_dma(nic, true);
    nic->broken = nic->driver->start(nic);
    if (!nic_works(nic)) {
        allow_dma(nic, false);
        return EFI_DEVICE_ERROR;
    }
    snp->Mode->State = EfiSimpleNetworkInitialized;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI shut_down_snp(EFI_SIMPLE_NETWORK *snp)
{
    nic_of(snp)->driver->stop(nic_of(snp));
    allow_dma(nic_of(snp), false);
    snp->Mode->State = EfiSimpleNetworkStarted;
    return EFI_SUCCESS;
}

/* The drivers receive every frame. */
static EFI_STATUS EFIAPI set_filters(EFI_SIMPLE_NETWORK *snp, UINT32 enable, UINT32 disable,
                                     BOOLEAN reset_multicast, UINTN count, EFI_MAC_ADDRESS *multicast)
{
    (void)disable, (void)reset_multicast, (void)count, (void)multicast;
    snp->Mode->ReceiveFilterSetting = enable;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_snp_status(EFI_SIMPLE_NETWORK *snp, UINT32 *interrupts, VOID **buffer)
{
    struct agpu_nic *nic = nic_of(snp);
    const int slot = nic->broken == NULL ? nic->driver->finish(nic) : -1;

    if (interrupts != NULL) {
        *interrupts = 0;
    }
    if (nic->polls++ % LINK_POLLS == 0) {
        snp->Mode->MediaPresent = nic->driver->link_up(nic);
    }
    if (buffer != NULL) {
        *buffer = slot >= 0 ? nic->sent[slot] : NULL;
    }
    return nic_works(nic) ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI transmit_frame(EFI_SIMPLE_NETWORK *snp, UINTN header_size, UINTN size, VOID *buffer,
                                        EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    struct agpu_nic *nic = nic_of(snp);

    (void)from, (void)to, (void)protocol;
    if (header_size != 0 || size > AGPU_NIC_FRAME_BYTES) {
        return EFI_UNSUPPORTED;
    }
    if (!nic_works(nic)) {
        return EFI_DEVICE_ERROR;
    }
    const int slot = nic->driver->send(nic, buffer, (uint32_t)size);
    if (slot < 0) {
        return EFI_NOT_READY;
    }
    nic->sent[slot] = buffer;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI receive_frame(EFI_SIMPLE_NETWORK *snp, UINTN *header_size, UINTN *size, VOID *buffer,
                                       EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
    struct agpu_nic *nic = nic_of(snp);
    const int bytes = nic->broken == NULL ? nic->driver->receive(nic, buffer, *size) : 0;

    (void)header_size, (void)from, (void)to, (void)protocol;
    if (bytes < 0 || !nic_works(nic)) {
        return EFI_DEVICE_ERROR;
    }
    *size = bytes > 0 ? (UINTN)bytes : *size;
    return bytes > 0 ? EFI_SUCCESS : EFI_NOT_READY;
}

static const struct agpu_nic_driver *find_driver(const struct agpu_bare_function *function)
{
    const uint32_t vendor = agpu_bare_config_read(function, AGPU_PCI_VENDOR_ID, 2);
    const uint32_t device = agpu_bare_config_read(function, AGPU_PCI_DEVICE_ID, 2);

    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        for (size_t k = 0; k < sizeof drivers[i]->devices / sizeof drivers[i]->devices[0]; k++) {
            if (drivers[i]->vendor == vendor && drivers[i]->devices[k] == device && device != 0) {
                return drivers[i];
            }
        }
    }
    return NULL;
}

struct agpu_nic *agpu_nic_open(struct agpu_bare_function *function)
{
    const struct agpu_nic_driver *driver = find_driver(function);

    if (driver == NULL) {
        return NULL;
    }
    struct agpu_nic *nic = agpu_bare_pages((driver->bytes + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
    nic->function = function;
    nic->driver = driver;
    nic->snp = (EFI_SIMPLE_NETWORK){.Start = start_snp,
                                    .Stop = stop_snp,
                                    .Initialize = initialize_snp,
                                    .Shutdown = shut_down_snp,
                                    .ReceiveFilters = set_filters,
                                    .GetStatus = get_snp_status,
                                    .Transmit = transmit_frame,
                                    .Receive = receive_frame,
                                    .Mode = &nic->mode};
    nic->mode = (EFI_SIMPLE_NETWORK_MODE){
        .State = EfiSimpleNetworkStopped,
        .HwAddressSize = 6,
        .MediaHeaderSize = 14,
        .MaxPacketSize = 1500,
        .ReceiveFilterMask = EFI_SIMPLE_NETWORK_RECEIVE_UNICAST | EFI_SIMPLE_NETWORK_RECEIVE_MULTICAST |
                             EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST | EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS |
                             EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS_MULTICAST,
        .IfType = 1,
        .MediaPresentSupported = TRUE,
    };
    allow_dma(nic, false);
    nic->broken = driver->open(nic);
    nic->mode.PermanentAddress = nic->mode.CurrentAddress;
    return nic_works(nic) ? nic : NULL;
}

void agpu_bare_nics_open(void)
{
    static const EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    struct agpu_bare_function *function;
    unsigned found = 0;

    for (unsigned i = 0; found < CARDS_MAX && (function = agpu_bare_pci_function(i)) != NULL; i++) {
        struct agpu_nic *nic = agpu_nic_open(function);

        if (nic != NULL) {
            agpu_bare_add_handle(&guid, &nic->snp);
            found++;
        }
    }
}
