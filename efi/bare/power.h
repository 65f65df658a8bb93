/* power.h: power off and reset. */
#ifndef AGPU_EFI_BARE_POWER_H
#define AGPU_EFI_BARE_POWER_H

#include "efi/machine.h"

/* UEFI's ResetSystem(); never returns. */
EFI_STATUS EFIAPI agpu_bare_reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data);

#endif
