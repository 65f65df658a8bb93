/* snp_find.c: lists the network cards. */
#include "efi/net/snp_find.h"

#include <string.h>

#include "efi/pci_io.h"

#define PCI_BASE_CLASS         0x0B
#define PCI_BASE_CLASS_NETWORK 0x02

/* Firmware that boots from a disk starts no network driver. Connects without recursion: the card's driver
 * provides the SNP, and the network stack above it would only take frames away. */
static void connect_cards(void)
{
    UINTN count;
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_pci_io, &count);

    for (UINTN i = 0; i < count; i++) {
        struct agpu_pci_ref ref = {.handle = agpu_protocol(handles[i], &agpu_guid_pci_io)};

        if (ref.handle != NULL &&
            agpu_pci_io_config_read(NULL, &ref, PCI_BASE_CLASS, 1) == PCI_BASE_CLASS_NETWORK) {
            agpu_boot->ConnectController(handles[i], NULL, NULL, FALSE);
        }
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    /* UNDI drivers (option ROMs) first provide a network interface identifier, on which the firmware's SNP
     * driver is stacked. */
    handles = agpu_handles(&agpu_guid_nii, &count);
    for (UINTN i = 0; i < count; i++) {
        agpu_boot->ConnectController(handles[i], NULL, NULL, FALSE);
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
}

/* The path of the card's own handle ends in its MAC; handles that the network stack added end in an IP
 * node. */
static bool is_card_itself(EFI_HANDLE handle)
{
    const EFI_DEVICE_PATH *last = agpu_last_node(handle);

    return last != NULL && last->Type == MESSAGING_DEVICE_PATH && last->SubType == MSG_MAC_ADDR_DP;
}

unsigned agpu_snp_find(struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX])
{
    UINTN handle_count;
    unsigned count = 0;

    connect_cards();
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_snp, &handle_count);
    for (UINTN i = 0; i < handle_count; i++) {
        struct agpu_snp_card card = {.handle = handles[i], .snp = agpu_protocol(handles[i], &agpu_guid_snp)};

        if (card.snp == NULL || card.snp->Mode == NULL || card.snp->Mode->HwAddressSize != sizeof card.mac) {
            continue;
        }
        memcpy(card.mac, card.snp->Mode->CurrentAddress.Addr, sizeof card.mac);
        unsigned at = 0;
        while (at < count && memcmp(cards[at].mac, card.mac, sizeof card.mac) != 0) {
            at++;
        }
        if (at == AGPU_SNP_CARDS_MAX || (at < count && !is_card_itself(card.handle))) {
            continue;
        }
        cards[at] = card;
        if (at == count) {
            count++;
        }
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    return count;
}
