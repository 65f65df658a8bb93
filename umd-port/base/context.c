/* context.c: error reports of a context (umd.md 3.1). */
#include "umd-port/base/context.h"

void agpu_set_error(struct agpu_context *context, HRESULT error)
{
    if (context->core_callbacks != NULL && context->core_callbacks->pfnSetErrorCb != NULL) {
        context->core_callbacks->pfnSetErrorCb(context->core_layer, error == DXGI_ERROR_WAS_STILL_DRAWING
                                                                        ? DXGI_DDI_ERR_WASSTILLDRAWING
                                                                        : error);
    }
}

void agpu_report_failure(struct agpu_context *context, HRESULT hr)
{
    if (context != NULL) {
        agpu_set_error(context, hr);
    }
}
