/* hostile_device.c: the minimal device with an attack named by the environment variable AGPU_HOSTILE_DEVICE. It ends or
 * forks the tool's process, takes away its resources, or calls forbidden functions. bad_device.c is for mistakes. */
#include <agpu_device_plugin.h>

const struct agpu_device_plugin *minimal_plugin(void);

/* Renames the function only: the name of the structure is not followed by a parenthesis. */
#define agpu_device_plugin(arguments) minimal_plugin(arguments)
#include "tests/device/plugin/examples/minimal.c"
#undef agpu_device_plugin

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_meant(const char *what)
{
    const char *chosen = getenv("AGPU_HOSTILE_DEVICE");

    return chosen != NULL && strcmp(chosen, what) == 0;
}

static void exit_from_handler(int number)
{
    (void)number;
    _exit(0);
}

static void *exit_from_thread(void *unused)
{
    exit(0);
    return unused;
}

static void *call_from_thread(void *opaque)
{
    struct device *device = opaque;
    const struct agpu_device_host *host = device->host;
    void *machine = device->machine;
    const struct timespec moment = {.tv_nsec = 100000};
    uint8_t bytes[16];

    for (unsigned i = 0; i < 3000; i++) {
        host->dma_read(machine, 0x100000, bytes, sizeof bytes);
        host->dma_map(machine, 0x100000, 16, true); /* forbidden on this thread */
        host->set_interrupt(machine, i % 2 != 0);
        host->send_msi(machine, 0);
        host->wake(machine);
        host->log(machine, "still here");
        nanosleep(&moment, NULL);
    }
    return NULL;
}

/* Calls from destroy() until the process ends, whether or not a thread gets to run before. */
static void *destroyed_device;
static void call_at_exit(void)
{
    call_from_thread(destroyed_device);
}

static void start_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, argument) != 0) {
        abort();
    }
    pthread_detach(thread);
}

static unsigned recurse(unsigned depth)
{
    volatile uint8_t frame[4096];

    frame[depth % sizeof frame] = 1;
    return depth == UINT_MAX ? 0 : recurse(depth + 1) + frame[depth % sizeof frame];
}

static void flood(const struct device *device, unsigned lines)
{
    static char line[65536];

    memset(line, 'x', sizeof line - 1);
    for (unsigned i = 0; i < lines; i++) {
        device->host->log(device->machine, line);
    }
}

static void take_rights(void)
{
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_NPROC, &none);
    setrlimit(RLIMIT_AS, &none);
    setrlimit(RLIMIT_STACK, &none);
    setrlimit(RLIMIT_FSIZE, &none);
}

static jmp_buf before;

static void attack(struct device *device)
{
    static bool forked;
    sigset_t all;

    sigfillset(&all);
    if (is_meant("exit")) {
        exit(0);
    } else if (is_meant("_exit")) {
        _exit(0);
    } else if (is_meant("syscall")) {
        syscall(SYS_exit_group, 0);
    } else if (is_meant("exit_thread")) {
        start_thread(exit_from_thread, NULL);
        sleep(20);
    } else if (is_meant("pthread_exit")) {
        pthread_exit(NULL);
    } else if (is_meant("longjmp")) {
        longjmp(before, 1);
    } else if (is_meant("handler")) {
        signal(SIGSEGV, exit_from_handler);
        *(volatile uint32_t *)NULL = 1;
    } else if (is_meant("mask")) {
        sigprocmask(SIG_BLOCK, &all, NULL);
        *(volatile uint32_t *)NULL = 1;
    } else if (is_meant("mask_hang")) {
        sigprocmask(SIG_BLOCK, &all, NULL);
        signal(SIGABRT, SIG_IGN);
        for (;;) {
        }
    } else if (is_meant("stop")) {
        raise(SIGSTOP);
    } else if (is_meant("kill")) {
        kill(getpid(), SIGKILL);
    } else if (is_meant("fork") && !forked) {
        forked = true; /* both processes fork only once, whatever the tool does */
        if (fork() != 0) {
            sleep(5); /* the copy returns first */
        }
    } else if (is_meant("close")) {
        close_range(0, ~0u, 0);
    } else if (is_meant("recursion")) {
        recurse(0);
    } else if (is_meant("rights")) {
        take_rights();
    } else if (is_meant("flood")) {
        flood(device, 4096); /* 256 MiB */
    }
}

static void hostile_write(void *opaque, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    if (offset == DOORBELL * 4) {
        attack(opaque);
    }
    bar_write(opaque, bar, offset, size, value);
}

/* Changes the level at each read. */
static uint32_t hostile_config_read(void *opaque, uint32_t offset, uint32_t size)
{
    static bool level;
    const struct device *device = opaque;

    if (is_meant("reading")) {
        level = !level;
        device->host->set_interrupt(device->machine, level);
        device->host->wake(device->machine);
    }
    return config_read(opaque, offset, size);
}

static uint64_t hostile_poll(void *opaque, uint64_t now_ns)
{
    poll_device(opaque, now_ns);
    return is_meant("past") ? 0 : AGPU_DEVICE_NEVER;
}

static void *hostile_create(const struct agpu_device_host *host, void *machine, const char *options,
                            char *message, size_t message_size)
{
    if (is_meant("long_message")) {
        memset(message, 'm', message_size);
        return NULL;
    }
    if (setjmp(before) != 0) {
        return NULL;
    }
    return create(host, machine, options, message, message_size);
}

static void hostile_destroy(void *opaque)
{
    if (is_meant("destroy_hang")) {
        for (;;) {
            pause();
        }
    } else if (is_meant("destroy_exit")) {
        exit(0);
    } else if (is_meant("destroyed")) {
        start_thread(call_from_thread, opaque);
        destroyed_device = opaque;
        atexit(call_at_exit);
        return;
    }
    destroy(opaque);
}

static void hostile_describe(void *opaque, struct agpu_device_info *info)
{
    static unsigned calls;

    describe(opaque, info);
    if (is_meant("describe") && calls++ % 2 != 0) {
        info->bars[1].size = 1 << 20;
    }
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static struct agpu_device_plugin hostile;

    hostile = *minimal_plugin();
    hostile.create = hostile_create;
    hostile.destroy = hostile_destroy;
    hostile.describe = hostile_describe;
    hostile.config_read = hostile_config_read;
    hostile.bar_write = hostile_write;
    hostile.poll = hostile_poll;
    if (is_meant("entry")) {
        exit(0);
    }
    return &hostile;
}

/* Runs before the tool asks for the table. */
static __attribute__((constructor)) void construct(void)
{
    if (is_meant("constructor")) {
        _exit(0);
    }
}
