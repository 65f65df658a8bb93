/* scan.c: one walk over the functions of the machine. */
#include "pci/scan.h"

#include "pci/config.h"
#include "pci/protocol/aerogpu_pci.h"

/* A segment has at most 256 buses x 32 devices x 8 functions. The bound ends the scan on a platform that never returns
 * false. */
#define FUNCTIONS_MAX (4u * 65536u)

static size_t scan_functions(const struct agpu_platform *platform, bool displays, struct agpu_pci_found *out,
                             size_t capacity)
{
    size_t count = 0;
    struct agpu_pci_found found = {0};

    for (unsigned i = 0; i < FUNCTIONS_MAX && platform->pci_function(platform->ctx, i, &found.ref); i++) {
        found.vendor = (uint16_t)platform->config_read(platform->ctx, &found.ref, AGPU_PCI_VENDOR_ID, 2);
        if (found.vendor == 0xFFFF) {
            continue;
        }
        found.device = (uint16_t)platform->config_read(platform->ctx, &found.ref, AGPU_PCI_DEVICE_ID, 2);
        found.identity = agpu_identity_find(found.vendor, found.device);
        if (displays) {
            uint32_t class_code = platform->config_read(platform->ctx, &found.ref, AGPU_PCI_CLASS, 1);

            if (class_code != AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER) {
                continue;
            }
        } else if (found.identity == NULL) {
            continue;
        }
        if (count < capacity) {
            out[count] = found;
        }
        count++;
    }
    return count;
}

size_t agpu_scan_known(const struct agpu_platform *platform, struct agpu_pci_found *out, size_t capacity)
{
    return scan_functions(platform, false, out, capacity);
}

size_t agpu_scan_displays(const struct agpu_platform *platform, struct agpu_pci_found *out, size_t capacity)
{
    return scan_functions(platform, true, out, capacity);
}

void agpu_pci_describe(struct agpu_text *text, const struct agpu_pci_found *found)
{
    agpu_format(text, "%04X:%04X ", found->vendor, found->device);
    agpu_pci_describe_location(text, &found->ref.location);
}
