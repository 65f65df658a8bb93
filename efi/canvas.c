/* canvas.c: writes to EFI_SIMPLE_TEXT_OUTPUT of each console device directly. The firmware's splitter would
 * also write to a terminal on the serial port that carries records. */
#include "efi/canvas.h"

#include <string.h>

#include "efi/machine.h"

#define CONSOLES_MAX 4

struct canvas_row {
    enum agpu_colour colour;
    char text[AGPU_CANVAS_COLUMNS_MAX + 1];
};

static SIMPLE_TEXT_OUTPUT_INTERFACE *consoles[CONSOLES_MAX];
static unsigned console_count, rows, columns;
static struct canvas_row wanted[AGPU_CANVAS_ROWS_MAX], shown[AGPU_CANVAS_ROWS_MAX];

static UINTN colour_attribute(enum agpu_colour colour)
{
    switch (colour) {
    case AGPU_TITLE:
        return EFI_TEXT_ATTR(EFI_WHITE, EFI_BLUE);
    case AGPU_GOOD:
        return EFI_TEXT_ATTR(EFI_LIGHTGREEN, EFI_BLACK);
    case AGPU_BAD:
        return EFI_TEXT_ATTR(EFI_LIGHTRED, EFI_BLACK);
    case AGPU_FAINT:
        return EFI_TEXT_ATTR(EFI_DARKGRAY, EFI_BLACK);
    case AGPU_PLAIN:
        break;
    }
    return EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK);
}

/* Adds a console whose size is known; sets its first mode if it has none yet. */
static void add_console(SIMPLE_TEXT_OUTPUT_INTERFACE *console)
{
    UINTN wide = 0, high = 0;

    if (console_count == CONSOLES_MAX) {
        return;
    }
    if (console->Mode->Mode < 0) {
        console->SetMode(console, 0);
    }
    if (console->Mode->Mode < 0 ||
        EFI_ERROR(console->QueryMode(console, (UINTN)console->Mode->Mode, &wide, &high)) || wide < 40 ||
        high < 10) {
        return;
    }
    console->SetAttribute(console, colour_attribute(AGPU_PLAIN));
    console->ClearScreen(console);
    console->EnableCursor(console, FALSE);
    /* The last column stays free: a character there makes some consoles scroll. */
    unsigned usable = wide - 1 > AGPU_CANVAS_COLUMNS_MAX ? AGPU_CANVAS_COLUMNS_MAX : (unsigned)wide - 1;
    unsigned tall = high > AGPU_CANVAS_ROWS_MAX ? AGPU_CANVAS_ROWS_MAX : (unsigned)high;
    columns = console_count && columns < usable ? columns : usable;
    rows = console_count && rows < tall ? rows : tall;
    consoles[console_count++] = console;
}

bool agpu_canvas_open(bool uart_too)
{
    UINTN count;
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_text_out, &count);

    for (UINTN i = 0; i < count; i++) {
        /* The splitter's own handles have no device path. */
        if (agpu_protocol(handles[i], &agpu_guid_device_path) == NULL) {
            continue;
        }
        if (uart_too || !agpu_path_has(handles[i], MESSAGING_DEVICE_PATH, MSG_UART_DP)) {
            add_console(agpu_protocol(handles[i], &agpu_guid_text_out));
        }
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    memset(wanted, 0, sizeof wanted);
    memset(shown, 0, sizeof shown);
    return console_count != 0;
}

unsigned agpu_canvas_rows(void)
{
    return console_count ? rows : 0;
}

unsigned agpu_canvas_columns(void)
{
    return console_count ? columns : 0;
}

void agpu_canvas_row(unsigned row, enum agpu_colour colour, const char *text)
{
    if (row >= agpu_canvas_rows()) {
        return;
    }
    size_t length = strlen(text);
    if (length > columns) {
        length = columns;
    }
    memset(&wanted[row], 0, sizeof wanted[row]);
    wanted[row].colour = colour;
    memcpy(wanted[row].text, text, length);
}

static char letter(const struct canvas_row *row, unsigned column)
{
    const char c = row->text[column];

    return c == 0 ? ' ' : c < ' ' || c > '~' ? '?' : c;
}

/* Finds the columns of a row that differ from the screen; false: none. Firmware draws each letter as a
 * picture: under emulation a full screen takes as long as many cases. */
static bool changed(unsigned number, unsigned *first, unsigned *end)
{
    const struct canvas_row *old = &shown[number], *new = &wanted[number];
    const bool all = old->colour != new->colour;

    *end = 0;
    for (unsigned i = 0; i < columns; i++) {
        if (all || letter(old, i) != letter(new, i)) {
            *first = *end == 0 ? i : *first;
            *end = i + 1;
        }
    }
    return *end != 0;
}

static void write_span(SIMPLE_TEXT_OUTPUT_INTERFACE *console, unsigned number, unsigned first, unsigned end)
{
    CHAR16 wide[AGPU_CANVAS_COLUMNS_MAX + 1];
    const struct canvas_row *row = &wanted[number];

    for (unsigned i = first; i < end; i++) {
        wide[i - first] = (CHAR16)letter(row, i);
    }
    wide[end - first] = 0;
    console->SetAttribute(console, colour_attribute(row->colour));
    console->SetCursorPosition(console, first, number);
    console->OutputString(console, wide);
}

void agpu_canvas_flush(void)
{
    for (unsigned number = 0; number < agpu_canvas_rows(); number++) {
        unsigned first = 0, end;

        if (!changed(number, &first, &end)) {
            continue;
        }
        for (unsigned i = 0; i < console_count; i++) {
            write_span(consoles[i], number, first, end);
        }
        shown[number] = wanted[number];
    }
}

void agpu_canvas_close(void)
{
    if (!console_count) {
        return;
    }
    console_count = 0;
    /* Uses the splitter, so that its cursor position is right again. */
    agpu_system->ConOut->SetAttribute(agpu_system->ConOut, colour_attribute(AGPU_PLAIN));
    agpu_system->ConOut->ClearScreen(agpu_system->ConOut);
    agpu_system->ConOut->EnableCursor(agpu_system->ConOut, TRUE);
}
