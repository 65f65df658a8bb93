/* accel.h: decides whether QEMU runs the guest with KVM or with TCG. */
#ifndef AGPU_HOST_RUN_ACCEL_H
#define AGPU_HOST_RUN_ACCEL_H

#include <stddef.h>

/* "kvm" or "tcg" for the wish auto, kvm or tcg. For auto: KVM only where the firmware was seen to come up
 * under it, in a boot of at most 20 s whose outcome is kept under ${XDG_CACHE_HOME:-~/.cache}/agpu for this
 * QEMU, kernel and firmware: a /dev/kvm that is there may still not run firmware. why receives one line about
 * the choice, "" when there is nothing to say. */
const char *agpu_accel_choose(const char *wish, const char *qemu, const char *ovmf_code,
                              const char *ovmf_vars, char *why, size_t why_size);

#endif
