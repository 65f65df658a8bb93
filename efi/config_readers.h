/* config_readers.h: readers of the keys of config.def that have their own syntax. Each returns NULL, or what
 * is wrong with the value; it then has changed nothing. Freestanding. */
#ifndef AGPU_EFI_CONFIG_READERS_H
#define AGPU_EFI_CONFIG_READERS_H

#include "efi/config_values.h"

#define READ(key, ...) const char *agpu_config_read_##key(struct agpu_config *config, struct agpu_span value);
#include "efi/config.def"

#endif
