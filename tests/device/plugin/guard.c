/* guard.c: fatal signals and calls that do not return. */
#include "tests/device/plugin/guard.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/device/plugin/port.h"
#include "tests/device/plugin/printable.h"

#define TICK_NS       250000000
#define TICKS_A_S     4u
#define STACK_BYTES   65536u
#define SPEAKER_TICKS 1000u /* of 10 ms */

static const struct {
    int number;
    const char *name;
} fatal[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGSYS, "SIGSYS"},
};

static unsigned allowed_ticks;
static pid_t owner;   /* thread that calls the device */
static pid_t process; /* process of the owner; 0: no guard */
static bool (*mender)(const void *address);

/* Named registers, read while the device works. Plug-ins have some dozens. */
#define NAMES_MAX     1024u
#define NAMED_BYTES   65536u /* of each BAR, from its start */
#define NAME_MAX_SIZE 32u

#define DEVICES_MAX 8u
#define SAID_BYTES  800u
#define FRAMES_MAX  32

/* One block, so that the warden can read it in another process. */
struct known {
    char device_name[72]; /* name of a device that is not watched */
    size_t device_count;
    struct watched {
        uintptr_t port;
        char name[72];
    } devices[DEVICES_MAX];
    char place[200]; /* "": not set */
    atomic_int
        said_by; /* thread that writes, or has written, the reason for the end of the process; 0: none */
    bool kept;   /* it is written to said, not to standard error */
    bool
        driven; /* the driver runs in this process, on the model: a crash outside a call is not of the device */
    char said[SAID_BYTES];
    size_t name_count;
    struct register_name {
        uintptr_t port;
        uint32_t bar;
        uint32_t offset;
        char name[NAME_MAX_SIZE];
    } names[NAMES_MAX];
    struct vgpu_port_call call;
};

static struct known own = {.device_name = "?"};
static struct known *known = &own;

bool vgpu_guard_share(void)
{
    static struct known *shared;

    if (shared == NULL) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    if (shared == MAP_FAILED) {
        return false;
    }
    memcpy(shared, &own, sizeof *shared);
    known = shared;
    vgpu_port_share_call(&known->call);
    return true;
}

const char *vgpu_guard_keep(void)
{
    own.kept = true;
    return vgpu_guard_share() ? known->said : NULL;
}

static const char *name_of(const struct vgpu_port_call *call)
{
    for (size_t i = 0; i < known->name_count; i++) {
        if (known->names[i].port == call->port && known->names[i].bar == call->bar &&
            known->names[i].offset == (call->offset & ~UINT64_C(3))) {
            return known->names[i].name;
        }
    }
    return NULL;
}

static const char *device_of(const struct vgpu_port_call *call)
{
    for (size_t i = 0; i < known->device_count; i++) {
        if (known->devices[i].port == call->port) {
            return known->devices[i].name;
        }
    }
    return known->device_name;
}

static void keep_name(const struct vgpu_port *port, uint32_t bar, uint32_t offset, const char *name)
{
    struct register_name *kept = &known->names[known->name_count++];

    kept->port = (uintptr_t)port;
    kept->bar = bar;
    kept->offset = offset;
    for (size_t i = 0; i < NAME_MAX_SIZE - 1 && name[i] != '\0'; i++) {
        kept->name[i] = name[i] == ' ' ? '?' : vgpu_printable(name[i]);
        kept->name[i + 1] = '\0';
    }
}

/* Text without allocation or locks: a signal handler writes it. */
struct text {
    size_t length;
    char bytes[SAID_BYTES];
};

static void put(struct text *text, const char *string)
{
    while (*string != '\0' && text->length < sizeof text->bytes - 1) {
        text->bytes[text->length++] = *string++;
    }
}

