#include "discovery.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The type records that the Swift compiler leaves in each image, as its ABI documents them: a 32-bit offset from the
// record to a type's context descriptor, with two bits that say how the offset is meant. The runtime knows all images.

struct section {
    uintptr_t start;
    size_t length;
};

/// The runtime's `MetadataSections`: the fields read here have the same offsets in versions 1 to 5.
struct sections {
    uintptr_t version;
    const void *base_address;
    void *unused[2];
    struct section protocols;
    struct section protocol_conformances;
    struct section type_metadata;
};

bool swift_enumerateAllMetadataSections(
    bool (*body)(const struct sections *sections, void *context), void *context) __attribute__((weak));

struct class_descriptor {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t access_function;
    int32_t fields;
    int32_t superclass;
};

/// The part of a class's metadata up to its descriptor, without the words that only Objective-C has.
struct class_metadata {
    const void *kind;
    const struct class_metadata *superclass;
    uint32_t sizes[6];
    const struct class_descriptor *descriptor;
};

struct metadata_response {
    const void *metadata;
    size_t state;
};

enum { kind_mask = 0x1f, kind_class = 16, flag_generic = 0x80 };

struct visitor {
    const struct class_descriptor *base;
    void (*visit)(const void *metadata, void *context);
    void *context;
};

static const void *relative(const int32_t *offset) { return (const char *)offset + *offset; }

/// A class by the mangled name of a superclass, which refers to it in place; NULL for names that are spelled out, as those
/// of generic classes are.
static const struct class_descriptor *named(const char *name) {
    int32_t offset;
    memcpy(&offset, name + 1, sizeof offset);
    const void *target = name + 1 + offset;
    if (name[0] == 1) return target;
    return name[0] == 2 ? *(const struct class_descriptor *const *)target : NULL;
}

static bool derives(const struct class_descriptor *type, const struct class_descriptor *base) {
    while (type && (type->flags & kind_mask) == kind_class) {
        if (type == base) return true;
        type = type->superclass ? named(relative(&type->superclass)) : NULL;
    }
    return false;
}

static bool visit_image(const struct sections *sections, void *context) {
    const struct visitor *visitor = context;
    const int32_t *record = (const int32_t *)sections->type_metadata.start;
    const int32_t *end = (const int32_t *)(sections->type_metadata.start + sections->type_metadata.length);
    for (; record < end; record++) {
        int kind = *record & 3;
        if (kind > 1) continue;
        const void *target = (const char *)record + (*record & ~3);
        const struct class_descriptor *type = kind == 0 ? target : *(const void *const *)target;
        if (!type || (type->flags & flag_generic) || type == visitor->base || !derives(type, visitor->base)) continue;
        struct metadata_response (*access)(size_t request) =
            (struct metadata_response(*)(size_t))relative(&type->access_function);
        const void *metadata = access(0).metadata;
        if (metadata) visitor->visit(metadata, visitor->context);
    }
    return true;
}

void realmgate_for_each_class(
    const void *base, void (*visit)(const void *metadata, void *context), void *context) {
    const struct class_metadata *metadata = base;
    struct visitor visitor = {metadata->descriptor, visit, context};
    if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(visit_image, &visitor);
}
