/* umd_entries.h: tests whole function tables of the driver: each entry is present, each unimplemented entry answers
 * as documented, and after each such call a draw still works (umd.md 3.1, 16). */
#ifndef AGPU_CASES_RIG_UMD_ENTRIES_H
#define AGPU_CASES_RIG_UMD_ENTRIES_H

#include "tests/cases/rig/umd_draw.h"

/* The expected behavior of an entry. */
enum agpu_entry_answer {
    AGPU_ENTRY_WORKS,   /* implemented: other cases test it; here it only has to be present */
    AGPU_ENTRY_OK,      /* returns S_OK */
    AGPU_ENTRY_REFUSES, /* returns E_NOTIMPL, and reports nothing through SetErrorCb */
    AGPU_ENTRY_CREATES, /* returns E_NOTIMPL, and also reports it through SetErrorCb */
    AGPU_ENTRY_REPORTS, /* reports E_NOTIMPL once through SetErrorCb; nothing if called with null handles */
    AGPU_ENTRY_ALWAYS,  /* the same, but has no handles */
    AGPU_ENTRY_SILENT,  /* nothing happens */
    AGPU_ENTRY_INVALID, /* returns E_INVALIDARG, and reports nothing through SetErrorCb */
};

/* Arguments for the calls. */
struct agpu_entry_scene {
    struct agpu_test *test;
    D3D10DDI_HDEVICE device;
    const void *table;
    bool null; /* with null handles */
    D3D10DDI_HRESOURCE buffer, texture;
    D3D10DDI_HSHADERRESOURCEVIEW srv;
    D3D11DDI_HUNORDEREDACCESSVIEW uav;
    D3D10DDI_HQUERY query;
    D3D10DDI_HSHADER hull, domain;
    void *memory; /* of any other object */
    uint32_t draws;
};

struct agpu_entry {
    const char *name;
    size_t offset; /* in the table */
    enum agpu_entry_answer answer;
    HRESULT (*call)(const struct agpu_entry_scene *scene); /* calls the entry; S_OK if it returns nothing */
};

#define AGPU_ENTRY(table, entry, how, function)                                                              \
    {                                                                                                        \
        .name = #entry, .offset = offsetof(table, entry), .answer = (how), .call = (function),               \
    }
#define AGPU_WORKS(table, entry) AGPU_ENTRY(table, entry, AGPU_ENTRY_WORKS, NULL)

/* Creates a target, a pipeline that draws red, and objects for the calls. False: failed, which is recorded. */
bool agpu_entries_begin(struct agpu_test *test, struct agpu_entry_scene *scene);
/* Calls the entries of a table of this many bytes, in which rows must name each entry once; draws a texel of the
 * target after each call, with the current device's own Draw. */
bool agpu_entries_walk(struct agpu_entry_scene *scene, const void *table, size_t bytes,
                       const struct agpu_entry *rows, uint32_t count);
/* Checks that all these draws have drawn, and nothing else has. */
void agpu_entries_end(struct agpu_entry_scene *scene);

#endif
