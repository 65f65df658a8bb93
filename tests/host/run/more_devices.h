/* more_devices.h: the second and further devices of a machine: one process each, watched through one descriptor. */
#ifndef AGPU_HOST_RUN_MORE_DEVICES_H
#define AGPU_HOST_RUN_MORE_DEVICES_H

#include "tests/host/run/process.h"
#include "tests/host/run/run_options.h"
#include "tests/host/wire/line_stream.h"

struct agpu_more_devices {
    struct agpu_one_more_device {
        struct agpu_process process;
        int output; /* its stdout and stderr; -1 when closed */
        int report; /* its ready descriptor, for the number of restores */
        uint64_t restores_key;
        struct agpu_line_stream lines;
        char last_words[320]; /* last report of its guard process, "" if none */
        char socket[128];
    } of[AGPU_MORE_DEVICES_MAX];
    unsigned count;
    int events; /* readable when one of them writes output or ends; -1: there are none */
};

void agpu_more_devices_init(struct agpu_more_devices *more);

/* Starts the devices in options, with sockets in the directory work, and waits until they listen. signal_fd
 * interrupts the wait. Returns false with a line in error. */
bool agpu_more_devices_start(struct agpu_more_devices *more, const struct agpu_run_options *options,
                             const char *work, int signal_fd, char *error, size_t error_size);

/* Passes each line of their output to log with "vdev 2" and so on. Returns true when one of them ended; text then
 * says how. */
bool agpu_more_devices_take(struct agpu_more_devices *more,
                            void (*log)(void *ctx, const char *who, const char *line, size_t length),
                            void *ctx, char *text, size_t size);

/* Sends a signal, or none for 0, to each device that runs. Returns false when all have ended. */
bool agpu_more_devices_signal(const struct agpu_more_devices *more, int number);

/* Terminates the devices, and removes their sockets. */
void agpu_more_devices_end(struct agpu_more_devices *more);

#endif
