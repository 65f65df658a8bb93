/* host_platform.c: the in-process machine. */
#include "tests/host_platform/host_platform.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "pci/machine/test_system.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/model.h"
#include "tests/device/plugin/port.h"
#include "tests/device/plugin/printable.h"
#include "tests/host/monotonic.h"
#include "tests/host_platform/base_platform.h"
#include "tests/host_platform/guest_ram.h"
#include "tests/host_platform/host_irq.h"
#include "tests/host_platform/host_save.h"
#include "tests/host_platform/host_thread.h"

#define RAM_BYTES (UINT64_C(64) << 20)

/* The addresses that firmware assigns to BARs: small ones, large ones of 32 bits, those of 64 bits. */
#define SMALL_BARS  0xFEB00000u
#define SMALL_BYTES 0x00100000u
#define LARGE_BARS  0xC0000000u
#define LARGE_BYTES 0x30000000u
#define WIDE_BARS   UINT64_C(0x8000000000)
#define BAR0_OFFSET 0x10u
#define LINE_OFFSET 0x3Cu /* Interrupt Line: each function has its own input */

/* While observed, the device gets memory in pieces of this many bytes, a different size each time, 0 for whole
 * allocations. This tests all its paths to memory, and the observer runs before each piece. */
static const uint64_t observed_pieces[] = {16, 64, 0};

/* The simulated duration of an idle round, and of a clock reading: time also passes for a driver that waits without
 * letting the device work. */
#define MANUAL_STEP_NS 1000u
#define MANUAL_READ_NS 20u

/* One PCI function of the machine. */
struct host_function {
    struct agpu_host *host;
    struct vgpu_port *port;
    bool ours;                                      /* it is our model */
    struct agpu_bar_mapping bars[AGPU_DEVICE_BARS]; /* cpu NULL: no memory to map */
    uint64_t deadline_ns;                           /* when the device needs its next service */
    struct vgpu_save_schedule save;
    int intx;
};

struct agpu_host {
    struct agpu_platform platform;
    struct agpu_test_system test;
    struct agpu_host_config config;
    struct agpu_host_counts counts;
    struct agpu_guest_ram ram;
    struct host_function functions[AGPU_HOST_DEVICES_MAX];
    unsigned function_count;
    uint64_t bar_next[3];      /* address of the next BAR: small, large, of 64 bits */
    enum agpu_guest_part part; /* for DMA memory */
    uint64_t manual_ns;
    struct agpu_host_irq irq;                 /* for the driver that takes interrupts */
    const struct host_function *irq_function; /* its function; NULL: none */
    pthread_t owner;
    void (*step)(void *ctx, bool registers); /* NULL: no observer */
    void *step_ctx;
    bool in_step;
    unsigned observations;
    uint64_t piece; /* see observed_pieces */
};

static uint64_t clock_ns(const struct agpu_host *host)
{
    return host->config.clock == AGPU_HOST_CLOCK_MANUAL ? host->manual_ns : agpu_monotonic_ns();
}

static uint64_t device_now_ns(void *ctx)
{
    return clock_ns(((const struct host_function *)ctx)->host);
}

static uint64_t read_clock_ns(void *ctx)
{
    struct agpu_host *host = ctx;

    if (host->config.clock == AGPU_HOST_CLOCK_MANUAL) {
        host->manual_ns += MANUAL_READ_NS;
    }
    return clock_ns(host);
}

/* ---- the machine for the device ---- */

/* Our model supports register reads while it works; the contract with other devices excludes them. */
static void let_observer_step(struct host_function *function)
{
    struct agpu_host *host = function->host;

    if (host->step != NULL && pthread_equal(pthread_self(), host->owner) && !host->in_step) {
        host->in_step = true;
        host->step(host->step_ctx, function->ours);
        host->in_step = false;
    }
}

/* Returns the rest of the piece that contains gpa. Only the owner's thread gets pieces, because the observer runs
 * only there. */
static uint64_t rest_of_piece(const struct agpu_host *host, uint64_t gpa)
{
    return pthread_equal(pthread_self(), host->owner) && host->step != NULL && host->piece != 0
               ? host->piece - gpa % host->piece
               : UINT64_MAX;
}

static void *device_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    struct host_function *function = ctx;
    struct agpu_host *host = function->host;

    (void)write;
    let_observer_step(function);
    return size <= rest_of_piece(host, gpa) ? agpu_guest_ram_pointer(&host->ram, gpa, size) : NULL;
}

