/* cmd_cfg.h: `agpu cfg`: reads, checks and changes agpu.cfg, in an image, on a USB stick, or as a file. */
#ifndef AGPU_TESTS_HOST_CMD_CFG_H
#define AGPU_TESTS_HOST_CMD_CFG_H

int agpu_cmd_cfg(int argc, char **argv);

#endif