static void put_hex(struct text *text, uint64_t value)
{
    char digits[19] = "0x";
    unsigned count = 1;

    while (count < 16 && value >> count * 4 != 0) {
        count++;
    }
    for (unsigned i = 0; i < count; i++) {
        digits[2 + i] = "0123456789abcdef"[value >> (count - 1 - i) * 4 & 0xF];
    }
    digits[2 + count] = '\0';
    put(text, digits);
}

static void put_access(struct text *text, const struct vgpu_port_call *call)
{
    put(text, call->what);
    if (call->size != 0) {
        const char bar[] = {'B', 'A', 'R', (char)('0' + call->bar % 10), '\0'};

        put(text, strncmp(call->what, "config", 6) == 0 ? " at " : " ");
        put(text, strncmp(call->what, "config", 6) == 0 ? "" : bar);
        put(text, strncmp(call->what, "config", 6) == 0 ? "" : " + ");
        put_hex(text, call->offset);
        if (strncmp(call->what, "bar", 3) == 0 && name_of(call) != NULL) {
            put(text, " (");
            put(text, name_of(call));
            put(text, ")");
        }
        put(text, ", size ");
        put_hex(text, call->size);
        if (strstr(call->what, "write") != NULL) {
            put(text, ", value ");
            put_hex(text, call->value);
        }
    }
    put(text, " (call number ");
    put_hex(text, call->number);
    put(text, ")");
}

static void put_call(struct text *text)
{
    const struct vgpu_port_call *call = vgpu_port_last_call();

    put(text, call->inside ? " in " : "; not inside a call, the last was ");
    put_access(text, call);
    if (known->place[0] != '\0') {
        put(text, ", ");
        put(text, known->place);
    }
}

static void write_all(const struct text *text)
{
    size_t done = 0;

    while (done < text->length) {
        const ssize_t now = write(STDERR_FILENO, text->bytes + done, text->length - done);

        if (now <= 0) {
            return;
        }
        done += (size_t)now;
    }
}

/* Waits, for a limited time, while another thread of this process writes the reason for its end and then ends
 * it. Returning earlier would end the process before the line is written. */
static void wait_for_end(pid_t speaker)
{
    const struct timespec tick = {.tv_nsec = 10000000};

    for (unsigned i = 0; i < SPEAKER_TICKS && syscall(SYS_tgkill, getpid(), speaker, 0) == 0; i++) {
        nanosleep(&tick, NULL);
    }
}

/* The parent asks when this process has ended, and does not know by which thread. */
static bool is_of_driver(void)
{
    return known->driven && !vgpu_port_last_call()->inside && (getpid() != process || gettid() == owner);
}

void vgpu_guard_say(const char *how)
{
    struct text text = {0};
    int speaker = 0;

    if (!atomic_compare_exchange_strong(&known->said_by, &speaker, gettid())) {
        if (speaker != gettid()) {
            wait_for_end(speaker);
        }
        return;
    }
    put(&text, "device ");
    put(&text, device_of(vgpu_port_last_call()));
    put(&text, is_of_driver() ? ": the driver or a case" : "");
    put(&text, how);
    put_call(&text);
    if (known->kept) {
        memcpy(known->said, text.bytes, text.length); /* a child that ends now has a parent that writes it */
        return;
    }
    put(&text, "\n");
    write_all(&text);
}

/* A fault address this close to the stack pointer is taken for a stack overflow. Pages next to the end of a
 * stack are never mapped. Frames may be large, and are cleared from either end. */
#define STACK_NEAR UINT64_C(65536)

static bool is_stack_overflow(const siginfo_t *info, const ucontext_t *context)
{
#if defined(__x86_64__)
    const uint64_t stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    const uint64_t stack = context->uc_mcontext.sp;
#else
    const uint64_t stack = 0; /* unknown on this architecture */
#endif
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;

    (void)context;
    return stack != 0 && (address < stack ? stack - address : address - stack) <= STACK_NEAR;
}

extern const char __executable_start[], etext[]; /* by the linker */

static bool is_in_tool(const char *code)
{
    return code >= __executable_start && code < etext;
}

