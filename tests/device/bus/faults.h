/* faults.h: deliberate faults of the device model, one active at a time, by which tests show that they
 * would notice a broken device (`agpu vdev --fault NAME[:PARAMETER]`); faults.def says what each does. */
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

/* What is told of a fault. parameter: a fault that takes one ("name:5") has its default here, others 0. */
struct vgpu_fault_info {
    const char *name;
    const char *area; /* of the catalogue */
    const char *rule; /* the section that it breaks */
    uint32_t parameter;
    const char *says;
};

/* Finds a fault by NAME or NAME:PARAMETER; NULL and "" are VGPU_FAULT_NONE. False when there is no such name, or its
 * parameter is none: then nothing is changed. */
bool vgpu_fault_find(const char *text, enum vgpu_fault *out, uint32_t *parameter);

/* index 1 is the first; NULL past the last one. */
const struct vgpu_fault_info *vgpu_fault_info(size_t index);

#endif
