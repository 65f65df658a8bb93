/* tables11.c: the Direct3D 11 device and context tables. */
#include "umd-port/core/device.h"
#include "umd-port/core/flush.h"
#include "umd-port/core/tables.h"
#include "umd-port/resource/resource_ddi.h"

const D3D11DDI_DEVICEFUNCS agpu_d3d11_device_funcs = {
    .pfnDestroyDevice = agpu_destroy_device,
    .pfnCalcPrivateResourceSize = agpu_calc_resource_size,
    .pfnCreateResource = agpu_create_resource,
    .pfnDestroyResource = agpu_destroy_resource,
    .pfnPresent = agpu_present,
};

const D3D11DDI_DEVICECONTEXTFUNCS agpu_d3d11_context_funcs = {
    .pfnResourceCopy = agpu_resource_copy,
    .pfnResourceCopyRegion = agpu_resource_copy_region,
    .pfnResourceUpdateSubresourceUP = agpu_update_subresource,
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_update_subresource,
    .pfnResourceMap = agpu_resource_map,
    .pfnResourceUnmap = agpu_resource_unmap,
    .pfnDynamicIABufferMapDiscard = agpu_dynamic_ia_map_discard,
    .pfnDynamicIABufferMapNoOverwrite = agpu_dynamic_ia_map_no_overwrite,
    .pfnDynamicIABufferUnmap = agpu_resource_unmap,
    .pfnDynamicConstantBufferMapDiscard = agpu_dynamic_cb_map_discard,
    .pfnDynamicConstantBufferMapNoOverwrite = agpu_dynamic_cb_map_no_overwrite,
    .pfnDynamicConstantBufferUnmap = agpu_resource_unmap,
    .pfnDynamicResourceMapDiscard = agpu_dynamic_resource_map_discard,
    .pfnDynamicResourceUnmap = agpu_resource_unmap,
    .pfnStagingResourceMap = agpu_staging_map,
    .pfnStagingResourceUnmap = agpu_resource_unmap,
    .pfnResourceIsStagingBusy = agpu_resource_is_staging_busy,
    .pfnFlush = agpu_flush,
    .pfnPresent = agpu_present,
};