/* Writes the offsets of the frames that are in the tool itself. The handler's own come first, and after them one of
 * the C library. */
static void write_stack(void)
{
    void *frames[FRAMES_MAX];
    const int count = backtrace(frames, FRAMES_MAX);
    int crashed = 0;
    struct text text = {0};

    while (crashed < count && is_in_tool(frames[crashed])) {
        crashed++;
    }
    put(&text, VGPU_GUARD_STACK);
    for (int i = ++crashed; i < count; i++) {
        if (is_in_tool(frames[i])) {
            put(&text, " ");
            /* The others are return addresses: the call is before them. */
            put_hex(&text, (uint64_t)((const char *)frames[i] - __executable_start - (i != crashed)));
        }
    }
    put(&text, "\n");
    write_all(&text);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    struct text text = {0};

    if (number == SIGBUS && mender != NULL && mender(info->si_addr)) {
        return;
    }
    put(&text, " crashed: ");
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        put(&text, fatal[i].number == number ? fatal[i].name : "");
    }
    if (number == SIGSEGV || number == SIGBUS) {
        put(&text, " at address ");
        put_hex(&text, (uint64_t)(uintptr_t)info->si_addr);
    }
    if (number == SIGSEGV && is_stack_overflow(info, context)) {
        put(&text, " (its stack ends there: it calls itself without end, or has too large local variables)");
    }
    if (gettid() != owner) {
        put(&text, " on a thread of its own, meanwhile");
    }
    const bool first = is_of_driver() && known->said_by == 0;
    vgpu_guard_say(text.bytes); /* a hang has been reported already */
    if (first) {
        write_stack(); /* last: a damaged stack may end the process here */
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Counts rounds instead of reading a clock: time in which a debugger stops the process does not count. */
static void *watch_for_hang(void *unused)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    const struct vgpu_port_call *call = vgpu_port_last_call();
    uint64_t number = 0;
    unsigned ticks = 0;

    (void)unused;
    for (;;) {
        nanosleep(&tick, NULL);
        if (!call->inside || call->number != number) {
            number = call->number;
            ticks = 0;
        } else if (++ticks > allowed_ticks) {
            vgpu_guard_say(VGPU_GUARD_HANG_WORDS);
            abort();
        }
    }
    return NULL;
}

