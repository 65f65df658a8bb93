/* location.c: segment, bus, device, function. */
#include "pci/machine/location.h"

void agpu_pci_describe_location(struct agpu_text *text, const struct agpu_pci_location *at)
{
    if (at->segment != 0) {
        agpu_text_hex_digits(text, at->segment, 4);
        agpu_text_char(text, ':');
    }
    agpu_text_hex_digits(text, at->bus, 2);
    agpu_text_char(text, ':');
    agpu_text_hex_digits(text, at->device, 2);
    agpu_text_char(text, '.');
    agpu_text_hex_digits(text, at->function, 1);
}
