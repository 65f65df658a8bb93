/* device.c: chooses and opens the Vulkan device. */

#include "tests/device/render/vulkan/device.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/render/vulkan/fail.h"

/* True when the device matches AGPU_RENDER_DEVICE: "cpu" (the default), "gpu", or part of a device's name. */
static bool device_wanted(const VkPhysicalDeviceProperties *properties, const char *wish)
{
    bool cpu = properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;

    if (strcmp(wish, "cpu") == 0) {
        return cpu;
    }
    if (strcmp(wish, "gpu") == 0) {
        return !cpu;
    }
    return strstr(properties->deviceName, wish) != NULL;
}

/* For the software renderer the loader need not open the drivers of other cards. */
static void prefer_lavapipe(const char *wish)
{
    glob_t found;

    if (strcmp(wish, "cpu") != 0 || getenv("VK_ICD_FILENAMES") != NULL || getenv("VK_DRIVER_FILES") != NULL) {
        return;
    }
    if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) == 0) {
        setenv("VK_ICD_FILENAMES", found.gl_pathv[0], 1);
        globfree(&found);
    }
}

/* Direct3D allows a pixel shader to write a target that is not bound. Vulkan discards the write (Vulkan 1.3,
 * chapter 29.3), but the validation layer warns: in Debian 12 of a mismatch with VK_FORMAT_UNDEFINED, in
 * Debian 13 of an output not consumed. */
static bool message_harmless(const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    const char *id = data->pMessageIdName != NULL ? data->pMessageIdName : "";

    return (strcmp(id, "UNASSIGNED-CoreValidation-Shader-InterfaceTypeMismatch") == 0 &&
            strstr(data->pMessage, "VK_FORMAT_UNDEFINED") != NULL) ||
           strncmp(id, "Undefined-Value-ShaderOutputNotConsumed", 39) == 0;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL validation_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                         VkDebugUtilsMessageTypeFlagsEXT types,
                                                         const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                         void *user)
{
    (void)types;
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT && !message_harmless(data)) {
        fprintf(stderr, "agpu-render: validation: %s\n", data->pMessage);
        vgpu_vk_fail(user, "validation: %s",
                     data->pMessageIdName != NULL ? data->pMessageIdName : data->pMessage);
    }
    return VK_FALSE;
}

static bool layer_exists(const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;

    vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(layers[i].layerName, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool open_instance(struct vgpu_vk *engine)
{
    static const char *const layer = "VK_LAYER_KHRONOS_validation";
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                             VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};

    static const VkValidationFeatureEnableEXT more =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const char *ask = getenv("AGPU_RENDER_VALIDATE");
    bool validate = ask != NULL && strcmp(ask, "1") == 0;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "agpu-render",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = validation_message,
        .pUserData = engine,
    };
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = &more};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    if (validate) {
        /* A run without the layer would look like a run in which the layer found nothing. */
        if (!layer_exists(layer)) {
            return vgpu_vk_fail(engine,
                                "AGPU_RENDER_VALIDATE=1 asks for %s, which is not here: install "
                                "vulkan-validationlayers (tests/deps does)",
                                layer);
        }
        info.pNext = &features;
        info.ppEnabledLayerNames = &layer;
        info.enabledLayerCount = 1;
        info.ppEnabledExtensionNames = extensions;
        info.enabledExtensionCount = sizeof extensions / sizeof *extensions;
    }
    if (vkCreateInstance(&info, NULL, &engine->instance) != VK_SUCCESS) {
        return vgpu_vk_fail(engine, "no Vulkan driver: install mesa-vulkan-drivers (tests/deps does)");
    }
    PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
        engine->instance, "vkCreateDebugUtilsMessengerEXT");
    if (validate &&
        (create == NULL || create(engine->instance, &messenger, NULL, &engine->messenger) != VK_SUCCESS)) {
        return vgpu_vk_fail(engine, "the messages of %s cannot be received", layer);
    }
    return true;
}

static bool choose_device(struct vgpu_vk *engine, const char *wish)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    VkResult result = vkEnumeratePhysicalDevices(engine->instance, &count, devices);

    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
        return vgpu_vk_fail(engine, "no Vulkan driver: install mesa-vulkan-drivers (tests/deps does)");
    }
    for (uint32_t i = 0; i < count; i++) {
        vkGetPhysicalDeviceProperties(devices[i], &engine->properties);
        if (device_wanted(&engine->properties, wish)) {
            engine->physical = devices[i];
            return true;
        }
    }
    return vgpu_vk_fail(engine, "no Vulkan device that is \"%s\" (AGPU_RENDER_DEVICE) among %u", wish, count);
}

/* For tests: AGPU_RENDER_WITHOUT names an extension that is treated as missing. */
static bool extension_left_out(const char *name)
{
    const char *list = getenv("AGPU_RENDER_WITHOUT");

    return list != NULL && strstr(list, name) != NULL;
}

