/* guard.c: saves the context of a call and returns to it. The clock is the firmware's timer interrupt: every
 * firmware has one, and other timers belong to the firmware or may be missing. */
#include "efi/guard.h"

#include <stddef.h>
#include <string.h>

#include "efi/apic.h"
#include "efi/backtrace.h"
#include "efi/clock.h"
#include "efi/machine.h"

#define QUIET_MOST_NS (10 * AGPU_NS_PER_S)
#define GRACE_NS      (10 * AGPU_NS_PER_S)
/* Every firmware ticks faster (the PC's slowest tick is 55 ms). A longer gap between two ticks means that the
 * machine was stopped. */
#define TICK_MOST_NS (200 * AGPU_NS_PER_MS)

/* The frames of end_here() and agpu_guard_leave() are left out of the backtrace. */
#define END_HERE_FRAMES 2u

#define RFLAGS_INTERRUPTS 0x200u

/* Registers that a call preserves in the Microsoft convention, in the order of the assembly below. */
struct guard_context {
    uint64_t rbx, rbp, rdi, rsi, r12, r13, r14, r15, rsp;
    uint32_t mxcsr, x87_control;
    _Alignas(16) uint8_t xmm[10][16]; /* 6 to 15 */
};
_Static_assert(offsetof(struct guard_context, rsp) == 64 && offsetof(struct guard_context, mxcsr) == 72 &&
                   offsetof(struct guard_context, x87_control) == 76 &&
                   offsetof(struct guard_context, xmm) == 80,
               "as the code below has it");

/* Calls body(arg) and returns 0; returns 1 when agpu_guard_go_back() was jumped to during the call. */
int agpu_guard_begin(struct guard_context *context, void (*body)(void *arg), void *arg);
void agpu_guard_go_back(const struct guard_context *context) __attribute__((noreturn));
__asm__(".text\n"
        ".balign 16\n"
        ".globl agpu_guard_begin\n"
        "agpu_guard_begin:\n"
        "  movq %rbx, (%rcx)\n  movq %rbp, 8(%rcx)\n  movq %rdi, 16(%rcx)\n  movq %rsi, 24(%rcx)\n"
        "  movq %r12, 32(%rcx)\n  movq %r13, 40(%rcx)\n  movq %r14, 48(%rcx)\n  movq %r15, 56(%rcx)\n"
        "  movq %rsp, 64(%rcx)\n"
        "  stmxcsr 72(%rcx)\n  fnstcw 76(%rcx)\n"
        "  movaps %xmm6, 80(%rcx)\n  movaps %xmm7, 96(%rcx)\n  movaps %xmm8, 112(%rcx)\n"
        "  movaps %xmm9, 128(%rcx)\n  movaps %xmm10, 144(%rcx)\n  movaps %xmm11, 160(%rcx)\n"
        "  movaps %xmm12, 176(%rcx)\n  movaps %xmm13, 192(%rcx)\n  movaps %xmm14, 208(%rcx)\n"
        "  movaps %xmm15, 224(%rcx)\n"
        "  subq $40, %rsp\n"
        "  movq %r8, %rcx\n"
        "  callq *%rdx\n"
        "  addq $40, %rsp\n"
        "  xorl %eax, %eax\n"
        "  retq\n"
        ".balign 16\n"
        ".globl agpu_guard_go_back\n"
        "agpu_guard_go_back:\n"
        "  cld\n"
        "  movq (%rcx), %rbx\n  movq 8(%rcx), %rbp\n  movq 16(%rcx), %rdi\n  movq 24(%rcx), %rsi\n"
        "  movq 32(%rcx), %r12\n  movq 40(%rcx), %r13\n  movq 48(%rcx), %r14\n  movq 56(%rcx), %r15\n"
        "  movq 64(%rcx), %rsp\n"
        "  fninit\n  fldcw 76(%rcx)\n  ldmxcsr 72(%rcx)\n"
        "  movaps 80(%rcx), %xmm6\n  movaps 96(%rcx), %xmm7\n  movaps 112(%rcx), %xmm8\n"
        "  movaps 128(%rcx), %xmm9\n  movaps 144(%rcx), %xmm10\n  movaps 160(%rcx), %xmm11\n"
        "  movaps 176(%rcx), %xmm12\n  movaps 192(%rcx), %xmm13\n  movaps 208(%rcx), %xmm14\n"
        "  movaps 224(%rcx), %xmm15\n"
        "  movl $1, %eax\n"
        "  retq\n");

