/* crash.c: the exceptions that mean a bug. */
#include "efi/crash.h"

#include <stddef.h>

#include "efi/backtrace.h"
#include "efi/guard.h"
#include "efi/trap.h"

/* Readable stack above rsp when its size is unknown: one page of UEFI's 128 KiB. */
#define STACK_BYTES 4096u

static const struct {
    unsigned vector;
    const char *name;
} exceptions[] = {
    {0, "divide error"},         {3, "breakpoint"},       {6, "invalid opcode"},      {8, "double fault"},
    {11, "segment not present"}, {12, "stack fault"},     {13, "general protection"}, {14, "page fault"},
    {16, "x87 error"},           {17, "alignment check"}, {18, "machine check"},      {19, "SIMD error"},
};
#define EXCEPTION_COUNT (sizeof(exceptions) / sizeof(exceptions[0]))

static struct agpu_stream *records;
static const char *(*running_case)(void);
static void (*leave)(void);
static unsigned depth;

static const char *name_of(uint64_t vector)
{
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        if (exceptions[i].vector == vector) {
            return exceptions[i].name;
        }
    }
    return "unknown";
}

static void add_callers(struct agpu_record *record, const struct agpu_trap_frame *frame)
{
    uint64_t offsets[AGPU_BACKTRACE_MAX];
    const unsigned count = agpu_backtrace(frame, frame->rsp + STACK_BYTES, offsets, AGPU_BACKTRACE_MAX);
    char buffer[AGPU_BACKTRACE_MAX * 12];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    for (unsigned i = 0; i < count; i++) {
        agpu_format(&text, "%s0x%jx", i != 0 ? " " : "", offsets[i]);
    }
    agpu_record_string(record, AGPU_KEY(LOG, stack), buffer);
}

/* Sends the last record: no case is running, or the guard cannot end it. */
static void report_and_leave(const struct agpu_trap_frame *frame)
{
    static struct agpu_record record; /* not on the stack, which may be broken */
    uint64_t address;
    char buffer[64];

    agpu_record_begin(&record, AGPU_RECORD_LOG, running_case());
    record.level = AGPU_LOG_ERROR;
    agpu_record_string(&record, AGPU_KEY(LOG, level), "error");
    agpu_format_line(buffer, sizeof buffer, "exception: %s", name_of(frame->vector));
    agpu_record_string(&record, AGPU_KEY(LOG, text), buffer);
    agpu_record_u64(&record, AGPU_KEY(LOG, vector), frame->vector);
    agpu_record_hex(&record, AGPU_KEY(LOG, rip), frame->rip);
    agpu_record_hex(&record, AGPU_KEY(LOG, offset), frame->rip - agpu_image_base());
    agpu_record_hex(&record, AGPU_KEY(LOG, base), agpu_image_base());
    __asm__ volatile("mov %%cr2, %0" : "=r"(address));
    agpu_record_hex(&record, AGPU_KEY(LOG, address), address);
    agpu_record_hex(&record, AGPU_KEY(LOG, error), frame->error);
    agpu_record_hex(&record, AGPU_KEY(LOG, rsp), frame->rsp);
    add_callers(&record, frame);
    agpu_stream_send(records, &record);
    leave();
}

static bool on_exception(struct agpu_trap_frame *frame)
{
    if (depth == 0 && agpu_guard_take(frame, name_of(frame->vector))) {
        return true;
    }
    if (depth++) { /* the report itself faulted: halt */
        for (;;) {
            __asm__ volatile("cli; hlt");
        }
    }
    report_and_leave(frame);
    return true;
}

void agpu_crash_hook(struct agpu_stream *stream, const char *(*running)(void), void (*at_crash)(void))
{
    records = stream;
    running_case = running;
    leave = at_crash;
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        agpu_trap_set(exceptions[i].vector, on_exception);
    }
}

void agpu_crash_unhook(void)
{
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        agpu_trap_set(exceptions[i].vector, NULL);
    }
}
