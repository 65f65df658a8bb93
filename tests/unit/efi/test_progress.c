/* test_progress.c: progress of a run over several boots of a fake firmware: variables that persist, that do not, that
 * cannot be written, and leftovers of an earlier run or a bad flash cell. */
#include <stdlib.h>
#include <string.h>
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/machine.h"
#include "efi/progress.h"
#include "tests/unit/test.h"

#define KEY 77u

EFI_SYSTEM_TABLE *agpu_system;

static struct {
    char variable[1024], file[1024];
    size_t variable_size, file_size; /* 0: does not exist */
    size_t at;
    unsigned variable_writes, file_writes;
    bool no_variables, no_files;
} fw;

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *size,
                                      VOID *data)
{
    (void)name, (void)vendor, (void)attributes;
    if (fw.variable_size == 0 || fw.variable_size > *size) {
        return EFI_NOT_FOUND;
    }
    memcpy(data, fw.variable, fw.variable_size);
    *size = fw.variable_size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    (void)name, (void)vendor;
    assert_true((attributes & EFI_VARIABLE_NON_VOLATILE) != 0);
    if (fw.no_variables) {
        return EFI_OUT_OF_RESOURCES;
    }
    assert_true(size <= sizeof fw.variable);
    if (size != 0) {
        memcpy(fw.variable, data, size);
    }
    fw.variable_size = size;
    fw.variable_writes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE file, UINT64 position)
{
    (void)file;
    fw.at = (size_t)position;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE_HANDLE file, UINTN *size, VOID *data)
{
    (void)file;
    assert_true(fw.at + *size <= sizeof fw.file);
    memcpy(fw.file + fw.at, data, *size);
    fw.at += *size;
    fw.file_size = fw.at > fw.file_size ? fw.at : fw.file_size;
    fw.file_writes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE_HANDLE file)
{
    (void)file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(EFI_FILE_HANDLE file)
{
    (void)file;
    fw.file_size = 0;
    return EFI_SUCCESS;
}

static struct _EFI_FILE_HANDLE handle = {
    .SetPosition = set_position, .Write = write_file, .Flush = flush_file, .Delete = delete_file};

const char *agpu_file_renew(CHAR16 *path, EFI_FILE_HANDLE *file)
{
    (void)path;
    fw.file_size = fw.at = 0;
    *file = &handle;
    return fw.no_files ? "no" : NULL;
}

const char *agpu_file_read(CHAR16 *path, size_t max, char **data, size_t *size)
{
    (void)path;
    if (fw.file_size == 0 || fw.file_size > max) {
        return "no such file";
    }
    *data = malloc(fw.file_size);
    memcpy(*data, fw.file, fw.file_size);
    *size = fw.file_size;
    return NULL;
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static int setup(void **state)
{
    static EFI_RUNTIME_SERVICES runtime = {.GetVariable = get_variable, .SetVariable = set_variable};
    static EFI_SYSTEM_TABLE table = {.RuntimeServices = &runtime};

    (void)state;
    agpu_system = &table;
    memset(&fw, 0, sizeof fw);
    return 0;
}

static unsigned boot(uint64_t key, const char *running)
{
    struct agpu_progress_found found;

    assert_null(agpu_progress_open(key, &found));
    assert_string_equal(found.running, running);
    assert_true(agpu_progress_is_open());
    return found.resets;
}

FIXTURE(setup, NULL);

TEST(continues_after_the_case)
{
    assert_int_equal(boot(KEY, ""), 0);
    agpu_progress_case("ring.a");
    agpu_progress_case("ring.b");
    assert_int_equal(boot(KEY, "ring.b"), 1);
    assert_int_equal(boot(KEY, "ring.b"), 2); /* before the first case started */
    agpu_progress_case("ring.c");
    assert_int_equal(boot(KEY, "ring.c"), 3);
    agpu_progress_close();
    assert_false(agpu_progress_is_open());
    assert_int_equal(fw.variable_size, 0);
    assert_int_equal(fw.file_size, 0);
    assert_int_equal(boot(KEY, ""), 0);
}

TEST(each_case_is_one_write)
{
    unsigned variable_writes, file_writes;

    boot(KEY, "");
    variable_writes = fw.variable_writes;
    file_writes = fw.file_writes;
    agpu_progress_case("ring.a");
    agpu_progress_case("ring.a"); /* heartbeats of the case */
    agpu_progress_case("ring.b");
    assert_int_equal(fw.variable_writes, variable_writes + 2);
    assert_int_equal(fw.file_writes, file_writes);
}

TEST(another_run_begins_anew)
{
    boot(KEY, "");
    agpu_progress_case("ring.a");
    assert_int_equal(boot(KEY + 1, ""), 0);
    assert_int_equal(boot(KEY, ""), 0);
}

TEST(variables_that_do_not_persist)
{
    boot(KEY, "");
    agpu_progress_case("ring.a");
    fw.variable_size = 0;               /* the power was off */
    assert_int_equal(boot(KEY, ""), 1); /* from the first case again; the file has the progress from now on */
    agpu_progress_case("ring.a");
    fw.variable_size = 0;
    assert_int_equal(boot(KEY, "ring.a"), 2);
    agpu_progress_close();
    assert_int_equal(fw.file_size, 0);
}

TEST(variables_that_cannot_be_written)
{
    struct agpu_progress_found found;

    fw.no_variables = true;
    boot(KEY, "");
    agpu_progress_case("ring.a");
    assert_int_equal(boot(KEY, "ring.a"), 1);
    agpu_progress_close();
    fw.no_files = true;
    assert_non_null(agpu_progress_open(KEY, &found));
    assert_false(agpu_progress_is_open());
    agpu_progress_case("ring.a");
}

TEST(what_is_damaged_is_no_progress)
{
    for (size_t at = 0; at < 64; at += 3) {
        boot(KEY, "");
        agpu_progress_case("ring.a");
        fw.variable[at] ^= 0x10;
        fw.file_size = 0;
        assert_int_equal(boot(KEY, ""), 0);
        agpu_progress_close();
    }
    boot(KEY, "");
    fw.variable_size -= 8;
    fw.file_size = 0;
    assert_int_equal(boot(KEY, ""), 0);
}

TEST(long_names_are_not_kept)
{
    char name[AGPU_PROGRESS_CASE_MAX + 2];

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    boot(KEY, "");
    agpu_progress_case(name);
    assert_int_equal(boot(KEY, ""), 1);
    name[AGPU_PROGRESS_CASE_MAX] = '\0';
    agpu_progress_case(name);
    assert_int_equal(boot(KEY, name), 2);
}
