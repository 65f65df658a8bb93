/* finisher.c: two queues of jobs, and a thread that processes them. */
#include "tests/host/listen/finisher.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE 5

struct job_queue {
    struct agpu_finish_job *first, *last;
};

struct agpu_finisher {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job_queue waiting, done;
    size_t outside; /* added and not returned yet */
    bool stop;
    int ready; /* eventfd */
    void (*note)(const char *results, const char *folder);
    const char *results;
};

static void put_job(struct job_queue *queue, struct agpu_finish_job *job)
{
    job->next = NULL;
    if (queue->first == NULL) {
        queue->first = job;
    } else {
        queue->last->next = job;
    }
    queue->last = job;
}

static struct agpu_finish_job *take_job(struct job_queue *queue)
{
    struct agpu_finish_job *job = queue->first;

    if (job != NULL) {
        queue->first = job->next;
    }
    return job;
}

static void *finish_runs(void *ctx)
{
    struct agpu_finisher *f = ctx;
    struct agpu_finish_job *job;

    setpriority(PRIO_PROCESS, 0, NICE); /* lowers this thread only: collection has priority */
    pthread_mutex_lock(&f->lock);
    for (;;) {
        while ((job = take_job(&f->waiting)) == NULL && !f->stop) {
            pthread_cond_wait(&f->changed, &f->lock);
        }
        if (job == NULL) {
            break;
        }
        pthread_mutex_unlock(&f->lock);
        job->written = agpu_session_finish(job->session, 0, job->now_us);
        /* Without a plan it was not our machine, or it did not describe its device. */
        if (f->note != NULL && agpu_collector_run(job->session->collector)->plan_seen) {
            f->note(f->results, job->session->folder);
        }
        pthread_mutex_lock(&f->lock);
        put_job(&f->done, job);
        pthread_cond_broadcast(&f->changed);
        eventfd_write(f->ready, 1);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

struct agpu_finisher *agpu_finisher_open(void (*note)(const char *results, const char *folder),
                                         const char *results)
{
    struct agpu_finisher *f = calloc(1, sizeof *f);

    if (f == NULL) {
        return NULL;
    }
    f->note = note;
    f->results = results;
    f->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    if (f->ready < 0 || (errno = pthread_create(&f->thread, NULL, finish_runs, f)) != 0) {
        const int failed = errno;

        close(f->ready);
        free(f);
        errno = failed;
        return NULL;
    }
    return f;
}

int agpu_finisher_fd(const struct agpu_finisher *f)
{
    return f->ready;
}

void agpu_finisher_add(struct agpu_finisher *f, struct agpu_finish_job *job)
{
    pthread_mutex_lock(&f->lock);
    put_job(&f->waiting, job);
    f->outside++;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

struct agpu_finish_job *agpu_finisher_done(struct agpu_finisher *f, bool wait)
{
    struct agpu_finish_job *job;
    eventfd_t count;

    pthread_mutex_lock(&f->lock);
    eventfd_read(f->ready, &count);
    while ((job = take_job(&f->done)) == NULL && wait && f->outside > 0) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    f->outside -= job != NULL;
    pthread_mutex_unlock(&f->lock);
    return job;
}

void agpu_finisher_close(struct agpu_finisher *f)
{
    pthread_mutex_lock(&f->lock);
    f->stop = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->changed);
    close(f->ready);
    free(f);
}
