/* progress.c: one record, in the variable and in the file. Both are written at each boot; each case updates
 * the variable, or the file if the variable cannot be written or a boot found only the file. */
#include "efi/progress.h"

#include <stddef.h>
#include <string.h>

#include "efi/file.h"
#include "efi/heap.h"
#include "efi/machine.h"

#define PROGRESS_MAGIC UINT64_C(0x31504E5255504741) /* "AGPURNP1" */
/* Survives power cuts; hidden from operating systems. */
#define PROGRESS_ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

struct progress_record {
    uint64_t magic, key;
    uint32_t resets;
    char running[AGPU_PROGRESS_CASE_MAX + 4];
    uint64_t check; /* hash of all members in front of it */
};

static CHAR16 progress_path[] = u"\\EFI\\AGPU\\agpu.run";
static CHAR16 progress_name[] = u"AgpuRun";
static EFI_GUID progress_guid = {
    0x6a1f3d52, 0x0c77, 0x4e0b, {0x9b, 0x1e, 0x41, 0x47, 0x50, 0x55, 0x52, 0x4e}};
static struct progress_record record;
static EFI_FILE_HANDLE file;
static bool opened, variable_works, by_file;

uint64_t agpu_progress_hash(uint64_t hash, const void *bytes, uint64_t size)
{
    const uint8_t *at = bytes;

    for (uint64_t i = 0; i < size; i++) { /* FNV-1a */
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static uint64_t check_of(const struct progress_record *of)
{
    return agpu_progress_hash(AGPU_PROGRESS_HASH_FIRST, of, offsetof(struct progress_record, check));
}

static bool is_of_run(const struct progress_record *of, uint64_t size, uint64_t key)
{
    return size == sizeof *of && of->magic == PROGRESS_MAGIC && of->key == key && of->check == check_of(of) &&
           of->running[AGPU_PROGRESS_CASE_MAX] == '\0';
}

static bool read_variable(struct progress_record *out, uint64_t key)
{
    UINTN size = sizeof *out;

    return !EFI_ERROR(
               agpu_system->RuntimeServices->GetVariable(progress_name, &progress_guid, NULL, &size, out)) &&
           is_of_run(out, size, key);
}

static bool read_file(struct progress_record *out, uint64_t key)
{
    char *data = NULL;
    size_t size = 0;
    bool good;

    if (agpu_file_read(progress_path, sizeof *out, &data, &size) != NULL) {
        return false;
    }
    memcpy(out, data, size < sizeof *out ? size : sizeof *out);
    agpu_heap_free(NULL, data);
    good = is_of_run(out, size, key);
    return good;
}

static bool write_variable(void)
{
    return !EFI_ERROR(agpu_system->RuntimeServices->SetVariable(progress_name, &progress_guid,
                                                                PROGRESS_ATTRIBUTES, sizeof record, &record));
}

static bool write_file(void)
{
    UINTN size = sizeof record;

    return file != NULL && !EFI_ERROR(file->SetPosition(file, 0)) &&
           !EFI_ERROR(file->Write(file, &size, &record)) && size == sizeof record &&
           !EFI_ERROR(file->Flush(file));
}

/* Writes the record to the medium that is updated by each case. */
static bool write_record(void)
{
    record.check = check_of(&record);
    return by_file ? write_file() : write_variable();
}

const char *agpu_progress_open(uint64_t key, struct agpu_progress_found *found)
{
    struct progress_record in_variable = {0}, in_file = {0};
    const bool variable = read_variable(&in_variable, key), filed = read_file(&in_file, key);

    *found = (struct agpu_progress_found){0};
    record = variable ? in_variable : filed ? in_file : (struct progress_record){.key = key};
    record.magic = PROGRESS_MAGIC;
    if (variable || filed) {
        record.resets++;
        found->resets = record.resets;
        memcpy(found->running, record.running, sizeof found->running);
    }
    if (agpu_file_renew(progress_path, &file) != NULL) {
        file = NULL;
    }
    record.check = check_of(&record);
    variable_works = write_variable();
    by_file = !variable_works || (filed && !variable);
    if (!write_file() && by_file) {
        agpu_progress_close();
        return "neither UEFI variables nor files of the boot volume can be written";
    }
    opened = true;
    return NULL;
}

void agpu_progress_case(const char *id)
{
    if (opened && strlen(id) <= AGPU_PROGRESS_CASE_MAX && strcmp(id, record.running) != 0) {
        memset(record.running, 0, sizeof record.running);
        memcpy(record.running, id, strlen(id));
        opened = write_record();
    }
}

void agpu_progress_close(void)
{
    opened = false;
    if (variable_works) { /* size 0 deletes it */
        agpu_system->RuntimeServices->SetVariable(progress_name, &progress_guid, PROGRESS_ATTRIBUTES, 0,
                                                  NULL);
        variable_works = false;
    }
    if (file != NULL) {
        file->Delete(file); /* also closes it */
        file = NULL;
    }
}

bool agpu_progress_is_open(void)
{
    return opened;
}
