/* commands.c: the commands of the protocol, one function each, in the order in which QEMU sends them. */
#include "tests/device/vfio/commands.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stddef.h>
#include <string.h>

#include "tests/device/vfio/guest_memory.h"
#include "tests/device/vfio/session_private.h"
#include "tests/device/vfio/version.h"

static int do_version(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request,
                      struct vgpu_vfio_reply *reply)
{
    const struct vgpu_vfio_version ours = {VGPU_VFIO_MAJOR, VGPU_VFIO_MINOR};
    /* The client has no more space for the answer than it used itself. */
    const size_t capacity = request->version.json == NULL ? 0 : request->version.json_length + 1;
    size_t length = 0;
    uint8_t *answer;
    int error;

    if (request->version.number.major != VGPU_VFIO_MAJOR) {
        vgpu_vfio_log(&session->config.log, "client: speaks vfio-user %u.%u, expected %u.x",
                      request->version.number.major, request->version.number.minor, VGPU_VFIO_MAJOR);
        return ENOTSUP;
    }
    vgpu_vfio_reply_append(reply, &ours, sizeof ours);
    answer = vgpu_vfio_reply_extend(reply, capacity);
    error = vgpu_vfio_negotiate(request->version.json, request->version.json_length, (char *)answer, capacity,
                                &length);
    if (error != 0) {
        return error;
    }
    vgpu_vfio_reply_shrink(reply, capacity - length);
    session->negotiated = true;
    session->stats.clients++;
    vgpu_vfio_log(&session->config.log, "client: connected, vfio-user %u.%u", ours.major, ours.minor);
    return 0;
}

static int do_dma_map(struct vgpu_vfio_session *session, const struct vgpu_vfio_dma_map *request, int fd)
{
    struct vgpu_vfio_map map = {.address = request->address, .size = request->size};
    const char *why = NULL;
    int error;

    if ((request->flags & ~(VGPU_VFIO_DMA_READ | VGPU_VFIO_DMA_WRITE)) != 0) {
        return EINVAL;
    }
    if (fd >= 0) {
        error = vgpu_vfio_guest_memory_map(request, fd, &map, &why);
        if (why != NULL) {
            vgpu_vfio_log(&session->config.log, "guest memory 0x%llx+0x%llx: %s",
                          (unsigned long long)request->address, (unsigned long long)request->size, why);
        }
        if (error != 0 && error != EPERM) {
            return error;
        }
    }
    vgpu_port_lock_memory(session->port);
    error = vgpu_vfio_dma_add(&session->dma, &map);
    vgpu_port_unlock_memory(session->port);
    if (error != 0) {
        vgpu_vfio_guest_memory_unmap(&map);
        return error;
    }
    session->stats.maps++;
    return 0;
}

static int unmap_all(struct vgpu_vfio_session *session)
{
    struct vgpu_vfio_map map;

    while (vgpu_vfio_dma_pop(&session->dma, &map)) {
        vgpu_vfio_guest_memory_unmap(&map);
    }
    return 0;
}

static void unmap_taken(void *ctx, const struct vgpu_vfio_map *map)
{
    (void)ctx;
    vgpu_vfio_guest_memory_unmap(map);
}

static int do_dma_unmap(struct vgpu_vfio_session *session, const struct vgpu_vfio_dma_unmap *request,
                        struct vgpu_vfio_reply *reply)
{
    const bool all = (request->flags & VGPU_VFIO_DMA_UNMAP_ALL) != 0;
    int error;

    /* "all" must not specify a range, like in the kernel's vfio. */
    if ((request->flags & ~VGPU_VFIO_DMA_UNMAP_ALL) != 0 ||
        (all && (request->address != 0 || request->size != 0))) {
        return EINVAL;
    }
    vgpu_port_lock_memory(session->port);
    error = all ? unmap_all(session)
                : vgpu_vfio_dma_remove(&session->dma, request->address, request->size, unmap_taken, NULL);
    vgpu_port_unlock_memory(session->port);
    if (error == 0) {
        vgpu_vfio_reply_append(reply, request, sizeof *request);
    }
    return error;
}

static int do_device_info(struct vgpu_vfio_reply *reply)
{
    const struct vgpu_vfio_device_info info = {
        .argsz = sizeof info,
        /* Without RESET a client never sends DEVICE_RESET. */
        .flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
        .num_regions = VGPU_VFIO_NUM_REGIONS,
        .num_irqs = VGPU_VFIO_NUM_IRQS,
    };

    vgpu_vfio_reply_append(reply, &info, sizeof info);
    return 0;
}

static int do_region_info(struct vgpu_vfio_session *session, const struct vgpu_vfio_region_info *request,
                          struct vgpu_vfio_reply *reply)
{
    struct vgpu_vfio_region_info info = {.argsz = sizeof info, .index = request->index};
    const int memory = vgpu_vfio_region_memory(session->port, request->index);
    struct vgpu_vfio_sparse_cap sparse = {
        .id = VFIO_REGION_INFO_CAP_SPARSE_MMAP,
        .version = 1,
        .area_count = 1,
    };

    if (request->index >= VGPU_VFIO_NUM_REGIONS) {
        return EINVAL;
    }
    info.size = vgpu_vfio_region_size(session->port, request->index);
    if (info.size != 0) {
        info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
    }
    if (memory < 0 || info.size == 0 || !session->config.map_vram) {
        vgpu_vfio_reply_append(reply, &info, sizeof info);
        return 0;
    }

