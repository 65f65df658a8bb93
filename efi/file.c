/* file.c: EFI_SIMPLE_FILE_SYSTEM of the loaded image's device. */
#include "efi/file.h"

#include "efi/heap.h"

static EFI_FILE_IO_INTERFACE *boot_volume(void)
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);

    return loaded != NULL && loaded->DeviceHandle != NULL
               ? agpu_protocol(loaded->DeviceHandle, &agpu_guid_file_system)
               : NULL;
}

const char *agpu_file_read(CHAR16 *path, size_t max, char **data, size_t *size)
{
    EFI_FILE_IO_INTERFACE *volume = boot_volume();
    EFI_FILE_HANDLE root, file;

    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root))) {
        return "the application was not started from a file system";
    }
    EFI_STATUS status = root->Open(root, &file, path, EFI_FILE_MODE_READ, 0);
    root->Close(root);
    if (EFI_ERROR(status)) {
        return "no such file";
    }
    /* One byte more than allowed shows that there is too much. */
    UINTN read = max + 1;
    const char *failed = NULL;
    *data = agpu_heap_alloc(NULL, max + 1);
    if (*data == NULL) {
        failed = "no memory";
    } else if (EFI_ERROR(file->Read(file, &read, *data))) {
        failed = "read error";
    } else if (read > max) {
        failed = "file is too long";
    }
    file->Close(file);
    if (failed != NULL) {
        agpu_heap_free(NULL, *data);
        *data = NULL;
    } else {
        *size = read;
    }
    return failed;
}
