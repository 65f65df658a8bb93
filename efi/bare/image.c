/* image.c: places the embedded agpu.efi in memory (PE format: sections, and base relocations of type DIR64) and calls
 * its entry. */
#include "efi/bare/image.h"

#include <string.h>

#include "efi/bare/config_file.h"
#include "efi/bare/memory.h"
#include "efi/bare/services.h"

/* Offsets in the headers. */
#define DOS_NEW_HEADER   0x3C
#define PE_SECTION_COUNT 6
#define PE_OPTIONAL_SIZE 20
#define PE_OPTIONAL      24
#define OPTIONAL_ENTRY   16
#define OPTIONAL_BASE    24
#define OPTIONAL_SIZE    56
#define OPTIONAL_HEADERS 60
#define OPTIONAL_RELOC   152 /* directory 5: address, size */
#define SECTION_BYTES    40
#define SECTION_ADDRESS  12 /* then size and offset in the file */
#define RELOC_HEADER     8
#define RELOC_DIR64      10

extern const uint8_t agpu_bare_image[], agpu_bare_image_end[];

static uint32_t image_number(const uint8_t *at, size_t size)
{
    uint32_t value = 0;

    memcpy(&value, at, size);
    return value;
}

static void relocate_image(uint8_t *base, const uint8_t *optional)
{
    const uint8_t *block = base + image_number(optional + OPTIONAL_RELOC, 4);
    const uint8_t *end = block + image_number(optional + OPTIONAL_RELOC + 4, 4);
    uint64_t linked_at;

    memcpy(&linked_at, optional + OPTIONAL_BASE, sizeof linked_at);
    while (block + RELOC_HEADER <= end) {
        uint8_t *page = base + image_number(block, 4);
        const uint32_t size = image_number(block + 4, 4);

        for (uint32_t at = RELOC_HEADER; at + 2 <= size; at += 2) {
            const uint32_t entry = image_number(block + at, 2);

            if (entry >> 12 == RELOC_DIR64) {
                uint64_t value;

                memcpy(&value, page + (entry & 0xFFF), sizeof value);
                value += (uintptr_t)base - linked_at;
                memcpy(page + (entry & 0xFFF), &value, sizeof value);
            }
        }
        block += size < RELOC_HEADER ? RELOC_HEADER : size;
    }
}

/* Returns the command line as load options, which are 16-bit characters. */
static CHAR16 *wide_words(const struct agpu_bare_info *info, UINT32 *size)
{
    static CHAR16 wide[AGPU_BARE_WORDS_MAX];
    UINT32 length = 0;

    while (info->command_line[length] != '\0') {
        wide[length] = (CHAR16)(uint8_t)info->command_line[length];
        length++;
    }
    *size = (length + 1) * (UINT32)sizeof *wide;
    return length != 0 ? wide : NULL;
}

EFI_STATUS agpu_bare_run_image(EFI_SYSTEM_TABLE *system, const struct agpu_bare_info *info)
{
    static const EFI_GUID loaded_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    static const EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    static EFI_LOADED_IMAGE loaded;
    const uint8_t *file = agpu_bare_image;
    const uint8_t *pe = file + image_number(file + DOS_NEW_HEADER, 4), *optional = pe + PE_OPTIONAL;
    const uint8_t *section = optional + image_number(pe + PE_OPTIONAL_SIZE, 2);
    const uint32_t size = image_number(optional + OPTIONAL_SIZE, 4);
    uint8_t *base = agpu_bare_pages((size + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE);
    EFI_STATUS(EFIAPI * entry)(EFI_HANDLE image, EFI_SYSTEM_TABLE * system);

    memcpy(base, file, image_number(optional + OPTIONAL_HEADERS, 4));
    for (uint32_t i = 0; i < image_number(pe + PE_SECTION_COUNT, 2); i++, section += SECTION_BYTES) {
        memcpy(base + image_number(section + SECTION_ADDRESS, 4),
               file + image_number(section + SECTION_ADDRESS + 8, 4),
               image_number(section + SECTION_ADDRESS + 4, 4));
    }
    relocate_image(base, optional);
    loaded = (EFI_LOADED_IMAGE){.ImageBase = base, .ImageSize = size};
    loaded.LoadOptions = wide_words(info, &loaded.LoadOptionsSize);
    EFI_FILE_IO_INTERFACE *volume = agpu_bare_volume(info);
    if (volume != NULL) {
        loaded.DeviceHandle = agpu_bare_add_handle(&volume_guid, volume);
    }
    const EFI_HANDLE handle = agpu_bare_add_handle(&loaded_guid, &loaded);
    const uint64_t address = (uintptr_t)base + image_number(optional + OPTIONAL_ENTRY, 4);
    memcpy(&entry, &address, sizeof entry);
    return entry(handle, system);
}
