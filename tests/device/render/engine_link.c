/* engine_link.c: starts the drawing process, fills batches and has them executed with a time limit. */
#include "tests/device/render/engine_link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"

#include "tests/device/render/cache_folder.h"
#include "tests/device/render/numbers.h"
#include "tests/device/render/worker.h"

enum { START_LIMIT_MS = 20000, MOST_FAILED_STARTS = 3 };

/* Default time limit (render_config.h): LIMIT_STARTS times the start time of the drawing process, which
 * measures the speed of this machine, within these bounds. */
enum { LIMIT_STARTS = 16, LEAST_LIMIT_MS = 350, MOST_LIMIT_MS = 700 };

/* Time in which the drawing process moves one byte of a batch; it does not count as time of shaders and draws. A
 * loaded machine whose pages are not there yet needs up to 15 ns. */
enum { MOVE_NS_PER_BYTE = 16 };

/* Factor between the time limit of a submission and the limit of elapsed time, for a machine with other
 * load. */
enum { PATIENCE = 8 };

static void set_reason(struct vgpu_render *render, const char *format, va_list arguments)
{
    char text[sizeof render->reason];

    vsnprintf(text, sizeof text, format, arguments);
    bool again = strcmp(text, render->reason) == 0;
    memcpy(render->reason, text, sizeof text);
    if (render->config.log != NULL && !again) {
        render->config.log(render->config.log_ctx, text);
    }
}

uint32_t vgpu_render_failed(struct vgpu_render *render, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_reason(render, format, arguments);
    va_end(arguments);
    return AEROGPU_ERROR_BACKEND;
}

uint32_t vgpu_render_refused(struct vgpu_render *render, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_reason(render, format, arguments);
    va_end(arguments);
    return AEROGPU_ERROR_CMD_DECODE;
}

/* Marks everything as not sent: the process drops its state at the end of every batch. */
static void forget_told(struct vgpu_render *render)
{
    render->message_bytes = 0;
    render->data_bytes = VGPU_WIRE_MESSAGE_BYTES;
    render->sent.valid = false;
    render->state = NULL;
    for (uint32_t i = 0; i < VGPU_WIRE_STAGES; i++) {
        render->sent_bindings[i].shader = 0;
    }
    memset(render->snapshots, 0, sizeof render->snapshots);
}

void vgpu_engine_stop(struct vgpu_render *render)
{
    vgpu_worker_stop(&render->worker);
    forget_told(render);
    vgpu_number_reset(&render->resources);
    vgpu_number_reset(&render->shaders);
}

/* Directory for compiled code of a Mesa driver; compilation is most of the cost of a first draw. It is the
 * only directory that the jailed process can open (jail.h). NULL when there is none. */
static const char *driver_cache(struct vgpu_render *render)
{
    static const char name[] = "MESA_SHADER_CACHE_DIR=";
    char path[sizeof render->driver_cache];
    const char *why;
    int opened;

    if (!vgpu_render_driver_dir(path, sizeof path - sizeof name)) {
        return NULL;
    }
    /* The directory contains code: use it only if no other user can write to it. */
    opened = vgpu_cache_folder_open(path, &why);
    if (opened < 0) {
        return NULL;
    }
    close(opened);
    memcpy(render->driver_cache, name, sizeof name - 1);
    memcpy(render->driver_cache + sizeof name - 1, path, strlen(path) + 1);
    return render->driver_cache;
}

static uint32_t usual_limit_ms(uint64_t start_ns)
{
    const uint64_t ms = start_ns * LIMIT_STARTS / 1000000u;

    return ms < LEAST_LIMIT_MS ? LEAST_LIMIT_MS : ms > MOST_LIMIT_MS ? MOST_LIMIT_MS : (uint32_t)ms;
}

bool vgpu_engine_start(struct vgpu_render *render)
{
    if (render->worker.pid) {
        return true;
    }
    /* Without a driver no start can succeed: log that once, then fail fast. */
    if (render->starts_failed >= MOST_FAILED_STARTS) {
        return false;
    }
    if (!render->helper[0]) {
        render->starts_failed = MOST_FAILED_STARTS;
        vgpu_render_failed(
            render, "nothing can be drawn: expected the program agpu-render beside this one, found none: "
                    "install libvulkan-dev and build it, or set AGPU_RENDER");
        return false;
    }
    vgpu_engine_stop(render);
    render->generation++;
    struct vgpu_wire_hello hello;
    struct vgpu_worker_bound bound =
        vgpu_worker_bound(&render->worker, START_LIMIT_MS * 1000000ull, START_LIMIT_MS * 1000000ull);
    if (!vgpu_worker_start(&render->worker, render->helper, render->shared_fd, driver_cache(render)) ||
        !vgpu_worker_receive(&render->worker, &hello, sizeof hello, &bound) ||
        hello.magic != VGPU_WIRE_MAGIC) {
        render->starts_failed++;
        vgpu_worker_stop(&render->worker);
        vgpu_render_failed(render, "nothing can be drawn: %.400s does not start", render->helper);
        return false;
    }
    hello.device[sizeof hello.device - 1] = 0;
    hello.reason[sizeof hello.reason - 1] = 0;
    if (!hello.ready) {
        render->starts_failed = MOST_FAILED_STARTS;
        vgpu_worker_stop(&render->worker);
        vgpu_render_failed(render, "nothing can be drawn: %s", hello.reason);
        return false;
    }
    render->usual_limit_ms = usual_limit_ms(vgpu_worker_spent_ns(&render->worker, &bound));
    memcpy(render->device, hello.device, sizeof render->device);
    render->starts_failed = 0;
    return true;
}

