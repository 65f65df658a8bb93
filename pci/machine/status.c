/* status.c: names of results. */
#include "pci/machine/status.h"

const char *agpu_status_name(enum agpu_status status)
{
    switch (status) {
    case AGPU_OK:
        return "AGPU_OK";
    case AGPU_ERR_INVALID:
        return "AGPU_ERR_INVALID";
    case AGPU_ERR_NO_DEVICE:
        return "AGPU_ERR_NO_DEVICE";
    case AGPU_ERR_NO_MEMORY:
        return "AGPU_ERR_NO_MEMORY";
    case AGPU_ERR_TIMEOUT:
        return "AGPU_ERR_TIMEOUT";
    case AGPU_ERR_BUSY:
        return "AGPU_ERR_BUSY";
    case AGPU_ERR_ABI:
        return "AGPU_ERR_ABI";
    case AGPU_ERR_PLATFORM:
        return "AGPU_ERR_PLATFORM";
    case AGPU_ERR_LOST:
        return "AGPU_ERR_LOST";
    }
    return "AGPU_ERR_?";
}
