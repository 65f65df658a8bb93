/* beside.c: a plug-in with another device and the reference (tests/cases/reference): every access goes to both. Each
 * time the device has finished its work, the plug-in compares all registers, the interrupt line and all memory that
 * either has written. Options, in this order: device=FILE, the device's plug-in; report=FILE for totals and
 * mismatches; as=any if the device need not be our model; the rest are those of the device. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pci/protocol/register_table.h"
#include "tests/cases/reference/reference.h"
#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/shaders/shaders.h"

#define ARENA_BYTES     ((size_t)2 << 30) /* address space, allocated on use */
#define COMMAND         4u
#define COMMAND_MEMORY  2u
#define BAR1            0x14u
#define MISMATCHES_SAID 400u
#define BEYOND          64u /* bytes after a write that are compared too */

/* A write of the device by DMA: its place, and the bytes before it. */
struct dma_write {
    struct dma_write *next;
    uint64_t address, size;
    uint8_t before[];
};

struct beside {
    const struct agpu_device_plugin *table;
    void *device;
    struct agpu_device_host host;
    const struct agpu_device_host *outer;
    void *machine;
    FILE *report;
    struct agpu_device_info info;

    void *arena;
    struct agpu_ref *ref; /* NULL: the generation has no reference */
    struct dma_write *writes;
    bool any;
    bool line;
    bool active;   /* an access since the last comparison */
    bool diverged; /* reported; silent until the next reset */
    uint64_t deadline;
    uint64_t mismatches, comparisons, registers, exact_bytes, other_bytes;
};

__attribute__((format(printf, 2, 3))) static void mismatch(struct beside *of, const char *format, ...)
{
    va_list arguments;

    if (of->diverged || of->mismatches++ >= MISMATCHES_SAID) {
        return;
    }
    of->diverged = true;
    fputs("mismatch: ", of->report);
    va_start(arguments, format);
    vfprintf(of->report, format, arguments);
    va_end(arguments);
    fprintf(of->report, " (submission %" PRIu64 ")\n", agpu_ref_counts(of->ref)->submissions);
    fflush(of->report);
}

/* ---- the machine, as the model sees it ---- */

/* Reads guest memory or the device's own BAR1, which DMA reaches too (device.md 5). */
static bool read_memory(void *ctx, uint64_t address, void *to, uint64_t size)
{
    const struct beside *of = ctx;
    const uint64_t bar = of->table->config_read(of->device, BAR1, 4) & ~UINT64_C(15);
    uint8_t *bytes = to;

    if (address < bar || address - bar >= of->info.bars[1].size ||
        size > of->info.bars[1].size - (address - bar)) {
        return of->outer->dma_read(of->machine, address, to, size);
    }
    for (uint64_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)of->table->bar_read(of->device, 1, address - bar + i, 1);
    }
    return true;
}

/* Stores the bytes at an address, and some after them, before the device writes there. */
static void note_write(struct beside *of, uint64_t address, uint64_t exact_size)
{
    const uint64_t size = exact_size + BEYOND;
    struct dma_write *write = of->ref != NULL ? malloc(sizeof *write + size) : NULL;

    if (write == NULL) {
        return;
    }
    *write = (struct dma_write){.next = of->writes, .address = address, .size = size};
    if (!read_memory(of, address, write->before, size)) {
        write->size = exact_size;
    }
    if (write->size == exact_size && !read_memory(of, address, write->before, exact_size)) {
        free(write);
        return;
    }
    of->writes = write;
}

static bool beside_dma_read(void *machine, uint64_t address, void *to, uint64_t size)
{
    return read_memory(machine, address, to, size);
}

static bool beside_dma_write(void *machine, uint64_t address, const void *from, uint64_t size)
{
    struct beside *of = machine;

    note_write(of, address, size);
    return of->outer->dma_write(of->machine, address, from, size);
}

static void *beside_dma_map(void *machine, uint64_t address, uint64_t size, bool write)
{
    struct beside *of = machine;

    if (write) {
        note_write(of, address, size);
    }
    return of->outer->dma_map(of->machine, address, size, write);
}

static uint64_t beside_dma_extent(void *machine, uint64_t address, bool write)
{
    struct beside *of = machine;

    return of->outer->dma_extent(of->machine, address, write);
}

static void beside_set_interrupt(void *machine, bool asserted)
{
    struct beside *of = machine;

    of->line = asserted;
    of->outer->set_interrupt(of->machine, asserted);
}