static uint64_t device_extent(void *ctx, uint64_t gpa, bool write)
{
    const struct agpu_host *host = ((const struct host_function *)ctx)->host;
    const uint64_t extent = agpu_guest_ram_extent(&host->ram, gpa);

    (void)write;
    return extent <= rest_of_piece(host, gpa) ? extent : rest_of_piece(host, gpa);
}

static void device_intx(void *ctx, bool asserted)
{
    struct host_function *function = ctx;

    function->intx = asserted;
    function->host->counts.intx_edges++;
    let_observer_step(function);
}

static bool device_send_msi(void *ctx, uint32_t vector)
{
    struct host_function *function = ctx;

    return function->host->irq_function == function && agpu_host_irq_send(&function->host->irq, vector);
}

/* Our model's messages are not logged, because its responses are checked. */
static void device_log(void *ctx, const char *line)
{
    if (!((const struct host_function *)ctx)->ours) {
        vgpu_print_log(line);
    }
}

static void service(struct host_function *function)
{
    struct agpu_host *host = function->host;

    host->counts.services++;
    function->deadline_ns = vgpu_port_service(function->port);
    if (!host->in_step && vgpu_save_due(&function->save)) {
        host->counts.restores++;
        host->counts.failed_restores += !agpu_host_save_now(function->port, function->bars);
        function->deadline_ns = vgpu_port_service(function->port);
    }
}

/* Keeps the promise of agpu_device_plugin.h: poll() is called at the time that it returned. An access is the first
 * moment at which the driver can see that the call is due; after a stall of the machine it comes late. Our model is
 * served late on purpose, as by a busy host: defects in its handling of late edges show only there. */
static void service_if_due(struct host_function *function)
{
    const struct agpu_host *host = function->host;

    if (!function->ours && !host->config.lazy && !host->in_step && clock_ns(host) >= function->deadline_ns) {
        service(function);
    }
}

/* Services the device after an access: immediately; in lazy mode only during waits; for an access of the observer
 * when the device's current work is done. */
static void service_after_access(struct host_function *function)
{
    if (!function->host->config.lazy && !function->host->in_step) {
        service(function);
    }
}

/* To be called after each step of the driver in which the line may have changed. */
static void deliver_interrupt(struct agpu_host *host)
{
    if (!host->in_step && host->irq_function != NULL) {
        agpu_host_irq_deliver(&host->irq, &host->irq_function->intx);
    }
}

/* ---- the machine for the driver ---- */

static bool pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    struct agpu_host *host = ctx;

    if (index >= host->function_count) {
        return false;
    }
    *out = (struct agpu_pci_ref){.handle = &host->functions[index],
                                 .location = {.device = (uint8_t)(3 + index)}};
    return true;
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    struct host_function *of = function->handle;

    ((struct agpu_host *)ctx)->counts.config_reads++;
    service_if_due(of);
    return vgpu_port_config_read(of->port, offset, size);
}

static void config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value)
{
    struct host_function *of = function->handle;

    ((struct agpu_host *)ctx)->counts.config_writes++;
    service_if_due(of);
    vgpu_port_config_write(of->port, offset, size, value);
    service_after_access(of);
    deliver_interrupt(ctx);
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    struct host_function *of = function->handle;
    uint64_t value;

    ((struct agpu_host *)ctx)->counts.bar_reads++;
    service_if_due(of);
    value = vgpu_port_bar_read(of->port, bar, offset, size);
    deliver_interrupt(ctx);
    return value;
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value)
{
    struct host_function *of = function->handle;

    ((struct agpu_host *)ctx)->counts.bar_writes++;
    service_if_due(of);
    vgpu_port_bar_write(of->port, bar, offset, size, value);
    service_after_access(of);
    deliver_interrupt(ctx);
}

/* Shared memory is coherent; the fence treats it as if it were not. */
static void bar_order(void *ctx)
{
    struct agpu_host *host = ctx;

    host->counts.bar_orders++;
    atomic_thread_fence(memory_order_seq_cst);
}

static bool bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                    struct agpu_bar_mapping *out)
{
    const struct host_function *of = function->handle;

    (void)ctx;
    if (bar >= AGPU_DEVICE_BARS || of->bars[bar].cpu == NULL) {
        return false;
    }
    *out = of->bars[bar];
    return true;
}

static int intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    struct host_function *of = function->handle;

    if (vgpu_port_is_woken(of->port) && !((struct agpu_host *)ctx)->in_step) {
        service(of); /* the line may have changed */
        deliver_interrupt(ctx);
    }
    return of->intx;
}

