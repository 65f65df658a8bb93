/* variables.h: GetVariable() and SetVariable() on a page of memory that a reset leaves alone. */
#ifndef AGPU_EFI_BARE_VARIABLES_H
#define AGPU_EFI_BARE_VARIABLES_H

#include "efi/machine.h"

/* Sets the services for variables in the table. */
void agpu_bare_variable_services(EFI_RUNTIME_SERVICES *runtime);

#endif
