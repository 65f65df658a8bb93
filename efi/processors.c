/* processors.c: starts a procedure on the first other processor that is enabled. The firmware notices the return of a
 * procedure later than this file does, so a start is repeated until BOUND_NS. */
#include "efi/processors.h"

#include "efi/clock.h"
#include "efi/guard.h"
#include "efi/mp_services.h"
#include "efi/pump.h"
#include "pci/machine/text.h"
#include "tests/cases/harness/stream.h"

#define BOUND_NS (10 * AGPU_NS_PER_S) /* below the silence after which the host restarts the machine */
#define LOST     "the task that an earlier case started on the second processor has not ended"

static struct {
    void (*task)(void *arg);
    void *arg;
    uint32_t returned;
} other = {.returned = 1};
static bool lost; /* the end of the task is not waited for any more */
static EFI_EVENT
    idle; /* the firmware signals it when the processor is idle again; with it the start does not wait */

static VOID EFIAPI run_task(VOID *arg)
{
    (void)arg;
    agpu_guard_beside(other.task, other.arg);
    __atomic_store_n(&other.returned, 1, __ATOMIC_RELEASE);
}

static bool has_returned(void)
{
    return __atomic_load_n(&other.returned, __ATOMIC_ACQUIRE) != 0;
}

static bool wait_returned(void)
{
    const uint64_t start = agpu_clock_ns(NULL);

    while (!has_returned()) {
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
    if (!has_returned()) {
        agpu_text_string(why, LOST);
        return AGPU_ERR_PLATFORM;
    }
    lost = false;
    if (idle == NULL && EFI_ERROR(agpu_boot->CreateEvent(0, 0, NULL, NULL, &idle))) {
        return AGPU_ERR_NO_MEMORY;
    }
    other.task = task;
    other.arg = arg;
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    __atomic_store_n(&other.returned, 0, __ATOMIC_RELEASE);
    const EFI_STATUS status = start_task(found, number);
    if (EFI_ERROR(status)) {
        other.returned = 1;
    }
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    if (EFI_ERROR(status)) {
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

enum agpu_guard_end agpu_processors_guard_call(void *stream, void (*body)(void *arg), void *arg,
                                               uint64_t bound_ns, struct agpu_text *why)
{
    const enum agpu_guard_end end = agpu_guard_call(NULL, body, arg, bound_ns, why);
    const uint64_t start = agpu_clock_ns(NULL);

    while (!lost && !has_returned()) {
        agpu_pump_relax(AGPU_RELAX_FENCE);
        lost = agpu_clock_ns(NULL) - start > BOUND_NS;
        if (lost) {
            agpu_stream_log(stream, AGPU_LOG_WARNING, LOST "; cases that need this processor are skipped");
        }
    }
    return end;
}