static bool has_extension(struct vgpu_vk *engine, const char *name)
{
    if (extension_left_out(name)) {
        return false;
    }
    uint32_t count = 0;
    bool found = false;
    vkEnumerateDeviceExtensionProperties(engine->physical, NULL, &count, NULL);
    VkExtensionProperties *list = calloc(count ? count : 1, sizeof *list);
    if (list != NULL) {
        vkEnumerateDeviceExtensionProperties(engine->physical, NULL, &count, list);
        for (uint32_t i = 0; i < count; i++) {
            found |= strcmp(list[i].extensionName, name) == 0;
        }
    }
    free(list);
    return found;
}

static bool choose_queue(struct vgpu_vk *engine)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;

    vkGetPhysicalDeviceQueueFamilyProperties(engine->physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) &&
            (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
            engine->queue_family = i;
            return true;
        }
    }
    return vgpu_vk_fail(engine, "%s has no queue for graphics and compute", engine->properties.deviceName);
}

/* Returns the name of a required feature that the device lacks. */
static const char *missing_feature(const VkPhysicalDeviceFeatures *core,
                                   const VkPhysicalDeviceVulkan11Features *v11,
                                   const VkPhysicalDeviceVulkan13Features *v13,
                                   const VkPhysicalDeviceRobustness2FeaturesEXT *robustness)
{
    const struct {
        VkBool32 there;
        const char *name;
    } needed[] = {
        {core->robustBufferAccess, "robustBufferAccess"},
        {core->independentBlend, "independentBlend"},
        {core->fullDrawIndexUint32, "fullDrawIndexUint32"},
        {core->depthClamp, "depthClamp"},
        {v11->shaderDrawParameters, "shaderDrawParameters"},
        {v13->dynamicRendering, "dynamicRendering"},
        {v13->synchronization2, "synchronization2"},
        {v13->maintenance4, "maintenance4"},
        {robustness->robustBufferAccess2, "robustBufferAccess2"},
        {robustness->nullDescriptor, "nullDescriptor"},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!needed[i].there) {
            return needed[i].name;
        }
    }
    return NULL;
}

/* Selects the features that the renderer uses. */
static VkPhysicalDeviceFeatures used_features(const VkPhysicalDeviceFeatures *have)
{
    return (VkPhysicalDeviceFeatures){
        .robustBufferAccess = have->robustBufferAccess,
        .fullDrawIndexUint32 = have->fullDrawIndexUint32,
        .imageCubeArray = have->imageCubeArray,
        .independentBlend = have->independentBlend,
        .sampleRateShading = have->sampleRateShading,
        .geometryShader = have->geometryShader,
        .tessellationShader = have->tessellationShader,
        /* The translator writes the point size in these stages too. */
        .shaderTessellationAndGeometryPointSize = have->shaderTessellationAndGeometryPointSize,
        .depthClamp = have->depthClamp,
        .fillModeNonSolid = have->fillModeNonSolid,
        .textureCompressionBC = have->textureCompressionBC,
        .vertexPipelineStoresAndAtomics = have->vertexPipelineStoresAndAtomics,
        .shaderImageGatherExtended = have->shaderImageGatherExtended,
        .shaderStorageImageExtendedFormats = have->shaderStorageImageExtendedFormats,
        .shaderStorageImageReadWithoutFormat = have->shaderStorageImageReadWithoutFormat,
        .shaderStorageImageWriteWithoutFormat = have->shaderStorageImageWriteWithoutFormat,
        .shaderClipDistance = have->shaderClipDistance,
        .shaderCullDistance = have->shaderCullDistance,
    };
}

