/* machine.h: one virtual machine and its device model: their files, descriptors and processes, from start to end. */
#ifndef AGPU_HOST_RUN_MACHINE_H
#define AGPU_HOST_RUN_MACHINE_H

#include "tests/host/run/console.h"
#include "tests/host/wire/credentials.h"
#include "tests/host/run/more_devices.h"
#include "tests/host/run/process.h"
#include "tests/host/run/qmp.h"
#include "tests/host/run/run_options.h"
#include "tests/host/run/together.h"
#include "tests/host/wire/line_stream.h"

struct agpu_machine {
    char work[96]; /* directory of the disk copy, the firmware variables, the device model's socket */
    struct agpu_process vdev;
    bool vdev_writes;         /* it must finish a file or its output: SIGTERM before SIGKILL */
    struct agpu_process qemu; /* or the machine of --machine */
    const char *name;         /* name of that program, for messages */
    char *command;            /* its command line, for a shell; NULL: nothing was started */
    struct agpu_more_devices more;
    struct agpu_kept_together together;
    struct agpu_qmp qmp;
    int udp; /* -1 without a network */
    int tcp; /* at the same port, listening; -1 without a network */
    struct agpu_console debugcon;
    struct agpu_console serial;
    int qemu_output; /* stdout and stderr of QEMU, and of the device model */
    int vdev_output;
    int vdev_report; /* its ready descriptor, with --save-restore; else -1 */
    uint64_t restores_key;
    char evidence[4200]; /* absolute path prefix for the device's evidence; "": the device writes none */
    unsigned udp_port;
    struct agpu_credentials credentials; /* for agpu.cfg; set before the machine is started */
    uint64_t qemu_started_us;
};

/* Initialises: nothing started, nothing open. */
void agpu_machine_init(struct agpu_machine *machine);

/* Requests the device, if it supports that, to write its scanout and state into the result folder. Does not wait. */
void agpu_machine_take_evidence(const struct agpu_machine *machine);

/* Prepares the working files and starts the device model, then QEMU or the machine of --machine. after: id of the
 * case after which the image starts, NULL for the first. boot: number of machines of this run that were started
 * before. signal_fd interrupts the wait for the device model when it becomes readable. Returns false with a line in
 * error; call agpu_machine_destroy() in any case. */
bool agpu_machine_start(struct agpu_machine *machine, const struct agpu_run_options *options,
                        const char *accel, const char *after, unsigned boot, int signal_fd, char *error,
                        size_t error_size);

/* Kills the processes, closes everything, and removes the working files unless keep. */
void agpu_machine_destroy(struct agpu_machine *machine, bool keep);

/* Closes *fd if it is open and sets it to -1. */
void agpu_close(int *fd);

#endif
