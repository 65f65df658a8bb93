/* vdev.c: fuzz_record_vdev: the device model as `agpu vdev` serves it to QEMU, with all accesses recorded as
 * fuzz inputs. `agpu run --vdev` starts it. */
#include "tests/host/cmd_vdev.h"

int main(int argc, char **argv)
{
    return agpu_cmd_vdev(argc, argv);
}
