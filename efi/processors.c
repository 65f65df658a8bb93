/* processors.c: starts a procedure on the first other processor that is enabled. The firmware notices the return of a
 * procedure later than this file does, so a start is repeated until BOUND_NS. */
#include "efi/processors.h"

#include "efi/clock.h"
#include "efi/guard.h"
#include "efi/mp_services.h"
#include "pci/machine/text.h"

#define BOUND_NS (10 * AGPU_NS_PER_S)

static struct {
    void (*task)(void *arg);
    void *arg;
    uint32_t returned;
} other = {.returned = 1};
static EFI_EVENT
    idle; /* the firmware signals it when the processor is idle again; with it the start does not wait */

static VOID EFIAPI run_task(VOID *arg)
{
    (void)arg;
    agpu_guard_beside(other.task, other.arg);
    __atomic_store_n(&other.returned, 1, __ATOMIC_RELEASE);
}

static bool wait_returned(void)
{
    const uint64_t start = agpu_clock_ns(NULL);

    while (__atomic_load_n(&other.returned, __ATOMIC_ACQUIRE) == 0) {
        if (agpu_clock_ns(NULL) - start > BOUND_NS) {
            return false;
        }
        agpu_pause();
    }
    return true;
}

/* Finds an enabled processor that is not this one. */
static bool find_other(struct agpu_mp_services *services, UINTN *number)
{
    UINTN all = 0, enabled = 0;

    if (EFI_ERROR(services->count(services, &all, &enabled))) {
        return false;
    }
    for (*number = 0; *number < all; (*number)++) {
        struct agpu_mp_information information;

        if (!EFI_ERROR(services->information(services, *number, &information)) &&
            (information.status & (AGPU_MP_FIRST | AGPU_MP_ON)) == AGPU_MP_ON) {
            return true;
        }
    }
    return false;
}

/* Starts the task without waiting for it. Repeats the start while the firmware does not yet know that the last one has
 * returned: a timer of the firmware notices that. */
static EFI_STATUS start_task(struct agpu_mp_services *services, UINTN number)
{
    const uint64_t start = agpu_clock_ns(NULL);
    EFI_STATUS status;

    do {
        status = services->start(services, run_task, number, idle, 0, NULL, NULL);
    } while (status == EFI_NOT_READY && agpu_clock_ns(NULL) - start < BOUND_NS);
    return status;
}

enum agpu_status agpu_processors_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg),
                                            void *arg, struct agpu_text *why)
{
    static EFI_GUID guid = AGPU_MP_SERVICES_GUID;
    void *found = NULL;
    UINTN number;

    (void)ctx;
    if (EFI_ERROR(agpu_boot->LocateProtocol(&guid, NULL, &found)) || !find_other(found, &number)) {
        agpu_text_string(why, "requires a second processor that the firmware starts "
                              "(EFI_MP_SERVICES_PROTOCOL), or that the MADT lists for direct boot");
        return AGPU_ERR_PLATFORM;
    }
    if (!wait_returned()) { /* the task of a case that was ended */
        return AGPU_ERR_TIMEOUT;
    }
    if (idle == NULL && EFI_ERROR(agpu_boot->CreateEvent(0, 0, NULL, NULL, &idle))) {
        return AGPU_ERR_NO_MEMORY;
    }
    other.task = task;
    other.arg = arg;
    __atomic_store_n(&other.returned, 0, __ATOMIC_RELEASE);
    const EFI_STATUS status = start_task(found, number);
    if (EFI_ERROR(status)) {
        other.returned = 1;
        if (status == EFI_NOT_READY) { /* for the whole time */
            return AGPU_ERR_TIMEOUT;
        }
        agpu_format(why, "processor %u did not start: StartupThisAP returned 0x%jx%s; expected success",
                    (unsigned)number, status, status == EFI_TIMEOUT ? " (timeout)" : "");
        return AGPU_ERR_PLATFORM;
    }
    here(arg);
    return wait_returned() ? AGPU_OK : AGPU_ERR_TIMEOUT;
}
