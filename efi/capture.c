/* capture.c: opens the destination of a capture and runs the tap between the cases. */
#include "efi/capture.h"

#include "efi/build_id.h"
#include "efi/clock.h"
#include "efi/file.h"
#include "efi/file_pieces.h"
#include "efi/guard.h"
#include "efi/net/net.h"
#include "efi/protocol/stream_frame.h"
#include "efi/pump.h"
#include "efi/stream_pieces.h"
#include "efi/watchdog.h"

#define RFLAGS_INTERRUPTS UINT64_C(0x200)

#define CAPTURE_NAME L"\\AGPU.CAP"

/* Limits of the memory that the tap tracks, and of the memory for the records of one case. */
#define PAGES_MOST      16384u
#define CASE_BYTES_MOST ((size_t)96 << 20)

/* Data that waited this long for a full piece is written when a case ends, so that it is not lost when the
 * machine hangs later. */
#define WAIT_MOST_NS AGPU_NS_PER_S

/* Time allowed for the stream to connect to its collector; without a network there is no wait. */
#define CONNECT_NS (5 * AGPU_NS_PER_S)

static bool is_open;
static EFI_FILE_HANDLE capture_file; /* NULL: the capture goes over the stream */
static struct agpu_file_pieces pieces;
static struct agpu_stream_pieces streamed;
static struct agpu_tap tap;

static bool write_capture(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    return capture_file != NULL ? agpu_file_pieces_put(&pieces, bytes, size)
                                : agpu_stream_pieces_put(&streamed, bytes, size);
}

static void write_waiting(uint64_t wait_ns)
{
    if (capture_file != NULL) {
        agpu_file_pieces_write(&pieces, wait_ns);
    } else {
        agpu_stream_pieces_flush(&streamed, wait_ns);
    }
}

static void capture_case_begins(void *ctx, const struct agpu_case *item, unsigned index)
{
    agpu_tap_case_begin(ctx, item->id, index);
}

/* Writes the capture of a failed case to disk or stream before the next case starts, which may hang the
 * machine. */
static void capture_case_ends(void *ctx, enum agpu_result result)
{
    const uint64_t kept = tap.kept_cases;

    agpu_tap_case_end(ctx, (uint32_t)result, agpu_result_name(result), result > AGPU_SKIP);
    if (tap.kept_cases != kept && result > AGPU_SKIP) {
        write_waiting(0);
        if (capture_file != NULL) {
            capture_file->Flush(capture_file);
        }
    } else if (tap.kept_cases != kept) {
        write_waiting(WAIT_MOST_NS);
    }
}

static void enter_service(void *ctx)
{
    (void)ctx;
    agpu_guard_enter(AGPU_GUARD_SERVICE);
}

static void leave_service(void *ctx)
{
    (void)ctx;
    agpu_guard_leave(AGPU_GUARD_SERVICE);
}

static uint64_t hold_off_interrupts(void *ctx)
{
    uint64_t flags;

    (void)ctx;
    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static void let_interrupts_in(void *ctx, uint64_t flags)
{
    (void)ctx;
    if ((flags & RFLAGS_INTERRUPTS) != 0) {
        __asm__ volatile("sti" : : : "memory");
    }
}

static bool start_tap(const struct agpu_platform *machine, enum agpu_capture_mode mode)
{
    const struct agpu_tap_config config = {
        .mode = mode,
        .producer = "agpu.efi " AGPU_BUILD_ID,
        .pages = PAGES_MOST,
        .case_bytes = CASE_BYTES_MOST,
        .registers = true,
        .write = write_capture,
        .enter = enter_service,
        .leave = leave_service,
        .hold_off = hold_off_interrupts,
        .let_in = let_interrupts_in,
    };

    return agpu_tap_init(&tap, machine, &config);
}

static void relax(void)
{
    agpu_watchdog_kick();
    enter_service(NULL);
    agpu_pump();
    leave_service(NULL);
    agpu_pause();
}

static const char *open_file(void)
{
    const char *failed = agpu_file_create(CAPTURE_NAME, &capture_file);

    if (failed != NULL) {
        return failed;
    }
    if (!agpu_file_pieces_init(&pieces, capture_file)) {
        capture_file->Close(capture_file);
        capture_file = NULL;
        return "no memory for it";
    }
    return NULL;
}

static const char *open_stream(struct agpu_stream *stream)
{
    const uint64_t wait_ns = agpu_net_state() == AGPU_NET_UP ? CONNECT_NS : 0;

    return agpu_stream_pieces_begin(&streamed, stream, relax, wait_ns)
               ? NULL
               : "no collector (agpu listen) takes the stream";
}

static bool close_file(void)
{
    bool complete = agpu_file_pieces_write(&pieces, 0);

    agpu_file_pieces_close(&pieces);
    complete = !EFI_ERROR(capture_file->Flush(capture_file)) && complete;
    capture_file->Close(capture_file);
    capture_file = NULL;
    return complete;
}

const char *agpu_capture_open(struct agpu_runner_config *run, enum agpu_capture_mode mode,
                              enum agpu_capture_to to)
{
    const char *failed = to != AGPU_CAPTURE_TO_STREAM ? open_file() : NULL;

    capture_file = to != AGPU_CAPTURE_TO_STREAM && failed == NULL ? capture_file : NULL;
    if (to == AGPU_CAPTURE_TO_STREAM || (to == AGPU_CAPTURE_TO_ANY && failed != NULL)) {
        failed = open_stream(run->stream);
        if (failed != NULL && to == AGPU_CAPTURE_TO_ANY) {
            failed = "no volume takes the file, and no collector (agpu listen) takes the stream";
        }
    }
    if (failed != NULL) {
        return failed;
    }
    if (!start_tap(run->platform, mode)) {
        if (capture_file != NULL) {
            close_file();
        }
        return "out of memory, or the volume or the stream takes no data";
    }
    is_open = true;
    agpu_stream_log(run->stream, AGPU_LOG_INFO,
                    capture_file != NULL
                        ? "capture: into AGPU.CAP of a volume"
                        : "capture: over the stream, the collector writes " AGPU_WIRE_CAPTURE);
    run->platform = &tap.platform;
    run->case_begins = capture_case_begins;
    run->case_ends = capture_case_ends;
    run->cases_ctx = &tap;
    return NULL;
}

const char *agpu_capture_close(uint64_t *lost)
{
    const bool to_stream = capture_file == NULL;
    bool complete;

    *lost = 0;
    if (!is_open) {
        return NULL;
    }
    is_open = false;
    *lost = tap.lost_cases;
    complete = agpu_tap_close(&tap);
    complete = (to_stream ? !complete || agpu_stream_pieces_end(&streamed) : close_file()) && complete;
    if (complete) {
        return NULL;
    }
    return to_stream ? "not complete: the stream had no room or no collector for 12 s"
                     : "the volume is full, or no longer takes data";
}