    info.flags |= VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS;
    info.argsz = sizeof info + sizeof sparse;
    info.cap_offset = sizeof info;
    sparse.area_size = info.size;
    vgpu_vfio_reply_append(reply, &info, sizeof info);
    /* A client without space for the capability learns from argsz that it must ask again, and would leak a
     * descriptor sent with this first reply. */
    if (request->argsz >= info.argsz) {
        vgpu_vfio_reply_append(reply, &sparse, sizeof sparse);
        reply->fd = memory;
    }
    return 0;
}

static int do_irq_info(const struct vgpu_vfio_session *session, const struct vgpu_vfio_irq_info *request,
                       struct vgpu_vfio_reply *reply)
{
    struct vgpu_vfio_irq_info info = {.argsz = sizeof info, .index = request->index};
    const int error = vgpu_vfio_irqs_describe(&session->irqs, &info);

    if (error == 0) {
        vgpu_vfio_reply_append(reply, &info, sizeof info);
    }
    return error;
}

/* A client keeps the MSI-X table to itself and enables vectors by their descriptors. Like the kernel's vfio
 * for a board, this programs the table of the device: a vector with a descriptor is unmasked. */
static void program_table(struct vgpu_vfio_session *session)
{
    const struct vgpu_port_msix *msix = vgpu_port_msix(session->port);

    for (uint32_t i = 0; i < msix->vectors; i++) {
        const uint64_t control = msix->table + 16 * (uint64_t)i + 12;
        const bool masked = !vgpu_vfio_irqs_has_msix(&session->irqs, i);

        if (((vgpu_port_bar_read(session->port, msix->bar, control, 4) & 1) != 0) != masked) {
            vgpu_port_bar_write(session->port, msix->bar, control, 4, masked);
        }
    }
}

static int do_set_irqs(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request, int *fds,
                       size_t fd_count)
{
    const int error =
        vgpu_vfio_irqs_set(&session->irqs, &request->irqs.set, request->irqs.bools, fds, fd_count);

    if (error == 0 && request->irqs.set.index == VFIO_PCI_MSIX_IRQ_INDEX) {
        program_table(session);
    }
    session->touched = true; /* a message may have waited for its descriptor */
    return error;
}

static int do_read(struct vgpu_vfio_session *session, const struct vgpu_vfio_access *access,
                   struct vgpu_vfio_reply *reply)
{
    int error;

    vgpu_vfio_reply_append(reply, access, sizeof *access);
    error = vgpu_vfio_region_read(session->port, access, vgpu_vfio_reply_extend(reply, access->count));
    if (error == 0) {
        session->stats.reads[access->region]++;
    }
    return error;
}

static int write_region(struct vgpu_vfio_session *session, const struct vgpu_vfio_access *access,
                        const uint8_t *data)
{
    const int error = vgpu_vfio_region_write(session->port, access, data);

    if (error == 0) {
        session->stats.writes[access->region]++;
        session->touched = true;
    }
    return error;
}

static int do_write(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request,
                    struct vgpu_vfio_reply *reply)
{
    vgpu_vfio_reply_append(reply, &request->region.access, sizeof request->region.access);
    return write_region(session, &request->region.access, request->region.data);
}

static int do_write_multi(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request,
                          struct vgpu_vfio_reply *reply)
{
    for (uint64_t i = 0; i < request->multi.count; i++) {
        const struct vgpu_vfio_multi_write element = vgpu_vfio_multi_element(request, i);
        int error;

        /* Each write has its own service point (device.md 0); only that of the last one can follow the
         * reply. */
        if (session->touched) {
            vgpu_vfio_session_service_now(session);
        }
        if (element.access.count == 0 || element.access.count > sizeof element.data) {
            return EINVAL;
        }
        error = write_region(session, &element.access, element.data);
        if (error != 0) {
            return error;
        }
    }
    vgpu_vfio_reply_append(reply, &request->multi.count, sizeof request->multi.count);
    return 0;
}

static int do_reset(struct vgpu_vfio_session *session)
{
    vgpu_port_reset(session->port, AGPU_DEVICE_RESET_FUNCTION);
    session->touched = true;
    session->stats.resets++;
    return 0;
}

int vgpu_vfio_execute(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request, int *fds,
                      size_t fd_count, struct vgpu_vfio_reply *reply)
{
    switch (request->header.command) {
    case VGPU_VFIO_VERSION:
        return do_version(session, request, reply);
    case VGPU_VFIO_DMA_MAP:
        return do_dma_map(session, &request->map, fd_count == 0 ? -1 : fds[0]);
    case VGPU_VFIO_DMA_UNMAP:
        return do_dma_unmap(session, &request->unmap, reply);
    case VGPU_VFIO_GET_INFO:
        return do_device_info(reply);
    case VGPU_VFIO_REGION_INFO:
        return do_region_info(session, &request->region_info, reply);
    case VGPU_VFIO_IRQ_INFO:
        return do_irq_info(session, &request->irq_info, reply);
    case VGPU_VFIO_SET_IRQS:
        return do_set_irqs(session, request, fds, fd_count);
    case VGPU_VFIO_REGION_READ:
        return do_read(session, &request->region.access, reply);
    case VGPU_VFIO_REGION_WRITE:
        return do_write(session, request, reply);
    case VGPU_VFIO_DEVICE_RESET:
        return do_reset(session);
    case VGPU_VFIO_WRITE_MULTI:
        return do_write_multi(session, request, reply);
    default:
        return ENOTSUP;
    }
}
