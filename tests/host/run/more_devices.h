/* more_devices.h: the devices of a machine behind its first: a process each, watched through one descriptor. */
#ifndef AGPU_HOST_RUN_MORE_DEVICES_H
#define AGPU_HOST_RUN_MORE_DEVICES_H

#include "tests/host/run/process.h"
#include "tests/host/run/run_options.h"
#include "tests/host/wire/line_stream.h"

struct agpu_more_devices {
    struct agpu_one_more_device {
        struct agpu_process process;
        int output; /* what it says; -1 when closed */
        struct agpu_line_stream lines;
        char last_words[320]; /* of its guard, "" if none */
        char socket[128];
    } of[AGPU_MORE_DEVICES_MAX];
    unsigned count;
    int events; /* readable when one of them says something or ends; -1: there is none */
};

void agpu_more_devices_init(struct agpu_more_devices *more);

/* Starts those that options name, with sockets in the folder work, and waits until they listen. signal_fd ends the wait.
 * False with a line in error. */
bool agpu_more_devices_start(struct agpu_more_devices *more, const struct agpu_run_options *options,
                             const char *work, int signal_fd, char *error, size_t error_size);

/* Takes what they say, a line each to log with "vdev 2" and so on. True when one of them ended; then how is in text. */
bool agpu_more_devices_take(struct agpu_more_devices *more,
                            void (*log)(void *ctx, const char *who, const char *line, size_t length),
                            void *ctx, char *text, size_t size);

/* Ends them, and removes their sockets. */
void agpu_more_devices_end(struct agpu_more_devices *more);

#endif
