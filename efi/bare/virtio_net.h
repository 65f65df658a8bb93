/* virtio_net.h: network cards of virtual machines. */
#ifndef AGPU_EFI_BARE_VIRTIO_NET_H
#define AGPU_EFI_BARE_VIRTIO_NET_H

/* Adds a handle with EFI_SIMPLE_NETWORK for each card of virtio 1.0 or later. */
void agpu_bare_virtio_net_open(void);

#endif
