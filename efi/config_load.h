/* config_load.h: collects the configuration from all its sources (described in agpu.cfg). */
#ifndef AGPU_EFI_CONFIG_LOAD_H
#define AGPU_EFI_CONFIG_LOAD_H

#include "efi/config.h"
#include "tests/cases/harness/stream.h"

/* Reads load options, file, and the DHCP option of a PXE boot, in this order; an earlier source wins over a
 * later one, and all over the defaults. Problems are reported to the stream and make the run an ERROR. Adds
 * the hash of all that was read to *hash (progress.h). The three pointers are used by
 * agpu_config_load_dhcp(), too. */
void agpu_config_load(struct agpu_config *config, struct agpu_stream *stream, uint64_t *hash);

/* Reads the option of the DHCP packet with which the application got its own address; sets only keys that no
 * other source has set. For agpu_net_start(). */
void agpu_config_load_dhcp(const uint8_t *packet, size_t size);

/* The cases begin: from now on such a packet changes nothing, and a warning reports it. */
void agpu_config_load_end(void);

/* The runner's at_fault (run.h): true when a part of the configuration was not understood. A run without its
 * full configuration cannot pass. */
bool agpu_config_is_wrong(void *ctx, struct agpu_text *what);

#endif
