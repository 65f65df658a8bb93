/* worker.c: the processes of devices. */
#include "tests/host/compare/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/model.h"
#include "tests/host/compare/heap.h"
#include "tests/host/compare/last_words.h"
#include "tests/host/monotonic.h"

#define TRACE_ROOM 0x20000u
#define PIPE_BYTES 4096 /* small, so that no device runs far ahead of the other */
/* A process without a step is treated as stuck after this time plus twice the time limit of a call. The guard kills
 * a device that hangs in a call, but a device can stop its process, guard and all. */
#define STILL_S 5u
/* Time after which a stopped process is treated as stuck. If a terminal stops both processes, it also continues both
 * within that time. */
#define STOPPED_S 1u

/* Memory shared by both processes. */
struct agpu_cmp_shared {
    enum agpu_cmp_outcome outcome; /* progress of the child */
    char message[AGPU_CMP_TEXT];
    struct agpu_cmp_probe probe;
    struct agpu_cmp_trace trace;
    uint64_t session;
    struct agpu_cmp_observation list[TRACE_ROOM];
    _Alignas(4096) uint8_t ram[AGPU_CMP_RAM_BYTES];
};

bool agpu_cmp_side_open(struct agpu_cmp_side *side, const char *spec, unsigned hang_s)
{
    void *place = mmap(NULL, sizeof *side->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *side = (struct agpu_cmp_side){
        .spec = spec, .hang_s = hang_s, .pid = -1, .process = -1, .from = -1, .errors = -1};
    if (place == MAP_FAILED) {
        return false;
    }
    side->shared = place;
    side->errors = memfd_create("agpu-errors", MFD_CLOEXEC);
    return side->errors >= 0;
}

void agpu_cmp_side_close(struct agpu_cmp_side *side)
{
    agpu_cmp_stop(side);
    if (side->shared != NULL) {
        munmap(side->shared, sizeof *side->shared);
    }
    if (side->errors >= 0) {
        close(side->errors);
    }
}

const struct agpu_cmp_trace *agpu_cmp_trace_of(const struct agpu_cmp_side *side)
{
    return &side->shared->trace;
}

const uint8_t *agpu_cmp_ram_of(const struct agpu_cmp_side *side)
{
    return side->shared->ram;
}

uint64_t agpu_cmp_session_of(const struct agpu_cmp_side *side)
{
    return side->shared->session;
}

/* ---- in the child ---- */

/* Processor time limit for the drawing of one submission. */
#define PATIENT_MS "60000"

/* Returns the device's function table, and its options with those that the comparison adds for our model. */
static const struct agpu_device_plugin *find_device(const struct agpu_cmp_side *side, bool legacy,
                                                    char *options, size_t size, char *message)
{
    const char *given, *render = "";
    const struct agpu_device_plugin *table = vgpu_named_device(side->spec, &given, message, AGPU_CMP_TEXT);

    if (table == NULL) {
        return NULL;
    }
    if (vgpu_is_model(table) && strstr(given, "render") == NULL) {
        /* No driver waits here: a slow start with a cold cache must not become a drawing error of one side. */
        render = side->draws ? ",render_ms=" PATIENT_MS : ",render=off";
    }
    snprintf(options, size, "%s%s%s", given, render,
             legacy && vgpu_is_model(table) && strstr(given, "abi=") == NULL ? ",abi=legacy" : "");
    return table;
}

/* Exits when the device cannot be created. */
static void open_device(const struct agpu_cmp_side *side, struct agpu_cmp_machine *machine, bool legacy)
{
    struct agpu_cmp_shared *shared = side->shared;
    const struct agpu_device_plugin *table;
    char options[1024];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(side->errors, STDERR_FILENO);
    shared->outcome = AGPU_CMP_DIED;
    table = find_device(side, legacy, options, sizeof options, shared->message);
    if (table != NULL) {
        /* A device may already fail when it is created. */
        vgpu_guard_install(side->spec, side->hang_s);
        if (agpu_cmp_machine_open(machine, shared->ram, table, options, shared->message,
                                  sizeof shared->message)) {
            vgpu_guard_watch(machine->port);
            machine->shape = side->shaped ? &side->shape : NULL;
            snprintf(shared->probe.name, sizeof shared->probe.name, "%s", table->name);
            return;
        }
    }
    shared->outcome = AGPU_CMP_NO_DEVICE;
    _exit(0);
}

static struct agpu_cmp_machine *new_machine(struct agpu_cmp_shared *shared)
{
    struct agpu_cmp_machine *machine = calloc(1, sizeof *machine);

    if (machine == NULL) {
        snprintf(shared->message, sizeof shared->message, "no memory");
        shared->outcome = AGPU_CMP_NO_DEVICE;
        _exit(0);
    }
    return machine;
}

/* Also detects a device that fails when it is destroyed. */
static void end_child(struct agpu_cmp_shared *shared, struct agpu_cmp_machine *machine)
{
    agpu_cmp_machine_close(machine);
    shared->outcome = AGPU_CMP_RAN;
    _exit(0);
}

/* Without a driver there are no sizes that it could have passed on. */
static void note_absurd(const struct vgpu_port *port, struct agpu_cmp_wrongs *wrongs)
{
    if (vgpu_port_absurd_dma(port) != 0 && wrongs->count < AGPU_CMP_WRONGS) {
        struct agpu_cmp_wrong *wrong = &wrongs->list[wrongs->count++];

        wrong->section = "device.md 2";
        snprintf(wrong->text, sizeof wrong->text,
                 "it asked for absurd DMA, more than 2^52 bytes at once, before a driver set it up: expected "
                 "none");
    }
}

static void probe_child(const struct agpu_cmp_side *side)
{
    struct agpu_cmp_shared *shared = side->shared;
    struct agpu_cmp_probe *probe = &shared->probe;
    struct agpu_cmp_machine *machine = new_machine(shared);

    open_device(side, machine, false);
    agpu_cmp_machine_firmware(machine);
    vgpu_port_service(machine->port);
    probe->legacy = vgpu_port_config_read(machine->port, 0, 2) == AEROGPU_LEGACY_PCI_VENDOR_ID;
    probe->both = strcmp(probe->name, "model") == 0 && strstr(side->spec, "abi=") == NULL &&
                  strstr(side->spec, "vram=") == NULL; /* the retired one has no BAR1 */
    agpu_cmp_shape_read(machine->port, &probe->shape, &probe->wrongs);
    note_absurd(machine->port, &probe->wrongs);
    probe->abi = probe->shape.abi;
    probe->features = probe->shape.features;
    probe->bar1_bytes = machine->bar1_bytes;
    end_child(shared, machine);
}

static void run_child(const struct agpu_cmp_side *side, const struct agpu_gen_common *common,
                      const struct agpu_gen_program *program, uint32_t up_to)
{
    struct agpu_cmp_shared *shared = side->shared;
    struct agpu_cmp_machine *machine = new_machine(shared);

    open_device(side, machine, common->legacy);
    agpu_cmp_execute(machine, common, program, up_to, &shared->trace);
    snprintf(shared->message, sizeof shared->message, "%s", machine->absurd);
    end_child(shared, machine);
}

static void free_child(const struct agpu_cmp_side *side, const struct agpu_gen_plan *plan, uint64_t first,
                       uint64_t end, int to)
{
    struct agpu_cmp_shared *shared = side->shared;
    struct agpu_cmp_machine *machine = new_machine(shared);
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen generator;

    open_device(side, machine, plan->common.legacy);
    for (uint64_t session = first; session < end; session++) {
        struct agpu_cmp_record record = {.session = session};

        shared->session = session;
        shared->trace = (struct agpu_cmp_trace){0};
        agpu_gen_generate(&generator, plan, session, &program);
        agpu_cmp_execute(machine, &plan->common, &program, UINT32_MAX, &shared->trace);
        record.hash = shared->trace.hash;
        record.streams = shared->trace.streams;
        record.invalid = shared->trace.errors_at != 0;
        record.absurd = shared->trace.absurd_at != 0;
        if (write(to, &record, sizeof record) != sizeof record) {
            _exit(0); /* the reader has closed the pipe */
        }
    }
    agpu_cmp_program_free(&program);
    end_child(shared, machine);
}

/* ---- in the parent ---- */

/* Releases the pages, so that the next program reads zeros. */
static void clear_memory(const struct agpu_cmp_side *side)
{
    if (madvise(side->shared->ram, sizeof side->shared->ram, MADV_REMOVE) != 0) {
        memset(side->shared->ram, 0, sizeof side->shared->ram);
    }
}

/* Returns true in the child. */
static bool fork_child(struct agpu_cmp_side *side)
{
    agpu_cmp_stop(side);
    memset(side->shared, 0, offsetof(struct agpu_cmp_shared, list));
    side->stood_still = false;
    if (ftruncate(side->errors, 0) != 0 || lseek(side->errors, 0, SEEK_SET) != 0) {
        return false;
    }
    fflush(NULL);
    side->pid = fork();
    side->process = side->pid > 0 ? pidfd_open(side->pid, 0) : -1;
    return side->pid == 0;
}

void agpu_cmp_start(struct agpu_cmp_side *side, const struct agpu_gen_common *common,
                    const struct agpu_gen_program *program, uint32_t up_to)
{
    clear_memory(side);
    if (fork_child(side)) {
        side->shared->trace.list = side->shared->list;
        side->shared->trace.room = TRACE_ROOM;
        run_child(side, common, program, up_to);
    }
}

static void describe_death(const struct agpu_cmp_side *side, int status, char text[AGPU_CMP_TEXT])
{
    if (side->stood_still) {
        snprintf(text, AGPU_CMP_TEXT,
                 "device %s" VGPU_GUARD_HANG_WORDS "; its process is stopped, including its guard thread",
                 side->shared->probe.name);
    } else if (agpu_cmp_last_words(side->errors, text, AGPU_CMP_TEXT)) {
        return;
    } else if (WIFSIGNALED(status)) {
        snprintf(text, AGPU_CMP_TEXT, "its process was ended by %s", strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, AGPU_CMP_TEXT, "its process ended with status %d", WEXITSTATUS(status));
    }
}

/* Returns true when a signal has stopped the process. A process stopped by a debugger is not reported. */
static bool is_stopped(const struct agpu_cmp_side *side)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)side->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == side->pid;
}

