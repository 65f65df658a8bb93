/* guest.c: guest memory, clock and interrupt line of the device under fuzz. */
#include "tests/fuzz/machine/guest.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/engine/renderer.h"
#include "tests/fuzz/machine/walker.h"

#ifdef AGPU_ASAN
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#define POISON(address, size)   ASAN_POISON_MEMORY_REGION(address, size)
#define UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#else
#define POISON(address, size)   ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#endif

/* Smallest BAR1: a device reset frees its pages, at a cost proportional to the size. */
#define VRAM_BYTES (512u << 10)

/* Some days after boot, so that a time counted from device creation is detected. */
#define START_NS UINT64_C(400000000000000)

/* Limits of one call into the device. Bytes: the model's work budget (512 MiB), one operation of the largest
 * size beyond it (1 GiB) and a stream. Callbacks: one for each row. */
#define MAX_BYTES_A_CALL     (UINT64_C(2) << 30)
#define MAX_CALLBACKS_A_CALL UINT64_C(40000000)

#define READ_BY_DEVICE    1u
#define WRITTEN_BY_DEVICE 2u

struct range {
    uint64_t gpa, size;
};

static struct {
    struct vgpu_device *device;
    uint8_t *seen;               /* the device's mapping */
    uint8_t *ram;                /* the harness's mapping */
    uint8_t *shadow;             /* expected contents of ram where the device may not write */
    uint8_t mapping[FUZZ_PAGES]; /* enum fuzz_mapping */
    uint8_t asked[FUZZ_PAGES];   /* accesses of the current call: READ_BY_DEVICE, WRITTEN_BY_DEVICE */
    bool dirty[FUZZ_PAGES];      /* may contain nonzero bytes */
    uint32_t asked_pages[FUZZ_PAGES], asked_count;
    uint32_t dirty_pages[FUZZ_PAGES], dirty_count;
    bool legacy;
    bool remapped; /* some mapping is not FUZZ_MAPPED */
    uint32_t split;
    uint64_t now;
    bool intx;
    bool in_call, dma_allowed, judge;
    uint64_t callbacks, bytes;
    struct fuzz_alteration alterations[FUZZ_ALTERATION];
    uint32_t alteration_first, alteration_count;
    struct range *writable;
    size_t writable_count, writable_room;
} guest;

void fuzz_require_that(bool good, const char *what, const char *file, int line)
{
    if (!good) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        abort();
    }
}

/* ---- harness side of memory ---- */

static void mark_dirty(uint32_t page)
{
    if (!guest.dirty[page]) {
        guest.dirty[page] = true;
        guest.dirty_pages[guest.dirty_count++] = page;
    }
}

static size_t cut(uint32_t offset, size_t size)
{
    if (offset >= FUZZ_RAM_BYTES) {
        return 0;
    }
    return size < FUZZ_RAM_BYTES - offset ? size : FUZZ_RAM_BYTES - offset;
}

void fuzz_memory_write(uint32_t offset, const void *bytes, size_t size)
{
    size = cut(offset, size);
    if (size == 0) {
        return;
    }
    for (uint32_t page = offset / FUZZ_PAGE; page <= (offset + size - 1) / FUZZ_PAGE; page++) {
        mark_dirty(page);
    }
    memcpy(guest.ram + offset, bytes, size);
    memcpy(guest.shadow + offset, bytes, size);
}

void fuzz_memory_read(uint32_t offset, void *bytes, size_t size)
{
    memcpy(bytes, guest.ram + offset, cut(offset, size));
}

void fuzz_map(uint32_t page, uint32_t count, enum fuzz_mapping mapping)
{
    page %= FUZZ_PAGES;
    count = count < FUZZ_PAGES - page ? count : FUZZ_PAGES - page;
    memset(guest.mapping + page, (int)mapping, count);
    guest.remapped = true;
}

void fuzz_split(uint32_t page)
{
    guest.split = page % FUZZ_PAGES;
}

void fuzz_alter(struct fuzz_alteration alteration)
{
    if (guest.alteration_count < FUZZ_ALTERATION) {
        guest.alterations[guest.alteration_count++] = alteration;
    }
}

static bool alterations_pending(void)
{
    return guest.alteration_first < guest.alteration_count;
}

bool fuzz_memory_plain(void)
{
    return !guest.remapped && !alterations_pending();
}

