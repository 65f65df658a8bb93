/* port_call.h: records which call of which port a thread is in, for the evidence of a crash; checks of the
 * calling thread. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_CALL_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_port;

/* The current or last call of the owner, for the report of a crash. Plain data: a signal handler may read
 * it. */
struct vgpu_port_call {
    const char *what; /* "bar_write", ...; "nothing" before the first */
    uint32_t bar;
    uint32_t size;
    uint64_t offset;
    uint64_t value;
    uint64_t number; /* number of calls so far */
    uintptr_t port;  /* identifies one of several ports, also in another process; 0: none yet */
    bool inside;
};
const struct vgpu_port_call *vgpu_port_last_call(void);

/* True when this thread is in a call. Does not use the shared record, which another process may have
 * changed. */
bool vgpu_port_is_inside(void);
/* Stores the last call in *shared from now on, which another process may read. */
void vgpu_port_share_call(struct vgpu_port_call *shared);
/* Call in a process that a device forked inside a call. leaves, which must not return, is called when that
 * call returns in this process too. */
void vgpu_port_forked(void (*leaves)(void));

/* Call around code of the plug-in that is not called through a port: its constructors, its entry point. */
void vgpu_port_begin_call(const char *what);
void vgpu_port_end_call(void);

/* Enters a call of this port. Returns the port whose call this thread was in, for vgpu_port_leave(). */
const struct vgpu_port *vgpu_port_enter(const struct vgpu_port *port, const char *what, uint32_t bar,
                                        uint64_t offset, uint32_t size, uint64_t value);
void vgpu_port_leave(const struct vgpu_port *outer);

/* Returns false after destroy(), and logs that once: the machine's data for the port may be freed. */
bool vgpu_port_is_alive(struct vgpu_port *port);
/* is_owner: this thread is the owner. is_inside_of: this thread is in a call of this device. */
bool vgpu_port_is_owner(const struct vgpu_port *port);
bool vgpu_port_is_inside_of(const struct vgpu_port *port);

#endif
