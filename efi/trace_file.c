/* trace_file.c: one open file, flushed after each line; and the path of the loaded image. */
#include "efi/trace_file.h"

#include <string.h>

#define PATH_MAX 120u

static EFI_FILE_HANDLE trace_file;

static EFI_LOADED_IMAGE *loaded_image(void)
{
    return agpu_protocol(agpu_image, &agpu_guid_loaded_image);
}

const char *agpu_trace_file_open(const char *path)
{
    EFI_LOADED_IMAGE *loaded = loaded_image();
    EFI_FILE_IO_INTERFACE *volume = NULL;
    EFI_FILE_HANDLE root;
    CHAR16 wide[PATH_MAX];
    size_t length = strlen(path);

    if (length == 0 || length >= PATH_MAX) {
        return "the path is empty or longer than 119 characters";
    }
    for (size_t i = 0; i <= length; i++) {
        wide[i] = path[i] == '/' ? '\\' : (CHAR16)path[i];
    }
    if (loaded != NULL && loaded->DeviceHandle != NULL) {
        volume = agpu_protocol(loaded->DeviceHandle, &agpu_guid_file_system);
    }
    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root))) {
        return "the application was not started from a file system";
    }
    EFI_STATUS status = root->Open(root, &trace_file, wide,
                                   EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
    root->Close(root);
    if (EFI_ERROR(status)) {
        trace_file = NULL;
        return "it cannot be created or written: check that its directory exists and that the volume is "
               "writable";
    }
    if (EFI_ERROR(trace_file->SetPosition(trace_file, UINT64_MAX))) { /* seek to the end */
        agpu_trace_file_close();
        return "cannot seek to its end";
    }
    return NULL;
}

static bool write_part(const char *text, size_t size)
{
    UINTN written = size;

    return !EFI_ERROR(trace_file->Write(trace_file, &written, (void *)(uintptr_t)text)) && written == size;
}

const char *agpu_trace_file_append(const char *line)
{
    if (trace_file == NULL) {
        return NULL;
    }
    if (!write_part(line, strlen(line)) || !write_part("\r\n", 2) ||
        EFI_ERROR(trace_file->Flush(trace_file))) {
        agpu_trace_file_close();
        return "a line could not be written: check whether the volume is full";
    }
    return NULL;
}

void agpu_trace_file_close(void)
{
    if (trace_file != NULL) {
        trace_file->Close(trace_file);
        trace_file = NULL;
    }
}

const char *agpu_module_path(void)
{
    static char path[PATH_MAX];
    EFI_LOADED_IMAGE *loaded = loaded_image();
    const EFI_DEVICE_PATH *node = loaded != NULL ? loaded->FilePath : NULL;

    path[0] = '\0';
    if (node == NULL || node->Type != MEDIA_DEVICE_PATH || node->SubType != MEDIA_FILEPATH_DP) {
        return path;
    }
    /* The name follows the node's header, unaligned, and ends at the end of the node or earlier. */
    const uint8_t *name = (const uint8_t *)(node + 1);
    size_t room = ((size_t)node->Length[0] | (size_t)node->Length[1] << 8) - sizeof *node;
    size_t at = 0;
    for (; at + 1 < PATH_MAX && 2 * at + 1 < room; at++) {
        uint32_t c = name[2 * at] | (uint32_t)name[2 * at + 1] << 8;

        if (c == 0) {
            break;
        }
        path[at] = c < 0x7F ? (char)c : '?';
    }
    path[at] = '\0';
    return path;
}