/* Acts as another processor of the guest: changes memory between two accesses of the device. */
static void alter_memory(void)
{
    while (alterations_pending()) {
        struct fuzz_alteration *next = &guest.alterations[guest.alteration_first];
        uint32_t word;

        if (next->skip > 0) {
            next->skip--;
            return;
        }
        next->offset %= FUZZ_RAM_BYTES - (uint32_t)sizeof word;
        fuzz_memory_read(next->offset, &word, sizeof word);
        word ^= next->value;
        fuzz_memory_write(next->offset, &word, sizeof word);
        guest.alteration_first++;
    }
}

/* ---- device side ---- */

static bool answers(uint32_t page, bool write)
{
    return guest.mapping[page] == FUZZ_MAPPED || (guest.mapping[page] == FUZZ_READONLY && !write);
}

/* Returns the number of bytes mapped in one piece, if possible at least as many as wanted. */
static uint64_t extent_of(uint64_t gpa, uint64_t wanted, bool write)
{
    const uint64_t offset = gpa - FUZZ_BASE;
    const uint32_t first = (uint32_t)(offset / FUZZ_PAGE);
    uint32_t end = guest.split;
    uint32_t page;

    if (gpa < FUZZ_BASE || offset >= FUZZ_RAM_BYTES) {
        return 0;
    }
    end = first < end ? end : FUZZ_PAGES;
    if (!guest.remapped) {
        return (uint64_t)end * FUZZ_PAGE - offset;
    }
    for (page = first; page < end && answers(page, write) && (uint64_t)page * FUZZ_PAGE < offset + wanted;
         page++) {
    }
    return page == first ? 0 : (uint64_t)page * FUZZ_PAGE - offset;
}

static void count_callback(uint64_t size)
{
    fuzz_require(guest.in_call && guest.dma_allowed);
    guest.callbacks++;
    guest.bytes += size;
    fuzz_require(guest.callbacks <= MAX_CALLBACKS_A_CALL);
    fuzz_require(guest.bytes <= MAX_BYTES_A_CALL);
    alter_memory();
}

static void *dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    (void)ctx;
    fuzz_require(size > 0 && size <= UINT64_MAX - gpa);
    count_callback(0);
    if (extent_of(gpa, size, write) < size) {
        return NULL;
    }
    guest.bytes += size;
    const uint32_t offset = (uint32_t)(gpa - FUZZ_BASE);
    for (uint32_t page = offset / FUZZ_PAGE; page <= (offset + size - 1) / FUZZ_PAGE; page++) {
        if (guest.asked[page] == 0) {
            guest.asked_pages[guest.asked_count++] = page;
        }
        guest.asked[page] |= write ? WRITTEN_BY_DEVICE : READ_BY_DEVICE;
    }
    UNPOISON(guest.seen + offset, size);
    return guest.seen + offset;
}

static uint64_t dma_extent(void *ctx, uint64_t gpa, bool write)
{
    (void)ctx;
    count_callback(0);
    return extent_of(gpa, FUZZ_RAM_BYTES, write);
}

static void set_intx(void *ctx, bool asserted)
{
    (void)ctx;
    fuzz_require(guest.in_call && asserted != guest.intx); /* called on changes only */
    guest.intx = asserted;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return guest.now;
}

/* ---- checks ---- */

void fuzz_writable_clear(void)
{
    guest.writable_count = 0;
}

void fuzz_writable_add(uint64_t gpa, uint64_t size)
{
    if (guest.writable_count == guest.writable_room) {
        guest.writable_room = guest.writable_room > 0 ? guest.writable_room * 2 : 256;
        guest.writable = realloc(guest.writable, guest.writable_room * sizeof *guest.writable);
        fuzz_require(guest.writable != NULL);
    }
    guest.writable[guest.writable_count++] = (struct range){gpa, size};
}

void fuzz_judge_writes(bool judge)
{
    guest.judge = judge;
}

static bool may_write(uint64_t gpa)
{
    for (size_t i = guest.writable_count; i-- > 0;) {
        if (gpa >= guest.writable[i].gpa && gpa - guest.writable[i].gpa < guest.writable[i].size) {
            return true;
        }
    }
    return false;
}

static void judge_page(uint32_t page)
{
    const size_t offset = (size_t)page * FUZZ_PAGE;
    const uint8_t *is = guest.ram + offset;
    const uint8_t *was = guest.shadow + offset;

    if (memcmp(is, was, FUZZ_PAGE) == 0) {
        return;
    }
    fuzz_require((guest.asked[page] & WRITTEN_BY_DEVICE) != 0); /* the device requested it only for reading */
    fuzz_require(guest.mapping[page] == FUZZ_MAPPED);
    for (uint32_t i = 0; guest.judge && i < FUZZ_PAGE; i++) {
        if (is[i] != was[i] && !may_write(FUZZ_BASE + offset + i)) {
            fprintf(stderr, "the device wrote %02x at guest address %llx, where nothing permits it\n", is[i],
                    (unsigned long long)(FUZZ_BASE + offset + i));
            abort();
        }
    }
    mark_dirty(page);
    memcpy(guest.shadow + offset, is, FUZZ_PAGE);
}

