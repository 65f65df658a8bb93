/* text_out.c: EFI_SIMPLE_TEXT_OUTPUT on the text screen of a PC, with the functions that agpu.efi calls. Its attributes
 * are those of VGA. */
#include "efi/bare/text_out.h"

#include "efi/bare/pci.h"
#include "efi/bare/services.h"
#include "efi/bare/vga.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"

#define CLASS_VGA      0x0300u /* class and subclass */
#define VGA_INDEX      0x3D4
#define VGA_DATA       0x3D5
#define VGA_CURSOR     0x0A
#define VGA_CURSOR_OFF 0x20

static SIMPLE_TEXT_OUTPUT_MODE text_mode;

static EFI_STATUS EFIAPI query_text_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN mode, UINTN *columns,
                                         UINTN *rows)
{
    uint32_t wide, high;
    const bool open = agpu_bare_vga_size(&wide, &high);

    (void)out;
    *columns = wide;
    *rows = high;
    return open && mode == 0 ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI set_text_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN attribute)
{
    (void)out;
    text_mode.Attribute = (INT32)(attribute & 0x7F);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_text_position(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN column, UINTN row)
{
    (void)out;
    text_mode.CursorColumn = (INT32)column;
    text_mode.CursorRow = (INT32)row;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear_text(SIMPLE_TEXT_OUTPUT_INTERFACE *out)
{
    uint32_t columns, rows;

    agpu_bare_vga_size(&columns, &rows);
    for (uint32_t i = 0; i < columns * rows; i++) {
        agpu_bare_vga_put(i % columns, i / columns, ' ', (uint8_t)text_mode.Attribute);
    }
    return set_text_position(out, 0, 0);
}

static EFI_STATUS EFIAPI write_text(SIMPLE_TEXT_OUTPUT_INTERFACE *out, CHAR16 *text)
{
    (void)out;
    for (; *text != 0; text++) {
        agpu_bare_vga_put((uint32_t)text_mode.CursorColumn++, (uint32_t)text_mode.CursorRow, (char)*text,
                          (uint8_t)text_mode.Attribute);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI hide_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *out, BOOLEAN visible)
{
    (void)out, (void)visible;
    agpu_out8(VGA_INDEX, VGA_CURSOR);
    agpu_out8(VGA_DATA, VGA_CURSOR_OFF);
    return EFI_SUCCESS;
}

static bool has_vga_adapter(void)
{
    const struct agpu_bare_function *function;

    for (unsigned i = 0; (function = agpu_bare_pci_function(i)) != NULL; i++) {
        const uint32_t vendor = agpu_bare_config_read(function, AGPU_PCI_VENDOR_ID, 2);

        if (agpu_bare_config_read(function, AGPU_PCI_SUBCLASS, 2) == CLASS_VGA &&
            vendor != AEROGPU_PCI_VENDOR_ID && vendor != AEROGPU_LEGACY_PCI_VENDOR_ID) {
            return true;
        }
    }
    return false;
}

void agpu_bare_text_out_open(void)
{
    static const EFI_GUID guid = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
    static SIMPLE_TEXT_OUTPUT_INTERFACE out = {.OutputString = write_text,
                                               .QueryMode = query_text_mode,
                                               .SetAttribute = set_text_attribute,
                                               .ClearScreen = clear_text,
                                               .SetCursorPosition = set_text_position,
                                               .EnableCursor = hide_cursor,
                                               .Mode = &text_mode};
    uint32_t columns, rows;

    if (!has_vga_adapter()) {
        agpu_bare_vga_close();
    }
    if (agpu_bare_vga_size(&columns, &rows)) {
        agpu_bare_add_handle(&guid, &out);
        agpu_system->ConOut = &out;
    }
}
