/* config_file.c: EFI_SIMPLE_FILE_SYSTEM with the one file that the loader passed, read only. */
#include "efi/bare/config_file.h"

#include <string.h>

static const CHAR16 path_of_config[] = u"\\EFI\\AGPU\\agpu.cfg";

static const struct agpu_bare_info *loaded_info;
static size_t read_position;

static EFI_STATUS EFIAPI refuse_file(void)
{
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE file)
{
    (void)file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE root, EFI_FILE_HANDLE *out, CHAR16 *path, UINT64 mode,
                                   UINT64 attributes)
{
    (void)attributes;
    for (size_t i = 0; i < sizeof path_of_config / sizeof path_of_config[0]; i++) {
        if (path[i] != path_of_config[i]) {
            return mode == EFI_FILE_MODE_READ ? EFI_NOT_FOUND : EFI_WRITE_PROTECTED;
        }
    }
    if (mode != EFI_FILE_MODE_READ) {
        return EFI_WRITE_PROTECTED;
    }
    read_position = 0;
    *out = root;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file_bytes(EFI_FILE_HANDLE file, UINTN *size, VOID *to)
{
    const size_t left = loaded_info->config_size - read_position;

    (void)file;
    *size = *size < left ? *size : left;
    memcpy(to, loaded_info->config + read_position, *size);
    read_position += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *volume, EFI_FILE_HANDLE *root)
{
    static struct _EFI_FILE_HANDLE file;
    EFI_STATUS(EFIAPI * *entry)(void) = (void *)&file.Open;

    (void)volume;
    for (size_t i = 0; i < (sizeof file - offsetof(struct _EFI_FILE_HANDLE, Open)) / sizeof *entry; i++) {
        entry[i] = refuse_file;
    }
    file.Open = open_file;
    file.Close = close_file;
    file.Read = read_file_bytes;
    *root = &file;
    return EFI_SUCCESS;
}

EFI_FILE_IO_INTERFACE *agpu_bare_volume(const struct agpu_bare_info *info)
{
    static EFI_FILE_IO_INTERFACE volume = {.OpenVolume = open_volume};

    loaded_info = info;
    return info->has_config ? &volume : NULL;
}
