/* services.c: the system table that agpu.efi is called with: handles with one protocol each, and the services that it
 * calls. All others return EFI_UNSUPPORTED. */
#include "efi/bare/services.h"

#include <string.h>

#include "efi/bare/console.h"
#include "efi/bare/memory.h"
#include "efi/bare/power.h"
#include "efi/bare/time.h"
#include "efi/bare/variables.h"

#define HANDLES_MAX 1100u /* of 1,023 PCI functions, and others */

EFI_SYSTEM_TABLE *agpu_system; /* for acpi.c */

static struct {
    const EFI_GUID *guid;
    void *interface;
} handles[HANDLES_MAX];
static unsigned handle_count;
static EFI_TPL priority = TPL_APPLICATION;

EFI_HANDLE agpu_bare_add_handle(const EFI_GUID *guid, void *interface)
{
    if (handle_count == HANDLES_MAX) {
        agpu_bare_stop("expected at most %u handles, found more: the machine has too many functions",
                       HANDLES_MAX);
    }
    handles[handle_count].guid = guid;
    handles[handle_count].interface = interface;
    return &handles[handle_count++];
}

static bool handle_has(const void *handle, const EFI_GUID *guid)
{
    const uintptr_t index = ((uintptr_t)handle - (uintptr_t)handles) / sizeof handles[0];

    return index < handle_count && memcmp(handles[index].guid, guid, sizeof *guid) == 0;
}

static EFI_STATUS EFIAPI open_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface, EFI_HANDLE agent,
                                       EFI_HANDLE controller, UINT32 attributes)
{
    static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
    static EFI_DEVICE_PATH empty = {END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, {sizeof empty, 0}};

    (void)agent, (void)controller, (void)attributes;
    /* Every handle has a path, so that agpu.efi takes it for that of a device. */
    if (memcmp(guid, &path_guid, sizeof *guid) == 0) {
        *interface = &empty;
        return EFI_SUCCESS;
    }
    if (!handle_has(handle, guid)) {
        return EFI_UNSUPPORTED;
    }
    *interface = handles[((uintptr_t)handle - (uintptr_t)handles) / sizeof handles[0]].interface;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_protocol(EFI_HANDLE handle, EFI_GUID *guid, EFI_HANDLE agent,
                                        EFI_HANDLE controller)
{
    (void)handle, (void)guid, (void)agent, (void)controller;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_handle_buffer(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, VOID *key,
                                              UINTN *count, EFI_HANDLE **buffer)
{
    (void)key;
    *count = 0;
    if (type != ByProtocol || EFI_ERROR(agpu_system->BootServices->AllocatePool(
                                  EfiBootServicesData, sizeof handles, (VOID **)buffer))) {
        return EFI_UNSUPPORTED;
    }
    for (unsigned i = 0; i < handle_count; i++) {
        if (handle_has(&handles[i], guid)) {
            (*buffer)[(*count)++] = &handles[i];
        }
    }
    if (*count == 0) {
        agpu_system->BootServices->FreePool(*buffer);
        return EFI_NOT_FOUND;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    (void)registration;
    for (unsigned i = 0; i < handle_count; i++) {
        if (handle_has(&handles[i], guid)) {
            *interface = handles[i].interface;
            return EFI_SUCCESS;
        }
    }
    return EFI_NOT_FOUND;
}

/* An event without a function, which only processors.c would signal; agpu.efi reads the progress elsewhere. */
static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, VOID *context,
                                      EFI_EVENT *event)
{
    static uint8_t place;

    (void)level, (void)context;
    *event = &place;
    return type == 0 && notify == NULL ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

static EFI_TPL EFIAPI raise_priority(EFI_TPL wanted)
{
    const EFI_TPL before = priority;

    if (wanted >= TPL_HIGH_LEVEL) {
        __asm__ volatile("cli" ::: "memory");
    }
    priority = wanted;
    return before;
}

static VOID EFIAPI restore_priority(EFI_TPL wanted)
{
    priority = wanted;
    if (wanted < TPL_HIGH_LEVEL) {
        __asm__ volatile("sti" ::: "memory");
    }
}

static EFI_STATUS EFIAPI refuse_service(void)
{
    return EFI_UNSUPPORTED;
}

/* Fills a table of services, from behind its header to its end, with refuse_service(). */
static void refuse_all(void *table, size_t size)
{
    EFI_STATUS(EFIAPI * *entry)(void) = table;

    for (size_t i = sizeof(EFI_TABLE_HEADER) / sizeof *entry; i < size / sizeof *entry; i++) {
        entry[i] = refuse_service;
    }
}

EFI_SYSTEM_TABLE *agpu_bare_services_open(const struct agpu_bare_info *info)
{
    static const EFI_GUID acpi_20 = ACPI_20_TABLE_GUID, acpi_10 = ACPI_TABLE_GUID;
    static EFI_CONFIGURATION_TABLE tables;
    static EFI_BOOT_SERVICES boot;
    static EFI_RUNTIME_SERVICES runtime;
    static EFI_SYSTEM_TABLE system = {.FirmwareVendor = u"none (direct boot)",
                                      .BootServices = &boot,
                                      .RuntimeServices = &runtime,
                                      .ConfigurationTable = &tables};

    refuse_all(&boot, sizeof boot);
    refuse_all(&runtime, sizeof runtime);
    agpu_bare_memory_services(&boot);
    boot.RaiseTPL = raise_priority;
    boot.RestoreTPL = restore_priority;
    boot.OpenProtocol = open_protocol;
    boot.CloseProtocol = close_protocol;
    boot.LocateHandleBuffer = locate_handle_buffer;
    boot.LocateProtocol = locate_protocol;
    boot.CreateEvent = create_event;
    boot.Stall = agpu_bare_stall;
    agpu_bare_variable_services(&runtime);
    runtime.GetTime = agpu_bare_get_time;
    runtime.ResetSystem = agpu_bare_reset_system;
    if (info->rsdp != NULL) {
        tables = (EFI_CONFIGURATION_TABLE){info->rsdp[15] >= 2 ? acpi_20 : acpi_10, info->rsdp};
        system.NumberOfTableEntries = 1;
    }
    agpu_system = &system;
    return &system;
}
