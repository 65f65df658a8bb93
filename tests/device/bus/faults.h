/* faults.h: deliberate faults of the device model, at most one active, for demonstrations of a broken device
 * (`agpu vdev --fault NAME[:PARAMETER]`). faults.def describes each. */
#ifndef VGPU_BUS_FAULTS_H
#define VGPU_BUS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vgpu_fault {
    VGPU_FAULT_NONE = 0,
#define VGPU_FAULT(constant, name, area, rule, parameter, says) VGPU_FAULT_##constant,
#include "tests/device/bus/faults.def"
#undef VGPU_FAULT
    VGPU_FAULT_COUNT
};

/* Description of a fault. parameter: the default of a fault that takes one ("name:5"), else 0. */
struct vgpu_fault_info {
    const char *name;
    const char *area; /* area of the catalogue */
    const char *rule; /* section of the specification that it breaks */
    uint32_t parameter;
    const char *says;
};

/* Finds a fault by NAME or NAME:PARAMETER; NULL and "" mean VGPU_FAULT_NONE. Returns false, and changes
 * nothing, when the name is unknown or the parameter is invalid. */
bool vgpu_fault_find(const char *text, enum vgpu_fault *out, uint32_t *parameter);

/* index 1 is the first; NULL past the last one. */
const struct vgpu_fault_info *vgpu_fault_info(size_t index);

#endif
