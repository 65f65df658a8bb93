/* sampler.h: sampler objects (commands.md 10). */
#ifndef VGPU_ENGINE_SAMPLER_H
#define VGPU_ENGINE_SAMPLER_H

#include <stdint.h>

struct vgpu_exec;
struct vgpu_archive;

struct vgpu_sampler {
    uint32_t filter;     /* AEROGPU_SAMPLER_FILTER_* */
    uint32_t address[3]; /* u, v, w: AEROGPU_SAMPLER_ADDRESS_* */
};

/* Frees every sampler (reset). */
void vgpu_sampler_free_all(struct vgpu_exec *exec);

/* Visits every sampler for save and restore. */
void vgpu_sampler_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive);

#endif
