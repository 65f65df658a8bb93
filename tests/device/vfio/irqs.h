/* irqs.h: the interrupts of the device towards the client: what IRQ_INFO announces, what SET_IRQS installs,
 * and the eventfds that carry signals: INTx, and MSI or MSI-X where the device has the capability. */
#ifndef VGPU_TESTS_DEVICE_VFIO_IRQS_H
#define VGPU_TESTS_DEVICE_VFIO_IRQS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/intx.h"
#include "tests/device/vfio/wire.h"

/* INTx, MSI, MSI-X. The error and request interrupts of vfio are not ours; QEMU takes their absence quietly,
 * and warns when they are announced with a count of 0. */
#define VGPU_VFIO_NUM_IRQS 3u

/* What MSI-X can have at most. */
#define VGPU_VFIO_MESSAGES_MAX 2048u

/* Owns all descriptors; -1 = none. */
struct vgpu_vfio_irqs {
    struct vgpu_vfio_intx intx;
    int trigger_fd;     /* written when INTx is signalled */
    int unmask_fd;      /* readable when the client's hypervisor saw the end of interrupt (KVM resample) */
    uint64_t signalled; /* since creation; without messages */
    uint32_t counts[VGPU_VFIO_NUM_IRQS]; /* vectors that the device has, by index; INTx is not counted */
    /* The rest under the lock: threads of the device send messages. */
    pthread_mutex_t message_lock;
    uint32_t
        message_index; /* MSI or MSI-X: whose the descriptors are. A client has one of them on at a time */
    int message_fds[VGPU_VFIO_MESSAGES_MAX];
    uint64_t messages;
};

void vgpu_vfio_irqs_init(struct vgpu_vfio_irqs *irqs);
/* Behind vgpu_vfio_irqs_release(). */
void vgpu_vfio_irqs_destroy(struct vgpu_vfio_irqs *irqs);
/* Closes the client's descriptors; the line level stays. */
void vgpu_vfio_irqs_release(struct vgpu_vfio_irqs *irqs);

/* Fills flags and count of an IRQ_INFO reply from its index. Returns 0 or EINVAL for an unknown index. */
int vgpu_vfio_irqs_describe(const struct vgpu_vfio_irqs *irqs, struct vgpu_vfio_irq_info *info);

/* Executes SET_IRQS. bools: set->count bytes when the flags say so. Takes ownership of what it keeps of fds
 * and puts -1 in its place. Returns 0; EINVAL for a combination, range or descriptor that is not allowed;
 * ENOTSUP for one that vfio has and this device does not (an eventfd for masking, masking of messages). */
int vgpu_vfio_irqs_set(struct vgpu_vfio_irqs *irqs, const struct vgpu_vfio_irq_set *set, const uint8_t *bools,
                       int *fds, size_t fd_count);

/* The device moved its line. */
void vgpu_vfio_irqs_line(struct vgpu_vfio_irqs *irqs, bool asserted);
/* The device sends message `vector`; false when the client has not enabled it. Any thread. */
bool vgpu_vfio_irqs_message(struct vgpu_vfio_irqs *irqs, uint32_t vector);
/* The client has a descriptor for that vector of MSI-X. Owner's thread. */
bool vgpu_vfio_irqs_has_msix(const struct vgpu_vfio_irqs *irqs, uint32_t vector);
/* Signals since creation, INTx and messages. */
uint64_t vgpu_vfio_irqs_signalled(struct vgpu_vfio_irqs *irqs);
/* unmask_fd became readable: consumes the event and unmasks. */
void vgpu_vfio_irqs_unmask_event(struct vgpu_vfio_irqs *irqs);

#endif
