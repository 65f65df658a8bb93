/* agpu_device_plugin.h: the interface between the AeroGPU test tools and a device by another author. A device
 * needs only this header: no library, no other header of the project.
 *
 * A plug-in is a shared library that exports one function, agpu_device_plugin(), which returns a table of
 * functions. The tools create one device from it and pass it the bus accesses of the machine, and time. The
 * device reaches the machine's memory and interrupts through the host table that create() receives. README.md
 * in this directory leads from an empty file to the first PASS; examples/ has a complete small device in C and
 * in Rust.
 *
 * Threads. The tools call the table on one thread, the owner's, one call at a time, and never from inside a
 * callback. A device may have threads of its own; each callback states which threads may use it. The threads
 * must have ended when destroy() returns. A device must not end the process, and a process that it forks must
 * not return into the tools.
 * Ownership. Arguments of a callback belong to the caller and are valid during the call, unless stated
 * otherwise.
 * Time. Nanoseconds, monotonic, from 0 at create(); for a device that is restored by load() it continues from the
 * time of the saved device. A tool may use simulated time: a device must use only this clock.
 * Byte order. Values are the numbers in a little-endian register. All supported hosts are little-endian. */
#ifndef AGPU_DEVICE_PLUGIN_H
#define AGPU_DEVICE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tool refuses another major version, and a table smaller than that of its minor version. New members are
 * appended and raise the minor version. */
#define AGPU_DEVICE_PLUGIN_MAJOR 1u
#define AGPU_DEVICE_PLUGIN_MINOR 1u

/* The symbol that a plug-in exports. */
#define AGPU_DEVICE_PLUGIN_SYMBOL "agpu_device_plugin"

#define AGPU_DEVICE_BARS 6

/* poll(): nothing to do until the next access or wake(). */
#define AGPU_DEVICE_NEVER UINT64_MAX

/* The machine, as the device uses it. Every member is set. machine is the first argument of each. */
struct agpu_device_host {
    uint32_t major, minor; /* of the tool */
    uint64_t size;         /* sizeof the tool's table */

    /* Copies from or to the machine's memory, [address, address + size). Returns false, without copying
     * anything, when a part of the range is not memory, when it wraps, or while the device is not bus master
     * (bit 2 of its command register). The tool reads that bit again when config_write() or reset() has returned. A
     * request for more than 2^52 bytes is refused too, and makes the run an ERROR. The device's own BARs are not
     * memory here: a device that accepts such an address (pci/device.md 4.8) serves it itself. Allowed in every
     * call, in bar_write() and config_write() too. Any thread. */
    bool (*dma_read)(void *machine, uint64_t address, void *to, uint64_t size);
    bool (*dma_write)(void *machine, uint64_t address, const void *from, uint64_t size);
    /* Access without a copy: returns the pointer to [address, address + size), size > 0, in this process. NULL
     * in the cases above, and when the range is not in one piece; dma_extent() returns the size of the piece,
     * which may be as small as 16 bytes. Valid until the current call into the table returns. Owner's thread,
     * inside a call only. */
    void *(*dma_map)(void *machine, uint64_t address, uint64_t size, bool write);
    /* Returns the number of bytes from address that dma_map() would return in one piece; 0 when there is none.
     * Threads as for dma_map(). */
    uint64_t (*dma_extent)(void *machine, uint64_t address, bool write);

    /* Sets the level of the INTA# line. Any thread; takes effect at once on the owner's thread, otherwise when
     * the owner next serves the device. */
    void (*set_interrupt)(void *machine, bool asserted);
    /* Sends message `vector` of MSI or MSI-X, whichever the machine has enabled in configuration space;
     * vector must be below the number offered there. Returns false when the machine is not ready for it. Any
     * thread. */
    bool (*send_msi)(void *machine, uint32_t vector);

    /* Current time of the device. Any thread. */
    uint64_t (*now_ns)(void *machine);
    /* Requests a call of poll() soon. Any thread. */
    void (*wake)(void *machine);
    /* Writes one line to the device's log, without newline. A line is cut to 1000 characters, the log to 16
     * MiB. Any thread. */
    void (*log)(void *machine, const char *line);
};

/* One memory BAR. All zero: no BAR at this register. The entry of the upper half of a 64-bit BAR stays zero. Accesses
 * to I/O ports, the VGA window or an expansion ROM never reach the device: a BAR register of I/O type has no entry. */
struct agpu_device_bar {
    uint64_t size;      /* a power of two, at least 16, equal to the size found by sizing the BAR register */
    uint32_t is_64_bit; /* is_64_bit and prefetchable are as in the BAR register */
    uint32_t prefetchable;
    /* A memfd of at least size bytes with the contents, for direct mapping by the machine: such accesses do
     * not use bar_read() and bar_write(). The device owns it. -1: every access is a call. It must be -1 for a
     * BAR with registers. */
    int32_t memory_fd;
    uint32_t reserved;
};

struct agpu_device_info {
    struct agpu_device_bar bars[AGPU_DEVICE_BARS];
    uint32_t config_bytes; /* size of configuration space: 256, or 4096 with the extended part */
    /* Number of vectors of the MSI capability in configuration space (message control, bits 3:1); 0: no MSI.
     * The vectors of MSI-X are read from its capability; the MSI-X table is in a BAR of the device, and the
     * device itself holds back masked messages. */
    uint32_t msi_vectors;
};