static bool beside_send_msi(void *machine, uint32_t vector)
{
    struct beside *of = machine;

    return of->outer->send_msi(of->machine, vector);
}

static uint64_t beside_now_ns(void *machine)
{
    const struct beside *of = machine;

    return of->outer->now_ns(of->machine);
}

static void beside_wake(void *machine)
{
    struct beside *of = machine;

    of->outer->wake(of->machine);
}

static void beside_log(void *machine, const char *text)
{
    struct beside *of = machine;

    of->outer->log(of->machine, text);
}

/* ---- comparison ---- */

static uint32_t device_register(struct beside *of, uint32_t offset)
{
    return (uint32_t)of->table->bar_read(of->device, 0, offset, 4);
}

static void compare_register(struct beside *of, const struct aerogpu_register *reg, uint32_t found)
{
    const struct agpu_ref_word word = agpu_ref_read(of->ref, reg->offset);

    of->registers++;
    if (reg->access == AEROGPU_REGISTER_WO) {
        if (found != 0) {
            mismatch(of, "%s: expected 0, found 0x%" PRIX32, reg->name, found);
        }
    } else if ((found & word.known) < (word.value & word.known) ||
               (found & word.known) > (word.most & word.known)) {
        mismatch(of, "%s: expected 0x%" PRIX32 " to 0x%" PRIX32 ", found 0x%" PRIX32, reg->name,
                 word.value & word.known, word.most & word.known, found & word.known);
    }
}

static void compare_chunk(void *ctx, uint64_t address, const uint8_t *bytes, const uint8_t *states)
{
    struct beside *of = ctx;

    for (unsigned at = 0; at < AGPU_REF_CHUNK; at += 16) {
        uint8_t found[16];

        if (!read_memory(of, address + at, found, sizeof found)) {
            continue; /* no memory: the write had no effect */
        }
        for (unsigned i = 0; i < sizeof found; i++) {
            const int difference = abs(found[i] - bytes[at + i]);
            const uint8_t state = states[at + i];

            of->exact_bytes += state == AGPU_REF_EXACT;
            of->other_bytes += state == AGPU_REF_ANY || state == AGPU_REF_NEAR;
            if ((state == AGPU_REF_EXACT && difference != 0) || (state == AGPU_REF_NEAR && difference > 1)) {
                mismatch(of, "memory at 0x%" PRIX64 ": expected 0x%02X, found 0x%02X", address + at + i,
                         bytes[at + i], found[i]);
                return;
            }
        }
    }
}

/* Each byte that the device has changed must be among the predicted writes. */
static void compare_write(struct beside *of, const struct dma_write *write)
{
    uint8_t *now = malloc(write->size);

    if (now != NULL && read_memory(of, write->address, now, write->size)) {
        for (uint64_t i = 0; i < write->size; i++) {
            if (now[i] != write->before[i] &&
                agpu_ref_byte_at(of->ref, write->address + i) == AGPU_REF_UNWRITTEN) {
                mismatch(of,
                         "memory at 0x%" PRIX64
                         ": expected 0x%02X as before, found 0x%02X (in a write of %" PRIu64
                         " bytes at 0x%" PRIX64 ")",
                         write->address + i, write->before[i], now[i], write->size, write->address);
                break;
            }
        }
    }
    free(now);
}

static void drop_writes(struct beside *of)
{
    while (of->writes != NULL) {
        struct dma_write *write = of->writes;

        of->writes = write->next;
        free(write);
    }
}

static void compare(struct beside *of)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);
    const bool decodes = (of->table->config_read(of->device, COMMAND, 2) & COMMAND_MEMORY) != 0;

    of->comparisons++;
    if (decodes) {
        agpu_ref_settle(of->ref, device_register(of, AEROGPU_MMIO_REG_ERROR_COUNT),
                        device_register(of, AEROGPU_MMIO_REG_ERROR_CODE),
                        device_register(of, AEROGPU_MMIO_REG_ERROR_FENCE_LO) |
                            (uint64_t)device_register(of, AEROGPU_MMIO_REG_ERROR_FENCE_HI) << 32);
        for (size_t i = 0; i < count; i++) {
            compare_register(of, &registers[i], device_register(of, registers[i].offset));
        }
        if (of->line != agpu_ref_line(of->ref) && !agpu_ref_is_lost(of->ref)) {
            mismatch(of, "interrupt line: expected %d, found %d", agpu_ref_line(of->ref), of->line);
        }
    }
    agpu_ref_writes(of->ref, of, compare_chunk);
    for (const struct dma_write *write = of->writes; write != NULL; write = write->next) {
        compare_write(of, write);
    }
    drop_writes(of);
    agpu_ref_forget(of->ref);
}

