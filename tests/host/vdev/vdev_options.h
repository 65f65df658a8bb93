/* vdev_options.h: what `agpu vdev` was asked to do. */
#ifndef AGPU_HOST_VDEV_VDEV_OPTIONS_H
#define AGPU_HOST_VDEV_VDEV_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_vdev_options {
    const char *socket;
    const char *log;
    const char *fault;
    const char *submission_log; /* NULL: none */
    const char *control;        /* NULL: none */
    const char *capture;        /* NULL: none */
    const char *evidence;       /* prefix of files (evidence.h) at SIGUSR1; NULL: none */
    const char *device;         /* FILE[,OPTIONS] of a plug-in; NULL: our model */
    const char *abi;            /* these two are of our model; NULL: the newest */
    int ready_fd;               /* -1: none */
    bool once;
    bool check; /* the device is made, and not served */
    bool map_vram;
    uint64_t spin_ns;
};

enum agpu_vdev_options_result { AGPU_VDEV_OPTIONS_SERVE, AGPU_VDEV_OPTIONS_HELP, AGPU_VDEV_OPTIONS_BAD };

/* Fills *options from the command line (argv[0] is "vdev"). Help is written to stdout, what is wrong to stderr. */
enum agpu_vdev_options_result agpu_vdev_options_parse(int argc, char **argv,
                                                      struct agpu_vdev_options *options);

#endif
