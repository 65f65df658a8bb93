/* faults.c: finds deliberate faults by name. */
#include "tests/device/bus/faults.h"

#include <string.h>

static const struct vgpu_fault_info table[VGPU_FAULT_COUNT] = {
    [VGPU_FAULT_NONE] = {.name = ""},
#define VGPU_FAULT(constant, name, area, rule, parameter, says)                                              \
    [VGPU_FAULT_##constant] = {name, area, rule, parameter, says},
#include "tests/device/bus/faults.def"
#undef VGPU_FAULT
};

bool vgpu_fault_find(const char *text, enum vgpu_fault *out, uint32_t *parameter)
{
    const size_t length = text != NULL ? strcspn(text, ":") : 0;
    const char *digits = text != NULL && text[length] == ':' ? text + length + 1 : NULL;

    for (size_t i = 0; i < VGPU_FAULT_COUNT; i++) {
        const struct vgpu_fault_info *info = &table[i];
        uint32_t number = info->parameter;

        if (strlen(info->name) != length || (length > 0 && memcmp(info->name, text, length) != 0)) {
            continue;
        }
        if (digits != NULL) {
            if (info->parameter == 0 || strspn(digits, "0123456789") != strlen(digits) ||
                strlen(digits) > 9) {
                return false;
            }
            number = 0;
            while (*digits != '\0') {
                number = number * 10 + (uint32_t)(*digits++ - '0');
            }
            if (number == 0) {
                return false;
            }
        }
        *out = (enum vgpu_fault)i;
        *parameter = number;
        return true;
    }
    return false;
}

const struct vgpu_fault_info *vgpu_fault_info(size_t index)
{
    return index > 0 && index < VGPU_FAULT_COUNT ? &table[index] : NULL;
}
