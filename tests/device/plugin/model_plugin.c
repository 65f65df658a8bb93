/* model_plugin.c: agpu_model.so: our model as a shared library, attached as any device is. */
#include "tests/device/plugin/agpu_device_plugin.h"

#include "tests/device/plugin/model.h"

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    return vgpu_model_plugin();
}
