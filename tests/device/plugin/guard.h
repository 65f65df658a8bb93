/* guard.h: a device under test may crash or hang: the process that runs it then reports where before it
 * ends. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_GUARD_H
#define VGPU_TESTS_DEVICE_PLUGIN_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct vgpu_port;

/* Installs the guard. A fatal signal ends the process from now on, as does an exit() or _exit() inside a call or
 * on a thread of the device. So does a call into the device of more than hang_s seconds (0: no limit). The
 * process first prints one line on standard error: the signal, the device, the call with its arguments. It ends
 * by that signal, by SIGABRT for a hang, with status 1 for an exit. A process that the device forked ends when it
 * would leave the call. Time during which the process was stopped (in a debugger, for example) does not count.
 * name: the user's FILE[,OPTIONS], used for the device until vgpu_guard_name() or vgpu_guard_watch(); NULL:
 * the model. After vgpu_guard_keep(), a crash outside the model's calls is one of the driver or a case: a line
 * VGPU_GUARD_STACK comes first, and a handler of a sanitizer stays. Returns false when the guard could not be
 * installed. Call once per process. */
bool vgpu_guard_install(const char *name, unsigned hang_s);

/* Sets the name of a device that is not watched yet: the file of spec without directory and options. */
void vgpu_guard_name(const char *spec);

/* Sets a function (async-signal-safe) that is called first at each SIGBUS; it returns true when the access can
 * be retried. Call before vgpu_guard_install(). */
void vgpu_guard_set_mender(bool (*mend)(const void *address));

/* Call before vgpu_guard_install() in a process that will fork: parent and child then share the data of the
 * guard, which are new at each call. Returns false without memory. */
bool vgpu_guard_share(void);

/* Does the same; the line about the end of a process is stored from now on, not written. Returns its place, "" before
 * there is one; NULL without memory. */
const char *vgpu_guard_keep(void);

/* Starts a line with the offsets of the functions that were active, hexadecimal, innermost first. */
#define VGPU_GUARD_STACK "stack="

/* Part of the sentence about a hang, by which tests/host/compare recognises a hang in the output of a
 * process. */
#define VGPU_GUARD_HANG_WORDS " hangs: a call did not return"

/* Writes one line as above; how begins with a space. Only the first call in a process writes. */
void vgpu_guard_say(const char *how);

/* Sets the current activity, for example "in case fence.order.many", which ends that line; NULL: none. */
void vgpu_guard_set_place(const char *place);

/* Registers a device: the guard reads its name and the names of its registers now. With several devices (up to
 * eight) the line names the one that was called. NULL removes all. */
void vgpu_guard_watch(struct vgpu_port *port);

/* Writes the current or last call: "bar_read BAR0 + 0x130 (COMPLETED_FENCE), size 0x4 (call number 0x12)". Cut
 * to size. */
void vgpu_guard_describe_call(char *text, size_t size);

#endif
