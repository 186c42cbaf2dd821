// Searching text for bytes.
#ifndef CKERNELS_TEXT_H
#define CKERNELS_TEXT_H

#include <stddef.h>
#include <stdint.h>

// The first position of the needle in the text; -1 if it does not occur. With `folds`, ASCII letters that differ by case are equal, and the needle must
// be in lower case. Nothing beyond either is read. Cost: some bytes per cycle, unless the first and the last byte of
// the needle often occur together.
ptrdiff_t rk_find(
    const uint8_t *_Nullable text, size_t count, const uint8_t *_Nullable needle, size_t needle_count, int folds);

// Whether all bytes are below 128.
int rk_is_ascii(const uint8_t *_Nullable text, size_t count);

#endif
