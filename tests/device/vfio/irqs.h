/* irqs.h: interrupts from the device to the client: IRQ_INFO, SET_IRQS, and the eventfds that carry signals
 * for INTx, and for MSI or MSI-X if the device has them. */
#ifndef VGPU_TESTS_DEVICE_VFIO_IRQS_H
#define VGPU_TESTS_DEVICE_VFIO_IRQS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/intx.h"
#include "tests/device/vfio/wire.h"

/* INTx, MSI, MSI-X. The error and request interrupts of vfio are not supported: QEMU accepts their absence
 * silently, but warns when they are announced with a count of 0. */
#define VGPU_VFIO_NUM_IRQS 3u

/* Maximum number of MSI-X vectors. */
#define VGPU_VFIO_MESSAGES_MAX 2048u

/* Owns all descriptors; -1 = none. */
struct vgpu_vfio_irqs {
    struct vgpu_vfio_intx intx;
    int trigger_fd; /* written when INTx is signalled */
    int unmask_fd; /* readable when the client's hypervisor detected the end of the interrupt (KVM resample) */
    uint64_t signalled;                  /* INTx signals since creation */
    uint32_t counts[VGPU_VFIO_NUM_IRQS]; /* number of the device's vectors, by index; INTx is not counted */
    /* The lock protects the members below: threads of the device send messages. */
    pthread_mutex_t message_lock;
    uint32_t message_index; /* owner of the descriptors, MSI or MSI-X: a client enables one at a time */
    int message_fds[VGPU_VFIO_MESSAGES_MAX];
    uint64_t messages;
};

void vgpu_vfio_irqs_init(struct vgpu_vfio_irqs *irqs);
/* Call after vgpu_vfio_irqs_release(). */
void vgpu_vfio_irqs_destroy(struct vgpu_vfio_irqs *irqs);
/* Closes the client's descriptors; the line level is unchanged. */
void vgpu_vfio_irqs_release(struct vgpu_vfio_irqs *irqs);

/* Fills flags and count of an IRQ_INFO reply according to its index. Returns 0, or EINVAL for an unknown
 * index. */
int vgpu_vfio_irqs_describe(const struct vgpu_vfio_irqs *irqs, struct vgpu_vfio_irq_info *info);

/* Executes SET_IRQS. bools: set->count bytes if the flags say so. Takes descriptors from fds and replaces them
 * by -1. Returns 0; EINVAL for an invalid combination, range or descriptor; ENOTSUP for one that vfio allows
 * and this device does not support (an eventfd for masking, masking of messages). */
int vgpu_vfio_irqs_set(struct vgpu_vfio_irqs *irqs, const struct vgpu_vfio_irq_set *set, const uint8_t *bools,
                       int *fds, size_t fd_count);

/* Sets the level of the device's line. */
void vgpu_vfio_irqs_line(struct vgpu_vfio_irqs *irqs, bool asserted);
/* Sends message `vector` of the device. Returns false when the client has not enabled it. Any thread. */
bool vgpu_vfio_irqs_message(struct vgpu_vfio_irqs *irqs, uint32_t vector);
/* True when the client has a descriptor for this MSI-X vector. Owner's thread. */
bool vgpu_vfio_irqs_has_msix(const struct vgpu_vfio_irqs *irqs, uint32_t vector);
/* Returns the number of signals since creation, INTx and messages. */
uint64_t vgpu_vfio_irqs_signalled(struct vgpu_vfio_irqs *irqs);
/* Call when unmask_fd becomes readable: consumes the event and unmasks. */
void vgpu_vfio_irqs_unmask_event(struct vgpu_vfio_irqs *irqs);

#endif
