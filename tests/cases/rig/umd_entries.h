/* umd_entries.h: walking through whole function tables of the driver: each entry is there, each that has nothing behind
 * it answers as documented, and after each of those a draw is as good as any (umd.md 3.1, 16). */
#ifndef AGPU_CASES_RIG_UMD_ENTRIES_H
#define AGPU_CASES_RIG_UMD_ENTRIES_H

#include "tests/cases/rig/umd_draw.h"

/* How an entry answers. */
enum agpu_entry_answer {
    AGPU_ENTRY_WORKS,   /* it does something: other cases show what; here it only has to be there */
    AGPU_ENTRY_OK,      /* returns S_OK */
    AGPU_ENTRY_REFUSES, /* returns E_NOTIMPL, and says nothing through SetErrorCb */
    AGPU_ENTRY_CREATES, /* returns E_NOTIMPL, and says it through SetErrorCb, too */
    AGPU_ENTRY_REPORTS, /* says E_NOTIMPL once through SetErrorCb; nothing when asked with null handles */
    AGPU_ENTRY_ALWAYS,  /* the same, having no handles */
    AGPU_ENTRY_SILENT,  /* nothing happens */
    AGPU_ENTRY_INVALID, /* returns E_INVALIDARG, and says nothing through SetErrorCb */
};

/* What calls are made with. */
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
    HRESULT (*call)(const struct agpu_entry_scene *scene); /* S_OK where the entry returns nothing */
};

#define AGPU_ENTRY(table, entry, how, function)                                                              \
    {                                                                                                        \
        .name = #entry, .offset = offsetof(table, entry), .answer = (how), .call = (function),               \
    }
#define AGPU_WORKS(table, entry) AGPU_ENTRY(table, entry, AGPU_ENTRY_WORKS, NULL)

/* A target with a pipeline that draws red, and objects to call with. False: failed, which is recorded. */
bool agpu_entries_begin(struct agpu_test *test, struct agpu_entry_scene *scene);
/* Goes through a table of this many bytes, of which rows must name each entry once; draws a texel of the target after
 * each call, by the current device's own Draw. */
bool agpu_entries_walk(struct agpu_entry_scene *scene, const void *table, size_t bytes,
                       const struct agpu_entry *rows, uint32_t count);
/* All those draws have drawn, and nothing else has. */
void agpu_entries_end(struct agpu_entry_scene *scene);

#endif
