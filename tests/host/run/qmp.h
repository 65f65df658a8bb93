/* qmp.h: a small client of QEMU's machine protocol (QMP): negotiates, sends commands, receives events. Never blocks. */
#ifndef AGPU_HOST_RUN_QMP_H
#define AGPU_HOST_RUN_QMP_H

#include <stdbool.h>
#include <stddef.h>

struct agpu_qmp {
    int fd;                   /* -1 when not connected; poll it for input */
    bool ready;               /* commands may be sent */
    bool guest_shutdown;      /* the guest powered off or reset */
    char shutdown_reason[48]; /* QEMU's reason: guest-shutdown, guest-reset, guest-panic, host-signal ... */
    unsigned sent;            /* number of commands sent, which is also the id of the last */
    unsigned answered;        /* id of the last answer */
    bool failed;              /* the last answer was an error */
    char version[80];         /* QEMU's version, from its greeting; "" until then */
    size_t length;
    char buffer[16384]; /* the incomplete current line; a longer one ends the connection */
};

/* Takes over our end of a socket pair whose other end is QEMU's monitor (-chardev socket,fd=). */
void agpu_qmp_init(struct agpu_qmp *qmp, int fd);
/* Processes the received data. Returns false when the connection has ended. */
bool agpu_qmp_receive(struct agpu_qmp *qmp);
/* Requests a screenshot to path, as PNG when the name ends in .png, else as PPM. */
bool agpu_qmp_screendump(struct agpu_qmp *qmp, const char *path);
void agpu_qmp_close(struct agpu_qmp *qmp);

#endif