static bool host_picture(void *ctx, const struct agpu_pci_ref *function, struct agpu_test_picture *picture)
{
    const struct host_function *of = function->handle;
    struct agpu_device_picture seen;
    const bool shown = vgpu_port_picture(of->port, &seen);

    (void)ctx;
    *picture = (struct agpu_test_picture){seen.width, seen.height, seen.pitch_bytes, seen.rgba};
    return shown;
}

static enum agpu_status irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                 bool (*handler)(void *handler_ctx), void *handler_ctx, struct agpu_text *why)
{
    struct agpu_host *host = ctx;
    const struct agpu_function of = {.platform = &host->platform, .found = {.ref = *function}};
    const struct host_function *before = host->irq_function;
    enum agpu_status status;

    if (!host->irq.open) {
        host->irq_function = function->handle;
    }
    status = agpu_host_irq_open(&host->irq, &of, way, handler, handler_ctx, why);
    if (status != AGPU_OK) {
        host->irq_function = before;
    }
    return status;
}

static void irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    struct agpu_host *host = ctx;
    const struct agpu_function of = {.platform = &host->platform, .found = {.ref = *function}};

    agpu_host_irq_close(&host->irq, &of, out);
    host->irq_function = NULL;
}

static void observe(void *ctx, void (*step)(void *step_ctx, bool registers), void *step_ctx)
{
    struct agpu_host *host = ctx;
    const unsigned kinds = sizeof observed_pieces / sizeof observed_pieces[0];

    host->step = step;
    host->step_ctx = step_ctx;
    host->piece = step != NULL ? observed_pieces[host->observations++ % kinds] : 0;
}

/* While locked, no thread of any device copies memory. */
static void lock_memory(struct agpu_host *host)
{
    for (unsigned i = 0; i < host->function_count; i++) {
        vgpu_port_lock_memory(host->functions[i].port);
    }
}

static void unlock_memory(struct agpu_host *host)
{
    for (unsigned i = 0; i < host->function_count; i++) {
        vgpu_port_unlock_memory(host->functions[i].port);
    }
}

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    struct agpu_host *host = ctx;
    void *memory;

    (void)function;
    lock_memory(host);
    memory = agpu_guest_ram_alloc(&host->ram, size, host->part);
    unlock_memory(host);
    if (memory == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    *out = (struct agpu_dma){
        .cpu = memory,
        .device_address = agpu_guest_ram_address(&host->ram, memory),
        .size = (size + AGPU_GUEST_PAGE - 1) / AGPU_GUEST_PAGE * AGPU_GUEST_PAGE,
    };
    host->counts.dma_live++;
    return AGPU_OK;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_host *host = ctx;

    lock_memory(host);
    agpu_guest_ram_free(&host->ram, dma->cpu);
    unlock_memory(host);
    host->counts.dma_live--;
    *dma = (struct agpu_dma){0};
}

static bool dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    static const enum agpu_guest_part parts[] = {
        [AGPU_DMA_ANYWHERE] = AGPU_GUEST_WHOLE,
        [AGPU_DMA_LOW] = AGPU_GUEST_BELOW_4G,
        [AGPU_DMA_HIGH] = AGPU_GUEST_ABOVE_4G,
        [AGPU_DMA_ACROSS] = AGPU_GUEST_ACROSS_4G,
    };

    (void)function;
    ((struct agpu_host *)ctx)->part = parts[place];
    return true;
}

static void *heap_alloc(void *ctx, size_t size)
{
    struct agpu_host *host = ctx;
    void *memory = calloc(1, size ? size : 1); /* 16-byte aligned on every 64-bit Linux */

    if (memory != NULL) {
        host->counts.heap_live++;
    }
    return memory;
}

static void heap_free(void *ctx, void *memory)
{
    struct agpu_host *host = ctx;

    if (memory != NULL) {
        host->counts.heap_live--;
    }
    free(memory);
}

/* Returns the earliest deadline of all devices. */
static uint64_t next_deadline(const struct agpu_host *host)
{
    uint64_t deadline = UINT64_MAX;

    for (unsigned i = 0; i < host->function_count; i++) {
        deadline = host->functions[i].deadline_ns < deadline ? host->functions[i].deadline_ns : deadline;
    }
    return deadline;
}

