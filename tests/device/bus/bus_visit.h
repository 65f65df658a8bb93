/* bus_visit.h: the state of the bus for save and restore (device.md 2.3). */
#ifndef VGPU_BUS_BUS_VISIT_H
#define VGPU_BUS_BUS_VISIT_H

struct vgpu_archive;
struct vgpu_bus;

void vgpu_bus_visit(struct vgpu_bus *bus, struct vgpu_archive *archive);

#endif
