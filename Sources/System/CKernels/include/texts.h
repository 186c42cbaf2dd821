#ifndef RK_TEXTS_H
#define RK_TEXTS_H

#include <stddef.h>
#include <stdint.h>

// The required position of the needle in a text; both: it is the whole text.
typedef enum rk_text_anchor {
    rk_text_anywhere = 0,
    rk_text_start = 1,
    rk_text_end = 2,
} rk_text_anchor;

// Marks the texts, of the `text_count` adjacent ones in `area`, that contain the needle, which must not be empty.
// `offsets` are `text_count` + 1 positions in the area, of `width` 16 or 32 bits each, possibly unaligned. With `folds`
// ASCII letters are compared without their case, and the needle must be in lower case. One pass over the area, or over
// the offsets and the starts or ends of texts. Nothing beyond the area is read. Damaged offsets give wrong marks, never
// a fault. Writes ceil(text_count / 64) words.
void rk_mark_texts(
    const uint8_t *_Nonnull area, size_t size, const void *_Nonnull offsets, unsigned width, size_t text_count,
    const uint8_t *_Nonnull needle, size_t count, int folds, rk_text_anchor where, uint64_t *_Nonnull mask);

// The same with 16 bytes at a time, as on processors without AVX2 and on arm64.
void rk_mark_texts_blocks(
    const uint8_t *_Nonnull area, size_t size, const void *_Nonnull offsets, unsigned width, size_t text_count,
    const uint8_t *_Nonnull needle, size_t count, int folds, rk_text_anchor where, uint64_t *_Nonnull mask);

// The same without processor-specific instructions.
void rk_mark_texts_portable(
    const uint8_t *_Nonnull area, size_t size, const void *_Nonnull offsets, unsigned width, size_t text_count,
    const uint8_t *_Nonnull needle, size_t count, int folds, rk_text_anchor where, uint64_t *_Nonnull mask);

#endif
