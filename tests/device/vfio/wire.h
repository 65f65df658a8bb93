/* wire.h: the vfio-user protocol on the socket: commands, header flags and payload layouts. Numbers and flags
 * of regions and interrupts are those of <linux/vfio.h>. All fields are in host byte order (QEMU
 * docs/interop/vfio-user.rst, "Protocol Specification"). */
#ifndef VGPU_TESTS_DEVICE_VFIO_WIRE_H
#define VGPU_TESTS_DEVICE_VFIO_WIRE_H

#include <stdint.h>

enum vgpu_vfio_command {
    VGPU_VFIO_VERSION = 1,
    VGPU_VFIO_DMA_MAP = 2,
    VGPU_VFIO_DMA_UNMAP = 3,
    VGPU_VFIO_GET_INFO = 4,
    VGPU_VFIO_REGION_INFO = 5,
    VGPU_VFIO_IRQ_INFO = 7,
    VGPU_VFIO_SET_IRQS = 8,
    VGPU_VFIO_REGION_READ = 9,
    VGPU_VFIO_REGION_WRITE = 10,
    VGPU_VFIO_DEVICE_RESET = 13,
    VGPU_VFIO_WRITE_MULTI = 15,
};

/* Header flags. Bits 0-3 are the message type. */
#define VGPU_VFIO_TYPE_MASK    0x0Fu
#define VGPU_VFIO_TYPE_COMMAND 0x00u
#define VGPU_VFIO_TYPE_REPLY   0x01u
#define VGPU_VFIO_NO_REPLY     0x10u
#define VGPU_VFIO_ERROR        0x20u

/* Only protocol 0.0 exists. */
#define VGPU_VFIO_MAJOR 0
#define VGPU_VFIO_MINOR 0

/* DMA_MAP flags. QEMU sends DMA_UNMAP_ALL in a field that the document calls unused. */
#define VGPU_VFIO_DMA_READ      0x1u
#define VGPU_VFIO_DMA_WRITE     0x2u
#define VGPU_VFIO_DMA_UNMAP_ALL 0x2u

struct vgpu_vfio_header {
    uint16_t id;
    uint16_t command;
    uint32_t size; /* bytes of the whole message, this header included */
    uint32_t flags;
    uint32_t error; /* errno value in a reply with VGPU_VFIO_ERROR */
};

/* Followed by NUL-terminated JSON, which may be absent. */
struct vgpu_vfio_version {
    uint16_t major;
    uint16_t minor;
};

struct vgpu_vfio_dma_map {
    uint32_t argsz;
    uint32_t flags;
    uint64_t offset; /* in the file whose descriptor is sent with the message */
    uint64_t address;
    uint64_t size;
};

struct vgpu_vfio_dma_unmap {
    uint32_t argsz;
    uint32_t flags;
    uint64_t address;
    uint64_t size;
};

struct vgpu_vfio_device_info {
    uint32_t argsz;
    uint32_t flags;
    uint32_t num_regions;
    uint32_t num_irqs;
};

struct vgpu_vfio_region_info {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t cap_offset;
    uint64_t size;
    uint64_t offset;
};

/* Capability "sparse mmap" with one area. */
struct vgpu_vfio_sparse_cap {
    uint16_t id;
    uint16_t version;
    uint32_t next;
    uint32_t area_count;
    uint32_t reserved;
    uint64_t area_offset;
    uint64_t area_size;
};

struct vgpu_vfio_irq_info {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t count;
};

/* Followed by `count` bytes when VFIO_IRQ_SET_DATA_BOOL is set. */
struct vgpu_vfio_irq_set {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t start;
    uint32_t count;
};

/* Followed by `count` bytes in a write request and in a read reply. */
struct vgpu_vfio_access {
    uint64_t offset;
    uint32_t region;
    uint32_t count;
};

/* One element of WRITE_MULTI, whose payload is a 64-bit element count and then the elements. */
struct vgpu_vfio_multi_write {
    struct vgpu_vfio_access access;
    uint8_t data[8];
};

_Static_assert(sizeof(struct vgpu_vfio_header) == 16, "header is 16 bytes");
_Static_assert(sizeof(struct vgpu_vfio_version) == 4, "version is 4 bytes");
_Static_assert(sizeof(struct vgpu_vfio_dma_map) == 32, "DMA_MAP payload is 32 bytes");
_Static_assert(sizeof(struct vgpu_vfio_dma_unmap) == 24, "DMA_UNMAP payload is 24 bytes");
_Static_assert(sizeof(struct vgpu_vfio_device_info) == 16, "GET_INFO payload is 16 bytes");
_Static_assert(sizeof(struct vgpu_vfio_region_info) == 32, "REGION_INFO payload is 32 bytes");
_Static_assert(sizeof(struct vgpu_vfio_sparse_cap) == 32, "one-area sparse capability is 32 bytes");
_Static_assert(sizeof(struct vgpu_vfio_irq_info) == 16, "IRQ_INFO payload is 16 bytes");
_Static_assert(sizeof(struct vgpu_vfio_irq_set) == 20, "SET_IRQS payload is 20 bytes");
_Static_assert(sizeof(struct vgpu_vfio_access) == 16, "REGION_READ payload is 16 bytes");
_Static_assert(sizeof(struct vgpu_vfio_multi_write) == 24, "WRITE_MULTI element is 24 bytes");

#endif
