/* crash.c: EFI_CPU_ARCH_PROTOCOL.RegisterInterruptHandler (Platform Initialization specification, volume
 * 2, 12.3). */
#include "efi/crash.h"

#include "efi/machine.h"

#include <efidebug.h>

#define STACK_WORDS 512
#define CALLERS_MAX 16

typedef VOID(EFIAPI *interrupt_handler)(EFI_EXCEPTION_TYPE type, EFI_SYSTEM_CONTEXT context);

/* The protocol's functions before and at the one that is used. */
struct cpu_arch {
    void *FlushDataCache, *EnableInterrupt, *DisableInterrupt, *GetInterruptState, *Init;
    EFI_STATUS(EFIAPI *RegisterInterruptHandler)
    (struct cpu_arch *This, EFI_EXCEPTION_TYPE type, interrupt_handler handler);
};

static const struct {
    EFI_EXCEPTION_TYPE vector;
    const char *name;
} exceptions[] = {
    {EXCEPT_X64_DIVIDE_ERROR, "divide error"},
    {EXCEPT_X64_BREAKPOINT, "breakpoint"},
    {EXCEPT_X64_INVALID_OPCODE, "invalid opcode"},
    {EXCEPT_X64_SEG_NOT_PRESENT, "segment not present"},
    {EXCEPT_X64_STACK_FAULT, "stack fault"},
    {EXCEPT_X64_GP_FAULT, "general protection"},
    {EXCEPT_X64_PAGE_FAULT, "page fault"},
    {EXCEPT_X64_FP_ERROR, "x87 error"},
    {EXCEPT_X64_ALIGNMENT_CHECK, "alignment check"},
    {EXCEPT_X64_MACHINE_CHECK, "machine check"},
    {EXCEPT_X64_SIMD, "SIMD error"},
};
#define EXCEPTION_COUNT (sizeof(exceptions) / sizeof(exceptions[0]))

static struct cpu_arch *cpu;
static bool hooked[EXCEPTION_COUNT];
static struct agpu_stream *records;
static const char *(*running_case)(void);
static void (*leave)(void);
static unsigned depth;

uint64_t agpu_crash_image_base(void)
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);

    return loaded != NULL ? (uint64_t)(uintptr_t)loaded->ImageBase : 0;
}

static const char *name_of(EFI_EXCEPTION_TYPE vector)
{
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        if (exceptions[i].vector == vector) {
            return exceptions[i].name;
        }
    }
    return "unknown";
}

/* Words on the stack that point into the image, nearest first: the callers, among them some that have
 * returned. After a jump into nowhere they are all that says where it came from. */
static void add_callers(struct agpu_record *record, uint64_t rsp, uint64_t base)
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);
    const uint64_t *stack = (const uint64_t *)(uintptr_t)(rsp & ~UINT64_C(7));
    char buffer[CALLERS_MAX * 12];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    for (unsigned i = 0, found = 0; loaded != NULL && i < STACK_WORDS && found < CALLERS_MAX; i++) {
        if (stack[i] - base >= loaded->ImageSize) {
            continue;
        }
        if (found++) {
            agpu_text_char(&text, ' ');
        }
        agpu_text_hex(&text, stack[i] - base);
    }
    agpu_record_string(record, "stack", buffer);
}

static VOID EFIAPI on_exception(EFI_EXCEPTION_TYPE vector, EFI_SYSTEM_CONTEXT context)
{
    static struct agpu_record record; /* the stack may be what is wrong */
    const EFI_SYSTEM_CONTEXT_X64 *at = context.SystemContextX64;
    uint64_t base = agpu_crash_image_base();

    if (depth++) { /* the report itself faulted: stop here, quietly */
        for (;;) {
            __asm__ volatile("cli; hlt");
        }
    }
    agpu_record_begin(&record, AGPU_RECORD_LOG, running_case());
    record.level = AGPU_LOG_ERROR;
    agpu_record_string(&record, "level", "error");
    char buffer[64];
    struct agpu_text text;
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "exception: ");
    agpu_text_string(&text, name_of(vector));
    agpu_record_string(&record, "text", buffer);
    agpu_record_u64(&record, "vector", (uint64_t)vector);
    agpu_record_hex(&record, "rip", at->Rip);
    agpu_record_hex(&record, "offset", at->Rip - base); /* for llvm-symbolizer --relative-address */
    agpu_record_hex(&record, "base", base);
    agpu_record_hex(&record, "address", at->Cr2);
    agpu_record_hex(&record, "error", at->ExceptionData);
    agpu_record_hex(&record, "rsp", at->Rsp);
    add_callers(&record, at->Rsp, base);
    agpu_stream_send(records, &record);
    leave();
}

void agpu_crash_hook(struct agpu_stream *stream, const char *(*running)(void), void (*at_crash)(void))
{
    void *found = NULL;

    records = stream;
    running_case = running;
    leave = at_crash;
    if (EFI_ERROR(agpu_boot->LocateProtocol(&agpu_guid_cpu_arch, NULL, &found))) {
        return;
    }
    cpu = found;
    /* A vector that a debugger of the firmware's has already is refused, and stays the debugger's. */
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        hooked[i] = !EFI_ERROR(cpu->RegisterInterruptHandler(cpu, exceptions[i].vector, on_exception));
    }
}

void agpu_crash_unhook(void)
{
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        if (hooked[i]) {
            cpu->RegisterInterruptHandler(cpu, exceptions[i].vector, NULL);
        }
        hooked[i] = false;
    }
}
