/* test_screen.c: the screen of an image that waits for agpu ctl, on a fake EFI_SIMPLE_TEXT_OUTPUT: a client asks for
 * two runs, and the verdict comes at the end. */
#include <string.h>

#include "efi/clock.h"
#include "efi/control/service.h"
#include "efi/control/wait.h"
#include "efi/machine.h"
#include "efi/net/net.h"
#include "efi/pump.h"
#include "efi/screen.h"
#include "efi/watchdog.h"
#include "tests/unit/test.h"

#define COLUMNS 80
#define ROWS    25
#define WAITING "control: waits for agpu ctl"

static char grid[ROWS][COLUMNS + 1];
static UINTN row, column;
static unsigned letters, serves;
static uint64_t now_ns;
static struct agpu_stream stream;
static struct agpu_summary summary;

uint64_t agpu_clock_ns(void *ctx)
{
    (void)ctx;
    return now_ns;
}

/* ---- the firmware ---- */

static EFI_STATUS EFIAPI output_string(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *text)
{
    (void)this;
    for (; *text != 0; text++, letters++) {
        assert_true(column < COLUMNS - 1); /* the last column would scroll */
        grid[row][column++] = (char)*text;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN mode, UINTN *wide, UINTN *high)
{
    (void)this, (void)mode;
    *wide = COLUMNS;
    *high = ROWS;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN attribute)
{
    (void)this, (void)attribute;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear_screen(SIMPLE_TEXT_OUTPUT_INTERFACE *this)
{
    (void)this;
    memset(grid, ' ', sizeof grid);
    for (unsigned i = 0; i < ROWS; i++) {
        grid[i][COLUMNS] = '\0';
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN to_column, UINTN to_row)
{
    (void)this;
    assert_true(to_row < ROWS);
    column = to_column;
    row = to_row;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI enable_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *this, BOOLEAN on)
{
    (void)this, (void)on;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI keep_pool(VOID *memory)
{
    assert_non_null(memory);
    return EFI_SUCCESS;
}

static SIMPLE_TEXT_OUTPUT_MODE mode;
static SIMPLE_TEXT_OUTPUT_INTERFACE console = {.OutputString = output_string,
                                               .QueryMode = query_mode,
                                               .SetAttribute = set_attribute,
                                               .ClearScreen = clear_screen,
                                               .SetCursorPosition = set_cursor,
                                               .EnableCursor = enable_cursor,
                                               .Mode = &mode};
static EFI_BOOT_SERVICES boot = {.FreePool = keep_pool};
static EFI_SYSTEM_TABLE table = {.ConOut = &console};
EFI_BOOT_SERVICES *agpu_boot = &boot;
EFI_SYSTEM_TABLE *agpu_system = &table;
EFI_GUID agpu_guid_text_out, agpu_guid_device_path;

EFI_HANDLE *agpu_handles(EFI_GUID *guid, UINTN *count)
{
    static EFI_HANDLE handles[] = {&console};

    assert_ptr_equal(guid, &agpu_guid_text_out);
    *count = 1;
    return handles;
}

void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid)
{
    (void)guid;
    return handle;
}

bool agpu_path_has(EFI_HANDLE handle, uint8_t type, uint8_t subtype)
{
    (void)handle, (void)type, (void)subtype;
    return false;
}

/* ---- the rest of the image ---- */

void agpu_net_describe(struct agpu_text *text)
{
    agpu_text_string(text, "192.0.2.10");
}

void agpu_watchdog_kick(void)
{
}

void agpu_pump(void)
{
    now_ns += 100 * AGPU_NS_PER_MS;
    agpu_screen_poll();
}

bool agpu_control_is_open(void)
{
    return true;
}

bool agpu_control_is_reachable(void)
{
    return true;
}

bool agpu_control_sent(void)
{
    return true;
}

void agpu_control_leave(void)
{
}

void agpu_control_finish(void)
{
}

void agpu_control_release(void)
{
}

static void report_progress(const char *running)
{
    agpu_screen_progress(NULL, &(struct agpu_progress){"AeroGPU 1.4", running, &summary});
}

static void end_case(const char *id, enum agpu_result result, const char *reason)
{
    struct agpu_record record;

    report_progress(id);
    now_ns += AGPU_NS_PER_S;
    agpu_record_begin(&record, AGPU_RECORD_END, id);
    agpu_record_string(&record, AGPU_KEY(END, status), agpu_result_name(result));
    agpu_record_string(&record, AGPU_KEY(END, reason), reason);
    agpu_stream_send(&stream, &record);
    summary.counts[result]++;
    summary.ended++;
    report_progress(NULL);
}

static void begin_run(unsigned planned)
{
    agpu_screen_restart();
    summary = (struct agpu_summary){.planned = planned};
}

static bool shows(const char *text)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strstr(grid[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

/* A client asks for runs in rounds 20 and 60 of the wait; 2 and 4 s later the image must say again that it waits. */
void agpu_control_serve(void)
{
    switch (++serves) {
    case 19:
        assert_true(shows(WAITING));
        break;
    case 20:
        begin_run(2);
        end_case("ring.first.case", AGPU_FAIL, "the head stands still");
        end_case("ring.second.case", AGPU_PASS, "");
        assert_true(shows("FAIL     ring.first.case  the head stands still"));
        assert_true(shows(" ring 2 (1 bad)"));
        assert_true(shows("passed 1  skipped 0  errors 0  failed 1"));
        assert_false(shows(WAITING));
        break;
    case 40:
        assert_true(shows(WAITING));
        assert_true(shows("ring.first.case")); /* for the person at the machine, until the next run */
        break;
    case 60:
        begin_run(1);
        end_case("fence.other.case", AGPU_PASS, "");
        assert_true(shows("] 1/1 "));
        break;
    case 100:
        assert_true(shows(WAITING));
        assert_true(shows(" fence 1"));
        assert_false(shows("ring 2"));
        assert_false(shows("ring.first.case"));
        break;
    default:
        break;
    }
}

enum agpu_monitor_wish agpu_control_wish(void)
{
    return serves == 100 ? AGPU_MONITOR_GO : AGPU_MONITOR_NOTHING;
}

/* ---- tests ---- */

static int open_screen(void **state)
{
    (void)state;
    agpu_stream_init(&stream, agpu_clock_ns, NULL, 0);
    agpu_screen_open(&stream, "0123abcd", false);
    return stream.sink_count != 1;
}

static int close_screen(void **state)
{
    (void)state;
    agpu_screen_close();
    return shows("AeroGPU");
}

FIXTURE(open_screen, close_screen);

TEST(a_waiting_image_says_so_after_each_run)
{
    assert_int_equal(agpu_control_wait(&stream), AGPU_MONITOR_GO);
    assert_true(shows("AeroGPU bring-up   build 0123abcd"));
    assert_true(shows("device   AeroGPU 1.4"));
    assert_true(shows("network  192.0.2.10"));
    assert_false(shows(WAITING));
}

TEST(only_changes_are_drawn)
{
    agpu_screen_now("one");
    const unsigned before = letters;
    agpu_screen_now("one");
    assert_int_equal(letters, before);
    agpu_screen_now("own");
    assert_int_equal(letters, before + 2);
}

TEST(the_verdict_is_shown)
{
    begin_run(1);
    end_case("irq.one", AGPU_FAIL, "no interrupt");
    agpu_screen_finish("FAIL: 1 of 1 cases failed", false);
    assert_true(shows("FAIL: 1 of 1 cases failed"));
    assert_true(shows("FAIL     irq.one  no interrupt"));
}
