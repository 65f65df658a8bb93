/* services.h: handles, and the system table that agpu.efi is called with. */
#ifndef AGPU_EFI_BARE_SERVICES_H
#define AGPU_EFI_BARE_SERVICES_H

#include "efi/bare/loader.h"
#include "efi/machine.h"

/* Adds a handle with one protocol. */
EFI_HANDLE agpu_bare_add_handle(const EFI_GUID *guid, void *interface);

EFI_SYSTEM_TABLE *agpu_bare_services_open(const struct agpu_bare_info *info);

#endif
