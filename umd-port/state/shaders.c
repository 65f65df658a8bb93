/* shaders.c: shader objects and BIND_SHADERS (umd.md 8). */
#include "umd-port/state/shaders.h"

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/objects.h"

size_t agpu_calc_shader_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATESHADER *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateShaderSize", sizeof(struct agpu_shader));
}

size_t agpu_calc_so_shader_size(D3D10DDI_HDEVICE device,
                                const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateGeometryShaderWithStreamOutput", sizeof(struct agpu_shader));
}

/* Of the stages in trace lines, by enum agpu_stage. */
static const char *const names[AGPU_STAGE_COUNT] = {"Vertex",  "Pixel", "Geometry",
                                                    "Compute", "Hull",  "Domain"};

static HRESULT emit_create(struct agpu_context *context, const void *code, uint32_t bytes,
                           struct agpu_shader *shader, enum agpu_stage stage)
{
    if (code == NULL || !bytes) {
        return E_INVALIDARG;
    }
    struct agpu_stage_code stage_code = agpu_stage_code(stage);
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_cmd_append_payload(&context->cmd, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *packet, code, bytes);
    if (packet == NULL) {
        return E_OUTOFMEMORY;
    }
    shader->handle = agpu_adapter_next_handle(context->device->adapter);
    shader->stage = (uint32_t)stage;
    packet->shader_handle = shader->handle;
    packet->stage = stage_code.stage;
    packet->dxbc_size_bytes = bytes;
    packet->reserved0 = stage_code.stage_ex;
    return S_OK;
}

static HRESULT create(D3D10DDI_HDEVICE handle, const void *code, uint32_t bytes,
                      D3D10DDI_HSHADER shader_handle, enum agpu_stage stage)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_shader *shader = shader_handle.pDrvPrivate;

    if (shader == NULL) {
        return E_INVALIDARG;
    }
    *shader = (struct agpu_shader){.handle = 0};
    if (context == NULL) {
        return E_INVALIDARG;
    }
    HRESULT hr = emit_create(context, code, bytes, shader, stage);
    AGPU_TRACE_CALL(context, "Create%sShader handle=%u bytes=%u -> hr=0x%X", names[stage], shader->handle,
                    bytes, (unsigned)hr);
    return hr;
}

#define CREATE(name, which)                                                                                  \
    HRESULT name(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATESHADER *args, D3D10DDI_HSHADER shader,     \
                 D3D10DDI_HRTSHADER runtime)                                                                 \
    {                                                                                                        \
        (void)runtime;                                                                                       \
        return create(device, args ? args->pShaderCode : NULL, args ? args->CodeSize : 0, shader, which);    \
    }
CREATE(agpu_create_vs, AGPU_STAGE_VS)
CREATE(agpu_create_ps, AGPU_STAGE_PS)
CREATE(agpu_create_gs, AGPU_STAGE_GS)
CREATE(agpu_create_hs, AGPU_STAGE_HS)
CREATE(agpu_create_ds, AGPU_STAGE_DS)
CREATE(agpu_create_cs, AGPU_STAGE_CS)

/* The declaration is ignored: without targets to write to, the shader runs as any other. */
HRESULT agpu_create_so_gs(D3D10DDI_HDEVICE device,
                          const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args,
                          D3D10DDI_HSHADER shader, D3D10DDI_HRTSHADER runtime)
{
    (void)runtime;
    return create(device, args != NULL ? args->pShaderCode : NULL, args != NULL ? args->CodeSize : 0, shader,
                  AGPU_STAGE_GS);
}

/* The runtime unbinds a shader before it destroys it. */
void agpu_destroy_shader(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADER shader_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_shader *shader = shader_handle.pDrvPrivate;

    if (shader == NULL || !shader->handle) {
        return;
    }
    uint32_t old = shader->handle;
    *shader = (struct agpu_shader){.handle = 0};
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "DestroyShader handle=%u", old);
    struct aerogpu_cmd_destroy_shader *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DESTROY_SHADER, sizeof *packet);
    if (packet == NULL) {
        agpu_set_error(context, E_OUTOFMEMORY);
        return;
    }
    packet->shader_handle = old;
    packet->reserved0 = 0;
}

/* Every call is recorded; a call that finds no room leaves the old set. */
static void bind(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADER shader_handle, size_t member,
                 enum agpu_stage stage)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    const struct agpu_shader *shader = shader_handle.pDrvPrivate;
    struct agpu_shader_handles shaders = context->shaders;
    AGPU_TRACE_SET(context, "Set%sShader handle=%u", names[stage], shader ? shader->handle : 0);
    *(uint32_t *)((char *)&shaders + member) = shader != NULL ? shader->handle : 0;
    if (agpu_cmd_bind_shaders_with_gs(&context->cmd, shaders.vs, shaders.ps, shaders.cs, shaders.gs)) {
        context->shaders = shaders;
    } else {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

void agpu_vs_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    bind(device, shader, offsetof(struct agpu_shader_handles, vs), AGPU_STAGE_VS);
}

void agpu_ps_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    bind(device, shader, offsetof(struct agpu_shader_handles, ps), AGPU_STAGE_PS);
}

void agpu_gs_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    bind(device, shader, offsetof(struct agpu_shader_handles, gs), AGPU_STAGE_GS);
}

void agpu_cs_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    bind(device, shader, offsetof(struct agpu_shader_handles, cs), AGPU_STAGE_CS);
}

/* Tessellation: unbinding is what every frame does, binding is not supported (umd.md 16). */
static void refuse_shader(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADER shader, enum agpu_stage stage)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "Set%sShader set=%u", names[stage], shader.pDrvPrivate != NULL);
    if (shader.pDrvPrivate != NULL) {
        agpu_set_error(context, E_NOTIMPL);
    }
}

void agpu_hs_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    refuse_shader(device, shader, AGPU_STAGE_HS);
}

void agpu_ds_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    refuse_shader(device, shader, AGPU_STAGE_DS);
}
