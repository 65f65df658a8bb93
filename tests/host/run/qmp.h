/* qmp.h: a small client of QEMU's machine protocol: negotiates, sends commands, hears events. Never
 * blocks. */
#ifndef AGPU_HOST_RUN_QMP_H
#define AGPU_HOST_RUN_QMP_H

#include <stdbool.h>
#include <stddef.h>

struct agpu_qmp {
    int fd;                   /* -1 when not connected; poll it for input */
    bool ready;               /* commands may be sent */
    bool guest_shutdown;      /* the guest powered off or reset */
    char shutdown_reason[48]; /* QEMU's word: guest-shutdown, guest-reset, guest-panic, host-signal ... */
    unsigned sent;            /* commands, numbered by their id */
    unsigned answered;        /* id of the last answer */
    bool failed;              /* that answer was an error */
    char version[80];         /* of QEMU, from its greeting; "" until then */
    size_t length;
    char buffer[16384]; /* the line that is arriving; a longer one ends the connection */
};

/* Takes over our end of a socket pair whose other end is QEMU's monitor (-chardev socket,fd=). */
void agpu_qmp_init(struct agpu_qmp *qmp, int fd);
/* Takes what has arrived. False when the connection is over. */
bool agpu_qmp_receive(struct agpu_qmp *qmp);
/* Has the screen written to path, as PNG when the name ends in .png, else as PPM. */
bool agpu_qmp_screendump(struct agpu_qmp *qmp, const char *path);
void agpu_qmp_close(struct agpu_qmp *qmp);

#endif
