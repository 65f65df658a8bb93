/* qemu_args.c: builds QEMU's command line, argument by argument. */
#include "tests/host/run/qemu_args.h"

#include "efi/protocol/control_frame.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_argument(struct agpu_qemu_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_argument(struct agpu_qemu_args *args, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0 || args->count == AGPU_QEMU_ARGS_MAX) {
        args->failed = true;
        return;
    }
    args->argv[args->count++] = text;
    args->argv[args->count] = NULL;
}

/* Adds a path inside an option: QEMU reads a doubled comma as one. */
static void add_file(struct agpu_qemu_args *args, const char *option, const char *path)
{
    char *doubled = malloc(2 * strlen(path) + 1);

    if (doubled == NULL) {
        args->failed = true;
        return;
    }
    char *to = doubled;
    for (; *path; path++) {
        *to++ = *path;
        if (*path == ',') {
            *to++ = ',';
        }
    }
    *to = '\0';
    add_argument(args, "%s%s", option, doubled);
    free(doubled);
}

static void add_part(struct agpu_qemu_args *args, const struct agpu_qemu_machine *m,
                     enum agpu_hardware_part part)
{
    const struct agpu_hardware_choice *choice = agpu_hardware_of(m->hardware, part);

    for (size_t i = 0; i < sizeof choice->words / sizeof choice->words[0] && choice->words[i] != NULL; i++) {
        add_argument(args, "%s", choice->words[i]);
    }
}

/* Time that QEMU waits for the device's reply. After its default of 5 s it reads all ones and drops the device, and
 * the cases after the stalled one would fail because of it. This program detects a hanging device instead
 * (--silence). */
#define DEVICE_PATIENCE_MS 3600000

