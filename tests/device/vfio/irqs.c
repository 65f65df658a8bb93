/* irqs.c: SET_IRQS, and writes to the eventfds. */
#include "tests/device/vfio/irqs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ONE_BIT(flags) ((flags) != 0 && ((flags) & ((flags)-1)) == 0)

void vgpu_vfio_irqs_init(struct vgpu_vfio_irqs *irqs)
{
    memset(irqs, 0, sizeof *irqs);
    irqs->trigger_fd = -1;
    irqs->unmask_fd = -1;
    for (size_t i = 0; i < VGPU_VFIO_MESSAGES_MAX; i++) {
        irqs->message_fds[i] = -1;
    }
    irqs->message_index = VFIO_PCI_MSI_IRQ_INDEX;
    pthread_mutex_init(&irqs->message_lock, NULL);
}

void vgpu_vfio_irqs_destroy(struct vgpu_vfio_irqs *irqs)
{
    pthread_mutex_destroy(&irqs->message_lock);
}

static void replace_fd(int *place, int fd)
{
    if (*place >= 0) {
        close(*place);
    }
    *place = fd;
}

static void release_intx(struct vgpu_vfio_irqs *irqs)
{
    vgpu_vfio_intx_disable(&irqs->intx);
    replace_fd(&irqs->trigger_fd, -1);
    replace_fd(&irqs->unmask_fd, -1);
}

static void close_messages(struct vgpu_vfio_irqs *irqs, uint32_t start, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        replace_fd(&irqs->message_fds[start + i], -1);
    }
}

/* Installs descriptors for vectors of an index from start; fds NULL removes them. */
static void install_messages(struct vgpu_vfio_irqs *irqs, uint32_t index, uint32_t start, uint32_t count,
                             int *fds)
{
    pthread_mutex_lock(&irqs->message_lock);
    if (index != irqs->message_index && fds != NULL) {
        close_messages(irqs, 0, VGPU_VFIO_MESSAGES_MAX);
        irqs->message_index = index;
    }
    if (index == irqs->message_index && fds == NULL) {
        close_messages(irqs, start, count);
    }
    for (uint32_t i = 0; i < count && fds != NULL; i++) {
        replace_fd(&irqs->message_fds[start + i], fds[i]);
        fds[i] = -1;
    }
    pthread_mutex_unlock(&irqs->message_lock);
}

void vgpu_vfio_irqs_release(struct vgpu_vfio_irqs *irqs)
{
    release_intx(irqs);
    install_messages(irqs, irqs->message_index, 0, VGPU_VFIO_MESSAGES_MAX, NULL);
}

bool vgpu_vfio_irqs_message(struct vgpu_vfio_irqs *irqs, uint32_t vector)
{
    const uint64_t one = 1;
    bool enabled;

    if (vector >= VGPU_VFIO_MESSAGES_MAX) {
        return false;
    }
    pthread_mutex_lock(&irqs->message_lock);
    enabled = irqs->message_fds[vector] >= 0;
    /* Fails only when the counter is full: the client then has enough signals. */
    if (enabled && write(irqs->message_fds[vector], &one, sizeof one) == (ssize_t)sizeof one) {
        irqs->messages++;
    }
    pthread_mutex_unlock(&irqs->message_lock);
    return enabled;
}

bool vgpu_vfio_irqs_has_msix(const struct vgpu_vfio_irqs *irqs, uint32_t vector)
{
    return irqs->message_index == VFIO_PCI_MSIX_IRQ_INDEX && vector < VGPU_VFIO_MESSAGES_MAX &&
           irqs->message_fds[vector] >= 0;
}

uint64_t vgpu_vfio_irqs_signalled(struct vgpu_vfio_irqs *irqs)
{
    uint64_t count;

    pthread_mutex_lock(&irqs->message_lock);
    count = irqs->signalled + irqs->messages;
    pthread_mutex_unlock(&irqs->message_lock);
    return count;
}

static void signal_client(struct vgpu_vfio_irqs *irqs)
{
    const uint64_t one = 1;

    /* Fails only when the counter is full: the client then has enough signals. */
    if (irqs->trigger_fd >= 0 && write(irqs->trigger_fd, &one, sizeof one) == (ssize_t)sizeof one) {
        irqs->signalled++;
    }
}

static void signal_if(struct vgpu_vfio_irqs *irqs, bool now)
{
    if (now) {
        signal_client(irqs);
    }
}

/* A pipe or socket could block the server or kill it by SIGPIPE. Only eventfds are accepted, and made
 * non-blocking. */
static bool is_usable_eventfd(int fd)
{
    static const char expected[] = "anon_inode:[eventfd]";
    char path[32], target[sizeof expected];
    int flags = fcntl(fd, F_GETFL);
    ssize_t length;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    length = readlink(path, target, sizeof target);
    if (length != (ssize_t)strlen(expected) || memcmp(target, expected, strlen(expected)) != 0) {
        return false;
    }
    return flags >= 0 && ((flags & O_NONBLOCK) != 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0);
}

