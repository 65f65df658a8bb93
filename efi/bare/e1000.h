/* e1000.h: the driver of Intel's e1000 and e1000e. */
#ifndef AGPU_EFI_BARE_E1000_H
#define AGPU_EFI_BARE_E1000_H

#include "efi/bare/nic_driver.h"

extern const struct agpu_nic_driver agpu_nic_e1000;

#endif
