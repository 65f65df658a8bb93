/* scene_end.c: destroys the scene's objects, each resource twice. */
#include "tests/unit/umd_faults/scene.h"

void destroy_resource(struct fault_run *run, D3D10DDI_HRESOURCE *resource)
{
    if (resource->pDrvPrivate == NULL) {
        return;
    }
    STEP_VOID(run, run->world.dev.pfnDestroyResource(run->world.device, *resource));
    /* In the other modes a destruction without room leaves the object on the device (umd.md 5.7). */
    if (run->outcomes[run->steps - 1].errors && run->setup->mode != AGPU_BACKING_WDK) {
        ledger_lose(&run->ledger);
    }
    STEP_VOID(run, run->world.dev.pfnDestroyResource(run->world.device, *resource)); /* no effect this time */
    free(resource->pDrvPrivate);
    resource->pDrvPrivate = NULL;
}

static void destroy_views(struct fault_run *run, struct fault_scene *scene)
{
    DESTROY(run, pfnDestroyRenderTargetView, scene->back_view);
    DESTROY(run, pfnDestroyRenderTargetView, scene->back_mip_view);
    DESTROY(run, pfnDestroyRenderTargetView, scene->target_view);
    DESTROY(run, pfnDestroyRenderTargetView, scene->mip_view);
    DESTROY(run, pfnDestroyDepthStencilView, scene->depth_view);
    DESTROY(run, pfnDestroyShaderResourceView, scene->texture_view);
    DESTROY(run, pfnDestroyShaderResourceView, scene->mip_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->target_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->storage_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->late_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->opened_srv);
    for (uint32_t i = 0; i < BACKBUFFERS; i++) {
        DESTROY(run, pfnDestroyShaderResourceView, scene->back_srv[i]);
    }
    DESTROY(run, pfnDestroyUnorderedAccessView, scene->uav);
}

static void destroy_pipeline(struct fault_run *run, struct fault_scene *scene)
{
    DESTROY(run, pfnDestroyShader, scene->vs);
    DESTROY(run, pfnDestroyShader, scene->ps);
    DESTROY(run, pfnDestroyShader, scene->cs);
    DESTROY(run, pfnDestroyElementLayout, scene->layout);
    DESTROY(run, pfnDestroySampler, scene->sampler);
    DESTROY(run, pfnDestroyBlendState, scene->blend);
    DESTROY(run, pfnDestroyQuery, scene->query);
}

void destroy_scene(struct fault_run *run, struct fault_scene *scene)
{
    destroy_views(run, scene);
    destroy_pipeline(run, scene);
    D3D10DDI_HRESOURCE *const rest[] = {
        &scene->constants,     &scene->vertices,        &scene->texture,      &scene->opened,
        &scene->target,        &scene->indices,         &scene->stream,       &scene->storage,
        &scene->arguments,     &scene->depth,           &scene->read_buffer,  &scene->read_texture,
        &scene->write_texture, &scene->dynamic_texture, &scene->shared,       &scene->late_vertices,
        &scene->late_indices,  &scene->late_constants,  &scene->late_texture, &scene->back[0],
        &scene->back[1],       &scene->back[2]};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        destroy_resource(run, rest[i]);
    }
}
