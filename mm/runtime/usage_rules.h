/* usage_rules.h: the rules for using a resource according to its usage (umd.md 19), as functions of descriptions: no
 * state, no driver. Each returns NULL, or the text of the broken rule. */
#ifndef AGPU_MM_RUNTIME_USAGE_RULES_H
#define AGPU_MM_RUNTIME_USAGE_RULES_H

#include <stdbool.h>

#include "mm/runtime/description.h"

/* The rules. */
#define AGPU_RULE_DYNAMIC_CPU      "a DYNAMIC resource has CPU access WRITE and no other"
#define AGPU_RULE_DYNAMIC_UNBOUND  "a DYNAMIC resource is bound somewhere: it has a bind flag"
#define AGPU_RULE_DYNAMIC_OUTPUT   "a DYNAMIC resource is input only: the device never writes it"
#define AGPU_RULE_DYNAMIC_PARTS    "a DYNAMIC resource has one mip and one layer"
#define AGPU_RULE_CPU_FLAGS        "CPU access is READ, WRITE, both or none"
#define AGPU_RULE_INITIAL_DATA     "initial data has one element for each subresource"
#define AGPU_RULE_DEFAULT_CPU      "a DEFAULT resource has no CPU access"
#define AGPU_RULE_IMMUTABLE_CPU    "an IMMUTABLE resource has no CPU access"
#define AGPU_RULE_IMMUTABLE_OUTPUT "an IMMUTABLE resource is input only: the device never writes it"
#define AGPU_RULE_IMMUTABLE_EMPTY  "an IMMUTABLE resource is created with its contents"
#define AGPU_RULE_STAGING_BIND     "a STAGING resource is never bound: it has no bind flag"
#define AGPU_RULE_STAGING_CPU      "a STAGING resource has CPU access"
#define AGPU_RULE_USAGE            "there are four usages"
#define AGPU_RULE_BIND_STAGING     "a STAGING resource is never on the pipeline"
#define AGPU_RULE_BIND_FLAGS       "a resource is bound only as its bind flags allow"
#define AGPU_RULE_MAP_DYNAMIC      "a DYNAMIC resource is mapped with DISCARD or NO_OVERWRITE"
#define AGPU_RULE_MAP_NO_OVERWRITE "NO_OVERWRITE is for vertex and index buffers"
#define AGPU_RULE_MAP_STAGING      "DISCARD and NO_OVERWRITE are for DYNAMIC resources"
#define AGPU_RULE_MAP_CPU          "a STAGING resource is mapped only as its CPU access allows"
#define AGPU_RULE_MAP_TYPE         "there are five kinds of Map"
#define AGPU_RULE_MAP_FLAGS        "DO_NOT_WAIT is the only flag of Map"
#define AGPU_RULE_SUBRESOURCE      "the subresource exists in the resource"
#define AGPU_RULE_MAP_USAGE        "only DYNAMIC and STAGING resources are mapped"
#define AGPU_RULE_COPY_IMMUTABLE   "an IMMUTABLE resource is the source of copies only"
#define AGPU_RULE_COPY_DYNAMIC     "a DYNAMIC resource is the source of copies only: the device cannot write it"
#define AGPU_RULE_COPY_KINDS       "both ends of a copy are buffers, or both are textures"
#define AGPU_RULE_COPY_FORMATS     "the formats of a copy are of one family"
#define AGPU_RULE_COPY_SIZES       "a copy of everything is between resources of one size"
#define AGPU_RULE_COPY_BOX         "the box of a copy lies within the source"
#define AGPU_RULE_COPY_FITS        "the copied box fits into the destination"
#define AGPU_RULE_UPDATE_BOX       "the box of an update lies within the resource"
#define AGPU_RULE_CREATED          "a resource is created before its use"
#define AGPU_RULE_COPY_MAPPED      "a resource is not mapped while it is copied or updated"
#define AGPU_RULE_COPY_ITSELF      "a copy of everything is between two resources"
#define AGPU_RULE_MAP_NESTED       "a resource is mapped once at a time"
#define AGPU_RULE_UNMAP            "a resource is mapped before Unmap"
#define AGPU_RULE_BIND_MAPPED      "a resource is not bound while it is mapped"
#define AGPU_RULE_DRAW_MAPPED      "a resource is not mapped while a draw reads it"

const char *agpu_rule_create(const struct agpu_resource_desc *desc);
/* Binding, or creating a view, for this bind flag. */
const char *agpu_rule_bind(const struct agpu_usage_resource *resource, uint32_t bind);
const char *agpu_rule_map(const struct agpu_usage_resource *resource, uint32_t subresource, uint32_t type,
                          uint32_t flags);
/* Destination of a copy, an update, or other device work. */
const char *agpu_rule_copy_dst(const struct agpu_usage_resource *resource);
/* A copy of the whole resource, and of a part. box may be NULL. */
const char *agpu_rule_copy(const struct agpu_usage_resource *dst, const struct agpu_usage_resource *src);
const char *agpu_rule_copy_region(const struct agpu_usage_resource *dst, uint32_t dst_subresource, uint32_t x,
                                  uint32_t y, const struct agpu_usage_resource *src, uint32_t src_subresource,
                                  const D3D10_DDI_BOX *box);
const char *agpu_rule_update(const struct agpu_usage_resource *dst, uint32_t subresource,
                             const D3D10_DDI_BOX *box);

#endif
