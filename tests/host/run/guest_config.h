/* guest_config.h: the agpu.cfg that the image of a run gets. */
#ifndef AGPU_HOST_RUN_GUEST_CONFIG_H
#define AGPU_HOST_RUN_GUEST_CONFIG_H

#include "tests/host/run/run_options.h"

/* The text of agpu.cfg for this run, malloc'd; udp_port 0: no network; after: the case behind which to begin, NULL: none.
 * NULL when memory is exhausted. */
char *agpu_run_config_text(const struct agpu_run_options *options, unsigned udp_port, const char *after);

/* What the agpu.cfg of this run says for key, malloc'd; NULL: it does not say, or memory is exhausted. */
char *agpu_run_config_value(const struct agpu_run_options *options, const char *key);

/* Does --cfg set key? */
bool agpu_run_config_has(const struct agpu_run_options *options, const char *key);

/* Are the records of the machine on its debug console, and its serial port stays quiet? So on a machine of our own: each byte of
 * it costs the machine time. */
bool agpu_run_spares_serial(const struct agpu_run_options *options);

/* Does the image go on by itself behind a reset (--cfg resume=N), as on hardware? Else this program starts the machine again. */
bool agpu_run_resumes(const struct agpu_run_options *options);

#endif