/* Waits until the process has ended or, from >= 0, until something can be read there (a process that the device has
 * started may keep the writing end open). Kills a process that exceeds its time, or is stuck. Time is counted in
 * rounds, so that time during which this process itself is stopped, for example by a debugger, does not count.
 * Returns true when there is something to read. Where waiting is not possible, the guard limits each call. */
static bool wait_for(struct agpu_cmp_side *side, int from)
{
    struct pollfd waited[2] = {{.fd = side->process, .events = POLLIN}, {.fd = from, .events = POLLIN}};
    uint64_t session = side->shared->session;
    uint32_t step = side->shared->trace.step;
    unsigned rounds = 0, stopped = 0;

    while (side->process >= 0 && waited[0].revents == 0 && waited[1].revents == 0) {
        const uint64_t now_ns = agpu_monotonic_ns();
        const uint64_t left_ms = side->until_ns == 0       ? UINT64_MAX
                                 : now_ns < side->until_ns ? (side->until_ns - now_ns) / 1000000 + 1
                                                           : 0;
        const int ready = poll(waited, 2, left_ms < 1000 ? (int)left_ms : 1000);

        if (ready != 0) {
            continue;
        }
        rounds = session == side->shared->session && step == side->shared->trace.step ? rounds + 1 : 0;
        session = side->shared->session;
        step = side->shared->trace.step;
        stopped = is_stopped(side) ? stopped + 1 : 0;
        side->stood_still = side->hang_s != 0 && (stopped > STOPPED_S || rounds > 2 * side->hang_s + STILL_S);
        if (left_ms == 0 || side->stood_still) {
            kill(side->pid, SIGKILL);
            break;
        }
    }
    return (waited[1].revents & POLLIN) != 0 || (from >= 0 && side->process < 0);
}

