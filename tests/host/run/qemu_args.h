/* qemu_args.h: builds the command line of the virtual machine. */
#ifndef AGPU_HOST_RUN_QEMU_ARGS_H
#define AGPU_HOST_RUN_QEMU_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/host/run/run_options.h"

/* Descriptor numbers inside QEMU. */
#define AGPU_QEMU_DEBUGCON_FD 3
#define AGPU_QEMU_SERIAL_FD   4
#define AGPU_QEMU_MONITOR_FD  5

struct agpu_qemu_machine {
    const char *qemu;
    const char *accel; /* kvm or tcg */
    unsigned memory_mib;
    const char *ovmf_code; /* NULL: QEMU's own BIOS */
    const char *ovmf_vars; /* writable copy */
    const char *disk;      /* NULL: none */
    const char
        *kernel; /* started without that firmware, with the agpu.cfg in config; NULL: the firmware starts */
    const char *config;
    const char *capture; /* a second disk, not bootable; NULL: none */
    const char *replay;  /* a third disk, not bootable; NULL: none */
    const char *tpm;     /* a pipe that stands in for a TPM (tpm.h); NULL: none */
    const char *socket;  /* socket of the device model; NULL: no device */
    bool nic;
    unsigned ctl_port; /* port of 127.0.0.1 that is forwarded to the image's port for agpu ctl; 0: none */
    const char *serial_socket;            /* a further client of the serial port connects here; NULL: none */
    const struct agpu_hardware *hardware; /* NULL: the default */
    const char *more_sockets[AGPU_MORE_DEVICES_MAX]; /* sockets of the second and further devices */
    unsigned more_socket_count;
    char *const *more; /* arguments to append, NULL at the end; NULL: none */
    bool resets;       /* the machine continues after a reset */
    /* stop instead of exit when the guest powers off, so that the screen can be captured */
    bool pause_at_end;
};

#define AGPU_QEMU_ARGS_MAX 512

struct agpu_qemu_args {
    char *argv[AGPU_QEMU_ARGS_MAX + 1]; /* NULL-terminated */
    size_t count;
    bool failed;
};

/* Returns false when memory is exhausted; free in both cases. */
bool agpu_qemu_args_build(struct agpu_qemu_args *args, const struct agpu_qemu_machine *machine);
void agpu_qemu_args_free(struct agpu_qemu_args *args);

#endif
