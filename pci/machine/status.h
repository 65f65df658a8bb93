/* status.h: names of enum agpu_status for messages. */
#ifndef AGPU_PCI_MACHINE_STATUS_H
#define AGPU_PCI_MACHINE_STATUS_H

#include "pci/machine/platform.h"

/* "AGPU_OK", "AGPU_ERR_TIMEOUT", ...; "AGPU_ERR_?" for a value outside the enumeration. */
const char *agpu_status_name(enum agpu_status status);

#endif
