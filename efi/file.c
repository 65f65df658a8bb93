/* file.c: files on EFI_SIMPLE_FILE_SYSTEM of the loaded image's device and of all other devices. */
#include "efi/file.h"

#include <string.h>

#include "efi/heap.h"

#define PCI_BASE_CLASS    0x0B
#define PCI_CLASS_STORAGE 0x01

const char agpu_file_missing[] = "no such file";

static EFI_FILE_IO_INTERFACE *boot_volume(void)
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);

    return loaded != NULL && loaded->DeviceHandle != NULL
               ? agpu_protocol(loaded->DeviceHandle, &agpu_guid_file_system)
               : NULL;
}

bool agpu_file_has_volume(void)
{
    return boot_volume() != NULL;
}

bool agpu_file_beside(const char *name, CHAR16 path[AGPU_FILE_PATH_MAX], char shown[256])
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);
    const EFI_DEVICE_PATH *node = loaded != NULL ? loaded->FilePath : NULL;
    size_t folder = 0, length;

    if (node == NULL || node->Type != MEDIA_DEVICE_PATH || node->SubType != MEDIA_FILEPATH_DP) {
        return false;
    }
    length = (size_t)node->Length[0] | (size_t)node->Length[1] << 8;
    if (length < sizeof *node) {
        return false;
    }
    length = (length - sizeof *node) / sizeof(CHAR16);
    for (size_t i = 0; i < length; i++) {
        CHAR16 c;

        memcpy(&c, (const uint8_t *)(node + 1) + i * sizeof c, sizeof c); /* nodes are not aligned */
        if (c == 0) {
            break;
        }
        if (i + strlen(name) + 2 > AGPU_FILE_PATH_MAX) {
            return false;
        }
        path[i] = c;
        folder = c == '\\' ? i + 1 : folder;
    }
    for (size_t i = 0; i <= strlen(name); i++) {
        path[folder + i] = (CHAR16)name[i];
    }
    for (size_t i = 0; i <= folder + strlen(name); i++) {
        shown[i] = path[i] < 0x7F ? (char)path[i] : '?';
    }
    return true;
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
        return status == EFI_NOT_FOUND ? agpu_file_missing : "it could not be opened";
    }
    /* Reading one byte more than allowed detects a file that is too long. */
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

/* Opens the file for writing and empties it. Deletes and recreates it, because this protocol truncates a file
 * only through its file information. */
static bool renew_file(EFI_FILE_IO_INTERFACE *volume, CHAR16 *path, bool must_exist, EFI_FILE_HANDLE *file)
{
    EFI_FILE_HANDLE root, old;
    EFI_STATUS status;

    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root))) {
        return false;
    }
    status = root->Open(root, &old, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
    if (!EFI_ERROR(status)) {
        old->Delete(old); /* also closes it */
    }
    if (must_exist && EFI_ERROR(status)) {
        root->Close(root);
        return false;
    }
    status = root->Open(root, file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
    root->Close(root);
    return !EFI_ERROR(status);
}

/* Opens a file on one volume; false when the volume does not have it. */
typedef bool open_fn(EFI_FILE_IO_INTERFACE *volume, CHAR16 *path, EFI_FILE_HANDLE *file);

/* Tries all volumes that the firmware knows if their number differs from *known; updates *known. */
static bool open_known(open_fn *open, CHAR16 *path, EFI_FILE_HANDLE *file, UINTN *known)
{
    UINTN count;
    EFI_HANDLE *volumes = agpu_handles(&agpu_guid_file_system, &count);
    bool found = false;

    /* The firmware does not promise to list new volumes last. */
    for (UINTN i = 0; count != *known && i < count && !found; i++) {
        found = open(agpu_protocol(volumes[i], &agpu_guid_file_system), path, file);
    }
    *known = count;
    if (volumes != NULL) {
        agpu_boot->FreePool(volumes);
    }
    return found;
}

static bool is_storage(EFI_PCI_IO_PROTOCOL *pci)
{
    uint8_t class_code = 0;

    return pci != NULL &&
           !EFI_ERROR(pci->Pci.Read(pci, EfiPciIoWidthUint8, PCI_BASE_CLASS, 1, &class_code)) &&
           class_code == PCI_CLASS_STORAGE;
}

/* Firmware with a fixed boot choice connects only that device, so other disks have no file systems yet.
 * Connects storage controllers one by one, because a controller without disks takes long to respond. */
static bool open_anywhere(open_fn *open, CHAR16 *path, EFI_FILE_HANDLE *file)
{
    UINTN known = 0, count;
    bool found = open_known(open, path, file, &known);
    EFI_HANDLE *functions = agpu_handles(&agpu_guid_pci_io, &count);

    for (UINTN i = 0; i < count && !found; i++) {
        if (is_storage(agpu_protocol(functions[i], &agpu_guid_pci_io))) {
            agpu_boot->ConnectController(functions[i], NULL, NULL, TRUE);
            found = open_known(open, path, file, &known);
        }
    }
    if (functions != NULL) {
        agpu_boot->FreePool(functions);
    }
    return found;
}

static bool renew_existing(EFI_FILE_IO_INTERFACE *volume, CHAR16 *path, EFI_FILE_HANDLE *file)
{
    return renew_file(volume, path, true, file);
}

const char *agpu_file_create(CHAR16 *path, EFI_FILE_HANDLE *file)
{
    return open_anywhere(renew_existing, path, file) || renew_file(boot_volume(), path, false, file)
               ? NULL
               : "no volume takes the file";
}

static bool open_on(EFI_FILE_IO_INTERFACE *volume, CHAR16 *path, EFI_FILE_HANDLE *file)
{
    EFI_FILE_HANDLE root;
    EFI_STATUS status;

    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root))) {
        return false;
    }
    status = root->Open(root, file, path, EFI_FILE_MODE_READ, 0);
    root->Close(root);
    return !EFI_ERROR(status);
}

const char *agpu_file_open(const char *path, EFI_FILE_HANDLE *file)
{
    CHAR16 wide[128];
    UINTN length = 0;

    while (path[length] != '\0' && length + 1 < sizeof wide / sizeof wide[0]) {
        wide[length] = (CHAR16)(path[length] == '/' ? '\\' : path[length]);
        length++;
    }
    wide[length] = 0;
    return open_on(boot_volume(), wide, file) || open_anywhere(open_on, wide, file)
               ? NULL
               : "no volume has the file";
}

const char *agpu_file_renew(CHAR16 *path, EFI_FILE_HANDLE *file)
{
    return renew_file(boot_volume(), path, false, file) ? NULL : "the volume takes no file";
}
