/* processors.c: runs a procedure on another processor. INIT and start-up interrupts (Intel SDM volume 3, 9.4 and 11.6)
 * start that processor anew for each procedure, so it never has page translations from before a change of the tables.
 * Between two procedures it is halted, with interrupts off. */
#include "efi/bare/processors.h"

#include <string.h>

#include "efi/acpi.h"
#include "efi/bare/console.h"
#include "efi/bare/hole.h"
#include "efi/bare/memory.h"
#include "efi/bare/paging.h"
#include "efi/bare/services.h"
#include "efi/bare/time.h"
#include "efi/bare/traps.h"
#include "efi/mp_services.h"

#define REAL_MODE_END UINT64_C(0xA0000) /* video memory and the BIOS begin */
#define OTHER         1u                /* its number; the first processor is 0 */

#define INIT_US      10000u
#define START_UP_US  200u
#define COME_UP_US   2000000u /* an emulator may not run the processor at once */
#define DELIVERED_US 1000u

#define APIC_ID        ((volatile uint32_t *)(uintptr_t)0xFEE00020)
#define APIC_COMMAND   ((volatile uint32_t *)(uintptr_t)0xFEE00300)
#define APIC_TARGET    ((volatile uint32_t *)(uintptr_t)0xFEE00310)
#define COMMAND_INIT   0x4500u
#define COMMAND_START  0x4600u /* and the number of the page */
#define COMMAND_UNSENT 0x1000u

enum state { IDLE, STARTING, RUNNING };

extern const uint8_t agpu_bare_wake[], agpu_bare_wake_end[];
extern uint32_t agpu_bare_other_tables;
void agpu_bare_other_main(void);

static struct {
    uint64_t page; /* below 1 MiB, for its first instructions */
    uint8_t apic_id;
    uint32_t state; /* enum state */
    VOID(EFIAPI *procedure)(VOID *arg);
    void *arg;
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } exceptions; /* agpu.efi's interrupt descriptor table */
} other;

static bool change_state(uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&other.state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Runs on the other processor; start.S halts it afterwards. */
void agpu_bare_other_main(void)
{
    agpu_bare_paging_load();
    agpu_bare_traps_load(OTHER);
    __asm__ volatile("lidt %0" : : "m"(other.exceptions) : "memory");
    if (change_state(STARTING, RUNNING)) {
        other.procedure(other.arg);
        change_state(RUNNING, IDLE);
    }
}

static bool is_delivered(void)
{
    return (*APIC_COMMAND & COMMAND_UNSENT) == 0;
}

static bool is_started(void)
{
    return __atomic_load_n(&other.state, __ATOMIC_ACQUIRE) != STARTING;
}

static bool wait_until(bool (*reached)(void), uint64_t bound_us)
{
    const uint64_t begin = agpu_bare_us();

    while (!reached()) {
        if (agpu_bare_us() - begin > bound_us) {
            return false;
        }
        agpu_pause();
    }
    return true;
}

/* Sends an interrupt to the other processor. */
static void send_command(uint32_t command)
{
    *APIC_TARGET = (uint32_t)other.apic_id << 24;
    *APIC_COMMAND = command;
    wait_until(is_delivered, DELIVERED_US);
}

static EFI_STATUS EFIAPI count_processors(struct agpu_mp_services *This, UINTN *all, UINTN *enabled)
{
    (void)This;
    *all = *enabled = OTHER + 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI describe_processor(struct agpu_mp_services *This, UINTN number,
                                            struct agpu_mp_information *out)
{
    (void)This;
    if (number > OTHER) {
        return EFI_NOT_FOUND;
    }
    *out = (struct agpu_mp_information){.status = number == OTHER ? AGPU_MP_ON : AGPU_MP_ON | AGPU_MP_FIRST};
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start_processor(struct agpu_mp_services *This, VOID(EFIAPI *procedure)(VOID *arg),
                                         UINTN number, EFI_EVENT event, UINTN timeout_us, VOID *arg,
                                         BOOLEAN *finished)
{
    uint64_t tables;

    (void)This, (void)timeout_us, (void)finished;
    if (number != OTHER || event == NULL) {
        return EFI_INVALID_PARAMETER;
    }
    if (!change_state(IDLE, STARTING)) {
        return EFI_NOT_READY;
    }
    other.procedure = procedure;
    other.arg = arg;
    __asm__ volatile("mov %%cr3, %0; sidt %1" : "=r"(tables), "=m"(other.exceptions));
    agpu_bare_other_tables = (uint32_t)tables;
    memcpy((void *)(uintptr_t)other.page, agpu_bare_wake, (size_t)(agpu_bare_wake_end - agpu_bare_wake));
    send_command(COMMAND_INIT);
    agpu_bare_stall(INIT_US);
    send_command(COMMAND_START | (uint32_t)(other.page / AGPU_BARE_PAGE));
    if (!wait_until(is_started, START_UP_US)) {
        send_command(COMMAND_START | (uint32_t)(other.page / AGPU_BARE_PAGE));
    }
    /* The exchange fails if the processor has started after all. */
    if (!wait_until(is_started, COME_UP_US) && change_state(STARTING, IDLE)) {
        agpu_bare_print("the processor with local APIC %u did not start within %u ms after INIT and two "
                        "start-up interrupts to page 0x%jx",
                        other.apic_id, COME_UP_US / 1000, other.page);
        return EFI_TIMEOUT;
    }
    return EFI_SUCCESS;
}

/* Finds a page below 1 MiB that the loader's map lists as memory, and as nothing else. */
static uint64_t find_page(const struct agpu_bare_info *info)
{
    for (unsigned i = 0; i < info->ram_count; i++) {
        const uint64_t begin = info->ram[i].start, end = begin + info->ram[i].bytes;
        const uint64_t page = agpu_bare_find_hole(info->reserved, info->reserved_count, AGPU_BARE_PAGE,
                                                  begin < AGPU_BARE_PAGE ? AGPU_BARE_PAGE : begin,
                                                  end < REAL_MODE_END ? end : REAL_MODE_END);
        if (page != 0) {
            return page;
        }
    }
    return 0;
}

void agpu_bare_processors_open(const struct agpu_bare_info *info)
{
    static const EFI_GUID guid = AGPU_MP_SERVICES_GUID;
    static struct agpu_mp_services services = {
        .count = count_processors, .information = describe_processor, .start = start_processor};
    uint32_t size;
    const uint8_t *madt = agpu_acpi_table("APIC", &size);

    if (madt == NULL || !agpu_acpi_other_processor(madt, size, (uint8_t)(*APIC_ID >> 24), &other.apic_id)) {
        return;
    }
    other.page = find_page(info);
    if (other.page == 0) {
        agpu_bare_print(
            "the loader's memory map has no page below 0x%jx, in which a second processor starts: "
            "it is not used",
            REAL_MODE_END);
        return;
    }
    agpu_bare_add_handle(&guid, &services);
}
