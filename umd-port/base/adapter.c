/* adapter.c: features allowed by the device's ABI version and feature bits, checked at each call (umd.md 2.3), and
 * object handles. */
#include "umd-port/base/adapter.h"

#include "pci/protocol/aerogpu_pci.h"

/* Returns the ABI minor whose features this driver may use; -1: none. */
static int32_t abi_minor(const struct agpu_adapter *adapter)
{
    uint32_t version = adapter->info.device_abi_version_u32;

    if (!adapter->info_valid || version >> 16 != AEROGPU_ABI_MAJOR) {
        return -1;
    }
    return (int32_t)(version & 0xFFFF);
}

bool agpu_gate_transfer(const struct agpu_adapter *adapter)
{
    return abi_minor(adapter) >= 1 && (adapter->info.device_features & AEROGPU_UMDPRIV_FEATURE_TRANSFER);
}

bool agpu_gate_srgb(const struct agpu_adapter *adapter)
{
    return abi_minor(adapter) >= 2;
}

bool agpu_gate_bc(const struct agpu_adapter *adapter)
{
    return abi_minor(adapter) >= 2;
}

bool agpu_gate_texture_view(const struct agpu_adapter *adapter)
{
    return abi_minor(adapter) >= 4;
}

bool agpu_gate_vblank(const struct agpu_adapter *adapter)
{
    return abi_minor(adapter) >= 0 && (adapter->info.flags & AEROGPU_UMDPRIV_FLAG_HAS_VBLANK);
}

uint32_t agpu_adapter_next_handle(struct agpu_adapter *adapter)
{
    if (adapter->env->next_handle != NULL) {
        return adapter->env->next_handle(adapter->env->ctx);
    }
    do {
        adapter->next_handle++;
    } while (
        !(adapter->next_handle & 0x7FFFFFFFu)); /* alloc_id is the handle's low 31 bits and must not be 0 */
    return adapter->next_handle;
}
