/* snp_find.h: lists the network cards of the machine. */
#ifndef AGPU_NET_SNP_FIND_H
#define AGPU_NET_SNP_FIND_H

#include "efi/machine.h"

#define AGPU_SNP_CARDS_MAX 16

/* A card of the machine: one per MAC address. */
struct agpu_snp_card {
    EFI_HANDLE handle;
    EFI_SIMPLE_NETWORK *snp;
    uint8_t mac[6];
};

/* Makes the firmware start drivers for its network cards, and lists the cards in the firmware's order.
 * Returns their number. */
unsigned agpu_snp_find(struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX]);

#endif