/* Drops the process, which has been reaped. */
static void forget_process(struct agpu_cmp_side *side)
{
    if (side->process >= 0) {
        close(side->process);
    }
    side->process = -1;
    side->pid = -1;
}

enum agpu_cmp_outcome agpu_cmp_finish(struct agpu_cmp_side *side, char text[AGPU_CMP_TEXT])
{
    int status = 0;
    pid_t ended;

    if (side->pid < 0) {
        snprintf(text, AGPU_CMP_TEXT, "no process could be started: %s", strerror(errno));
        return AGPU_CMP_NO_DEVICE;
    }
    (void)wait_for(side, -1);
    do {
        ended = waitpid(side->pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    forget_process(side);
    if (side->shared->outcome == AGPU_CMP_DIED || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        describe_death(side, status, text);
        return AGPU_CMP_DIED;
    }
    snprintf(text, AGPU_CMP_TEXT, "%s", side->shared->message);
    return side->shared->outcome;
}

enum agpu_cmp_outcome agpu_cmp_probe(struct agpu_cmp_side *side, struct agpu_cmp_probe *out,
                                     char text[AGPU_CMP_TEXT])
{
    enum agpu_cmp_outcome outcome;

    clear_memory(side);
    if (fork_child(side)) {
        probe_child(side);
    }
    outcome = agpu_cmp_finish(side, text);
    *out = side->shared->probe;
    side->shape = out->shape;
    side->shaped = outcome == AGPU_CMP_RAN;
    return outcome;
}

void agpu_cmp_free_start(struct agpu_cmp_side *side, const struct agpu_gen_plan *plan, uint64_t first,
                         uint64_t end)
{
    int ends[2];

    clear_memory(side);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    if (fork_child(side)) {
        close(ends[0]);
        free_child(side, plan, first, end, ends[1]);
    }
    close(ends[1]);
    side->from = ends[0];
}

bool agpu_cmp_free_next(struct agpu_cmp_side *side, struct agpu_cmp_record *out)
{
    size_t got = 0;

    while (side->from >= 0 && got < sizeof *out && wait_for(side, side->from)) {
        const ssize_t now = read(side->from, (uint8_t *)out + got, sizeof *out - got);

        if (now <= 0 && !(now < 0 && errno == EINTR)) {
            return false;
        }
        got += now > 0 ? (size_t)now : 0;
    }
    return got == sizeof *out;
}

void agpu_cmp_stop(struct agpu_cmp_side *side)
{
    if (side->from >= 0) {
        close(side->from);
        side->from = -1;
    }
    if (side->pid > 0) {
        kill(side->pid, SIGKILL);
        while (waitpid(side->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    forget_process(side);
}
