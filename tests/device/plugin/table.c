/* table.c: checks of the plug-in's table and of the device's description. */
#include "tests/device/plugin/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BAR_IO           0x1u
#define BAR_TYPE         0x6u
#define BAR_TYPE_64      0x4u
#define BAR_PREFETCHABLE 0x8u
#define BAR_FLAGS        0xFu

struct sized_bar {
    uint64_t size; /* 0: no memory BAR */
    bool is_64_bit;
    bool prefetchable;
};

static bool refuse(char *message, size_t message_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(char *message, size_t message_size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, message_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_word(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
    const size_t length = name == NULL ? 0 : strspn(name, allowed);

    return length > 0 && length <= 64 && name[length] == '\0';
}

static const char *missing_member(const struct agpu_device_plugin *table)
{
    const struct {
        const char *name;
        bool there;
    } required[] = {
        {"create", table->create != NULL},
        {"destroy", table->destroy != NULL},
        {"describe", table->describe != NULL},
        {"reset", table->reset != NULL},
        {"config_read", table->config_read != NULL},
        {"config_write", table->config_write != NULL},
        {"bar_read", table->bar_read != NULL},
        {"bar_write", table->bar_write != NULL},
        {"poll", table->poll != NULL},
    };

    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (!required[i].there) {
            return required[i].name;
        }
    }
    return NULL;
}

/* Size of a table of minor version 0, which ends in front of save(). */
#define FIRST_SIZE offsetof(struct agpu_device_plugin, save)

bool vgpu_table_can_save(const struct agpu_device_plugin *table)
{
    return table->minor != 0 && table->save != NULL;
}

bool vgpu_table_check(const struct agpu_device_plugin *table, char *message, size_t message_size)
{
    const char *missing;
    size_t least;

    if (table == NULL) {
        return refuse(message, message_size, "%s() returned no table", AGPU_DEVICE_PLUGIN_SYMBOL);
    }
    if (table->major != AGPU_DEVICE_PLUGIN_MAJOR) {
        return refuse(
            message, message_size,
            "built for version %u.%u of agpu_device_plugin.h, this tool has %u.%u: build it with the "
            "header of this tool",
            table->major, table->minor, AGPU_DEVICE_PLUGIN_MAJOR, AGPU_DEVICE_PLUGIN_MINOR);
    }
    least = table->minor == 0 ? FIRST_SIZE : sizeof *table;
    if (table->size < least) {
        return refuse(message, message_size,
                      "its table has %llu bytes, version %u.%u has %zu: set .size to sizeof(struct "
                      "agpu_device_plugin)",
                      (unsigned long long)table->size, table->major, table->minor, least);
    }
    missing = missing_member(table);
    if (missing != NULL) {
        return refuse(message, message_size, "%s is NULL in its table; only the optional members may be",
                      missing);
    }
    if (table->minor != 0 && (table->save == NULL) != (table->load == NULL)) {
        return refuse(message, message_size, "%s is NULL in its table: expected save and load, or neither",
                      table->save == NULL ? "save" : "load");
    }
    if (!is_word(table->name)) {
        return refuse(message, message_size,
                      "its name must be one word of at most 64 letters, digits, '.', '-', '_'");
    }
    return true;
}

static struct sized_bar size_of(const uint32_t ones[AGPU_DEVICE_BARS], uint32_t bar)
{
    const uint32_t low = ones[bar];
    struct sized_bar sized = {0};
    uint64_t mask = UINT64_C(0xFFFFFFFF) << 32 | (low & ~BAR_FLAGS);

    if ((low & BAR_IO) != 0 || low == 0) {
        return sized;
    }
    sized.is_64_bit = (low & BAR_TYPE) == BAR_TYPE_64;
    sized.prefetchable = (low & BAR_PREFETCHABLE) != 0;
    if (sized.is_64_bit && bar + 1 < AGPU_DEVICE_BARS) {
        mask = (uint64_t)ones[bar + 1] << 32 | (low & ~BAR_FLAGS);
    }
    sized.size = (mask & ~(uint64_t)BAR_FLAGS) == UINT64_C(0xFFFFFFFF00000000) ? 0 : ~mask + 1;
    return sized;
}

static bool check_bar(const struct agpu_device_info *info, const uint32_t ones[AGPU_DEVICE_BARS],
                      uint32_t bar, char *message, size_t message_size)
{
    const struct agpu_device_bar *told = &info->bars[bar];
    const struct sized_bar sized = size_of(ones, bar);
    struct stat file;

    if (told->size != 0 && (told->size < 16 || (told->size & (told->size - 1)) != 0)) {
        return refuse(message, message_size,
                      "describe() gives BAR%u 0x%llx bytes; a power of two from 16 on is expected", bar,
                      (unsigned long long)told->size);
    }
    if (sized.size != told->size || (told->size != 0 && (sized.is_64_bit != (told->is_64_bit != 0) ||
                                                         sized.prefetchable != (told->prefetchable != 0)))) {
        return refuse(
            message, message_size,
            "describe() gives BAR%u 0x%llx bytes, %u-bit%s; sizing its register gives 0x%llx bytes, "
            "%u-bit%s: both must agree",
            bar, (unsigned long long)told->size, told->is_64_bit != 0 ? 64u : 32u,
            told->prefetchable != 0 ? ", prefetchable" : "", (unsigned long long)sized.size,
            sized.is_64_bit ? 64u : 32u, sized.prefetchable ? ", prefetchable" : "");
    }
    if (told->size != 0 && told->memory_fd >= 0 &&
        (fstat(told->memory_fd, &file) != 0 || file.st_size < 0 || (uint64_t)file.st_size < told->size)) {
        return refuse(message, message_size,
                      "the memory file of BAR%u is not a file of at least 0x%llx bytes", bar,
                      (unsigned long long)told->size);
    }
    return true;
}

bool vgpu_table_check_info(const struct agpu_device_info *info, const uint32_t ones[AGPU_DEVICE_BARS],
                           char *message, size_t message_size)
{
    if (info->config_bytes != 256 && info->config_bytes != 4096) {
        return refuse(message, message_size,
                      "describe() gives %u bytes of configuration space; 256 or 4096 are expected",
                      info->config_bytes);
    }
    if (info->msi_vectors > 32 || (info->msi_vectors & (info->msi_vectors - 1)) != 0) {
        return refuse(message, message_size,
                      "describe() gives %u MSI vectors; a power of two up to 32 is expected",
                      info->msi_vectors);
    }
    for (uint32_t bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        if (!check_bar(info, ones, bar, message, message_size)) {
            return false;
        }
        if (info->bars[bar].size != 0 && info->bars[bar].is_64_bit != 0) {
            bar++;
            if (bar == AGPU_DEVICE_BARS || info->bars[bar].size != 0) {
                return refuse(message, message_size,
                              "BAR%u is 64-bit, so the next one is its upper half and must be left zero",
                              bar - 1);
            }
        }
    }
    return true;
}

bool vgpu_table_check_same(const struct agpu_device_info *first, const struct agpu_device_info *second,
                           char *message, size_t message_size)
{
    for (uint32_t bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        const struct agpu_device_bar *a = &first->bars[bar], *b = &second->bars[bar];

        if (a->size != b->size || (a->is_64_bit != 0) != (b->is_64_bit != 0) ||
            (a->prefetchable != 0) != (b->prefetchable != 0) || a->memory_fd != b->memory_fd) {
            return refuse(message, message_size,
                          "describe() gave BAR%u 0x%llx bytes, %u-bit%s, memory file %d, and at the next "
                          "call 0x%llx bytes, %u-bit%s, memory file %d: it must say the same each time",
                          bar, (unsigned long long)a->size, a->is_64_bit != 0 ? 64u : 32u,
                          a->prefetchable != 0 ? ", prefetchable" : "", a->memory_fd,
                          (unsigned long long)b->size, b->is_64_bit != 0 ? 64u : 32u,
                          b->prefetchable != 0 ? ", prefetchable" : "", b->memory_fd);
        }
    }
    if (first->config_bytes != second->config_bytes || first->msi_vectors != second->msi_vectors) {
        return refuse(message, message_size,
                      "describe() gave %u bytes of configuration space and %u MSI vectors, and at the next "
                      "call %u and %u: it must say the same each time",
                      first->config_bytes, first->msi_vectors, second->config_bytes, second->msi_vectors);
    }
    return true;
}

bool vgpu_table_check_msi(const struct agpu_device_info *info, uint32_t vectors, char *message,
                          size_t message_size)
{
    if (info->msi_vectors == vectors) {
        return true;
    }
    if (vectors == 0) {
        return refuse(message, message_size,
                      "describe() gives %u MSI vectors, but configuration space has no MSI capability "
                      "(capability 5 in the list at 0x34): the machine could not enable them",
                      info->msi_vectors);
    }
    return refuse(
        message, message_size,
        "describe() gives %u MSI vectors; the MSI capability in configuration space offers %u: both "
        "must agree",
        info->msi_vectors, vectors);
}