/* ---- the device, as the tools use it ---- */

static void beside_destroy(void *device)
{
    struct beside *of = device;

    of->table->destroy(of->device);
    if (of->ref != NULL) {
        const struct agpu_ref_counts *counts = agpu_ref_counts(of->ref);

        fprintf(of->report,
                "reference: mismatches=%" PRIu64 " submissions=%" PRIu64 " exact=%" PRIu64 " partly=%" PRIu64
                " lost=%" PRIu64 " packets=%" PRIu64 " unresolved=%" PRIu64 " comparisons=%" PRIu64
                " registers=%" PRIu64 " exact_bytes=%" PRIu64 " other_bytes=%" PRIu64 "\n",
                of->mismatches, counts->submissions, counts->exact, counts->partly, counts->lost,
                counts->packets, counts->unresolved, of->comparisons, of->registers, of->exact_bytes,
                of->other_bytes);
    }
    drop_writes(of);
    munmap(of->arena, ARENA_BYTES);
    if (of->report != stderr) {
        fclose(of->report);
    }
    free(of);
}

static void start_reference(struct beside *of, const char *options)
{
    static const struct {
        const struct agpu_shader_blob *blob;
        enum agpu_ref_program program;
    } known[] = {
#define AGPU_REF_BLOB(name, PROGRAM) {&agpu_##name, AGPU_REF_##PROGRAM},
#include "tests/cases/reference/shaders.def"
    };
    static struct agpu_ref_shader shaders[sizeof known / sizeof known[0]];
    struct agpu_ref_config config = {
        .arena = of->arena, .arena_bytes = ARENA_BYTES, .read = read_memory, .ctx = of, .any = of->any};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        shaders[i] =
            (struct agpu_ref_shader){known[i].blob->words, known[i].blob->size_bytes, known[i].program};
    }
    config.shaders = shaders;
    config.shader_count = strstr(options, "render=off") == NULL ? sizeof shaders / sizeof shaders[0] : 0;
    of->table->config_write(of->device, COMMAND, 2, COMMAND_MEMORY);
    config.abi_version = device_register(of, AEROGPU_MMIO_REG_ABI_VERSION);
    config.features = device_register(of, AEROGPU_MMIO_REG_FEATURES_LO);
    if (device_register(of, AEROGPU_MMIO_REG_MAGIC) == AEROGPU_MMIO_MAGIC) {
        of->ref = agpu_ref_create(&config);
    }
    of->table->config_write(of->device, COMMAND, 2, 0);
}

