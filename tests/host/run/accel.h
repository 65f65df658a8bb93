/* accel.h: decides whether QEMU runs the guest with KVM or with TCG. */
#ifndef AGPU_HOST_RUN_ACCEL_H
#define AGPU_HOST_RUN_ACCEL_H

/* Returns "kvm" or "tcg" for the wish auto, kvm or tcg. auto chooses KVM only where a test boot of the firmware
 * succeeds under it within 20 s, because firmware may fail even though /dev/kvm exists.
 * The result is cached (cache.h) for this QEMU, kernel and firmware, with the reason. */
const char *agpu_accel_choose(const char *wish, const char *qemu, const char *ovmf_code,
                              const char *ovmf_vars);

#endif
