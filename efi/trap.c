/* trap.c: 256 entry stubs that save the registers, call the handler, and then return, or jump to the
 * firmware's entry of the same vector as if it had been called directly. An error code that the processor
 * pushed is kept. */
#include "efi/trap.h"

#include <stddef.h>
#include <string.h>

/* One gate of the table. */
struct trap_gate {
    uint16_t offset_low, selector;
    uint8_t stack, attributes;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct trap_gate) == 16, "as the processor has it");
#define GATE_PRESENT   0x80u
#define GATE_INTERRUPT 0x8Eu /* present, ring 0, interrupts off */

#pragma pack(push, 1)
struct trap_table_pointer {
    uint16_t limit;
    uint64_t base;
};
#pragma pack(pop)

/* Action of the stub after the handler. */
enum trap_next {
    TRAP_RETURN,
    TRAP_GO_ON,            /* jump to the address in the slot of the dummy error code */
    TRAP_GO_ON_WITH_ERROR, /* jump to the address in the slot of the vector */
};

/* Exceptions with an error code. */
#define WITH_ERROR 0x60227D00u

/* Each stub is 16 bytes and pushes its vector. The stack holds struct agpu_trap_frame from the top down: 15
 * general registers and rsp, then 512 bytes for SSE state that the handler may change, and the callee's 32
 * bytes. */
extern const uint8_t agpu_trap_stubs[];
__asm__(".text\n"
        ".balign 16\n"
        ".globl agpu_trap_stubs\n"
        "agpu_trap_stubs:\n"
        ".set agpu_vector, 0\n"
        ".rept 256\n"
        "  .balign 16\n"
        "  .if agpu_vector < 32 && ((0x60227D00 >> agpu_vector) & 1)\n"
        "  .else\n"
        "  pushq $0\n"
        "  .endif\n"
        "  pushq $agpu_vector\n"
        "  jmp agpu_trap_common\n"
        "  .set agpu_vector, agpu_vector + 1\n"
        ".endr\n"
        ".balign 16\n"
        "agpu_trap_common:\n"
        "  pushq %r15\n  pushq %r14\n  pushq %r13\n  pushq %r12\n"
        "  pushq %r11\n  pushq %r10\n  pushq %r9\n  pushq %r8\n"
        "  pushq %rdi\n  pushq %rsi\n  pushq %rbp\n  pushq %rsp\n"
        "  pushq %rbx\n  pushq %rdx\n  pushq %rcx\n  pushq %rax\n"
        "  cld\n"
        "  movq %rsp, %rcx\n"
        "  movq %rsp, %rbx\n"
        "  subq $544, %rsp\n"
        "  andq $-16, %rsp\n"
        "  fxsave64 32(%rsp)\n"
        "  call agpu_trap_dispatch\n"
        "  fxrstor64 32(%rsp)\n"
        "  movq %rbx, %rsp\n"
        "  cmpl $1, %eax\n" /* the flags survive the pops */
        "  popq %rax\n  popq %rcx\n  popq %rdx\n  popq %rbx\n"
        "  leaq 8(%rsp), %rsp\n  popq %rbp\n  popq %rsi\n  popq %rdi\n"
        "  popq %r8\n  popq %r9\n  popq %r10\n  popq %r11\n"
        "  popq %r12\n  popq %r13\n  popq %r14\n  popq %r15\n"
        "  je 1f\n"
        "  ja 2f\n"
        "  leaq 16(%rsp), %rsp\n"
        "  iretq\n"
        "1:\n"
        "  leaq 8(%rsp), %rsp\n"
        "2:\n"
        "  retq\n");
#define STUB_BYTES 16u

unsigned agpu_trap_dispatch(struct agpu_trap_frame *frame);

static _Alignas(16) struct trap_gate gates[AGPU_TRAP_VECTORS];
static uint64_t firmware[AGPU_TRAP_VECTORS]; /* entries of its table, 0: none */
static struct trap_table_pointer firmware_table;
static agpu_trap_handler handlers[AGPU_TRAP_VECTORS];
static void (*on_tick)(struct agpu_trap_frame *frame);
static bool opened;

__attribute__((used)) unsigned agpu_trap_dispatch(struct agpu_trap_frame *frame)
{
    const unsigned vector = (unsigned)frame->vector;
    const bool with_error = vector < 32 && (WITH_ERROR >> vector & 1) != 0;

    if (handlers[vector] != NULL) {
        if (handlers[vector](frame)) {
            return TRAP_RETURN;
        }
    } else if (vector >= AGPU_TRAP_FIRST_INTERRUPT && on_tick != NULL) {
        on_tick(frame);
    }
    if (firmware[vector] == 0) {
        return TRAP_RETURN;
    }
    if (with_error) {
        frame->vector = firmware[vector];
        return TRAP_GO_ON_WITH_ERROR;
    }
    frame->error = firmware[vector];
    return TRAP_GO_ON;
}

static uint64_t gate_target(const struct trap_gate *gate)
{
    return (gate->attributes & GATE_PRESENT) != 0
               ? (uint64_t)gate->offset_high << 32 | (uint64_t)gate->offset_middle << 16 | gate->offset_low
               : 0;
}

static void aim_gate(struct trap_gate *gate, uint64_t target)
{
    gate->offset_low = (uint16_t)target;
    gate->offset_middle = (uint16_t)(target >> 16);
    gate->offset_high = (uint32_t)(target >> 32);
}

static void load_table(const struct trap_table_pointer *table)
{
    __asm__ volatile("lidt %0" : : "m"(*table) : "memory");
}

static void load_ours(void)
{
    const struct trap_table_pointer ours = {sizeof gates - 1, (uint64_t)(uintptr_t)gates};

    load_table(&ours);
}

void agpu_trap_open(void)
{
    const struct trap_gate *theirs;
    uint16_t selector;
    size_t count;

    if (opened) {
        return;
    }
    __asm__ volatile("sidt %0" : "=m"(firmware_table));
    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    theirs = (const struct trap_gate *)(uintptr_t)firmware_table.base;
    count = (firmware_table.limit + 1u) / sizeof *theirs;
    for (unsigned i = 0; i < AGPU_TRAP_VECTORS; i++) {
        gates[i] = (struct trap_gate){.selector = selector, .attributes = GATE_INTERRUPT};
        firmware[i] = i < count ? gate_target(&theirs[i]) : 0;
        if (firmware[i] != 0) { /* keep its selector and stack */
            gates[i] = theirs[i];
        }
        aim_gate(&gates[i], (uint64_t)(uintptr_t)agpu_trap_stubs + i * STUB_BYTES);
    }
    load_ours();
    opened = true;
}

void agpu_trap_beside(void (*body)(void *arg), void *arg)
{
    struct trap_table_pointer theirs;

    __asm__ volatile("sidt %0" : "=m"(theirs));
    load_ours();
    body(arg);
    load_table(&theirs);
}

void agpu_trap_close(void)
{
    if (opened) {
        load_table(&firmware_table);
    }
    opened = false;
}

void agpu_trap_set(unsigned vector, agpu_trap_handler handler)
{
    handlers[vector] = handler;
}

void agpu_trap_set_tick(void (*tick)(struct agpu_trap_frame *frame))
{
    on_tick = tick;
}