/* Takes the options of this file; returns those of the device. */
static const char *take_options(struct beside *of, const char *options)
{
    char path[512];
    void *library = NULL;
    void *found;
    agpu_device_plugin_function *table;

    if (sscanf(options, "device=%511[^,]", path) == 1) {
        options += strlen("device=") + strlen(path);
        options += *options == ',';
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    found = library != NULL ? dlsym(library, AGPU_DEVICE_PLUGIN_SYMBOL) : NULL;
    memcpy(&table, &found, sizeof table);
    of->table = table != NULL ? table() : NULL;
    if (sscanf(options, "report=%511[^,]", path) == 1) {
        options += strlen("report=") + strlen(path);
        options += *options == ',';
        of->report = fopen(path, "a");
    }
    if (sscanf(options, "as=%511[^,]", path) == 1) {
        options += strlen("as=") + strlen(path);
        options += *options == ',';
        of->any = strcmp(path, "any") == 0;
    }
    return options;
}

static void *beside_create(const struct agpu_device_host *host, void *machine, const char *options,
                           char *message, size_t message_size)
{
    struct beside *of = calloc(1, sizeof *of);

    if (of == NULL) {
        snprintf(message, message_size, "no memory");
        return NULL;
    }
    of->outer = host;
    of->machine = machine;
    of->report = stderr;
    of->deadline = AGPU_DEVICE_NEVER;
    of->host = (struct agpu_device_host){.major = host->major,
                                         .minor = host->minor,
                                         .size = sizeof of->host,
                                         .dma_read = beside_dma_read,
                                         .dma_write = beside_dma_write,
                                         .dma_map = beside_dma_map,
                                         .dma_extent = beside_dma_extent,
                                         .set_interrupt = beside_set_interrupt,
                                         .send_msi = beside_send_msi,
                                         .now_ns = beside_now_ns,
                                         .wake = beside_wake,
                                         .log = beside_log};
    options = take_options(of, options);
    of->arena =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (of->table == NULL || of->report == NULL || of->arena == MAP_FAILED) {
        snprintf(message, message_size,
                 "expected device=PLUGIN,report=FILE and %zu MiB of address space: %s failed",
                 ARENA_BYTES >> 20,
                 of->table == NULL    ? "loading the device"
                 : of->report == NULL ? "opening the report"
                                      : "reserving memory");
        free(of);
        return NULL;
    }
    of->device = of->table->create(&of->host, of, options, message, message_size);
    if (of->device == NULL) {
        munmap(of->arena, ARENA_BYTES);
        free(of);
        return NULL;
    }
    of->table->describe(of->device, &of->info);
    start_reference(of, options);
    return of;
}

static void beside_describe(void *device, struct agpu_device_info *info)
{
    struct beside *of = device;

    of->table->describe(of->device, info);
}

static void beside_reset(void *device, enum agpu_device_reset kind)
{
    struct beside *of = device;

    of->table->reset(of->device, kind);
    if (of->ref != NULL) {
        agpu_ref_power_on(of->ref);
        of->diverged = false;
    }
    drop_writes(of);
}

static uint32_t beside_config_read(void *device, uint32_t offset, uint32_t size)
{
    struct beside *of = device;

    return of->table->config_read(of->device, offset, size);
}

static void beside_config_write(void *device, uint32_t offset, uint32_t size, uint32_t value)
{
    struct beside *of = device;

    of->table->config_write(of->device, offset, size, value);
    of->active = true;
    if (of->ref != NULL) {
        agpu_ref_command(of->ref, of->table->config_read(of->device, COMMAND, 2));
    }
}

static uint64_t beside_bar_read(void *device, uint32_t bar, uint64_t offset, uint32_t size)
{
    struct beside *of = device;
    uint64_t found;

    found = of->table->bar_read(of->device, bar, offset, size);
    /* Registers are compared when the device is idle; here, what lies between them. */
    if (of->ref != NULL && bar == 0 && size == 4 && offset % 4 == 0 && found != 0 &&
        aerogpu_register_at(false, offset) == NULL &&
        (of->table->config_read(of->device, COMMAND, 2) & COMMAND_MEMORY) != 0) {
        mismatch(of, "offset 0x%" PRIX64 ": expected 0, found 0x%" PRIX64, offset, found);
    }
    return found;
}

static void beside_bar_write(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct beside *of = device;

    if (of->ref != NULL && bar == 0) {
        of->active = true;
        if (offset == AEROGPU_MMIO_REG_RING_CONTROL && (value & AEROGPU_RING_CONTROL_RESET) != 0) {
            of->diverged = false;
        }
        agpu_ref_write(of->ref, beside_now_ns(of), offset, size, value);
    }
    of->table->bar_write(of->device, bar, offset, size, value);
}

static uint64_t beside_poll(void *device, uint64_t now_ns)
{
    struct beside *of = device;

    if (of->ref != NULL) {
        agpu_ref_advance(of->ref, now_ns);
        of->active = of->active || now_ns >= of->deadline;
    }
    of->deadline = of->table->poll(of->device, now_ns);
    if (of->ref != NULL && of->active && of->deadline > now_ns) {
        compare(of);
        of->active = false;
    }
    return of->deadline;
}

static bool beside_picture(void *device, struct agpu_device_picture *picture)
{
    struct beside *of = device;

    return of->table->picture != NULL && of->table->picture(of->device, picture);
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static const struct agpu_device_plugin table = {.major = AGPU_DEVICE_PLUGIN_MAJOR,
                                                    .minor = AGPU_DEVICE_PLUGIN_MINOR,
                                                    .size = sizeof table,
                                                    .name = "beside",
                                                    .about = "another device with the reference beside it",
                                                    .create = beside_create,
                                                    .destroy = beside_destroy,
                                                    .describe = beside_describe,
                                                    .reset = beside_reset,
                                                    .config_read = beside_config_read,
                                                    .config_write = beside_config_write,
                                                    .bar_read = beside_bar_read,
                                                    .bar_write = beside_bar_write,
                                                    .poll = beside_poll,
                                                    .picture = beside_picture};

    return &table;
}