static void relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_host *host = ctx;
    const uint64_t deadline = next_deadline(host);

    host->counts.relaxes++;
    if (host->config.clock == AGPU_HOST_CLOCK_MANUAL) {
        /* A wait for vblank can skip to the device's next deadline. */
        if (reason == AGPU_RELAX_VBLANK && deadline != UINT64_MAX && deadline > host->manual_ns) {
            host->manual_ns = deadline;
        } else {
            host->manual_ns += reason == AGPU_RELAX_VBLANK ? 100 * MANUAL_STEP_NS : MANUAL_STEP_NS;
        }
    }
    for (unsigned i = 0; i < host->function_count; i++) {
        struct host_function *function = &host->functions[i];

        if (host->config.lazy || vgpu_port_is_woken(function->port) ||
            clock_ns(host) >= function->deadline_ns) {
            service(function);
        }
    }
    deliver_interrupt(host);
}

/* Stops the machine: events that become due meanwhile are noticed late. */
static void host_stall(void *ctx, uint64_t ns)
{
    struct agpu_host *host = ctx;
    const uint64_t end = clock_ns(host) + ns;

    if (host->config.clock == AGPU_HOST_CLOCK_MANUAL) {
        host->manual_ns = end;
        return;
    }
    while (clock_ns(host) < end) {
        ;
    }
}

static void log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    const struct agpu_host *host = ctx;

    host->config.log(host->config.log_ctx, level, text);
}

static void init_platform(struct agpu_host *host)
{
    struct agpu_platform *platform = &host->platform;

    *platform = agpu_base_platform;
    platform->ctx = host;
    platform->pci_function = pci_function;
    platform->config_read = config_read;
    platform->config_write = config_write;
    platform->bar_read = bar_read;
    platform->bar_write = bar_write;
    platform->bar_map = bar_map;
    platform->bar_order = bar_order;
    platform->intx_level = intx_level;
    platform->irq_open = irq_open;
    platform->irq_close = irq_close;
    platform->dma_alloc = dma_alloc;
    platform->dma_free = dma_free;
    platform->dma_place = dma_place;
    platform->heap_alloc = heap_alloc;
    platform->heap_free = heap_free;
    platform->now_ns = read_clock_ns;
    platform->relax = relax;
    platform->run_beside = agpu_host_run_beside;
    host->test = (struct agpu_test_system){.observe = observe,
                                           .stall = host_stall,
                                           .picture = host_picture,
                                           .late_edges = host->functions[0].ours,
                                           .simulated_time = host->config.clock == AGPU_HOST_CLOCK_MANUAL};
    platform->test = &host->test;
    if (host->config.log != NULL) {
        platform->log = log_text;
    }
}

/* Returns the next place for size bytes, a power of two, in [*next, end); 0 if there is none. */
static uint64_t place_bar(uint64_t *next, uint64_t end, uint64_t size)
{
    const uint64_t address = (*next + size - 1) & ~(size - 1);

    if (address < *next || address >= end || size > end - address) {
        return 0;
    }
    *next = address + size;
    return address;
}

/* Assigns BAR addresses as firmware does before the image starts. Returns false with the reason in message. */
static bool assign_bars(struct host_function *function, char *message, size_t message_size)
{
    const struct agpu_device_info *info = vgpu_port_info(function->port);
    uint64_t *next = function->host->bar_next;

    for (unsigned bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        const struct agpu_device_bar *described = &info->bars[bar];
        uint64_t address;

        if (described->size == 0) {
            continue;
        }
        address = described->is_64_bit != 0 ? place_bar(&next[2], UINT64_MAX, described->size)
                  : described->size < SMALL_BYTES
                      ? place_bar(&next[0], SMALL_BARS + SMALL_BYTES, described->size)
                      : place_bar(&next[1], (uint64_t)LARGE_BARS + LARGE_BYTES, described->size);
        if (address == 0) {
            snprintf(message, message_size, "no room below 4 GiB for BAR%u of 0x%" PRIx64 " bytes", bar,
                     described->size);
            return false;
        }
        vgpu_port_config_write(function->port, BAR0_OFFSET + 4 * bar, 4, (uint32_t)address);
        if (described->is_64_bit != 0) {
            vgpu_port_config_write(function->port, BAR0_OFFSET + 4 * bar + 4, 4, (uint32_t)(address >> 32));
        }
        if (described->memory_fd >= 0) {
            void *bytes =
                mmap(NULL, described->size, PROT_READ | PROT_WRITE, MAP_SHARED, described->memory_fd, 0);

            function->bars[bar] =
                (struct agpu_bar_mapping){bytes == MAP_FAILED ? NULL : bytes, address, described->size, true};
        }
    }
    return true;
}