/* Adds the device model. bus: NULL for the machine's own. */
static void add_device_model(struct agpu_qemu_args *args, const char *socket, const char *bus)
{
    json_t *device = json_pack("{s:s,s:{s:s,s:s},s:i}", "driver", "vfio-user-pci", "socket", "type", "unix",
                               "path", socket, "x-msg-timeout", DEVICE_PATIENCE_MS);
    if (device != NULL && bus != NULL) {
        json_object_set_new(device, "bus", json_string(bus));
    }
    char *text = device != NULL ? json_dumps(device, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    if (text != NULL) {
        add_argument(args, "-device");
        add_argument(args, "%s", text);
    } else {
        args->failed = true;
    }
    free(text);
    json_decref(device);
}

/* Adds the serial port. The guest's output goes to our pipe: with a socket that is QEMU's log file of the character
 * device, which works whether or not a client is connected. */
static void add_serial(struct agpu_qemu_args *args, const char *socket)
{
    char option[80];

    add_argument(args, "-chardev");
    if (socket == NULL) {
        add_argument(args, "file,id=ser,path=/dev/fd/%d", AGPU_QEMU_SERIAL_FD);
    } else {
        snprintf(option, sizeof option,
                 "socket,id=ser,server=on,wait=off,logfile=/dev/fd/%d,path=", AGPU_QEMU_SERIAL_FD);
        add_file(args, option, socket);
    }
    add_argument(args, "-serial");
    add_argument(args, "chardev:ser");
}

static void add_consoles(struct agpu_qemu_args *args, const struct agpu_qemu_machine *m)
{
    add_argument(args, "-chardev");
    add_argument(args, "file,id=dbg,path=/dev/fd/%d", AGPU_QEMU_DEBUGCON_FD);
    add_argument(args, "-device");
    add_argument(args, "isa-debugcon,iobase=0x402,chardev=dbg");
    add_serial(args, m->serial_socket);
    add_argument(args, "-chardev");
    add_argument(args, "socket,id=qmp,fd=%d", AGPU_QEMU_MONITOR_FD);
    add_argument(args, "-qmp");
    add_argument(args, "chardev:qmp");
    add_argument(args, "-device");
    add_argument(args, "isa-debug-exit,iobase=0x501,iosize=4");
}

bool agpu_qemu_args_build(struct agpu_qemu_args *args, const struct agpu_qemu_machine *m)
{
    *args = (struct agpu_qemu_args){0};
    add_argument(args, "%s", m->qemu);
    add_argument(args, "-nodefaults");
    add_argument(args, "-no-user-config");
    add_argument(args, "-display");
    add_argument(args, "none");
    /* Guest memory is a shared memfd: the device model maps it for DMA. */
    add_argument(args, "-machine");
    add_argument(args, "%s,memory-backend=ram", agpu_hardware_of(m->hardware, AGPU_HARDWARE_BOARD)->words[0]);
    add_argument(args, "-object");
    add_argument(args, "memory-backend-memfd,id=ram,size=%uM,share=on", m->memory_mib);
    add_argument(args, "-m");
    add_argument(args, "%uM", m->memory_mib);
    add_part(args, m, AGPU_HARDWARE_IOMMU); /* before the devices behind it */
    add_argument(args, "-accel");
    add_argument(args, "%s", m->accel);
    add_argument(args, "-cpu");
    add_argument(args, "max");
    /* A reset ends the machine unless the image keeps its progress: otherwise it would start the catalogue again,
     * and hide the crash. */
    add_argument(args, "-action");
    add_argument(args, "reboot=%s,shutdown=%s", m->resets ? "reset" : "shutdown",
                 m->pause_at_end ? "pause" : "poweroff");
    /* Lets the chipset's watchdog reset the machine: on a board a strap controls this. */
    add_argument(args, "-global");
    add_argument(args, "ICH9-LPC.noreboot=off");
    if (m->kernel != NULL) {
        add_argument(args, "-kernel");
        add_argument(args, "%s", m->kernel);
        add_argument(args, "-fw_cfg");
        add_file(args, "name=opt/agpu/agpu.cfg,file=", m->config);
    } else if (m->ovmf_code != NULL) {
        add_argument(args, "-drive");
        add_file(args, "if=pflash,format=raw,unit=0,readonly=on,file=", m->ovmf_code);
        add_argument(args, "-drive");
        add_file(args, "if=pflash,format=raw,unit=1,file=", m->ovmf_vars);
    }
    if (m->tpm != NULL) {
        add_argument(args, "-tpmdev");
        add_file(args, "passthrough,id=tpm,cancel-path=/dev/null,path=", m->tpm);
        add_argument(args, "-device");
        add_argument(args, "tpm-tis,tpmdev=tpm");
    }
    if (m->disk != NULL) {
        add_argument(args, "-drive");
        add_file(args, "if=none,id=esp,format=raw,cache=unsafe,file=", m->disk);
        add_part(args, m, AGPU_HARDWARE_BOOT);
    }
    if (m->capture != NULL) {
        add_argument(args, "-drive");
        add_file(args, "if=none,id=capture,format=raw,cache=unsafe,file=", m->capture);
        add_argument(args, "-device");
        add_argument(args, "virtio-blk-pci,drive=capture");
    }
    if (m->replay != NULL) {
        add_argument(args, "-drive");
        add_file(args, "if=none,id=replay,format=raw,cache=unsafe,file=", m->replay);
        add_argument(args, "-device");
        add_argument(args, "virtio-blk-pci,drive=replay");
    }
    if (m->nic) {
        add_argument(args, "-netdev");
        if (m->ctl_port != 0) {
            add_argument(args, "user,id=n,hostfwd=tcp:127.0.0.1:%u-:%d", m->ctl_port, AGPU_CTL_PORT);
        } else {
            add_argument(args, "user,id=n");
        }
        add_part(args, m, AGPU_HARDWARE_NIC);
    }
    /* The display of the firmware. Not VGA-compatible, so that it does not conflict with the AeroGPU, which is. */
    add_argument(args, "-device");
    add_argument(args, "bochs-display");
    add_consoles(args, m);
    add_part(args, m, AGPU_HARDWARE_BRIDGE);
    if (m->socket != NULL) {
        const bool behind = agpu_hardware_of(m->hardware, AGPU_HARDWARE_BRIDGE)->words[0] != NULL;

        add_device_model(args, m->socket, behind ? "behind" : NULL);
    }
    for (unsigned i = 0; i < m->more_socket_count; i++) {
        add_device_model(args, m->more_sockets[i], NULL);
    }
    for (char *const *word = m->more; word != NULL && *word != NULL; word++) {
        add_argument(args, "%s", *word);
    }
    return !args->failed;
}

void agpu_qemu_args_free(struct agpu_qemu_args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        free(args->argv[i]);
    }
    *args = (struct agpu_qemu_args){0};
}
