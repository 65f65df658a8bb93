/* qemu_args.h: the command line of the virtual machine. */
#ifndef AGPU_HOST_RUN_QEMU_ARGS_H
#define AGPU_HOST_RUN_QEMU_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/host/run/run_options.h"

/* Descriptor numbers in QEMU. */
#define AGPU_QEMU_DEBUGCON_FD 3
#define AGPU_QEMU_SERIAL_FD   4
#define AGPU_QEMU_MONITOR_FD  5

struct agpu_qemu_machine {
    const char *qemu;
    const char *accel; /* kvm or tcg */
    unsigned memory_mib;
    const char *ovmf_code;
    const char *ovmf_vars; /* writable copy */
    const char *disk;      /* NULL: none */
    const char *capture;   /* a second one, which is not booted from; NULL: none */
    const char *replay;    /* a third one, likewise */
    const char *tpm;       /* a pipe in place of one (tpm.h); NULL: none */
    const char *socket;    /* of the device model; NULL: no device */
    bool nic;
    unsigned ctl_port;         /* at 127.0.0.1, leads to the image's port for agpu ctl; 0: none */
    const char *serial_socket; /* what else speaks to its serial port connects here; NULL: nobody does */
    const struct agpu_hardware *hardware;            /* NULL: the usual */
    const char *more_sockets[AGPU_MORE_DEVICES_MAX]; /* of the devices behind the first */
    unsigned more_socket_count;
    char *const *more; /* words to put behind, NULL at the end; NULL: none */
    bool resets;       /* the machine goes on behind a reset */
    bool pause_at_end; /* stop instead of exit when the guest powers off, so that the screen can be read */
};

#define AGPU_QEMU_ARGS_MAX 512

struct agpu_qemu_args {
    char *argv[AGPU_QEMU_ARGS_MAX + 1]; /* NULL-terminated */
    size_t count;
    bool failed;
};

/* False when memory is exhausted; free in both cases. */
bool agpu_qemu_args_build(struct agpu_qemu_args *args, const struct agpu_qemu_machine *machine);
void agpu_qemu_args_free(struct agpu_qemu_args *args);

#endif
