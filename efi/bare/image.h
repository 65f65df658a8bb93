/* image.h: the embedded agpu.efi. */
#ifndef AGPU_EFI_BARE_IMAGE_H
#define AGPU_EFI_BARE_IMAGE_H

#include "efi/bare/loader.h"
#include "efi/machine.h"

/* Places agpu.efi in memory, and calls it. Returns its status. */
EFI_STATUS agpu_bare_run_image(EFI_SYSTEM_TABLE *system, const struct agpu_bare_info *info);

#endif