static uint32_t limit_ms(const struct vgpu_render *render)
{
    if (render->config.time_limit_ms) {
        return render->config.time_limit_ms;
    }
    return render->usual_limit_ms ? render->usual_limit_ms : MOST_LIMIT_MS;
}

/* Returns the remaining time of the submission. */
static uint64_t left_ns(const struct vgpu_render *render)
{
    uint64_t limit_ns = limit_ms(render) * 1000000ull;

    return render->spent_ns < limit_ns ? limit_ns - render->spent_ns : 0;
}

void vgpu_engine_spend(struct vgpu_render *render, uint64_t ns)
{
    render->spent_ns += ns;
}

bool vgpu_engine_ready(struct vgpu_render *render)
{
    if (render->failed) {
        return false; /* later draws would depend on the failed one */
    }
    if (left_ns(render) == 0) {
        vgpu_render_failed(render, "a submission took more than %u ms", limit_ms(render));
        return false;
    }
    return vgpu_engine_start(render);
}

bool vgpu_engine_flush(struct vgpu_render *render)
{
    struct vgpu_wire_batch batch = {render->message_bytes, render->data_bytes};
    struct vgpu_wire_result result;

    if (render->message_bytes == 0) {
        return true;
    }
    const uint64_t move_ns = (batch.data_bytes - VGPU_WIRE_MESSAGE_BYTES) * MOVE_NS_PER_BYTE;
    const uint64_t limit_ns = left_ns(render) + move_ns;
    const struct vgpu_worker_bound bound = vgpu_worker_bound(&render->worker, limit_ns, PATIENCE * limit_ns);
    forget_told(render);
    bool done = vgpu_worker_send(&render->worker, &batch, sizeof batch, &bound) &&
                vgpu_worker_receive(&render->worker, &result, sizeof result, &bound);
    const uint64_t spent_ns = vgpu_worker_spent_ns(&render->worker, &bound);
    vgpu_engine_spend(render, spent_ns > move_ns ? spent_ns - move_ns : 0);
    if (!done) {
        bool late = render->worker.late;
        char end[32];

        vgpu_engine_stop(render);
        vgpu_translator_distrust(render->translator);
        vgpu_worker_describe_end(&render->worker, end, sizeof end);
        render->failed = true;
        if (late) {
            vgpu_render_failed(render, "drawing took more than %llu ms: the drawing process was ended",
                               (unsigned long long)(limit_ns / 1000000u));
        } else {
            vgpu_render_failed(render, "the drawing process crashed: %s", end);
        }
        return false;
    }
    vgpu_number_batch_done(&render->resources);
    vgpu_number_batch_done(&render->shaders);
    result.reason[sizeof result.reason - 1] = 0;
    if (result.failed) {
        render->failed = true;
        vgpu_render_failed(render, "%s", result.reason);
        render->distrusted += vgpu_translator_distrust(render->translator);
    } else {
        vgpu_translator_proven(render->translator);
    }
    if (result.lost) {
        vgpu_engine_stop(render);
    }
    return !result.lost && result.failed_reads == 0;
}

bool vgpu_engine_reserve(struct vgpu_render *render, uint32_t message_bytes, uint64_t data_bytes)
{
    if (!render->worker.pid) {
        return false;
    }
    data_bytes = vgpu_engine_data_room(data_bytes);
    if (message_bytes > VGPU_WIRE_MESSAGE_BYTES ||
        data_bytes > VGPU_WIRE_SHARED_BYTES - VGPU_WIRE_MESSAGE_BYTES) {
        vgpu_render_failed(render, "one message of %llu bytes does not fit in a batch",
                           (unsigned long long)data_bytes);
        return false;
    }
    if (message_bytes > VGPU_WIRE_MESSAGE_BYTES - render->message_bytes ||
        data_bytes > VGPU_WIRE_SHARED_BYTES - render->data_bytes) {
        return vgpu_engine_flush(render);
    }
    return true;
}

void *vgpu_engine_message(struct vgpu_render *render, enum vgpu_wire_op op, uint32_t size)
{
    struct vgpu_wire_header *header = (void *)(render->shared + render->message_bytes);

    memset(header, 0, size);
    *header = (struct vgpu_wire_header){op, size};
    /* Messages contain 64-bit numbers, so they are padded to 8 bytes. */
    uint32_t padding = size % 8 ? 8 - size % 8 : 0;
    header->size += padding;
    render->message_bytes += size + padding;
    return header;
}

uint32_t vgpu_engine_data(struct vgpu_render *render, uint32_t size)
{
    uint32_t at = render->data_bytes;

    render->data_bytes += (uint32_t)vgpu_engine_data_room(size);
    return at;
}
