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

size_t agpu_calc_tessellation_shader_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATESHADER *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateTessellationShaderSize", sizeof(struct agpu_shader));
}

size_t agpu_calc_so_shader_size(D3D10DDI_HDEVICE device,
                                const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateGeometryShaderWithStreamOutput", sizeof(struct agpu_shader));
}

static HRESULT emit_create_shader(struct agpu_context *context, const void *code, uint32_t bytes,
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

static HRESULT create_shader(D3D10DDI_HDEVICE handle, const void *code, uint32_t bytes,
                             D3D10DDI_HSHADER shader_handle, enum agpu_stage stage, const char *entry)
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
    HRESULT hr = emit_create_shader(context, code, bytes, shader, stage);
    AGPU_TRACE_CALL(context, "%s handle=%u bytes=%u -> hr=0x%X", entry, shader->handle, bytes, (unsigned)hr);
    return hr;
}

#define CREATE(name, stage, entry)                                                                           \
    HRESULT name(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATESHADER *args, D3D10DDI_HSHADER shader,     \
                 D3D10DDI_HRTSHADER runtime)                                                                 \
    {                                                                                                        \
        (void)runtime;                                                                                       \
        return create_shader(device, args ? args->pShaderCode : NULL, args ? args->CodeSize : 0, shader,     \
                             stage, entry);                                                                  \
    }
CREATE(agpu_create_vs, AGPU_STAGE_VS, "CreateVertexShader")
CREATE(agpu_create_ps, AGPU_STAGE_PS, "CreatePixelShader")
CREATE(agpu_create_gs, AGPU_STAGE_GS, "CreateGeometryShader")
CREATE(agpu_create_hs, AGPU_STAGE_HS, "CreateHullShader")
CREATE(agpu_create_ds, AGPU_STAGE_DS, "CreateDomainShader")
CREATE(agpu_create_cs, AGPU_STAGE_CS, "CreateComputeShader")

/* The declaration is ignored: without stream output targets the shader runs like any other. */
HRESULT agpu_create_so_gs(D3D10DDI_HDEVICE device,
                          const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args,
                          D3D10DDI_HSHADER shader, D3D10DDI_HRTSHADER runtime)
{
    (void)runtime;
    return create_shader(device, args != NULL ? args->pShaderCode : NULL, args != NULL ? args->CodeSize : 0,
                         shader, AGPU_STAGE_GS, "CreateGeometryShaderWithStreamOutput");
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

/* Uses the short form, which every reader supports, when it suffices (umd.md 8). */
static bool emit_bind(struct agpu_context *context, const struct agpu_shader_handles *shaders)
{
    if ((shaders->hs | shaders->ds) != 0) {
        return agpu_cmd_bind_shaders_ex(&context->cmd, shaders, true);
    }
    return agpu_cmd_bind_shaders_with_gs(&context->cmd, shaders->vs, shaders->ps, shaders->cs, shaders->gs);
}

/* Every call is recorded; without room the old set stays. */
static void set_shader(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADER shader_handle, size_t member,
                       const char *entry)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    const struct agpu_shader *shader = shader_handle.pDrvPrivate;
    struct agpu_shader_handles shaders = context->shaders;
    AGPU_TRACE_SET(context, "%s handle=%u", entry, shader ? shader->handle : 0);
    *(uint32_t *)((char *)&shaders + member) = shader != NULL ? shader->handle : 0;
    if (emit_bind(context, &shaders)) {
        context->shaders = shaders;
    } else {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

#define SET_SHADER(stage, entry)                                                                             \
    void agpu_##stage##_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)                         \
    {                                                                                                        \
        set_shader(device, shader, offsetof(struct agpu_shader_handles, stage), entry);                      \
    }
SET_SHADER(vs, "VsSetShader")
SET_SHADER(ps, "PsSetShader")
SET_SHADER(gs, "GsSetShader")
SET_SHADER(cs, "CsSetShader")

/* Tessellation: every frame unbinds these stages; binding is an option (umd.md 3.1, 16). */
static void set_tessellation_shader(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADER shader, size_t member,
                                    const char *entry)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    if (context->device->env->options->tessellation) {
        set_shader(handle, shader, member, entry);
        return;
    }
    AGPU_TRACE_SET(context, "%s set=%u", entry, shader.pDrvPrivate != NULL);
    if (shader.pDrvPrivate != NULL) {
        agpu_set_error(context, E_NOTIMPL);
    }
}

void agpu_hs_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    set_tessellation_shader(device, shader, offsetof(struct agpu_shader_handles, hs), "HsSetShader");
}

void agpu_ds_set_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)
{
    set_tessellation_shader(device, shader, offsetof(struct agpu_shader_handles, ds), "DsSetShader");
}
