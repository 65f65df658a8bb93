/* fail.c: records failed messages and the reason. */
#include "tests/device/render/vulkan/fail.h"

#include <stdarg.h>
#include <stdio.h>

bool vgpu_vk_fail(struct vgpu_vk *engine, const char *format, ...)
{
    if (engine->failures++ == 0) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(engine->reason, sizeof engine->reason, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool vgpu_vk_check(struct vgpu_vk *engine, VkResult result, const char *what)
{
    if (result == VK_SUCCESS) {
        return true;
    }
    engine->lost |= result == VK_ERROR_DEVICE_LOST;
    return vgpu_vk_fail(engine, "%s: Vulkan result %d", what, (int)result);
}
