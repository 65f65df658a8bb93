/* traps.c: segments, the task segment with the stacks of exceptions, the interrupt descriptor table that agpu.efi puts
 * its own in front of, and the local APIC's timer (Intel SDM volume 3, 7 and 11). */
#include "efi/bare/traps.h"

#include "efi/bare/console.h"
#include "efi/machine.h"

#define CODE_SELECTOR 0x10u
#define TASK_SELECTOR 0x20u /* of the first processor, in entries of 16 bytes */
#define TASK_PRESENT  UINT64_C(0x0000890000000000)
#define GATE_PRESENT  0x8Eu
#define STACK_BYTES   16384u

#define VECTOR_NMI          2u
#define VECTOR_DOUBLE_FAULT 8u
#define VECTOR_STACK        12u
#define VECTOR_PROTECTION   13u
#define VECTOR_PAGE_FAULT   14u
#define VECTOR_MACHINE      18u
#define VECTOR_TICK         0x40u
#define VECTOR_SPURIOUS     0xFFu

#define MSR_APIC_BASE     0x1Bu
#define APIC_BASE         0xFEE00000u
#define APIC_BASE_ENABLED 0x800u
#define APIC_PRIORITY     0x80u
#define APIC_SPURIOUS     0xF0u
#define APIC_ON           0x100u
#define APIC_TIMER        0x320u
#define APIC_LINT0        0x350u
#define APIC_MASKED       0x10000u
#define APIC_PERIODIC     0x20000u
#define APIC_COUNT        0x380u
#define APIC_DIVIDE       0x3E0u
#define DIVIDE_BY_16      3u
#define TICK_MS           10u

#define PIC_MASTER_DATA 0x21
#define PIC_SLAVE_DATA  0xA1

struct gate {
    uint16_t offset_low, selector;
    uint8_t stack, attributes;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};

#pragma pack(push, 1)
struct task_segment {
    uint32_t reserved0;
    uint64_t rsp[3], reserved1, stacks[7], reserved2;
    uint16_t reserved3, io_map;
};
struct gate_table {
    uint16_t limit;
    uint64_t base;
};
#pragma pack(pop)

struct exception_frame {
    uint64_t vector, error, rip, cs, rflags, rsp;
};

extern uint64_t agpu_bare_gdt[];
extern const struct gate_table agpu_bare_gdt_pointer;
extern const uint8_t agpu_bare_exceptions[];
void agpu_bare_tick(void);
void agpu_bare_spurious(void);
void agpu_bare_report_exception(const struct exception_frame *frame);

static _Alignas(16) struct gate gates[256];
static struct task_segment tasks[AGPU_BARE_PROCESSORS];
/* For the NMI, and for the exceptions that a broken stack causes. */
static _Alignas(16) uint8_t nmi_stacks[AGPU_BARE_PROCESSORS][STACK_BYTES],
    fault_stacks[AGPU_BARE_PROCESSORS][STACK_BYTES];

static void set_gate(unsigned vector, uintptr_t target, uint8_t stack)
{
    gates[vector] = (struct gate){.offset_low = (uint16_t)target,
                                  .selector = CODE_SELECTOR,
                                  .stack = stack,
                                  .attributes = GATE_PRESENT,
                                  .offset_middle = (uint16_t)(target >> 16),
                                  .offset_high = (uint32_t)((uint64_t)target >> 32)};
}

/* Exceptions before agpu.efi has its own table, after it has closed it, and the NMI. */
void agpu_bare_report_exception(const struct exception_frame *frame)
{
    uint32_t leaf = 1, processor;
    uint64_t address;

    __asm__ volatile("mov %%cr2, %0" : "=r"(address));
    __asm__ volatile("cpuid" : "+a"(leaf), "=b"(processor) : : "ecx", "edx");
    agpu_bare_stop("exception %u at 0x%jx, error 0x%jx, address 0x%jx, stack 0x%jx; the processor with local "
                   "APIC %u is stopped",
                   (unsigned)frame->vector, frame->rip, frame->error, address, frame->rsp, processor >> 24);
}

void agpu_bare_traps_open(void)
{
    static const uint8_t stacks[32] = {
        [VECTOR_NMI] = 1,        [VECTOR_DOUBLE_FAULT] = 2, [VECTOR_STACK] = 2,
        [VECTOR_PROTECTION] = 2, [VECTOR_PAGE_FAULT] = 2,   [VECTOR_MACHINE] = 2};

    for (unsigned i = 0; i < 32; i++) {
        set_gate(i, (uintptr_t)agpu_bare_exceptions + 16 * i, stacks[i]);
    }
    set_gate(VECTOR_TICK, (uintptr_t)agpu_bare_tick, 0);
    set_gate(VECTOR_SPURIOUS, (uintptr_t)agpu_bare_spurious, 0);
    agpu_bare_traps_load(0);
}

void agpu_bare_traps_load(unsigned processor)
{
    const struct gate_table table = {sizeof gates - 1, (uintptr_t)gates};
    struct task_segment *task = &tasks[processor];
    const uint64_t base = (uintptr_t)task;
    uint64_t *descriptor = &agpu_bare_gdt[TASK_SELECTOR / 8 + 2 * processor];

    task->stacks[0] = (uintptr_t)(nmi_stacks[processor] + STACK_BYTES);
    task->stacks[1] = (uintptr_t)(fault_stacks[processor] + STACK_BYTES);
    task->io_map = sizeof *task;
    /* Not busy: ltr sets that, and faults if an earlier start of this processor has. */
    descriptor[0] = TASK_PRESENT | (sizeof *task - 1) | (base & 0xFFFFFF) << 16 | (base >> 24 & 0xFF) << 56;
    descriptor[1] = base >> 32;
    __asm__ volatile("ltr %w0; lidt %1" : : "r"(TASK_SELECTOR + 16 * processor), "m"(table) : "memory");
}

static void write_apic(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)(APIC_BASE + offset) = value;
}

static void write_apic_base(uint32_t low)
{
    __asm__ volatile("wrmsr" : : "c"(MSR_APIC_BASE), "a"(low), "d"(0) : "memory");
}

void agpu_bare_apic_open(void)
{
    agpu_out8(PIC_MASTER_DATA, 0xFF);
    agpu_out8(PIC_SLAVE_DATA, 0xFF);
    write_apic_base(APIC_BASE); /* off, which also ends a loader's x2APIC mode */
    write_apic_base(APIC_BASE | APIC_BASE_ENABLED);
    write_apic(APIC_PRIORITY, 0);
    write_apic(APIC_SPURIOUS, APIC_ON | VECTOR_SPURIOUS);
    write_apic(APIC_LINT0, APIC_MASKED);
    write_apic(APIC_DIVIDE, DIVIDE_BY_16);
    write_apic(APIC_TIMER, APIC_MASKED | VECTOR_TICK);
    write_apic(APIC_COUNT, UINT32_MAX); /* time.c measures it */
}

void agpu_bare_timer_open(uint32_t counts)
{
    write_apic(APIC_TIMER, APIC_PERIODIC | VECTOR_TICK);
    write_apic(APIC_COUNT, counts * TICK_MS);
    __asm__ volatile("sti");
}
