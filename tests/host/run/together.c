/* together.c: sets the affinity of threads, and reads their waiting times from /proc. */
#include "tests/host/run/together.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_US 1000000u
#define APART_US 100000u /* several load-balancing passes of the kernel */

void agpu_together_init(struct agpu_kept_together *together)
{
    *together = (struct agpu_kept_together){.check_us = UINT64_MAX};
}

static void run_on(pid_t thread, const cpu_set_t *where)
{
    /* Ignores errors: the thread may have ended, or the kernel refuses and nothing changes. */
    (void)sched_setaffinity(thread, sizeof *where, where);
}

void agpu_together_stay(void)
{
    const int here = sched_getcpu();
    cpu_set_t one;

    if (here >= 0 && here < CPU_SETSIZE) {
        CPU_ZERO(&one);
        CPU_SET((size_t)here, &one);
        run_on(0, &one);
    }
}

void agpu_together_add(struct agpu_kept_together *together, const struct agpu_process *machine,
                       const struct agpu_process *device, uint64_t now_us)
{
    cpu_set_t there;

    if (machine->pid <= 0 || device->pid <= 0 ||
        together->device_count == sizeof together->devices / sizeof together->devices[0] ||
        sched_getaffinity(machine->pid, sizeof there, &there) != 0 || CPU_COUNT(&there) != 1 ||
        sched_getaffinity(device->pid, sizeof together->everywhere, &together->everywhere) != 0) {
        return;
    }
    together->machine = machine->pid;
    together->devices[together->device_count++] = device->pid;
    run_on(device->pid, &there);
    together->checked_us = now_us;
    together->check_us = now_us + CHECK_US;
}

bool agpu_together_is_crowded(const struct agpu_together_use *before, const struct agpu_together_use *now,
                              uint64_t passed_ns)
{
    return now->waited_ns - before->waited_ns >= passed_ns / 10 * 4;
}

/* Opens a file of a thread in /proc; NULL: the thread has ended. */
static FILE *open_of_thread(pid_t process, pid_t thread, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process, thread, name);
    return fopen(path, "re");
}

/* schedstat: time run, time waited, time slices. */
static bool read_use(pid_t process, pid_t thread, struct agpu_together_use *use)
{
    FILE *file = open_of_thread(process, thread, "schedstat");
    bool good;

    if (file == NULL) {
        return false;
    }
    good = fscanf(file, "%" SCNu64 " %" SCNu64, &use->ran_ns, &use->waited_ns) == 2;
    fclose(file);
    return good;
}

/* Returns the processor on which a thread last ran: word 39 of its stat, the 37th after its name in parentheses. -1:
 * unknown. */
static int last_processor(pid_t process, pid_t thread)
{
    FILE *file = open_of_thread(process, thread, "stat");
    char text[1024];
    int processor = -1;
    size_t length;

    if (file == NULL) {
        return -1;
    }
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *word = strrchr(text, ')');
    for (int i = 0; i < 37 && word != NULL; i++) {
        word = strchr(word + 1, ' ');
    }
    if (word != NULL) {
        processor = atoi(word);
    }
    return processor >= 0 && processor < CPU_SETSIZE ? processor : -1;
}

bool agpu_together_steps_back(const char *name)
{
    return strncmp(name, "CPU ", 4) == 0 || strncmp(name, "IO vfio", 7) == 0;
}

/* Gives a thread that only waits for the device SCHED_BATCH, so that waking it does not preempt the device. */
static void step_back(pid_t process, pid_t thread)
{
    FILE *file = open_of_thread(process, thread, "comm");
    char name[32] = "";

    if (file == NULL) {
        return;
    }
    if (fgets(name, sizeof name, file) != NULL && agpu_together_steps_back(name) &&
        sched_getscheduler(thread) == SCHED_OTHER) {
        (void)sched_setscheduler(thread, SCHED_BATCH, &(struct sched_param){.sched_priority = 0});
    }
    fclose(file);
}

/* Visits every thread of the machine. Moves it to where; where NULL: sets its scheduling policy instead, and returns
 * the thread that ran longest. */
static pid_t each_thread(pid_t machine, const cpu_set_t *where)
{
    char path[64];
    uint64_t longest = 0;
    pid_t busiest = 0;
    const struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%d/task", machine);
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const pid_t thread = (pid_t)atoi(entry->d_name);
        struct agpu_together_use use;

        if (thread <= 0) {
            continue;
        }
        if (where != NULL) {
            run_on(thread, where);
            continue;
        }
        step_back(machine, thread);
        if (read_use(machine, thread, &use) && use.ran_ns >= longest) {
            longest = use.ran_ns;
            busiest = thread;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return busiest;
}

static void place(const struct agpu_kept_together *together, const cpu_set_t *where)
{
    each_thread(together->machine, where);
    for (unsigned i = 0; i < together->device_count; i++) {
        run_on(together->devices[i], where);
    }
}

static void come_together(struct agpu_kept_together *together)
{
    const int processor = last_processor(together->machine, together->busiest);
    cpu_set_t one;

    if (processor < 0) {
        return; /* the machine has ended */
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    place(together, &one);
}

void agpu_together_tick(struct agpu_kept_together *together, uint64_t now_us)
{
    struct agpu_together_use use = {0};
    pid_t busiest;

    if (now_us < together->check_us) {
        return;
    }
    if (together->apart) {
        together->apart = false;
        come_together(together);
    }
    busiest = each_thread(together->machine, NULL);
    if (busiest == 0 || !read_use(together->machine, busiest, &use)) {
        together->check_us = UINT64_MAX; /* the thread has ended, or this kernel has no schedstat */
        return;
    }
    together->check_us = now_us + CHECK_US;
    if (busiest == together->busiest &&
        agpu_together_is_crowded(&together->use, &use, (now_us - together->checked_us) * 1000)) {
        together->apart = true;
        together->check_us = now_us + APART_US;
        place(together, &together->everywhere);
    }
    together->busiest = busiest;
    together->use = use;
    together->checked_us = now_us;
}
