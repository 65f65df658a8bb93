/* model_plugin.c: agpu_model.so: the model as a shared library, loaded like any other device. */
#include "tests/device/plugin/agpu_device_plugin.h"

#include "tests/device/plugin/model.h"

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    return vgpu_model_plugin();
}
