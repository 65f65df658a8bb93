/* config_file.h: the volume that holds agpu.cfg. */
#ifndef AGPU_EFI_BARE_CONFIG_FILE_H
#define AGPU_EFI_BARE_CONFIG_FILE_H

#include "efi/bare/loader.h"
#include "efi/machine.h"

/* Returns a volume with the single file agpu.cfg; NULL when there is no configuration. */
EFI_FILE_IO_INTERFACE *agpu_bare_volume(const struct agpu_bare_info *info);

#endif
