/* crashing_driver.c: an entry of the driver that writes through a null pointer. The linker redirects the driver's table
 * to it (--wrap). */
#include "umd-port/resource/map.h"

void __wrap_agpu_dynamic_ia_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                        uint32_t subresource, uint32_t type, uint32_t flags,
                                        D3D10DDI_MAPPED_SUBRESOURCE *out);

void __wrap_agpu_dynamic_ia_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                        uint32_t subresource, uint32_t type, uint32_t flags,
                                        D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    volatile uint32_t *volatile nowhere = NULL;

    (void)device, (void)resource, (void)subresource, (void)type, (void)flags, (void)out;
    *nowhere = 1;
}
