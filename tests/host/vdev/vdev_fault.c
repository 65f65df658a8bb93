/* vdev_fault.c: the faults of `agpu vdev --fault`. */
#include "tests/host/vdev/vdev_fault.h"

#include <stdio.h>
#include <string.h>

#include "tests/device/plugin/variant.h"
#include "tests/host/list/nearest.h"

static void print_fault(void *ctx, const char *name)
{
    (void)ctx;
    puts(name);
}

void agpu_vdev_faults_list(void)
{
    vgpu_variant_each(print_fault, NULL);
}

struct wanted_fault {
    const char *name;
    bool found;
    struct agpu_nearest nearest;
};

static void compare_fault(void *ctx, const char *name)
{
    struct wanted_fault *wanted = ctx;

    wanted->found = wanted->found || strcmp(wanted->name, name) == 0;
    agpu_nearest_add(&wanted->nearest, wanted->name, name, name);
}

bool agpu_vdev_fault_is_built(const char *name)
{
    struct wanted_fault wanted = {.name = name, .found = name == NULL};

    if (name != NULL) {
        vgpu_variant_each(compare_fault, &wanted);
    }
    if (!wanted.found) {
        fprintf(stderr, "agpu vdev: no model is built with the fault %s%s", name,
                wanted.nearest.count != 0 ? "; the nearest:" : ", and none with another");
        for (unsigned i = 0; i < wanted.nearest.count; i++) {
            fprintf(stderr, " %s", wanted.nearest.names[i]);
        }
        fputs("\nagpu vdev: a package has no models with faults; in a source tree, tests/run --fault list "
              "prints "
              "all names, tests/run --fault NAME builds one\n",
              stderr);
    }
    return wanted.found;
}