/* Cause of the end of a call, to be reported when the stack is in order again. */
struct guard_fall {
    enum agpu_guard_end how;
    const char *what;
    struct agpu_trap_frame at;
    uint64_t address;   /* CR2 */
    uint32_t processor; /* its local APIC */
    uint64_t offsets[AGPU_BACKTRACE_MAX];
    unsigned depth;
};

static struct guard_context context;
static struct guard_context handler_context; /* for the call of an interrupt handler */
static struct guard_context task_context;    /* for the call of a task, on another processor */
static uint32_t case_processor;              /* local APIC of the processor that runs the cases */
static struct guard_fall fall;
static struct agpu_stream *evidence;
static volatile bool active;
static volatile bool late;                        /* must end at the next place where that is possible */
static volatile unsigned rooms[AGPU_GUARD_ROOMS]; /* entered by the processor that runs the cases */
static volatile bool held;                        /* one of the image's interrupt handlers is running */
static volatile bool beside;                      /* the other processor is inside a task */
static volatile bool outlived;                    /* the case that started the task has ended */
/* A handler or the other processor faulted: fall describes it, and the call ends. */
static volatile bool handler_fell;
static volatile uint64_t steps;
static uint64_t last_tick_ns;
static uint64_t quiet_ns, quiet_bound_ns; /* counted by the ticks */
static uint64_t spent_ns, spent_bound_ns;

static bool inside_anything(void)
{
    return rooms[AGPU_GUARD_FIRMWARE] + rooms[AGPU_GUARD_SERVICE] != 0 || evidence->sending != 0;
}

static void keep_fall(enum agpu_guard_end how, const char *what, const struct agpu_trap_frame *frame,
                      const struct guard_context *caller)
{
    fall = (struct guard_fall){.how = how, .what = what, .at = *frame, .processor = agpu_apic_id()};
    __asm__ volatile("mov %%cr2, %0" : "=r"(fall.address));
    fall.depth = agpu_backtrace(frame, caller->rsp, fall.offsets, AGPU_BACKTRACE_MAX);
}

/* Makes the frame continue in agpu_guard_go_back(caller), on a stack below which nothing is needed any more. */
static void go_back_to(const struct guard_context *caller, struct agpu_trap_frame *frame)
{
    frame->rip = (uint64_t)(uintptr_t)agpu_guard_go_back;
    frame->r[AGPU_RCX] = (uint64_t)(uintptr_t)caller;
    frame->rsp = (caller->rsp - 128) & ~UINT64_C(15);
}

static void redirect_frame(struct agpu_trap_frame *frame)
{
    go_back_to(&context, frame);
    frame->rflags |= RFLAGS_INTERRUPTS;
    active = false;
    late = false;
}

/* Records the reason: a fault of a handler, or the time limit. */
static void keep_end(const struct agpu_trap_frame *frame)
{
    if (!handler_fell) {
        keep_fall(AGPU_GUARD_LATE, NULL, frame, &context);
    }
}

/* Runs on each interrupt of the firmware, at least every 55 ms. */
static void count_tick(struct agpu_trap_frame *frame)
{
    const uint64_t now = agpu_clock_peek_ns();
    const uint64_t passed = now - last_tick_ns < TICK_MOST_NS ? now - last_tick_ns : TICK_MOST_NS;

    last_tick_ns = now;
    if (!active) {
        return;
    }
    quiet_ns += passed;
    spent_ns += passed;
    late = late || quiet_ns > quiet_bound_ns || spent_ns > spent_bound_ns;
    if (late && !inside_anything() && agpu_image_holds(frame->rip)) {
        keep_end(frame);
        redirect_frame(frame);
    }
}

/* Reads the local APIC, which is slow, only while both processors may be here. */
static bool in_task(void)
{
    return beside && agpu_apic_id() != case_processor;
}

void agpu_guard_enter(enum agpu_guard_room room)
{
    if (in_task()) {
        return;
    }
    rooms[room]++;
    steps += !held;
}