static bool open_device(struct vgpu_vk *engine)
{
    const char *extensions[4] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    uint32_t count = 1;
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};
    VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT texel = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT, .pNext = &divisor};
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .pNext = &texel};
    VkPhysicalDeviceVulkan13Features v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                            .pNext = &robustness};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &v13};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v11};
    const char *name = engine->properties.deviceName;

    if (engine->properties.apiVersion < VK_API_VERSION_1_3) {
        return vgpu_vk_fail(engine, "%s: expected Vulkan 1.3, found 1.%u", name,
                            VK_API_VERSION_MINOR(engine->properties.apiVersion));
    }
    if (!has_extension(engine, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) {
        return vgpu_vk_fail(engine, "%s has no VK_EXT_robustness2", name);
    }
    if (has_extension(engine, VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME)) {
        extensions[count++] = VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME;
        engine->has_divisor = true;
    }
    if (has_extension(engine, VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME)) {
        extensions[count++] = VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME;
        engine->has_texel_alignment = true;
    }
    if (has_extension(engine, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
        extensions[count++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
        engine->has_host_import = true;
    }
    vkGetPhysicalDeviceFeatures2(engine->physical, &features);
    const char *missing = missing_feature(&features.features, &v11, &v13, &robustness);
    if (missing != NULL) {
        return vgpu_vk_fail(engine, "%s has no %s", name, missing);
    }
    if (engine->properties.limits.maxBoundDescriptorSets < 5) {
        return vgpu_vk_fail(engine, "%s binds %u descriptor sets, expected 5", name,
                            engine->properties.limits.maxBoundDescriptorSets);
    }
    engine->has_divisor &= divisor.vertexAttributeInstanceRateDivisor == VK_TRUE;
    engine->features = used_features(&features.features);

    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT use_divisor = {
        .sType = divisor.sType, .vertexAttributeInstanceRateDivisor = engine->has_divisor};
    engine->has_texel_alignment &= texel.texelBufferAlignment == VK_TRUE;
    VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT use_texel = {
        .sType = texel.sType,
        .pNext = engine->has_divisor ? (void *)&use_divisor : NULL,
        .texelBufferAlignment = VK_TRUE,
    };
    VkPhysicalDeviceRobustness2FeaturesEXT use_robustness = {
        .sType = robustness.sType,
        .pNext = engine->has_texel_alignment ? &use_texel : use_texel.pNext,
        .robustBufferAccess2 = VK_TRUE,
        .robustImageAccess2 = robustness.robustImageAccess2,
        .nullDescriptor = VK_TRUE,
    };
    VkPhysicalDeviceVulkan13Features use_v13 = {
        .sType = v13.sType,
        .pNext = &use_robustness,
        .robustImageAccess = v13.robustImageAccess,
        .shaderDemoteToHelperInvocation = v13.shaderDemoteToHelperInvocation,
        .dynamicRendering = VK_TRUE,
        .synchronization2 = VK_TRUE,
        .maintenance4 = VK_TRUE,
    };
    VkPhysicalDeviceVulkan11Features use_v11 = {
        .sType = v11.sType, .pNext = &use_v13, .shaderDrawParameters = VK_TRUE};
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = engine->queue_family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &use_v11,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = extensions,
                               .pEnabledFeatures = &engine->features};
    if (!vgpu_vk_check(engine, vkCreateDevice(engine->physical, &info, NULL, &engine->device),
                       "opening the device")) {
        return false;
    }
    vkGetDeviceQueue(engine->device, engine->queue_family, 0, &engine->queue);
    return true;
}

/* Returns the required alignment of buffer view offsets; texels are 4 bytes. */
static uint64_t texel_alignment(const struct vgpu_vk *engine, const VkPhysicalDeviceVulkan13Properties *v13)
{
    uint64_t storage = v13->storageTexelBufferOffsetAlignmentBytes,
             uniform = v13->uniformTexelBufferOffsetAlignmentBytes;

    if (!engine->has_texel_alignment) {
        return engine->properties.limits.minTexelBufferOffsetAlignment;
    }
    if (v13->storageTexelBufferOffsetSingleTexelAlignment && storage > 4) {
        storage = 4;
    }
    if (v13->uniformTexelBufferOffsetSingleTexelAlignment && uniform > 4) {
        uniform = 4;
    }
    return storage > uniform ? storage : uniform;
}

bool vgpu_vk_device_open(struct vgpu_vk *engine)
{
    const char *wish = getenv("AGPU_RENDER_DEVICE");

    if (wish == NULL || !*wish) {
        wish = "cpu";
    }
    prefer_lavapipe(wish);
    if (!open_instance(engine) || !choose_device(engine, wish) || !choose_queue(engine) ||
        !open_device(engine)) {
        return false;
    }
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceVulkan13Properties v13 = {.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
                                              .pNext = engine->has_host_import ? &host : NULL};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &v13};
    vkGetPhysicalDeviceProperties2(engine->physical, &properties);
    engine->import_alignment = host.minImportedHostPointerAlignment;
    engine->texel_alignment = texel_alignment(engine, &v13);
    vkGetPhysicalDeviceMemoryProperties(engine->physical, &engine->memory_properties);
    VkFormatProperties d24;
    vkGetPhysicalDeviceFormatProperties(engine->physical, VK_FORMAT_D24_UNORM_S8_UINT, &d24);
    engine->d24 = (d24.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) &&
                  !extension_left_out("D24_UNORM_S8_UINT");
    VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    return vgpu_vk_check(engine, vkCreatePipelineCache(engine->device, &cache, NULL, &engine->cache),
                         "making the pipeline cache");
}

void vgpu_vk_device_close(struct vgpu_vk *engine)
{
    if (engine->device != NULL) {
        vkDestroyPipelineCache(engine->device, engine->cache, NULL);
        vkDestroyDevice(engine->device, NULL);
    }
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        engine->messenger != NULL ? (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                                        engine->instance, "vkDestroyDebugUtilsMessengerEXT")
                                  : NULL;
    if (destroy != NULL) {
        destroy(engine->instance, engine->messenger, NULL);
    }
    if (engine->instance != NULL) {
        vkDestroyInstance(engine->instance, NULL);
    }
}
