/* ops.c: effects of the packets of ops.h on the resources that they name. */
#include "umd-port/deferred/ops.h"

#include "umd-port/resource/update.h"

bool agpu_plan_write(const struct agpu_op_write *write, const struct agpu_resource *resource,
                     struct agpu_update *update)
{
    const D3D10_DDI_BOX box = write->box;

    *update = (struct agpu_update){.data = write->data, .data_pitch = write->row_pitch};
    return agpu_plan_update(resource, write->subresource, write->boxed ? &box : NULL, update);
}
