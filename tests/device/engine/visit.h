/* visit.h: the state of an engine for save and restore (device.md 2.3). */
#ifndef VGPU_ENGINE_VISIT_H
#define VGPU_ENGINE_VISIT_H

struct vgpu_archive;
struct vgpu_engine;

void vgpu_engine_visit(struct vgpu_engine *engine, struct vgpu_archive *archive);

#endif
