/* host_thread.c: one new thread for each call. */
#include "tests/host_platform/host_thread.h"

#include <pthread.h>

#include "pci/machine/text.h"

struct host_task {
    void (*run)(void *arg);
    void *arg;
};

static void *run_task(void *argument)
{
    const struct host_task *task = argument;

    task->run(task->arg);
    return NULL;
}

enum agpu_status agpu_host_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg), void *arg,
                                      struct agpu_text *why)
{
    struct host_task beside = {task, arg};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run_task, &beside);

    (void)ctx;
    if (error != 0) {
        agpu_format(why, "no second thread: error %u", (unsigned)error);
        return AGPU_ERR_PLATFORM;
    }
    here(arg);
    pthread_join(thread, NULL);
    return AGPU_OK;
}
