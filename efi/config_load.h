/* config_load.h: gathers the configuration from where it may be (agpu.cfg says where). */
#ifndef AGPU_EFI_CONFIG_LOAD_H
#define AGPU_EFI_CONFIG_LOAD_H

#include "efi/config.h"
#include "tests/cases/harness/stream.h"

/* Load options, file, the DHCP option of a PXE boot, defaults: what an earlier one says stays. What is wrong goes to the stream,
 * and makes the run an ERROR. The hash of all that was read is added to *hash (progress.h). All three are kept for the next function. */
void agpu_config_load(struct agpu_config *config, struct agpu_stream *stream, uint64_t *hash);

/* The same of the DHCP packet with which this application got its own address: an option there says what nobody has said yet.
 * For agpu_net_start(). */
void agpu_config_load_dhcp(const uint8_t *packet, size_t size);

/* Cases begin: from now on such a packet changes nothing, and a warning says so. */
void agpu_config_load_end(void);

/* For the runner's at_fault (run.h): was something of the configuration not understood? A run that it does not describe cannot pass. */
bool agpu_config_is_wrong(void *ctx, struct agpu_text *what);

#endif
