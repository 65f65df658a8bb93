/* libpq.c: PostgreSQL's client library, loaded when it is needed (libpq.h). */
#include "tests/host/history/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libpq.so.5"

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define ENTRY(name) {#name, offsetof(struct agpu_libpq, name)},
    AGPU_LIBPQ_FUNCTIONS(ENTRY)
#undef ENTRY
};

const struct agpu_libpq *agpu_libpq_load(void)
{
    static struct agpu_libpq loaded;
    static bool good;

    if (good) {
        return &loaded;
    }
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* for the rest of the process */
    if (library == NULL) {
        fprintf(
            stderr,
            "agpu: cannot load PostgreSQL's client library: %s; install libpq5, or name a file with --db\n",
            dlerror());
        return NULL;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);

        if (function == NULL) {
            fprintf(stderr, "agpu: %s has no %s: install the libpq5 of this Debian\n", LIBRARY,
                    functions[i].name);
            dlclose(library);
            return NULL;
        }
        memcpy((char *)&loaded + functions[i].at, &function, sizeof function);
    }
    good = true;
    return &loaded;
}
