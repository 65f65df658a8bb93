/* variables.c: one variable, enough for the progress of a run. It survives a reset, not a power cut: neither the reset
 * nor a BIOS clears memory above 1 MiB. Noise in the page is no variable, by magic number and checksum. */
#include "efi/bare/variables.h"

#include <string.h>

#include "efi/bare/memory.h"

#define STORE_MAGIC UINT64_C(0x3156455241425647) /* "GVBAREV1" */
#define NAME_MAX    32u
#define DATA_MAX    1024u
#define CACHE_LINE  64u

struct variable_store {
    uint64_t magic, check; /* of the rest */
    uint64_t bytes;        /* of data; 0: no variable */
    EFI_GUID guid;
    CHAR16 name[NAME_MAX];
    uint8_t data[DATA_MAX];
};
_Static_assert(sizeof(struct variable_store) <= AGPU_BARE_PAGE, "it fits into the page");

/* NULL where the machine has no memory at that address. */
static struct variable_store *open_store(void)
{
    return (struct variable_store *)(uintptr_t)agpu_bare_kept_page();
}

static uint64_t check_store(const struct variable_store *store)
{
    const uint8_t *at = (const uint8_t *)&store->bytes, *end = (const uint8_t *)(store + 1);
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */

    for (; at < end; at++) {
        hash = (hash ^ *at) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static bool holds_variable(const struct variable_store *store)
{
    return store != NULL && store->magic == STORE_MAGIC && store->bytes != 0 && store->bytes <= DATA_MAX &&
           store->check == check_store(store);
}

/* Returns false when the name is too long. */
static bool copy_name(CHAR16 to[NAME_MAX], const CHAR16 *name)
{
    memset(to, 0, NAME_MAX * sizeof *to);
    for (unsigned i = 0; i + 1 < NAME_MAX && name[i] != 0; i++) {
        to[i] = name[i];
    }
    return to[NAME_MAX - 2] == 0;
}

static bool is_stored(const struct variable_store *store, const CHAR16 name[NAME_MAX], const EFI_GUID *guid)
{
    return memcmp(store->name, name, sizeof store->name) == 0 &&
           memcmp(&store->guid, guid, sizeof *guid) == 0;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *size,
                                      VOID *data)
{
    const struct variable_store *store = open_store();
    CHAR16 wanted[NAME_MAX];

    (void)attributes;
    if (!copy_name(wanted, name) || !holds_variable(store) || !is_stored(store, wanted, guid)) {
        return EFI_NOT_FOUND;
    }
    const UINTN room = *size;
    *size = store->bytes;
    if (room < store->bytes) {
        return EFI_BUFFER_TOO_SMALL;
    }
    memcpy(data, store->data, store->bytes);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN size, VOID *data)
{
    struct variable_store *store = open_store();
    CHAR16 wanted[NAME_MAX];

    (void)attributes;
    if (store == NULL || size > DATA_MAX || !copy_name(wanted, name) ||
        (holds_variable(store) && !is_stored(store, wanted, guid))) {
        return EFI_OUT_OF_RESOURCES;
    }
    memset(store, 0, sizeof *store);
    store->magic = STORE_MAGIC;
    store->bytes = size;
    store->guid = *guid;
    memcpy(store->name, wanted, sizeof wanted);
    memcpy(store->data, data, size);
    store->check = check_store(store);
    for (uintptr_t line = (uintptr_t)store; line < (uintptr_t)(store + 1); line += CACHE_LINE) {
        __asm__ volatile("clflush (%0)" : : "r"(line) : "memory"); /* a reset discards caches */
    }
    return EFI_SUCCESS;
}

void agpu_bare_variable_services(EFI_RUNTIME_SERVICES *runtime)
{
    runtime->GetVariable = get_variable;
    runtime->SetVariable = set_variable;
}