/* COLD is used before a replay, FUNCTION when the machine resets the device or disconnects. The device clears the
 * contents of its memory BARs (pci/device.md 2): the machine keeps no copy. */
enum agpu_device_reset {
    AGPU_DEVICE_RESET_COLD = 0,     /* as after power-on; BARs unassigned */
    AGPU_DEVICE_RESET_FUNCTION = 1, /* PCI function reset: BARs stay, command register 0 */
};

/* The image on the device's screen, with the cursor. Rows from the top, pixels without padding. The device owns
 * the pixels, which are valid until the next call into the table. */
struct agpu_device_picture {
    uint32_t width, height;
    uint64_t pitch_bytes;
    const uint8_t *rgba; /* 8 bits a channel: red, green, blue, unused */
};

/* Takes one line of text, without newline. */
typedef void agpu_device_line(void *ctx, const char *line);

/* Stores the next size bytes of a saved state. Returns false when it cannot: save() then returns false, too. */
typedef bool agpu_device_store(void *ctx, const void *bytes, uint64_t size);

/* The device, as the tools use it. Members are required unless marked optional, which may be NULL. device is
 * the result of create(). */
struct agpu_device_plugin {
    uint32_t major, minor; /* AGPU_DEVICE_PLUGIN_MAJOR and _MINOR at the build of the plug-in */
    uint64_t size;         /* sizeof(struct agpu_device_plugin) */
    const char *name;      /* one word for reports: letters, digits, '.', '-', '_' */
    const char *about;     /* one sentence, or NULL */

    /* Creates a device in its power-on state. host and machine are valid until destroy() returns. options is
     * the user's text after the file name, "" when there is none. Returns NULL on failure, with the reason in
     * message (message_size bytes). */
    void *(*create)(const struct agpu_device_host *host, void *machine, const char *options, char *message,
                    size_t message_size);
    void (*destroy)(void *device);
    /* Fills *info, which is zeroed with memory_fd -1. Always the same for one device. */
    void (*describe)(void *device, struct agpu_device_info *info);
    void (*reset)(void *device, enum agpu_device_reset kind);

    /* Configuration space: size 1, 2 or 4 and within one dword, offset + size <= config_bytes. */
    uint32_t (*config_read)(void *device, uint32_t offset, uint32_t size);
    void (*config_write)(void *device, uint32_t offset, uint32_t size, uint32_t value);
    /* BAR accesses: size 1, 2, 4 or 8, aligned or not, offset + size <= the BAR's size. The tools call these
     * regardless of Memory Space: a device that is disabled answers as its specification requires. A write
     * must return soon, since the machine waits: do long work in poll() or a thread. */
    uint64_t (*bar_read)(void *device, uint32_t bar, uint64_t offset, uint32_t size);
    void (*bar_write)(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value);

    /* Gives the device time for its own work. Called after each write, after wake(), and at the time that it
     * last returned: if the machine was busy then, before the next access. Returns the next time, or
     * AGPU_DEVICE_NEVER; a time that is not later than now means "again after pending accesses". A device that
     * does not know when its next event is due returns now_ns, and is then called before each access. */
    uint64_t (*poll)(void *device, uint64_t now_ns);

    /* Optional. Returns false when nothing is shown. Called at the first failed check of a boot, and when the
     * machine hangs; the image is stored in the directory of the run. At most 16384 x 16384 pixels, 65536
     * bytes per row. */
    bool (*picture)(void *device, struct agpu_device_picture *picture);
    /* Optional: prints the state for people, at most 4096 lines; part of the evidence of a failed run. */
    void (*dump)(void *device, agpu_device_line *line, void *ctx);
    /* Optional: name of the register at offset, a multiple of 4; NULL where there is none. Called once for
     * each offset at the start, in the first 64 KiB of each BAR that is not memory. Up to 1024 names of up to
     * 31 characters are used, in the "last access" of a crash or hang and in logs. */
    const char *(*register_name)(void *device, uint32_t bar, uint64_t offset);

    /* From minor version 1 on. Optional, both or neither: save and restore (pci/device.md 2.3). save() passes the
     * whole state to store, in any number of pieces, between two calls of poll(). It does no DMA and changes nothing
     * that the machine can see. Threads of the device have stopped their work, or their work is part of the state. */
    bool (*save)(void *device, agpu_device_store *store, void *ctx);
    /* Called directly after create() with the same options, at most once: the device continues where the saved one
     * stopped, with the level of INTA# set by set_interrupt(). BARs with a memory_fd get their contents. No DMA; a
     * call of poll() follows. bytes are untrusted: on false, with the reason in message, the device only has to
     * support destroy(). */
    bool (*load)(void *device, const void *bytes, uint64_t size, char *message, size_t message_size);
};

/* Exported by the plug-in. The table is static: it is valid while the library is loaded. */
typedef const struct agpu_device_plugin *agpu_device_plugin_function(void);

#if defined(__GNUC__)
#define AGPU_DEVICE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define AGPU_DEVICE_PLUGIN_EXPORT
#endif

AGPU_DEVICE_PLUGIN_EXPORT const struct agpu_device_plugin *agpu_device_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
