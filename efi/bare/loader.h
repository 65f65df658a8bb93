/* loader.h: information from the loader: memory, ACPI, command line, configuration. */
#ifndef AGPU_EFI_BARE_LOADER_H
#define AGPU_EFI_BARE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "efi/protocol/cfg_limits.h"

#define AGPU_BARE_RANGES_MAX 128u
#define AGPU_BARE_WORDS_MAX  4096u

struct agpu_bare_range {
    uint64_t start, bytes;
};

struct agpu_bare_info {
    struct agpu_bare_range ram[AGPU_BARE_RANGES_MAX];
    unsigned ram_count;
    struct agpu_bare_range reserved[AGPU_BARE_RANGES_MAX]; /* ranges of other kinds */
    unsigned reserved_count;
    uint8_t *rsdp; /* NULL: none */
    char command_line[AGPU_BARE_WORDS_MAX];
    char config[AGPU_CONFIG_FILE_MAX]; /* contents of agpu.cfg */
    size_t config_size;
    bool has_config;
};

/* Copies the loader's information, so that its memory is free afterwards. multiboot: the number of Multiboot2, 0 for
 * PVH. */
const struct agpu_bare_info *agpu_bare_read_loader(uint32_t multiboot, uint32_t at);

#endif
