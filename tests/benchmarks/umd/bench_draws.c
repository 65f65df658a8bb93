/* bench_draws.c: Draw with the bindings of a textured, lit, indexed mesh: target, depth buffer, vertices, indices, two
 * constant buffers, two textures. */
#include <stdlib.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/benchmarks/umd/bench_umd.h"

void measured_draw(struct bench_device *device);
void measured_draw_tracking(struct bench_device *device);
void floor_draw(struct aerogpu_cmd_draw *out);

#define PAIRS 2u /* two of each input, to alternate between draws */

struct bench_scene {
    D3D10DDI_HRESOURCE target, depth, indices, vertices[PAIRS], constants[PAIRS], textures[PAIRS];
    D3D10DDI_HRENDERTARGETVIEW rtv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
    D3D10DDI_HSHADERRESOURCEVIEW srv[PAIRS];
};

static void open_scene(struct bench_device *device, struct bench_scene *scene)
{
    scene->target = bench_texture(device, DXGI_FORMAT_B8G8R8A8_UNORM, 64, 64, D3D10_DDI_BIND_RENDER_TARGET);
    scene->depth = bench_texture(device, DXGI_FORMAT_D24_UNORM_S8_UINT, 64, 64, D3D10_DDI_BIND_DEPTH_STENCIL);
    scene->indices = bench_buffer(device, 4096, 0, D3D10_DDI_BIND_INDEX_BUFFER, 0);
    const D3D10DDIARG_CREATERENDERTARGETVIEW rtv = {.hDrvResource = scene->target};
    const D3D10DDIARG_CREATEDEPTHSTENCILVIEW dsv = {.hDrvResource = scene->depth};
    scene->rtv.pDrvPrivate =
        bench_alloc(device->dev.pfnCalcPrivateRenderTargetViewSize(device->handle, &rtv));
    scene->dsv.pDrvPrivate =
        bench_alloc(device->dev.pfnCalcPrivateDepthStencilViewSize(device->handle, &dsv));
    device->dev.pfnCreateRenderTargetView(device->handle, &rtv, scene->rtv,
                                          (D3D10DDI_HRTRENDERTARGETVIEW){NULL});
    device->dev.pfnCreateDepthStencilView(device->handle, &dsv, scene->dsv,
                                          (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL});
    for (uint32_t i = 0; i < PAIRS; i++) {
        scene->vertices[i] = bench_buffer(device, 4096, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
        scene->constants[i] = bench_buffer(device, 256, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
        scene->textures[i] =
            bench_texture(device, DXGI_FORMAT_B8G8R8A8_UNORM, 64, 64, D3D10_DDI_BIND_SHADER_RESOURCE);
        const D3D10DDIARG_CREATESHADERRESOURCEVIEW srv = {.hDrvResource = scene->textures[i]};
        scene->srv[i].pDrvPrivate =
            bench_alloc(device->dev.pfnCalcPrivateShaderResourceViewSize(device->handle, &srv));
        device->dev.pfnCreateShaderResourceView(device->handle, &srv, scene->srv[i],
                                                (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL});
    }
}

/* Binds other vertices, constants and textures for each draw. */
static void bind_inputs(struct bench_device *device, const struct bench_scene *scene, uint32_t draw)
{
    const uint32_t one = draw % PAIRS, other = one ^ 1, stride = 32, offset = 0;
    const D3D10DDI_HSHADERRESOURCEVIEW views[PAIRS] = {scene->srv[one], scene->srv[other]};

    device->ctx.pfnIaSetVertexBuffers(device->handle, 0, 1, &scene->vertices[one], &stride, &offset);
    device->ctx.pfnVsSetConstantBuffers(device->handle, 0, 1, &scene->constants[one]);
    device->ctx.pfnPsSetConstantBuffers(device->handle, 0, 1, &scene->constants[other]);
    device->ctx.pfnPsSetShaderResources(device->handle, 0, PAIRS, views);
}

static void bind_all(struct bench_device *device, const struct bench_scene *scene)
{
    device->ctx.pfnSetRenderTargets(device->handle, &scene->rtv, 1, 0, scene->dsv);
    device->ctx.pfnIaSetIndexBuffer(device->handle, scene->indices, DXGI_FORMAT_R16_UINT, 0);
    bind_inputs(device, scene, 0);
}

static void close_scene(struct bench_device *device, struct bench_scene *scene)
{
    device->dev.pfnDestroyRenderTargetView(device->handle, scene->rtv);
    device->dev.pfnDestroyDepthStencilView(device->handle, scene->dsv);
    free(scene->rtv.pDrvPrivate);
    free(scene->dsv.pDrvPrivate);
    for (uint32_t i = 0; i < PAIRS; i++) {
        device->dev.pfnDestroyShaderResourceView(device->handle, scene->srv[i]);
        free(scene->srv[i].pDrvPrivate);
        bench_destroy(device, scene->vertices[i]);
        bench_destroy(device, scene->constants[i]);
        bench_destroy(device, scene->textures[i]);
    }
    bench_destroy(device, scene->target);
    bench_destroy(device, scene->depth);
    bench_destroy(device, scene->indices);
}

/* Draws without changes in between. The first one lists the bound allocations for the new submission. */
BENCH_WHOLE void measured_draw(struct bench_device *device)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnDraw(device->handle, i + 3, 0);
    }
}

/* One draw after all inputs changed: it lists them again. */
BENCH_WHOLE void measured_draw_tracking(struct bench_device *device)
{
    device->ctx.pfnDraw(device->handle, 3, 0);
}

BENCH_WHOLE void floor_draw(struct aerogpu_cmd_draw *out)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        out->hdr.opcode = AEROGPU_CMD_DRAW;
        out->hdr.size_bytes = sizeof *out;
        out->vertex_count = i + 3;
        out->instance_count = 1;
        out->first_vertex = 0;
        out->first_instance = 0;
        BENCH_USE(out);
        out++;
    }
}

void bench_draws(uint32_t rounds)
{
    struct bench_device device;
    struct bench_scene scene;
    void *memory = bench_alloc(BENCH_CALLS * sizeof(struct aerogpu_cmd_draw));

    bench_open(&device, AGPU_BACKING_WDK, 0);
    open_scene(&device, &scene);
    bind_all(&device, &scene);
    bench_flush(&device);
    for (uint32_t round = 0; round < rounds; round++) {
        measured_draw(&device);
        bench_flush(&device);
        for (uint32_t i = 0; i < BENCH_CALLS; i++) {
            bind_inputs(&device, &scene, i);
            measured_draw_tracking(&device);
        }
        bench_flush(&device);
        floor_draw(memory);
    }
    close_scene(&device, &scene);
    bench_close(&device);
    free(memory);
}