void fuzz_call_begin(bool dma)
{
    guest.in_call = true;
    guest.dma_allowed = dma;
    guest.callbacks = 0;
    guest.bytes = 0;
}

void fuzz_call_end(void)
{
    guest.in_call = false;
    for (uint32_t i = 0; i < guest.asked_count; i++) {
        const uint32_t page = guest.asked_pages[i];

        judge_page(page);
        guest.asked[page] = 0;
        POISON(guest.seen + (size_t)page * FUZZ_PAGE, FUZZ_PAGE);
    }
    guest.asked_count = 0;
}

uint64_t fuzz_call_count(void)
{
    return guest.callbacks;
}

/* ---- creation and destruction ---- */

static void create_device(void)
{
    const struct vgpu_device_machine machine = {
        .dma_pointer = dma_pointer, .dma_extent = dma_extent, .set_intx = set_intx, .now_ns = now_ns};
    const struct vgpu_device_config config = {
        .abi = guest.legacy ? VGPU_ABI_LEGACY : VGPU_ABI_VERSIONED,
        .vram_bytes = guest.legacy ? 0 : VRAM_BYTES,
    };

    guest.device = vgpu_device_create(&machine, &config);
    fuzz_require(guest.device != NULL);
    vgpu_device_set_renderer(guest.device, fuzz_walker());
}

/* Destroys the device at the end of the program, so that LeakSanitizer finds its leaks. */
static void destroy_device(void)
{
    guest.in_call = true;
    guest.dma_allowed = false;
    vgpu_device_destroy(guest.device);
    guest.in_call = false;
    guest.device = NULL;
}

bool fuzz_guest_is_legacy(void)
{
    return guest.legacy;
}

void fuzz_guest_new_device(void)
{
    destroy_device();
    guest.intx = false;
    create_device();
}

void fuzz_guest_open(bool legacy)
{
    const int fd = memfd_create("fuzz-guest", MFD_CLOEXEC);

    guest.legacy = legacy;
    fuzz_require(fd >= 0 && ftruncate(fd, FUZZ_RAM_BYTES) == 0);
    guest.seen = mmap(NULL, FUZZ_RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    guest.ram = mmap(NULL, FUZZ_RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    guest.shadow = mmap(NULL, FUZZ_RAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fuzz_require(guest.seen != MAP_FAILED && guest.ram != MAP_FAILED && guest.shadow != MAP_FAILED);
    close(fd);
    POISON(guest.seen, FUZZ_RAM_BYTES);
    guest.now = START_NS;
    fuzz_walker_open();
    create_device();
    atexit(destroy_device); /* runs before the renderer is destroyed: last in, first out */
}

void fuzz_guest_clear(void)
{
    for (uint32_t i = 0; i < guest.dirty_count; i++) {
        const size_t offset = (size_t)guest.dirty_pages[i] * FUZZ_PAGE;

        memset(guest.ram + offset, 0, FUZZ_PAGE);
        memset(guest.shadow + offset, 0, FUZZ_PAGE);
        guest.dirty[guest.dirty_pages[i]] = false;
    }
    guest.dirty_count = 0;
    if (guest.remapped) {
        memset(guest.mapping, FUZZ_MAPPED, sizeof guest.mapping);
        guest.remapped = false;
    }
    guest.split = 0;
    guest.alteration_first = 0;
    guest.alteration_count = 0;
    guest.writable_count = 0;
    guest.judge = false;
}

void fuzz_clock_restart(void)
{
    guest.now = START_NS;
}

uint64_t fuzz_allocated(void)
{
#ifdef AGPU_ASAN
    return __sanitizer_get_current_allocated_bytes();
#else
    const struct mallinfo2 info = mallinfo2();

    return (uint64_t)info.uordblks + info.hblkhd;
#endif
}

struct vgpu_device *fuzz_device(void)
{
    return guest.device;
}

uint64_t fuzz_now(void)
{
    return guest.now;
}

void fuzz_advance(uint64_t ns)
{
    guest.now += ns;
}

bool fuzz_intx(void)
{
    return guest.intx;
}
