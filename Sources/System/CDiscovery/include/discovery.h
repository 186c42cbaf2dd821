#ifndef CDISCOVERY_H
#define CDISCOVERY_H

/// Calls `visit` with the metadata of each class in the program's images that is not generic and derives from `base`,
/// whose metadata is given. Metadata is what a Swift metatype of the class is.
void realmgate_for_each_class(
    const void *base, void (*visit)(const void *metadata, void *context), void *context);

#endif
