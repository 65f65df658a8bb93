/* port_call.c: see port_call.h. */
#include "tests/device/plugin/port_call.h"

#include <stdio.h>

#include "tests/device/plugin/port_private.h"

/* A process has one owner, which makes one call at a time, so one record is enough. */
static struct vgpu_port_call own_call = {.what = "nothing"};
static struct vgpu_port_call *last_call = &own_call;

const struct vgpu_port_call *vgpu_port_last_call(void)
{
    return last_call;
}

void vgpu_port_share_call(struct vgpu_port_call *shared)
{
    *shared = own_call;
    last_call = shared;
}

static bool begun;               /* a call outside any port is active */
static void (*left_twice)(void); /* set in a process that a device forked, else NULL */

void vgpu_port_forked(void (*leaves)(void))
{
    left_twice = leaves;
}

void vgpu_port_begin_call(const char *what)
{
    begun = true;
    *last_call = (struct vgpu_port_call){.what = what, .number = last_call->number + 1, .inside = true};
}

void vgpu_port_end_call(void)
{
    if (left_twice != NULL) {
        left_twice();
    }
    begun = false;
    last_call->inside = false;
}

/* The port of the call that this thread is in. */
static _Thread_local const struct vgpu_port *inside;

bool vgpu_port_is_inside_of(const struct vgpu_port *port)
{
    return inside == port;
}

bool vgpu_port_is_inside(void)
{
    return begun || inside != NULL;
}

const struct vgpu_port *vgpu_port_enter(const struct vgpu_port *port, const char *what, uint32_t bar,
                                        uint64_t offset, uint32_t size, uint64_t value)
{
    const struct vgpu_port *outer = inside;

    inside = port;
    last_call->what = what;
    last_call->bar = bar;
    last_call->offset = offset;
    last_call->size = size;
    last_call->value = value;
    last_call->number++;
    last_call->port = (uintptr_t)port;
    last_call->inside = true;
    return outer;
}

/* A callback of the machine may access the device: outer is then the call that continues. */
void vgpu_port_leave(const struct vgpu_port *outer)
{
    if (left_twice != NULL) {
        left_twice();
    }
    inside = outer;
    last_call->inside = outer != NULL;
}

bool vgpu_port_is_owner(const struct vgpu_port *port)
{
    return pthread_equal(pthread_self(), port->owner) != 0;
}

bool vgpu_port_is_alive(struct vgpu_port *port)
{
    static const char late[] =
        "agpu: a device" VGPU_CONTRACT_WORDS
        "it called its host after destroy(): expected that its threads have ended when destroy() returns\n";
    static atomic_bool told;

    if (!atomic_load_explicit(&port->gone, memory_order_acquire)) {
        return true;
    }
    if (!atomic_exchange(&told, true)) {
        fputs(late, stderr);
    }
    return false;
}
