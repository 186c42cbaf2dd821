/// Memory for the tree of one short JSON text, which lives for some microseconds.
///
/// jansson allocates each name, value and table of a tree, and frees each. Between cscratch_begin and cscratch_end the
/// allocations of a thread come one after the other from a block that the thread keeps, and all of them end together. What
/// the block has no room for, and everything outside of such a section, is the C library's.

#pragma once

#include <stddef.h>

/// Begins a section of this thread; sections do not nest. Everything that is allocated in it must be freed before its end,
/// or be abandoned with it.
void cscratch_begin(void);

/// Whether all that was allocated in the section came from the block, so that nothing is lost when it is abandoned.
int cscratch_holds_all(void);

void cscratch_end(void);

void *cscratch_malloc(size_t size);
void cscratch_free(void *memory);
