/* validate.c: libSPIRV-Tools: validation of a SPIR-V module. */
#include "tests/device/shaderc/validate.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>

bool vgpu_validate(const uint32_t *words, uint32_t size, char *why, size_t why_size)
{
    spv_const_binary_t binary = {words, size / 4};
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);

    if (context == NULL) {
        snprintf(why, why_size, "memory is exhausted");
        return false;
    }
    spv_result_t result = spvValidate(context, &binary, &diagnostic);
    if (result != SPV_SUCCESS) {
        snprintf(why, why_size, "invalid SPIR-V: %s",
                 diagnostic != NULL && diagnostic->error != NULL ? diagnostic->error : "no reason given");
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return result == SPV_SUCCESS;
}
