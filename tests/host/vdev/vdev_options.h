/* vdev_options.h: the command line of `agpu vdev`. */
#ifndef AGPU_HOST_VDEV_VDEV_OPTIONS_H
#define AGPU_HOST_VDEV_VDEV_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/save_schedule.h"

struct agpu_vdev_options {
    const char *socket;
    const char *log;
    const char *fault;
    const char *submission_log; /* NULL: none */
    const char *control;        /* NULL: none */
    const char *capture;        /* NULL: none */
    const char *evidence;       /* prefix of the files written at SIGUSR1 (evidence.h); NULL: none */
    const char *device;         /* FILE[,OPTIONS] of a plug-in; NULL: our model */
    const char *abi;            /* this and the next are options of our model; NULL: the newest */
    int ready_fd;               /* -1: none */
    bool once;
    bool check; /* create the device, but do not serve it */
    bool map_vram;
    uint64_t spin_ns;
    struct vgpu_save_schedule save;
};

enum agpu_vdev_options_result { AGPU_VDEV_OPTIONS_SERVE, AGPU_VDEV_OPTIONS_HELP, AGPU_VDEV_OPTIONS_BAD };

/* Fills *options from the command line (argv[0] is "vdev"). Writes help to stdout, errors to stderr. */
enum agpu_vdev_options_result agpu_vdev_options_parse(int argc, char **argv,
                                                      struct agpu_vdev_options *options);

#endif
