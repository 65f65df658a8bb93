/* rtl8139.h: the driver of Realtek's RTL8139. */
#ifndef AGPU_EFI_BARE_RTL8139_H
#define AGPU_EFI_BARE_RTL8139_H

#include "efi/bare/nic_driver.h"

extern const struct agpu_nic_driver agpu_nic_rtl8139;

#endif
