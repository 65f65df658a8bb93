/* shared.c: the shared memory as a Vulkan buffer: imported if the driver supports it, else copied. */

#include "tests/device/render/vulkan/shared.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/device/render/vulkan/fail.h"

static const VkBufferUsageFlags shared_usage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_INDEX_BUFFER_BIT;

static void drop_import(struct vgpu_vk *engine)
{
    vkDestroyBuffer(engine->device, engine->shared_buffer, NULL);
    vkFreeMemory(engine->device, engine->shared_memory, NULL);
    engine->shared_buffer = VK_NULL_HANDLE;
    engine->shared_memory = VK_NULL_HANDLE;
}

static bool import_shared(struct vgpu_vk *engine)
{
    PFN_vkGetMemoryHostPointerPropertiesEXT ask =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(engine->device,
                                                                     "vkGetMemoryHostPointerPropertiesEXT");
    VkMemoryHostPointerPropertiesEXT pointer = {.sType =
                                                    VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkMemoryRequirements need;
    if (!engine->has_host_import || ask == NULL || engine->import_alignment > 65536 ||
        VGPU_WIRE_SHARED_BYTES % engine->import_alignment != 0 ||
        ask(engine->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, engine->shared,
            &pointer) != VK_SUCCESS) {
        return false;
    }
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                 .pNext = &external,
                                 .size = VGPU_WIRE_SHARED_BYTES,
                                 .usage = shared_usage};
    if (vkCreateBuffer(engine->device, &buffer, NULL, &engine->shared_buffer) != VK_SUCCESS) {
        return false;
    }
    vkGetBufferMemoryRequirements(engine->device, engine->shared_buffer, &need);
    uint32_t types = need.memoryTypeBits & pointer.memoryTypeBits;
    for (uint32_t i = 0; i < engine->memory_properties.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = engine->memory_properties.memoryTypes[i].propertyFlags;

        if (!(types >> i & 1) || !(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) {
            continue;
        }
        VkImportMemoryHostPointerInfoEXT host = {
            .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
            .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
            .pHostPointer = engine->shared};
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = &host,
                                     .allocationSize = VGPU_WIRE_SHARED_BYTES,
                                     .memoryTypeIndex = i};
        if (need.size <= VGPU_WIRE_SHARED_BYTES &&
            vkAllocateMemory(engine->device, &info, NULL, &engine->shared_memory) == VK_SUCCESS) {
            if (vkBindBufferMemory(engine->device, engine->shared_buffer, engine->shared_memory, 0) ==
                VK_SUCCESS) {
                return true;
            }
            break;
        }
    }
    drop_import(engine);
    return false;
}

/* Creates a host-visible buffer as a copy of the shared memory. */
static bool copy_shared(struct vgpu_vk *engine)
{
    VkMemoryRequirements need;
    VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = VGPU_WIRE_SHARED_BYTES, .usage = shared_usage};

    if (!vgpu_vk_check(engine, vkCreateBuffer(engine->device, &buffer, NULL, &engine->shared_buffer),
                       "making the transfer buffer")) {
        return false;
    }
    vkGetBufferMemoryRequirements(engine->device, engine->shared_buffer, &need);
    VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < engine->memory_properties.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = engine->memory_properties.memoryTypes[i].propertyFlags;
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = i};
        void *mapped;

        if (!(need.memoryTypeBits >> i & 1) || (flags & wanted) != wanted) {
            continue;
        }
        if (vkAllocateMemory(engine->device, &info, NULL, &engine->shared_memory) != VK_SUCCESS) {
            break;
        }
        if (vkBindBufferMemory(engine->device, engine->shared_buffer, engine->shared_memory, 0) ==
                VK_SUCCESS &&
            vkMapMemory(engine->device, engine->shared_memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS) {
            engine->shared_copy = mapped;
            return true;
        }
        break;
    }
    drop_import(engine);
    return vgpu_vk_fail(engine, "no host-visible memory for the transfer buffer");
}

bool vgpu_vk_shared_open(struct vgpu_vk *engine)
{
    engine->shared = mmap(NULL, VGPU_WIRE_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    if (engine->shared == MAP_FAILED) {
        engine->shared = NULL;
        return vgpu_vk_fail(engine,
                            "no shared memory on file descriptor 3: agpu-render is started by the renderer");
    }
    return import_shared(engine) || copy_shared(engine);
}

void vgpu_vk_shared_close(struct vgpu_vk *engine)
{
    if (engine->device != NULL) {
        drop_import(engine);
    }
}

void vgpu_vk_shared_begin(struct vgpu_vk *engine, uint32_t data_bytes)
{
    if (engine->shared_copy != NULL && data_bytes > VGPU_WIRE_MESSAGE_BYTES) {
        memcpy(engine->shared_copy + VGPU_WIRE_MESSAGE_BYTES, engine->shared + VGPU_WIRE_MESSAGE_BYTES,
               data_bytes - VGPU_WIRE_MESSAGE_BYTES);
    }
}

void vgpu_vk_shared_end(struct vgpu_vk *engine, uint32_t data_bytes)
{
    if (engine->shared_copy != NULL && data_bytes > VGPU_WIRE_MESSAGE_BYTES) {
        memcpy(engine->shared + VGPU_WIRE_MESSAGE_BYTES, engine->shared_copy + VGPU_WIRE_MESSAGE_BYTES,
               data_bytes - VGPU_WIRE_MESSAGE_BYTES);
    }
}
