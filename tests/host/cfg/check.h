/* check.h: whether the image understands an agpu.cfg, asked of the reader that the image has. */
#ifndef AGPU_HOST_CFG_CHECK_H
#define AGPU_HOST_CFG_CHECK_H

#include <stddef.h>

/* Number of lines that it does not, each told on stderr with name and number. */
unsigned agpu_cfg_check(const char *name, const char *text, size_t size);

#endif
