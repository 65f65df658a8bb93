/* agpu_device_plugin.h: the contract between the AeroGPU test tools and a device that somebody else wrote. This header is
 * all that a device needs: no library, no other header of the project.
 *
 * A plug-in is a shared library that exports one function, agpu_device_plugin(), which returns a table of functions. The
 * tools create one device from it, give it the accesses of the machine as the bus delivers them, and time; the device
 * reaches the machine's memory and interrupt through the host table that it is created with. README.md beside this file
 * takes a newcomer from an empty file to the first PASS; examples/ has a whole small device in C and in Rust.
 *
 * Threads. The tools call the table on one thread, the owner's, one call at a time, and never from inside a callback. A
 * device may have threads of its own; which callbacks those may use stands with each. They must have ended when destroy()
 * returns. A device must not end the process, and a copy that it forks must not return into the tools.
 * Ownership. What a callback is given belongs to the caller and is valid during the call, unless said otherwise.
 * Time. Nanoseconds, monotonic, from 0 at create(). A tool may run on simulated time: a device uses this clock only.
 * Byte order. Values are the numbers that a little-endian register holds, as on every machine that this runs on. */
#ifndef AGPU_DEVICE_PLUGIN_H
#define AGPU_DEVICE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tool refuses another major version, and a table smaller than its minor version had. New members come at the end and
 * raise the minor version. */
#define AGPU_DEVICE_PLUGIN_MAJOR 1u
#define AGPU_DEVICE_PLUGIN_MINOR 0u

/* The symbol that a plug-in exports. */
#define AGPU_DEVICE_PLUGIN_SYMBOL "agpu_device_plugin"

#define AGPU_DEVICE_BARS 6

/* poll(): nothing to do until the next access or wake(). */
#define AGPU_DEVICE_NEVER UINT64_MAX

/* The machine, as the device sees it. Every member is set. machine is the first argument of each. */
struct agpu_device_host {
    uint32_t major, minor; /* of the tool */
    uint64_t size;         /* sizeof of the tool's table */

    /* Copies from or to the machine's memory, [address, address + size). False, and nothing was copied, when a part of
     * it is not memory, when the range wraps, or while the device is no bus master (bit 2 of its command register).
     * More than 2^52 bytes at once are no DMA of this world: refused, too, but an ERROR of the run. Any thread. */
    bool (*dma_read)(void *machine, uint64_t address, void *to, uint64_t size);
    bool (*dma_write)(void *machine, uint64_t address, const void *from, uint64_t size);
    /* The same without a copy: where [address, address + size), size > 0, lies in this process, or NULL as above or
     * when it is not in one piece, which dma_extent() tells beforehand: pieces may be as small as 16 bytes. Valid until
     * the present call into the table returns. Owner's thread, inside a call only. */
    void *(*dma_map)(void *machine, uint64_t address, uint64_t size, bool write);
    /* Bytes from address on that dma_map() would give in one piece; 0 when there is none. As dma_map(). */
    uint64_t (*dma_extent)(void *machine, uint64_t address, bool write);

    /* Level of the INTA# line. Any thread; takes effect at once on the owner's, else as soon as it looks. */
    void (*set_interrupt)(void *machine, bool asserted);
    /* Sends message `vector` of MSI or of MSI-X, whichever the machine has enabled in configuration space; below what
     * that offers. False when the machine is not ready for it. Any thread. */
    bool (*send_msi)(void *machine, uint32_t vector);

    /* Any thread. */
    uint64_t (*now_ns)(void *machine);
    /* poll() is called soon. Any thread. */
    void (*wake)(void *machine);
    /* One line for the device's log, without newline; of a longer one 1000 characters, of all 16 MiB. Any thread. */
    void (*log)(void *machine, const char *line);
};

/* One BAR. All zero: the device has none there. The upper half of a 64-bit BAR is left zero. */
struct agpu_device_bar {
    uint64_t size;      /* a power of two, at least 16, and what sizing the BAR's register says */
    uint32_t is_64_bit; /* these two as in the BAR's register */
    uint32_t prefetchable;
    /* A memfd of at least size bytes that holds the contents, for direct mapping by the machine: accesses then do not
     * come through bar_read() and bar_write(). It stays the device's. -1: every access is a call. A BAR with
     * registers must be -1. */
    int32_t memory_fd;
    uint32_t reserved;
};

