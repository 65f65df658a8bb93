/* memory.c: memory of buffers and images, one allocation each (the supported drivers allow millions), and the
 * amount of heap that the process keeps. */

#include "tests/device/render/vulkan/memory.h"

#include <malloc.h>

#include "tests/device/render/vulkan/fail.h"

/* More than the commands of a batch need. */
enum { KEPT_BYTES = 64 << 20 };

void vgpu_vk_memory_keep(void)
{
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES / 2);
}

/* Returns the first memory type among types with all wanted properties, else any of types. */
static uint32_t memory_type(const struct vgpu_vk *engine, uint32_t types, VkMemoryPropertyFlags wanted)
{
    const VkPhysicalDeviceMemoryProperties *all = &engine->memory_properties;
    uint32_t any = 0;

    for (uint32_t i = all->memoryTypeCount; i-- > 0;) {
        if (types >> i & 1) {
            any = i;
        }
    }
    for (uint32_t i = 0; i < all->memoryTypeCount; i++) {
        if ((types >> i & 1) && (all->memoryTypes[i].propertyFlags & wanted) == wanted) {
            return i;
        }
    }
    return any;
}

bool vgpu_vk_memory_for(struct vgpu_vk *engine, VkBuffer buffer, VkImage image, VkDeviceMemory *memory)
{
    VkMemoryRequirements need;

    if (buffer != NULL) {
        vkGetBufferMemoryRequirements(engine->device, buffer, &need);
    } else {
        vkGetImageMemoryRequirements(engine->device, image, &need);
    }
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = memory_type(engine, need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
    };
    if (!vgpu_vk_check(engine, vkAllocateMemory(engine->device, &info, NULL, memory), "allocating memory")) {
        return false;
    }
    VkResult result = buffer != NULL ? vkBindBufferMemory(engine->device, buffer, *memory, 0)
                                     : vkBindImageMemory(engine->device, image, *memory, 0);
    return vgpu_vk_check(engine, result, "binding memory");
}
