#include "text.h"

#include <string.h>

#include "block16.h"

static inline uint8_t folded(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

static inline int is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static inline int equal(const uint8_t *text, const uint8_t *needle, size_t count, int folds) {
    if (!folds) return memcmp(text, needle, count) == 0;
    for (size_t i = 0; i < count; i++) {
        if (folded(text[i]) != needle[i]) return 0;
    }
    return 1;
}

#ifdef HAS_BLOCK16
// The positions among 16 where the byte may be `wanted`; setting `extra` makes letters lower case.
static inline uint32_t matches(const uint8_t *text, block16 wanted, block16 extra) {
    return block16_equal(block16_or(block16_load(text), extra), wanted);
}
#endif

// Searches for the first and the last byte of the needle at their distance, at 16 positions at once, and compares in
// full where both match.
ptrdiff_t rk_find(const uint8_t *text, size_t count, const uint8_t *needle, size_t needle_count, int folds) {
    if (needle_count == 0) return 0;
    if (count < needle_count || !text || !needle) return -1;
    size_t position_count = count - needle_count + 1;
    size_t distance = needle_count - 1;
    size_t i = 0;
    uint8_t first = needle[0];
    if (position_count < 16) {
        for (; i < position_count; i++) {
            if ((folds ? folded(text[i]) : text[i]) == first && equal(text + i, needle, needle_count, folds)) {
                return (ptrdiff_t)i;
            }
        }
        return -1;
    }
#ifdef HAS_BLOCK16
    uint8_t last = needle[distance];
    block16 first_wanted = block16_all(first), last_wanted = block16_all(last);
    block16 first_extra = block16_all(folds && is_letter(first) ? 0x20 : 0);
    block16 last_extra = block16_all(folds && is_letter(last) ? 0x20 : 0);
    while (i < position_count) {
        // Fewer than 16 positions are left: test some again.
        if (position_count - i < 16) i = position_count - 16;
        uint32_t hits = matches(text + i, first_wanted, first_extra);
        if (hits) hits &= matches(text + i + distance, last_wanted, last_extra);
        while (hits) {
            size_t position = i + (size_t)__builtin_ctz(hits);
            if (equal(text + position, needle, needle_count, folds)) return (ptrdiff_t)position;
            hits &= hits - 1;
        }
        i += 16;
    }
    return -1;
#else
    for (; i < position_count; i++) {
        if (equal(text + i, needle, needle_count, folds)) return (ptrdiff_t)i;
    }
    (void)distance;
    return -1;
#endif
}

int rk_is_ascii(const uint8_t *text, size_t count) {
    uint64_t seen = 0;
    size_t i = 0;
#ifdef HAS_BLOCK16
    // Four at once and no more than 512 bytes between two tests.
    while (i + 64 <= count) {
        size_t end = count - i < 512 ? i + (count - i) / 64 * 64 : i + 512;
        block16 a = block16_all(0), b = a, c = a, d = a;
        for (; i < end; i += 64) {
            a = block16_or(a, block16_load(text + i));
            b = block16_or(b, block16_load(text + i + 16));
            c = block16_or(c, block16_load(text + i + 32));
            d = block16_or(d, block16_load(text + i + 48));
        }
        if (!block16_is_ascii(block16_or(block16_or(a, b), block16_or(c, d)))) return 0;
    }
#endif
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        seen |= word;
    }
    for (; i < count; i++) seen |= (uint64_t)text[i] << 56;
    return (seen & 0x8080808080808080ull) == 0;
}
