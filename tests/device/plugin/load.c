/* load.c: dlopen() and its possible failures. */
#include "tests/device/plugin/load.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/plugin/port.h"
#include "tests/device/plugin/printable.h"
#include "tests/device/plugin/table.h"

/* Adds "./" to a name without a slash, which dlopen() would search in the system's library directories. */
static bool file_of(const char *spec, size_t length, char *path, size_t path_size)
{
    const int needed =
        snprintf(path, path_size, "%s%.*s", memchr(spec, '/', length) != NULL ? "" : "./", (int)length, spec);

    return needed > 0 && (size_t)needed < path_size;
}

static bool read_header(const char *path, Elf64_Ehdr *header)
{
    FILE *file = fopen(path, "re");
    const bool read = file != NULL && fread(header, 1, sizeof *header, file) == sizeof *header;

    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } known[] = {
        {EM_386, "i386"},        {EM_ARM, "ARM"},      {EM_X86_64, "x86-64"},
        {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"}, {EM_PPC64, "PowerPC64"},
        {EM_S390, "S/390"},      {EM_MIPS, "MIPS"},    {EM_LOONGARCH, "LoongArch"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].machine == machine) {
            return known[i].name;
        }
    }
    return "another machine";
}

/* Reports a wrong architecture more clearly than dlopen() does. A file that cannot be read is left to
 * dlopen(). */
static bool is_for_this_machine(const char *path, char *message, size_t message_size)
{
    Elf64_Ehdr theirs, ours;

    if (!read_header("/proc/self/exe", &ours) || !read_header(path, &theirs)) {
        return true;
    }
    /* Type and machine have the same offset in both classes. */
    if (theirs.e_ident[EI_CLASS] != ours.e_ident[EI_CLASS] ||
        theirs.e_ident[EI_DATA] != ours.e_ident[EI_DATA] || theirs.e_machine != ours.e_machine) {
        snprintf(message, message_size,
                 "%s is built for %s (%u-bit, machine %u); this tool needs a shared library for %s (%u-bit, "
                 "machine %u): build it with the compiler of this machine",
                 path, machine_name(theirs.e_machine), theirs.e_ident[EI_CLASS] == ELFCLASS32 ? 32u : 64u,
                 theirs.e_machine, machine_name(ours.e_machine),
                 ours.e_ident[EI_CLASS] == ELFCLASS32 ? 32u : 64u, ours.e_machine);
        return false;
    }
    if (theirs.e_type != ET_DYN) {
        snprintf(message, message_size, "%s is %s, not a shared library: link it with cc -shared -fPIC", path,
                 theirs.e_type == ET_REL ? "an object file" : "no library but a program");
        return false;
    }
    return true;
}

/* End of a part of the file; a sum that wraps becomes larger than any file. */
static uint64_t end_of(uint64_t offset, uint64_t size)
{
    return size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
}

/* Returns the file size that the ELF headers require. */
static uint64_t bytes_reported(FILE *file, const Elf64_Ehdr *header)
{
    uint64_t most = end_of(header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize);
    const uint64_t sections = end_of(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize);
    Elf64_Phdr segment;

    most = header->e_shoff != 0 && sections > most ? sections : most;
    if (header->e_phentsize != sizeof segment || header->e_phoff > LONG_MAX ||
        fseek(file, (long)header->e_phoff, SEEK_SET) != 0) {
        return most;
    }
    for (unsigned i = 0; i < header->e_phnum && fread(&segment, 1, sizeof segment, file) == sizeof segment;
         i++) {
        const uint64_t end = end_of(segment.p_offset, segment.p_filesz);

        most = segment.p_type == PT_LOAD && end > most ? end : most;
    }
    return most;
}

/* Checks that the file is not truncated. The loader would map missing pages of a truncated file, and the first
 * access to one is a SIGBUS. */
static bool is_whole(const char *path, char *message, size_t message_size)
{
    FILE *file = fopen(path, "re");
    Elf64_Ehdr header;
    uint64_t told = 0, found = 0;
    bool whole = true;

    if (file != NULL && fread(&header, 1, sizeof header, file) == sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
        told = bytes_reported(file, &header);
        whole = fseek(file, 0, SEEK_END) == 0 && told <= (found = (uint64_t)ftell(file));
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!whole) {
        snprintf(message, message_size,
                 "%s is not whole: expected the %" PRIu64 " bytes that its headers speak of, found %" PRIu64
                 ": build or copy it again",
                 path, told, found);
    }
    return whole;
}

const struct agpu_device_plugin *vgpu_plugin_load(const char *spec, const char **options, char *message,
                                                  size_t message_size)
{
    const char *comma = strchr(spec, ',');
    const size_t length = comma != NULL ? (size_t)(comma - spec) : strlen(spec);
    const struct agpu_device_plugin *table;
    agpu_device_plugin_function *function;
    char path[PATH_MAX], why[256];
    void *library, *symbol;

    *options = comma != NULL ? comma + 1 : "";
    if (length == 0 || length > INT_MAX || !file_of(spec, length, path, sizeof path)) {
        snprintf(message, message_size, "\"%.64s\" names no file: expected FILE or FILE,OPTIONS", spec);
        return NULL;
    }
    if (!is_for_this_machine(path, message, message_size) || !is_whole(path, message, message_size)) {
        return NULL;
    }
    vgpu_port_begin_call("dlopen");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    vgpu_port_end_call();
    if (library == NULL) {
        snprintf(message, message_size,
                 "%s; expected a shared library for this machine (cc -shared -fPIC), every symbol of which "
                 "can be found",
                 dlerror());
        vgpu_make_printable(message); /* symbol names come from the file */
        return NULL;
    }
    symbol = dlsym(library, AGPU_DEVICE_PLUGIN_SYMBOL);
    if (symbol == NULL) {
        snprintf(message, message_size,
                 "%s has no function %s(): include agpu_device_plugin.h and define it; in C++ it needs "
                 "extern \"C\"",
                 path, AGPU_DEVICE_PLUGIN_SYMBOL);
        dlclose(library);
        return NULL;
    }
    memcpy(&function, &symbol, sizeof function); /* ISO C has no conversion from object to function pointer */
    vgpu_port_begin_call(AGPU_DEVICE_PLUGIN_SYMBOL);
    table = function();
    vgpu_port_end_call();
    if (!vgpu_table_check(table, why, sizeof why)) {
        snprintf(message, message_size, "%s: %s", path, why);
        dlclose(library);
        return NULL;
    }
    return table;
}