struct agpu_device_info {
    struct agpu_device_bar bars[AGPU_DEVICE_BARS];
    uint32_t config_bytes; /* of configuration space: 256, or 4096 with the extended part */
    /* That the MSI capability in configuration space offers (message control, bits 3:1); 0: it has none. Those of an
     * MSI-X capability are read from there; its table is in a BAR of the device, which a message is held back by. */
    uint32_t msi_vectors;
};

/* The first comes before a replay, the second when the machine is reset, or gone. */
enum agpu_device_reset {
    AGPU_DEVICE_RESET_COLD = 0,     /* as after power-on; BARs unassigned */
    AGPU_DEVICE_RESET_FUNCTION = 1, /* PCI function reset: BARs stay, command register 0 */
};

/* What the device shows on its screen. Rows from the top, no padding of pixels; the pixels stay the device's and are valid
 * until the next call into the table. */
struct agpu_device_picture {
    uint32_t width, height;
    uint64_t pitch_bytes;
    const uint8_t *rgba; /* 8 bits a channel: red, green, blue, unused */
};

/* Takes one line of text, without newline. */
typedef void agpu_device_line(void *ctx, const char *line);

/* The device, as the tools see it. Members are required, but for those marked optional, which may be NULL. device is what
 * create() returned. */
struct agpu_device_plugin {
    uint32_t major, minor; /* AGPU_DEVICE_PLUGIN_MAJOR and _MINOR that the plug-in was built with */
    uint64_t size;         /* sizeof(struct agpu_device_plugin) */
    const char *name;      /* one word for reports: letters, digits, '.', '-', '_' */
    const char *about;     /* one sentence, or NULL */

    /* Makes a device in its power-on state. host and machine are valid until destroy() returns. options is the text
     * that the user gave behind the file's name, "" when none. NULL: message (of message_size bytes) says why. */
    void *(*create)(const struct agpu_device_host *host, void *machine, const char *options, char *message,
                    size_t message_size);
    void (*destroy)(void *device);
    /* Fills *info, which was zeroed, memory_fd -1. Always the same for one device. */
    void (*describe)(void *device, struct agpu_device_info *info);
    void (*reset)(void *device, enum agpu_device_reset kind);

    /* Configuration space: size 1, 2 or 4 and within one dword, offset + size <= config_bytes. */
    uint32_t (*config_read)(void *device, uint32_t offset, uint32_t size);
    void (*config_write)(void *device, uint32_t offset, uint32_t size, uint32_t value);
    /* BAR accesses: size 1, 2, 4 or 8, aligned or not, offset + size <= the BAR's size. Calls come whether or not
     * Memory Space is on: a device that is off answers as its specification says. A write returns soon: long work
     * belongs into poll() or a thread, since the machine waits. */
    uint64_t (*bar_read)(void *device, uint32_t bar, uint64_t offset, uint32_t size);
    void (*bar_write)(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value);

    /* Time for the device's own work. Called after each write, after wake(), and at the time that it returned last:
     * AGPU_DEVICE_NEVER, or a time; one that is not later than now means "again as soon as accesses were served". */
    uint64_t (*poll)(void *device, uint64_t now_ns);

    /* Optional. False when nothing is shown. Asked for at the first failed check of a boot, and when the machine stands still:
     * goes into the run's folder. At most 16384 x 16384 pixels, 65536 bytes a row. */
    bool (*picture)(void *device, struct agpu_device_picture *picture);
    /* Optional: the state for a person, line by line, at most 4096; goes into the evidence of a failed run. */
    void (*dump)(void *device, agpu_device_line *line, void *ctx);
    /* Optional: name of the register at offset, a multiple of 4, NULL where there is none. Asked for once each, at the
     * start, in the first 64 KiB of each BAR that is no memory; 31 characters of each, 1024 names are kept. "Last access" of a
     * crash, a hang and the logs then have it. */
    const char *(*register_name)(void *device, uint32_t bar, uint64_t offset);
};

/* Exported by the plug-in. The table is static: valid as long as the library is loaded. */
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
