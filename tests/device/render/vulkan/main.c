/* main.c: agpu-render: draws for the device model in a separate process, because guest data may crash or hang
 * a Vulkan driver. Started by the renderer: standard input is its socket, file descriptor 3 the shared
 * memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/device/jail/jail.h"
#include "tests/device/render/vulkan/vk.h"

#include "tests/device/render/vulkan/batch.h"
#include "tests/device/render/vulkan/device.h"
#include "tests/device/render/vulkan/memory.h"
#include "tests/device/render/vulkan/shared.h"

static bool transfer_to_model(void *in, const void *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = in != NULL ? recv(0, (char *)in + done, size - done, 0)
                                   : send(0, (const char *)out + done, size - done, MSG_NOSIGNAL);

        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

/* Several times the limit of a guest's resources, plus the memory of drivers. */
#define MEMORY_BYTES (UINT64_C(8) << 30)

int main(void)
{
    static struct vgpu_vk engine;
    struct vgpu_wire_hello hello = {.magic = VGPU_WIRE_MAGIC};
    struct vgpu_wire_batch batch;
    struct vgpu_wire_result result;

    vgpu_jail_begin(MEMORY_BYTES);
    vgpu_vk_memory_keep();
    hello.ready = vgpu_vk_device_open(&engine) && vgpu_vk_shared_open(&engine) &&
                  vgpu_vk_batch_open(&engine) && engine.failures == 0;
    snprintf(hello.device, sizeof hello.device, "%.100s%s", engine.properties.deviceName,
             engine.messenger != NULL ? ", validated" : "");
    snprintf(hello.reason, sizeof hello.reason, "%s", engine.reason);
    vgpu_jail_close(VGPU_JAIL_ENGINE, getenv("MESA_SHADER_CACHE_DIR"), "agpu-render");
    if (!transfer_to_model(NULL, &hello, sizeof hello) || !hello.ready) {
        return 1;
    }
    while (!engine.lost && transfer_to_model(&batch, NULL, sizeof batch)) {
        vgpu_vk_batch(&engine, &batch, &result);
        if (!transfer_to_model(NULL, &result, sizeof result)) {
            break;
        }
    }
    if (engine.lost) {
        return 1;
    }
    /* The exit status reports errors of the validation layer while the device is closed. */
    engine.failures = 0;
    vgpu_vk_batch_close(&engine);
    vgpu_vk_shared_close(&engine);
    vgpu_vk_device_close(&engine);
    return engine.failures ? 1 : 0;
}
