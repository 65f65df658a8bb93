/* virtio_net.h: the driver of virtio-net. */
#ifndef AGPU_EFI_BARE_VIRTIO_NET_H
#define AGPU_EFI_BARE_VIRTIO_NET_H

#include "efi/bare/nic_driver.h"

extern const struct agpu_nic_driver agpu_nic_virtio;

#endif
