/* capture.c: the file of a capture, and the tap that fills it between the cases. */
#include "efi/capture.h"

#include "efi/build_id.h"
#include "efi/file.h"
#include "efi/guard.h"

#define CAPTURE_NAME L"\\AGPU.CAP"

/* Memory that is followed, and that the records of one case may take, at most. */
#define PAGES_MOST      16384u
#define CASE_BYTES_MOST ((size_t)96 << 20)

static EFI_FILE_HANDLE capture_file;
static struct agpu_tap tap;

static bool write_capture(void *ctx, const void *bytes, size_t size)
{
    UINTN written = size;

    (void)ctx;
    return !EFI_ERROR(capture_file->Write(capture_file, &written, (void *)(uintptr_t)bytes)) &&
           written == size;
}

static void capture_case_begins(void *ctx, const struct agpu_case *item, unsigned index)
{
    agpu_tap_case_begin(ctx, item->id, index);
}

/* What was kept of a case that failed is on the disk before the next begins: it may be the one that ends the machine. */
static void capture_case_ends(void *ctx, enum agpu_result result)
{
    const uint64_t kept = tap.kept_cases;

    agpu_tap_case_end(ctx, (uint32_t)result, agpu_result_name(result), result > AGPU_SKIP);
    if (tap.kept_cases != kept && result > AGPU_SKIP) {
        capture_file->Flush(capture_file);
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
    };

    return agpu_tap_init(&tap, machine, &config);
}

const char *agpu_capture_open(struct agpu_runner_config *run, enum agpu_capture_mode mode)
{
    const char *failed = agpu_file_create(CAPTURE_NAME, &capture_file);

    if (failed != NULL) {
        return failed;
    }
    if (!start_tap(run->platform, mode)) {
        capture_file->Close(capture_file);
        capture_file = NULL;
        return "no memory for it, or the volume takes no data";
    }
    run->platform = &tap.platform;
    run->case_begins = capture_case_begins;
    run->case_ends = capture_case_ends;
    run->cases_ctx = &tap;
    return NULL;
}

const char *agpu_capture_close(uint64_t *lost)
{
    bool complete;

    *lost = 0;
    if (capture_file == NULL) {
        return NULL;
    }
    *lost = tap.lost_cases;
    complete = agpu_tap_close(&tap);
    complete = !EFI_ERROR(capture_file->Flush(capture_file)) && complete;
    capture_file->Close(capture_file);
    capture_file = NULL;
    return complete ? NULL : "the volume is full, or does not take data any more";
}
