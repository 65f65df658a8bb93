/* port_call.h: which call of which port a thread is in, for the evidence of a crash, and who may call. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_CALL_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_port;

/* The call that the owner is in, or was in last: for the one who finds the process dying. Plain data: safe to read in a
 * signal handler. */
struct vgpu_port_call {
    const char *what; /* "bar_write", ...; "nothing" before the first */
    uint32_t bar;
    uint32_t size;
    uint64_t offset;
    uint64_t value;
    uint64_t number; /* calls so far */
    uintptr_t port;  /* whose call: which of several, in another process, too; 0: of none yet */
    bool inside;
};
const struct vgpu_port_call *vgpu_port_last_call(void);

/* Is this thread in a call? Not from the shared record, which may be another process's by now. */
bool vgpu_port_is_inside(void);
/* From now on the last call is kept in *shared, which another process may read. */
void vgpu_port_share_call(struct vgpu_port_call *shared);
/* This is a copy of the process, made by a device inside a call: leaves, which does not return, is called when that call returns
 * here too. */
void vgpu_port_forked(void (*leaves)(void));

/* Around code of the plug-in that is not called through a port: its constructors, its entry point. */
void vgpu_port_begin_call(const char *what);
void vgpu_port_end_call(void);

/* Enters a call of this port; returns the port whose call this thread was in, for the way out. */
const struct vgpu_port *vgpu_port_enter(const struct vgpu_port *port, const char *what, uint32_t bar,
                                        uint64_t offset, uint32_t size, uint64_t value);
void vgpu_port_leave(const struct vgpu_port *outer);

/* False, and said once, behind destroy(): what the machine had for it may be gone. */
bool vgpu_port_is_alive(struct vgpu_port *port);
/* This thread is the owner; it is in a call of this device. */
bool vgpu_port_is_owner(const struct vgpu_port *port);
bool vgpu_port_is_inside_of(const struct vgpu_port *port);

#endif
