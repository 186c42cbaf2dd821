// The settings of glibc's allocator, which its module for Swift omits.
#ifndef CALLOCATOR_SHIM_H
#define CALLOCATOR_SHIM_H

#include <malloc.h>

#endif