int vgpu_vfio_irqs_describe(const struct vgpu_vfio_irqs *irqs, struct vgpu_vfio_irq_info *info)
{
    if (info->index >= VGPU_VFIO_NUM_IRQS) {
        return EINVAL;
    }
    info->flags = 0;
    info->count = 0;
    if (info->index == VFIO_PCI_INTX_IRQ_INDEX) {
        info->flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_AUTOMASKED;
        info->count = 1;
    } else if (irqs->counts[info->index] != 0) {
        info->flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
        info->count = irqs->counts[info->index];
    }
    return 0;
}

/* SET_IRQS with one eventfd, or with none to remove the installed one. */
static int set_eventfd(struct vgpu_vfio_irqs *irqs, uint32_t action, int *fds, size_t fd_count)
{
    int fd = -1;

    if (action == VFIO_IRQ_SET_ACTION_MASK) {
        return ENOTSUP;
    }
    if (fd_count != 0) {
        if (!is_usable_eventfd(fds[0])) {
            return EINVAL;
        }
        fd = fds[0];
        fds[0] = -1;
    }
    if (action == VFIO_IRQ_SET_ACTION_UNMASK) {
        replace_fd(&irqs->unmask_fd, fd);
        return 0;
    }
    replace_fd(&irqs->trigger_fd, fd);
    if (fd < 0) {
        vgpu_vfio_intx_disable(&irqs->intx);
    } else {
        signal_if(irqs, vgpu_vfio_intx_enable(&irqs->intx));
    }
    return 0;
}

static void act_on_irq(struct vgpu_vfio_irqs *irqs, uint32_t action)
{
    switch (action) {
    case VFIO_IRQ_SET_ACTION_MASK:
        vgpu_vfio_intx_mask(&irqs->intx);
        break;
    case VFIO_IRQ_SET_ACTION_UNMASK:
        signal_if(irqs, vgpu_vfio_intx_unmask(&irqs->intx));
        break;
    default: /* the client triggers an interrupt itself, to test the path */
        signal_client(irqs);
        break;
    }
}

static int set_messages(struct vgpu_vfio_irqs *irqs, const struct vgpu_vfio_irq_set *set,
                        const uint8_t *bools, int *fds, size_t fd_count)
{
    const uint32_t data = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK, count = irqs->counts[set->index];

    if (set->start >= count || set->count > count - set->start) {
        return EINVAL;
    }
    if ((set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER) {
        return ENOTSUP;
    }
    if (data == VFIO_IRQ_SET_DATA_EVENTFD) {
        for (size_t i = 0; i < fd_count; i++) {
            if (!is_usable_eventfd(fds[i])) {
                return EINVAL;
            }
        }
        install_messages(irqs, set->index, set->start, set->count, fd_count != 0 ? fds : NULL);
        return 0;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (data == VFIO_IRQ_SET_DATA_NONE || bools[i] != 0) {
            vgpu_vfio_irqs_message(irqs, set->start + i);
        }
    }
    return 0;
}

int vgpu_vfio_irqs_set(struct vgpu_vfio_irqs *irqs, const struct vgpu_vfio_irq_set *set, const uint8_t *bools,
                       int *fds, size_t fd_count)
{
    const uint32_t data = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
    const uint32_t action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;

    if ((set->flags & ~(uint32_t)(VFIO_IRQ_SET_DATA_TYPE_MASK | VFIO_IRQ_SET_ACTION_TYPE_MASK)) != 0 ||
        !ONE_BIT(data) || !ONE_BIT(action) || set->index >= VGPU_VFIO_NUM_IRQS) {
        return EINVAL;
    }
    if (set->index != VFIO_PCI_INTX_IRQ_INDEX && set->count != 0) {
        return set_messages(irqs, set, bools, fds, fd_count);
    }
    if (set->start != 0) {
        return EINVAL;
    }
    if (set->count == 0) {
        /* "Disable all interrupts of this index": clients also send it for an index without interrupts. */
        if (data != VFIO_IRQ_SET_DATA_NONE || action != VFIO_IRQ_SET_ACTION_TRIGGER) {
            return EINVAL;
        }
        if (set->index == VFIO_PCI_INTX_IRQ_INDEX) {
            release_intx(irqs);
        } else {
            install_messages(irqs, set->index, 0, VGPU_VFIO_MESSAGES_MAX, NULL);
        }
        return 0;
    }
    if (set->count != 1) {
        return EINVAL;
    }
    if (data == VFIO_IRQ_SET_DATA_EVENTFD) {
        return set_eventfd(irqs, action, fds, fd_count);
    }
    if (data == VFIO_IRQ_SET_DATA_NONE || bools[0] != 0) {
        act_on_irq(irqs, action);
    }
    return 0;
}

void vgpu_vfio_irqs_line(struct vgpu_vfio_irqs *irqs, bool asserted)
{
    signal_if(irqs, vgpu_vfio_intx_line(&irqs->intx, asserted));
}

void vgpu_vfio_irqs_unmask_event(struct vgpu_vfio_irqs *irqs)
{
    uint64_t count;

    if (read(irqs->unmask_fd, &count, sizeof count) == (ssize_t)sizeof count) {
        signal_if(irqs, vgpu_vfio_intx_unmask(&irqs->intx));
    }
}
