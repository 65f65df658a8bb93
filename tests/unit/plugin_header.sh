#!/bin/bash
# plugin_header.sh HEADER: agpu_device_plugin.h is all that a device needs, in C and in C++. A plug-in that fills its
# whole table compiles without a warning in each standard, and exports its function under the name that the tools look
# up. Missing compilers are not tried; without any compiler it is a SKIP.
set -euo pipefail
header=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/plugin.c" <<'CODE'
#include "agpu_device_plugin.h"

static void *create(const struct agpu_device_host *host, void *machine, const char *options, char *message, size_t size)
{
    static uint32_t device;

    if (host->major != AGPU_DEVICE_PLUGIN_MAJOR || options[0] != '\0') {
        if (size > 0) {
            message[0] = '\0';
        }
        return NULL;
    }
    host->wake(machine);
    return &device;
}

static void destroy(void *device)
{
    (void)device;
}

static void describe(void *device, struct agpu_device_info *info)
{
    (void)device;
    info->bars[0].size = 65536;
    info->config_bytes = 256;
}

static void reset(void *device, enum agpu_device_reset kind)
{
    *(uint32_t *)device = kind == AGPU_DEVICE_RESET_COLD;
}

static uint32_t config_read(void *device, uint32_t offset, uint32_t size)
{
    (void)device;
    return offset + size;
}

static void config_write(void *device, uint32_t offset, uint32_t size, uint32_t value)
{
    *(uint32_t *)device = offset + size + value;
}

static uint64_t bar_read(void *device, uint32_t bar, uint64_t offset, uint32_t size)
{
    (void)device;
    return bar + offset + size;
}

static void bar_write(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    *(uint32_t *)device = (uint32_t)(bar + offset + size + value);
}

static uint64_t poll(void *device, uint64_t now_ns)
{
    (void)device;
    (void)now_ns;
    return AGPU_DEVICE_NEVER;
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static const struct agpu_device_plugin table = {
        AGPU_DEVICE_PLUGIN_MAJOR, AGPU_DEVICE_PLUGIN_MINOR, sizeof(struct agpu_device_plugin), "plugin", "Nothing.",
        create, destroy, describe, reset, config_read, config_write, bar_read, bar_write, poll, NULL, NULL, NULL, NULL, NULL};

    return &table;
}
CODE
cp "$folder/plugin.c" "$folder/plugin.cc"

tried=0
bad=0
# COMPILER SOURCE STANDARD...
compile() {
    local compiler=$1 source=$2 standard
    shift 2
    command -v "$compiler" >/dev/null || return 0
    for standard in "$@"; do
        tried=$((tried + 1))
        if ! "$compiler" "-std=$standard" -Wall -Wextra -pedantic -Werror -fPIC -shared "-I${header%/*}" "$folder/$source" \
            -o "$folder/plugin.so"; then
            printf 'plugin_header: %s -std=%s does not take %s\n' "$compiler" "$standard" "${header##*/}" >&2
            bad=1
        elif ! nm -D --defined-only "$folder/plugin.so" | grep -q ' T agpu_device_plugin$'; then
            printf 'plugin_header: %s -std=%s exports no agpu_device_plugin\n' "$compiler" "$standard" >&2
            bad=1
        fi
    done
}
for compiler in gcc clang; do
    compile "$compiler" plugin.c c11 c17
done
for compiler in g++ clang++; do
    compile "$compiler" plugin.cc c++11 c++14 c++17 c++20
done
[ $tried -gt 0 ] || exit 77
[ $bad -eq 0 ] && printf 'plugin_header: %s compilations\n' $tried
exit $bad
