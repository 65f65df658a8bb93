/* location.c: segment, bus, device, function. */
#include "pci/machine/location.h"

void agpu_pci_describe_location(struct agpu_text *text, const struct agpu_pci_location *at)
{
    if (at->segment != 0) {
        agpu_format(text, "%04X:", at->segment);
    }
    agpu_format(text, "%02X:%02X.%X", at->bus, at->device, at->function);
}
