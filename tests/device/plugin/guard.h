/* guard.h: a device of somebody else may crash or hang: the process that runs it says where before it ends. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_GUARD_H
#define VGPU_TESTS_DEVICE_PLUGIN_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct vgpu_port;

/* name: what the device is called until vgpu_guard_name() or vgpu_guard_watch(), the user's FILE[,OPTIONS] say; NULL: our own.
 * From now on a fatal signal, an exit() or _exit() inside a call or on a thread of the device, and a call into the device that
 * takes longer than hang_s seconds (0: never too long), end the process by that signal, SIGABRT for a hang, status 1 for an
 * exit, after one line on standard error: the signal, the device, the call with its arguments. A copy of the process that the
 * device made by fork() ends when it would leave the call. Time in which the process was stopped, by a debugger say, does not count. False when it could not
 * be installed. Once a process. */
bool vgpu_guard_install(const char *name, unsigned hang_s);

/* What a device is called from now on that is not watched yet: the file without folder and options. */
void vgpu_guard_name(const char *spec);

/* mend (async-signal-safe) is asked first at each SIGBUS: true when the access can go on. Before vgpu_guard_install(). */
void vgpu_guard_set_mender(bool (*mend)(const void *address));

/* Before vgpu_guard_install(), in a process that is to be forked: what the guard knows is then shared by both. False without
 * memory. */
bool vgpu_guard_share(void);

/* In the sentence about a hang; whoever has only the process's output knows it by this (tests/host/compare). */
#define VGPU_GUARD_HANG_WORDS " hangs: a call did not return"

/* One line as above: how begins with a space. Once a process: the first reason counts. */
void vgpu_guard_say(const char *how);

/* What is done with the device from now on, "in case fence.order.many" say, ends that line; NULL: nothing of which anybody should be
 * told. */
void vgpu_guard_set_place(const char *place);

/* Tells the guard the name of a device and of its registers, which it asks for now. Of several devices, up to eight, the one whose
 * call it was is named. NULL: none any more. */
void vgpu_guard_watch(struct vgpu_port *port);

/* The call that goes on, or was last: "bar_read BAR0 + 0x130 (COMPLETED_FENCE), size 0x4 (call
 * number 0x12)". Cut to size. */
void vgpu_guard_describe_call(char *text, size_t size);

#endif
