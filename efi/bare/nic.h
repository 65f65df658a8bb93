/* nic.h: EFI_SIMPLE_NETWORK for network cards. */
#ifndef AGPU_EFI_BARE_NIC_H
#define AGPU_EFI_BARE_NIC_H

#include "efi/bare/nic_driver.h"

/* Adds a handle with EFI_SIMPLE_NETWORK for each card that has a driver. */
void agpu_bare_nics_open(void);

/* Finds a driver for a card, and opens it. Returns NULL without, or when the card is not usable. */
struct agpu_nic *agpu_nic_open(struct agpu_bare_function *function);

#endif