static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    bool started;

    /* This thread blocks all signals of the process except SIGABRT for its own abort(): when SIGABRT is
     * blocked, a C library may end the process without the handler. */
    sigfillset(&all);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    started = pthread_create(&thread, &attributes, watch_for_hang, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static noreturn void end_process(int status)
{
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

/* True for a call by the device: the tool itself exits only outside calls and on the owner's thread. An exit
 * status chosen by the device would be mistaken for a verdict of the tool. */
static bool is_of_device(void)
{
    return process != 0 && getpid() == process && (gettid() != owner || vgpu_port_last_call()->inside);
}

static void on_exit_inside(void)
{
    if (is_of_device()) {
        vgpu_guard_say(gettid() == owner ? " ended the process of the tool by exit()"
                                         : " ended the process of the tool by exit() on a thread of its own");
        end_process(EXIT_FAILURE);
    }
}

/* Replaces the function of the C library, also for the plug-in: these functions run no atexit() handler. */
void _exit(int status)
{
    if (is_of_device()) {
        vgpu_guard_say(gettid() == owner
                           ? " ended the process of the tool by _exit()"
                           : " ended the process of the tool by _exit() on a thread of its own");
        status = EXIT_FAILURE;
    }
    end_process(status);
}

void _Exit(int status)
{
    _exit(status);
}

/* A process forked inside a call must not continue as a second tool, and its parent cannot be trusted any
 * more. */
static void on_return_of_copy(void)
{
    vgpu_guard_say(" forked inside a call, and the copy returned from it, too");
    kill(process, SIGABRT);
    end_process(EXIT_FAILURE);
}

static void on_fork(void)
{
    if (vgpu_port_is_inside()) {
        vgpu_port_forked(on_return_of_copy);
    }
}

/* Shortens the name to what fits in a line. */
void vgpu_guard_name(const char *spec)
{
    const size_t whole = strcspn(spec, ",");
    size_t from = whole, length = 0;

    while (from > 0 && spec[from - 1] != '/') {
        from--;
    }
    for (; from < whole && length < sizeof known->device_name - 1; from++) {
        known->device_name[length++] = spec[from] == ' ' ? '?' : vgpu_printable(spec[from]);
    }
    known->device_name[length] = '\0';
}

bool vgpu_guard_install(const char *name, unsigned hang_s)
{
    static unsigned char bytes[STACK_BYTES]; /* a crash may be caused by lack of stack */
    const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    void *frame;

    owner = gettid();
    process = getpid();
    known->driven = known->kept && name == NULL;
    if (name != NULL) {
        vgpu_guard_name(name);
    }
    backtrace(&frame, 1); /* loads its library: a handler must not */
    if (sigaltstack(&stack, NULL) != 0 || atexit(on_exit_inside) != 0 ||
        pthread_atfork(NULL, NULL, on_fork) != 0) {
        return false;
    }
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction before;

        if (sigaction(fatal[i].number, NULL, &before) != 0 ||
            /* A sanitizer's report about our own code has more. */
            ((!known->driven || before.sa_handler == SIG_DFL) &&
             sigaction(fatal[i].number, &action, NULL) != 0)) {
            return false;
        }
    }
    allowed_ticks = hang_s * TICKS_A_S;
    return hang_s == 0 || start_thread();
}

void vgpu_guard_set_place(const char *place)
{
    snprintf(known->place, sizeof known->place, "%s", place != NULL ? place : "");
    vgpu_make_printable(known->place);
}

void vgpu_guard_set_mender(bool (*mend)(const void *address))
{
    mender = mend;
}

void vgpu_guard_describe_call(char *out, size_t size)
{
    struct text text = {0};

    put_access(&text, vgpu_port_last_call());
    snprintf(out, size, "%.*s", (int)text.length, text.bytes);
}

/* Also removes data of an earlier port at the same address. */
static void forget(const struct vgpu_port *port)
{
    size_t kept = 0, names = 0;

    for (size_t i = 0; i < known->device_count; i++) {
        if (known->devices[i].port != (uintptr_t)port) {
            known->devices[kept++] = known->devices[i];
        }
    }
    for (size_t i = 0; i < known->name_count; i++) {
        if (known->names[i].port != (uintptr_t)port) {
            known->names[names++] = known->names[i];
        }
    }
    known->device_count = kept;
    known->name_count = names;
}

void vgpu_guard_watch(struct vgpu_port *port)
{
    struct watched *watched;

    forget(port);
    if (port == NULL || known->device_count == DEVICES_MAX) {
        known->device_count = 0;
        known->name_count = 0;
    }
    if (port == NULL) {
        snprintf(known->device_name, sizeof known->device_name, "?");
        return;
    }
    watched = &known->devices[known->device_count++];
    watched->port = (uintptr_t)port;
    snprintf(watched->name, sizeof watched->name, "%s", vgpu_port_table(port)->name);
    if (vgpu_port_table(port)->register_name == NULL) {
        return;
    }
    for (uint32_t bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        const struct agpu_device_bar *told = &vgpu_port_info(port)->bars[bar];
        const uint64_t end = told->size < NAMED_BYTES ? told->size : NAMED_BYTES;

        /* A memory BAR has no registers. */
        for (uint32_t offset = 0; told->memory_fd < 0 && offset < end && known->name_count < NAMES_MAX;
             offset += 4) {
            const char *name = vgpu_port_register_name(port, bar, offset);

            if (name != NULL && *name != '\0') {
                keep_name(port, bar, offset, name);
            }
        }
    }
}
