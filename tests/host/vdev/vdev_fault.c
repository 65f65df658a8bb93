/* vdev_fault.c: the faults of `agpu vdev --fault`: injected into the model at run time, or built into another
 * program. */
#include "tests/host/vdev/vdev_fault.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/bus/faults.h"
#include "tests/host/list/nearest.h"

#define LONGEST_NAME 64u

void agpu_vdev_faults_list(void)
{
    const struct vgpu_fault_info *info;

    for (size_t i = 1; (info = vgpu_fault_info(i)) != NULL; i++) {
        printf("%-24s %-8s %-16s %s\n", info->name, info->area, info->rule, info->says);
    }
}

static void say_unknown(const char *name)
{
    const struct vgpu_fault_info *info;
    struct agpu_nearest nearest = {0};

    for (size_t i = 1; (info = vgpu_fault_info(i)) != NULL; i++) {
        agpu_nearest_add(&nearest, name, info->name, info->name);
    }
    fprintf(stderr, "agpu vdev: no fault %s; the nearest:", name);
    for (unsigned i = 0; i < nearest.count; i++) {
        fprintf(stderr, " %s", nearest.names[i]);
    }
    fprintf(stderr, "\nagpu vdev: --list-faults describes the faults; tests/run --fault NAME builds those of "
                    "tests/faults\n");
}

/* Returns the path of the program that is built with this fault; false when it is unknown. */
static bool built_program(const char *name, char program[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - LONGEST_NAME - 16);

    if (length <= 0 || strchr(name, '/') != NULL || strlen(name) > LONGEST_NAME) {
        return false;
    }
    program[length] = '\0';
    sprintf(strrchr(program, '/') + 1, "faults/%s/agpu", name);
    return true;
}

/* A program with a built-in fault is in faults/NAME. */
void agpu_vdev_fault_built_in(char *text, size_t size)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *name = length > 0 ? memmem(program, (size_t)length, "/faults/", 8) : NULL;

    program[length > 0 ? length : 0] = '\0';
    text[0] = '\0';
    if (name != NULL && strchr(name + 8, '/') != NULL && strcmp(strrchr(name, '/'), "/agpu") == 0) {
        snprintf(text, size, "%.*s", (int)strcspn(name + 8, "/"), name + 8);
    }
}

/* Does not return if there is such a program and it can be executed. */
static void become_built(const char *name, int argc, char **argv)
{
    char program[PATH_MAX];
    char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
    size_t n = 0;

    if (arguments == NULL || !built_program(name, program)) {
        free(arguments);
        return;
    }
    arguments[n++] = program;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--fault") == 0 && i + 1 < argc) {
            i++;
        } else if (strncmp(argv[i], "--fault=", 8) != 0) {
            arguments[n++] = argv[i];
        }
    }
    execv(program, arguments);
    free(arguments);
}

bool agpu_vdev_fault_prepare(const char *name, int argc, char **argv)
{
    enum vgpu_fault fault;
    uint32_t parameter;

    if (vgpu_fault_find(name, &fault, &parameter)) {
        return true;
    }
    become_built(name, argc, argv);
    say_unknown(name);
    return false;
}