/* Ends the call from agpu_guard_leave(), as if its caller had been interrupted. */
static __attribute__((noinline, noreturn)) void end_here(void)
{
    struct agpu_trap_frame here = {0};

    __asm__ volatile("leaq 0(%%rip), %0\n movq %%rsp, %1\n movq %%rbp, %2\n movq %%rbx, %3\n movq %%rsi, %4\n"
                     "movq %%rdi, %5\n movq %%r12, %6\n movq %%r13, %7\n movq %%r14, %8\n movq %%r15, %9"
                     : "=&r"(here.rip), "=m"(here.rsp), "=m"(here.r[AGPU_RBP]), "=m"(here.r[AGPU_RBX]),
                       "=m"(here.r[AGPU_RSI]), "=m"(here.r[AGPU_RDI]), "=m"(here.r[12]), "=m"(here.r[13]),
                       "=m"(here.r[14]), "=m"(here.r[15]));
    active = false;
    late = false;
    if (!handler_fell) {
        keep_fall(AGPU_GUARD_LATE, NULL, &here, &context);
        for (unsigned i = END_HERE_FRAMES; i < fall.depth; i++) {
            fall.offsets[i - END_HERE_FRAMES] = fall.offsets[i];
        }
        fall.depth -= fall.depth > END_HERE_FRAMES ? END_HERE_FRAMES : 0;
    }
    agpu_guard_go_back(&context);
}

void agpu_guard_leave(enum agpu_guard_room room)
{
    if (in_task()) {
        return;
    }
    rooms[room]--;
    if (late && active && !inside_anything()) {
        end_here();
    }
}

struct guard_handler {
    bool (*call)(void *ctx);
    void *ctx;
    bool result;
};

static void call_handler(void *arg)
{
    struct guard_handler *handler = arg;

    handler->result = handler->call(handler->ctx);
}

bool agpu_guard_handle(bool (*handler)(void *ctx), void *ctx, bool *result)
{
    struct guard_handler call = {.call = handler, .ctx = ctx};
    unsigned before[AGPU_GUARD_ROOMS];
    bool returned;

    memcpy(before, (const void *)rooms, sizeof before);
    held = true;
    rooms[AGPU_GUARD_FIRMWARE]++;
    returned = agpu_guard_begin(&handler_context, call_handler, &call) == 0;
    held = false;
    memcpy((void *)rooms, before, sizeof before); /* a handler that faulted may have entered others */
    *result = call.result;
    return returned;
}

struct guard_task {
    void (*call)(void *arg);
    void *arg;
};

static void call_task(void *arg)
{
    const struct guard_task *task = arg;

    outlived = false;
    beside = true;
    (void)agpu_guard_begin(&task_context, task->call, task->arg);
    beside = false;
}

void agpu_guard_beside(void (*task)(void *arg), void *arg)
{
    struct guard_task both = {task, arg};

    agpu_trap_beside(call_task, &both);
}

void agpu_guard_handled(struct agpu_trap_frame *frame)
{
    if (handler_fell && active && !inside_anything() && agpu_image_holds(frame->rip)) {
        redirect_frame(frame);
    }
}

uint64_t agpu_guard_steps(void)
{
    return steps;
}

void agpu_guard_alive(void)
{
    quiet_ns = 0;
}

/* Lets the call end because of a handler, or of the other processor; part: what that one was inside. */
static void fall_beside(const struct agpu_trap_frame *frame, const char *what,
                        const struct guard_context *part)
{
    keep_fall(AGPU_GUARD_CRASHED, what, frame, part);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* the other processor reads fall afterwards */
    handler_fell = true;                     /* before late: a tick that sees late alone reports a timeout */
    late = true;
}

/* An exception on the other processor ends its task. Outside of a task that processor halts. */
static void take_beside(struct agpu_trap_frame *frame, const char *what)
{
    const struct guard_context here = {.rsp = frame->rsp};

    if (active && !outlived) {
        fall_beside(frame, what, beside ? &task_context : &here);
    }
    while (!beside) {
        __asm__ volatile("cli; hlt");
    }
    go_back_to(&task_context, frame);
}

bool agpu_guard_take(struct agpu_trap_frame *frame, const char *what)
{
    if (agpu_apic_id() != case_processor) {
        take_beside(frame, what);
        return true;
    }
    if (active && held) { /* abandon only the handler; interrupts stay off */
        fall_beside(frame, what, &handler_context);
        go_back_to(&handler_context, frame);
        return true;
    }
    /* A fault in the image's own service may leave the network in an unusable state. */
    if (!active || rooms[AGPU_GUARD_SERVICE] != 0) {
        return false;
    }
    keep_fall(AGPU_GUARD_CRASHED, what, frame, &context);
    if (fall.depth == 0 && rooms[AGPU_GUARD_FIRMWARE] == 0) {
        return false; /* no caller in the image: the firmware faulted, in an interrupt */
    }
    redirect_frame(frame);
    return true;
}

