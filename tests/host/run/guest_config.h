/* guest_config.h: generates the agpu.cfg for the image of a run. */
#ifndef AGPU_HOST_RUN_GUEST_CONFIG_H
#define AGPU_HOST_RUN_GUEST_CONFIG_H

#include "tests/host/run/run_options.h"

/* Returns the text of agpu.cfg for this run, malloc'd. udp_port 0: no network. after: the case after which to start,
 * NULL: none. NULL when memory is exhausted. */
char *agpu_run_config_text(const struct agpu_run_options *options, unsigned udp_port, const char *after);

/* Returns the value of key in the agpu.cfg of this run, malloc'd; NULL: not set, or memory is exhausted. */
char *agpu_run_config_value(const struct agpu_run_options *options, const char *key);

/* Returns true when --cfg sets key. */
bool agpu_run_config_has(const struct agpu_run_options *options, const char *key);

/* Returns true when the machine writes its records to the debug console and nothing to its serial port. This is so
 * on our own machine, where each serial byte costs time. */
bool agpu_run_spares_serial(const struct agpu_run_options *options);

/* Returns true when the image itself continues after a reset (--cfg resume=N), as on hardware. Otherwise this
 * program starts the machine again. */
bool agpu_run_resumes(const struct agpu_run_options *options);

/* Returns true when the image writes the capture of --capture to a second disk. Without UEFI it sends it over the
 * stream. */
bool agpu_run_captures_to_disk(const struct agpu_run_options *options);

#endif
