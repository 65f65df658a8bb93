/* processors.h: EFI_MP_SERVICES_PROTOCOL for one other processor. */
#ifndef AGPU_EFI_BARE_PROCESSORS_H
#define AGPU_EFI_BARE_PROCESSORS_H

#include "efi/bare/loader.h"

/* Adds a handle with the protocol if the MADT lists an enabled processor other than this one. */
void agpu_bare_processors_open(const struct agpu_bare_info *info);

#endif