static void describe_fall(struct agpu_text *why)
{
    if (fall.how == AGPU_GUARD_CRASHED) {
        agpu_format(why, "%s%s0x%jx", fall.what, fall.depth != 0 ? " at agpu.efi+" : " at ",
                    fall.depth != 0 ? fall.offsets[0] : fall.at.rip);
        if (fall.at.vector == AGPU_EXCEPTION_PAGE_FAULT) {
            agpu_format(why, ", address 0x%jx", fall.address);
        }
        if (fall.processor != case_processor) {
            agpu_format(why, ", on the processor with local APIC %u", fall.processor);
        }
        agpu_text_string(why, "; the runner ended the case there");
        return;
    }
    agpu_format(why,
                "the case did not return: after %ju s, %ju s of them without a wait, the runner ended it at "
                "agpu.efi+0x%jx",
                spent_ns / AGPU_NS_PER_S, quiet_ns / AGPU_NS_PER_S, fall.offsets[0]);
}

static void send_fall(void)
{
    static const char *const names[16] = {"rax", "rcx", "rdx", "rbx", "",    "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    struct agpu_record record;
    char stack[AGPU_BACKTRACE_MAX * 12];
    struct agpu_text text;

    agpu_record_begin(&record, AGPU_RECORD_LOG, evidence->running);
    record.level = AGPU_LOG_ERROR;
    agpu_record_string(&record, AGPU_KEY(LOG, level), "error");
    agpu_format_line(stack, sizeof stack, "%s%s",
                     fall.how == AGPU_GUARD_CRASHED ? "ended by an exception: " : "ended by its timeout",
                     fall.how == AGPU_GUARD_CRASHED ? fall.what : "");
    agpu_record_string(&record, AGPU_KEY(LOG, text), stack);
    agpu_text_begin(&text, stack, sizeof stack);
    for (unsigned i = 0; i < fall.depth; i++) {
        agpu_format(&text, "%s0x%jx", i != 0 ? " " : "", fall.offsets[i]);
    }
    agpu_record_string(&record, AGPU_KEY(LOG, stack), stack);
    agpu_record_hex(&record, AGPU_KEY(LOG, base), agpu_image_base());
    agpu_record_hex(&record, AGPU_KEY(LOG, rip), fall.at.rip);
    if (fall.how == AGPU_GUARD_CRASHED) {
        agpu_record_u64(&record, AGPU_KEY(LOG, vector), fall.at.vector);
        agpu_record_hex(&record, AGPU_KEY(LOG, error), fall.at.error);
        agpu_record_hex(&record, AGPU_KEY(LOG, address), fall.address);
    }
    agpu_record_hex(&record, AGPU_KEY(LOG, rsp), fall.at.rsp);
    agpu_record_hex(&record, AGPU_KEY(LOG, rflags), fall.at.rflags);
    for (unsigned i = 0; i < 16; i++) {
        if (i != AGPU_RSP) {
            agpu_record_hex(&record, names[i], fall.at.r[i]);
        }
    }
    agpu_stream_send(evidence, &record);
}

enum agpu_guard_end agpu_guard_call(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                    struct agpu_text *why)
{
    const EFI_TPL priority = agpu_boot->RaiseTPL(TPL_HIGH_LEVEL);

    (void)ctx;
    agpu_boot->RestoreTPL(priority);
    quiet_ns = spent_ns = 0;
    quiet_bound_ns = bound_ns < QUIET_MOST_NS ? bound_ns : QUIET_MOST_NS;
    spent_bound_ns = bound_ns + GRACE_NS;
    late = handler_fell = false;
    memset((void *)rooms, 0, sizeof rooms);
    last_tick_ns = agpu_clock_peek_ns();
    active = true;
    const bool returned = agpu_guard_begin(&context, body, arg) == 0;
    outlived = true;
    if (returned) {
        active = false;
        return AGPU_GUARD_RETURNED;
    }
    /* The firmware may have held one of its locks: restore its priority level. */
    agpu_boot->RaiseTPL(TPL_HIGH_LEVEL);
    agpu_boot->RestoreTPL(priority);
    memset((void *)rooms, 0, sizeof rooms);
    held = handler_fell = false;
    agpu_stream_abandon(evidence);
    describe_fall(why);
    send_fall();
    return fall.how;
}

void agpu_guard_open(struct agpu_stream *stream)
{
    evidence = stream;
    case_processor = agpu_apic_id();
    agpu_trap_set_tick(count_tick);
}

void agpu_guard_close(void)
{
    agpu_trap_set_tick(NULL);
}