static bool create_function(struct agpu_host *host, const struct agpu_host_device *device, char *message,
                            size_t message_size)
{
    struct host_function *function = &host->functions[host->function_count];
    const struct vgpu_port_machine machine = {
        .ctx = function,
        .dma_pointer = device_pointer,
        .dma_extent = device_extent,
        .set_intx = device_intx,
        .send_msi = device_send_msi,
        .now_ns = device_now_ns,
        .log = device_log,
        .trust_description = device->device == NULL || vgpu_is_model(device->device),
    };
    char options[VGPU_MODEL_OPTIONS];

    function->host = host;
    function->deadline_ns = UINT64_MAX;
    function->ours = machine.trust_description;
    vgpu_model_options(options,
                       host->config.abi == VGPU_ABI_LEGACY                ? "legacy"
                       : host->config.abi == VGPU_ABI_LEGACY_AS_VERSIONED ? "legacy-as-a3a0"
                                                                          : host->config.version,
                       NULL);
    vgpu_guard_name(device->device != NULL ? device->device->name : vgpu_model_plugin()->name);
    function->port =
        device->device != NULL
            ? vgpu_port_create(&machine, device->device, device->options, message, message_size)
            : vgpu_port_create(&machine, vgpu_model_plugin(),
                               device->options != NULL ? device->options : options, message, message_size);
    if (function->port == NULL) {
        return false;
    }
    function->save = host->config.save;
    if (!vgpu_save_start(&function->save, vgpu_port_table(function->port), message, message_size)) {
        vgpu_port_destroy(function->port);
        return false;
    }
    vgpu_port_config_write(function->port, LINE_OFFSET, 1, host->function_count);
    host->function_count++;
    return assign_bars(function, message, message_size);
}

static bool create_functions(struct agpu_host *host, char *message, size_t message_size)
{
    const struct agpu_host_device first = {host->config.device, host->config.options};

    if (host->config.more_count >= AGPU_HOST_DEVICES_MAX) {
        snprintf(message, message_size, "more than %u devices", AGPU_HOST_DEVICES_MAX);
        return false;
    }
    if (!create_function(host, &first, message, message_size)) {
        return false;
    }
    for (unsigned i = 0; i < host->config.more_count; i++) {
        if (!create_function(host, &host->config.more[i], message, message_size)) {
            return false;
        }
    }
    return true;
}

struct agpu_host *agpu_host_create(const struct agpu_host_config *config, char *message, size_t message_size)
{
    struct agpu_host *host = calloc(1, sizeof *host);
    char unread[1];

    if (message == NULL) {
        message = unread;
        message_size = sizeof unread;
    }
    snprintf(message, message_size, "no memory");
    if (host == NULL) {
        return NULL;
    }
    host->config = *config;
    host->bar_next[0] = SMALL_BARS;
    host->bar_next[1] = LARGE_BARS;
    host->bar_next[2] = WIDE_BARS;
    host->owner = pthread_self();
    if (!agpu_guest_ram_open(&host->ram, config->ram_bytes ? config->ram_bytes : RAM_BYTES)) {
        free(host);
        return NULL;
    }
    if (!create_functions(host, message, message_size)) {
        agpu_host_destroy(host);
        return NULL;
    }
    init_platform(host);
    return host;
}

void agpu_host_destroy(struct agpu_host *host)
{
    if (host == NULL) {
        return;
    }
    for (unsigned i = 0; i < host->function_count; i++) {
        for (unsigned bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
            if (host->functions[i].bars[bar].cpu != NULL) {
                munmap(host->functions[i].bars[bar].cpu, host->functions[i].bars[bar].size);
            }
        }
        vgpu_port_destroy(host->functions[i].port);
    }
    agpu_guest_ram_close(&host->ram);
    free(host);
}

const struct agpu_platform *agpu_host_platform(struct agpu_host *host)
{
    return &host->platform;
}

const struct agpu_host_counts *agpu_host_counts(const struct agpu_host *host)
{
    return &host->counts;
}

struct vgpu_port *agpu_host_port(struct agpu_host *host)
{
    return host->functions[0].port;
}

struct vgpu_port *agpu_host_port_at(const struct agpu_host *host, unsigned device)
{
    return device < host->function_count ? host->functions[device].port : NULL;
}
