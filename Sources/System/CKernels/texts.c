#include "texts.h"

#include <string.h>

#include "block16.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The texts to mark, as in `rk_mark_texts`.
typedef struct texts {
    const uint8_t *area;
    size_t size;
    const uint8_t *offsets;
    unsigned width;
    size_t count;
} texts;

typedef struct needle {
    const uint8_t *bytes;
    size_t count;
    int folds;
    // The first eight bytes, the mask of those that exist, and the bits to set before letters are compared without
    // case.
    uint64_t head;
    uint64_t head_mask;
    uint64_t head_extra;
} needle;

static inline uint8_t folded(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

static inline int is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static needle prepared(const uint8_t *bytes, size_t count, int folds) {
    needle made = {bytes, count, folds, 0, 0, 0};
    uint8_t head[8] = {0}, mask[8] = {0}, extra[8] = {0};
    for (size_t i = 0; i < count && i < 8; i++) {
        head[i] = bytes[i];
        mask[i] = 0xFF;
        extra[i] = folds && is_letter(bytes[i]) ? 0x20 : 0;
    }
    memcpy(&made.head, head, 8);
    memcpy(&made.head_mask, mask, 8);
    memcpy(&made.head_extra, extra, 8);
    return made;
}

static inline int equal(const uint8_t *text, const uint8_t *wanted, size_t count, int folds) {
    if (!folds) return memcmp(text, wanted, count) == 0;
    for (size_t i = 0; i < count; i++) {
        if (folded(text[i]) != wanted[i]) return 0;
    }
    return 1;
}

static inline size_t offset(const texts *all, size_t index) {
    if (all->width == 16) {
        uint16_t value;
        memcpy(&value, all->offsets + index * 2, 2);
        return value;
    }
    uint32_t value;
    memcpy(&value, all->offsets + index * 4, 4);
    return value;
}

// Whether the first eight bytes at a position are the needle's, which decides for a shorter one. Eight bytes must be
// readable there.
static inline int has_head(const uint8_t *text, const needle *wanted) {
    uint64_t word;
    memcpy(&word, text, 8);
    return ((word | wanted->head_extra) & wanted->head_mask) == wanted->head;
}

// Whether the needle is at a position, after which that many bytes exist.
static inline int stands(const texts *all, size_t position, const needle *wanted) {
    if (all->size >= 8 && position <= all->size - 8) {
        if (!has_head(all->area + position, wanted)) return 0;
        if (wanted->count <= 8) return 1;
        return equal(all->area + position + 8, wanted->bytes + 8, wanted->count - 8, wanted->folds);
    }
    return equal(all->area + position, wanted->bytes, wanted->count, wanted->folds);
}

// Whether a text contains the needle at the required position, the start or the end.
static inline int fits(const texts *all, size_t text, const needle *wanted, rk_text_anchor where) {
    size_t start = offset(all, text), end = offset(all, text + 1);
    if (start > end || end > all->size || end - start < wanted->count) return 0;
    if (!(where & rk_text_start)) return stands(all, end - wanted->count, wanted);
    if ((where & rk_text_end) && end - start != wanted->count) return 0;
    return stands(all, start, wanted);
}

// The marks of up to 64 texts from `first` on.
static inline uint64_t fitting(
    const texts *all, size_t first, size_t count, const needle *wanted, rk_text_anchor where) {
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) found |= (uint64_t)fits(all, first + i, wanted, where) << i;
    return found;
}

static void mark_at_ends(const texts *all, const needle *wanted, rk_text_anchor where, uint64_t *mask) {
    for (size_t first = 0; first < all->count; first += 64) {
        size_t count = all->count - first < 64 ? all->count - first : 64;
        mask[first >> 6] = fitting(all, first, count, wanted, where);
    }
}

// Marks the text that contains the needle at a position, if all of it is in that text. `text` is the text to start the
// search from, and becomes the found one. Returns the end of the part that has been decided.
static inline size_t mark_position(
    const texts *all, size_t position, size_t *text, size_t needle_count, uint64_t *mask) {
    while (*text < all->count && offset(all, *text + 1) <= position) ++*text;
    if (*text == all->count) return all->size;
    size_t start = offset(all, *text), end = offset(all, *text + 1);
    if (position < start || position + needle_count > end) return position + 1;
    mask[*text >> 6] |= 1ull << (*text & 63);
    return end;
}

// Searches from a position and a text on, byte by byte.
static void mark_anywhere(const texts *all, const needle *wanted, size_t from, size_t text, uint64_t *mask) {
    for (size_t position = from; position + wanted->count <= all->size;) {
        if (equal(all->area + position, wanted->bytes, wanted->count, wanted->folds)) {
            position = mark_position(all, position, &text, wanted->count, mask);
        } else {
            position++;
        }
    }
}

#ifdef HAS_BLOCK16
// Searches for the first, a middle and the last byte of the needle at their distances, at 16 positions at once.
static void mark_anywhere_block16(const texts *all, const needle *wanted, uint64_t *mask) {
    size_t count = wanted->count, middle = count / 2;
    uint8_t a = wanted->bytes[0], b = wanted->bytes[middle], c = wanted->bytes[count - 1];
    int folds = wanted->folds;
    block16 a_wanted = block16_all(a), a_extra = block16_all(folds && is_letter(a) ? 0x20 : 0);
    block16 b_wanted = block16_all(b), b_extra = block16_all(folds && is_letter(b) ? 0x20 : 0);
    block16 c_wanted = block16_all(c), c_extra = block16_all(folds && is_letter(c) ? 0x20 : 0);
    size_t from = 0, decided = 0, text = 0;
    for (; from + count + 15 <= all->size; from += 16) {
        const uint8_t *at = all->area + from;
        uint32_t hits = block16_equal(block16_or(block16_load(at), a_extra), a_wanted);
        if (hits) hits &= block16_equal(block16_or(block16_load(at + middle), b_extra), b_wanted);
        if (hits) hits &= block16_equal(block16_or(block16_load(at + count - 1), c_extra), c_wanted);
        for (; hits; hits &= hits - 1) {
            size_t position = from + (size_t)__builtin_ctz(hits);
            if (position < decided || !stands(all, position, wanted)) continue;
            decided = mark_position(all, position, &text, count, mask);
        }
    }
    mark_anywhere(all, wanted, from > decided ? from : decided, text, mask);
}
#endif

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

// The texts among 64 that are `wanted` bytes long, by the low 16 bits of their lengths.
AVX2 static inline uint64_t having_length(const texts *all, size_t first, size_t wanted) {
    uint64_t found = 0;
    if (all->width == 16) {
        __m256i length = _mm256_set1_epi16((short)wanted);
        for (size_t i = 0; i < 64; i += 32) {
            const uint8_t *at = all->offsets + (first + i) * 2;
            __m256i low = _mm256_sub_epi16(
                _mm256_loadu_si256((const __m256i *)(at + 2)), _mm256_loadu_si256((const __m256i *)at));
            __m256i high = _mm256_sub_epi16(
                _mm256_loadu_si256((const __m256i *)(at + 34)), _mm256_loadu_si256((const __m256i *)(at + 32)));
            __m256i both = _mm256_packs_epi16(_mm256_cmpeq_epi16(low, length), _mm256_cmpeq_epi16(high, length));
            uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xD8));
            found |= (uint64_t)bits << i;
        }
        return found;
    }
    __m256i length = _mm256_set1_epi32((int)wanted);
    for (size_t i = 0; i < 64; i += 8) {
        const uint8_t *at = all->offsets + (first + i) * 4;
        __m256i lengths = _mm256_sub_epi32(
            _mm256_loadu_si256((const __m256i *)(at + 4)), _mm256_loadu_si256((const __m256i *)at));
        uint32_t bits =
            (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(lengths, length)));
        found |= (uint64_t)bits << i;
    }
    return found;
}

// Whether 64 offsets from index `first` on are all between `low` and `high`.
AVX2 static inline int are_between(const texts *all, size_t first, size_t low, size_t high) {
    if (all->width == 16) {
        if (low > 0xFFFF) return 0;
        const __m256i *at = (const __m256i *)(all->offsets + first * 2);
        __m256i least = _mm256_set1_epi16((short)low), most = _mm256_set1_epi16((short)(high < 0xFFFF ? high : 0xFFFF));
        __m256i are = _mm256_set1_epi8(-1);
        for (int i = 0; i < 4; i++) {
            __m256i values = _mm256_loadu_si256(at + i);
            __m256i within = _mm256_min_epu16(_mm256_max_epu16(values, least), most);
            are = _mm256_and_si256(are, _mm256_cmpeq_epi16(within, values));
        }
        return _mm256_movemask_epi8(are) == -1;
    }
    int are = 1;
    for (size_t i = 0; i < 64; i++) {
        size_t value = offset(all, first + i);
        are &= value >= low && value <= high;
    }
    return are;
}

// A macro, so that the width is known in the loop.
#define HAVING_HEAD(type)                                                                 \
    for (size_t i = 0; i < 64; i++) {                                                     \
        type position;                                                                    \
        memcpy(&position, all->offsets + (first + i) * sizeof(type), sizeof(type));       \
        uint64_t word;                                                                    \
        memcpy(&word, area + position - back, 8);                                         \
        found |= (uint64_t)(((word | extra) & bits) == head) << i;                        \
    }

// The offsets among 64 from index `first` on that have the needle's first eight bytes `back` bytes before them, where
// there are eight.
AVX2 static inline uint64_t having_head(const texts *all, size_t first, size_t back, const needle *wanted) {
    const uint8_t *area = all->area;
    uint64_t head = wanted->head, bits = wanted->head_mask, extra = wanted->head_extra, found = 0;
    if (all->width == 16) {
        HAVING_HEAD(uint16_t)
    } else {
        HAVING_HEAD(uint32_t)
    }
    return found;
}

AVX2 static void mark_at_ends_avx2(const texts *all, const needle *wanted, rk_text_anchor where, uint64_t *mask) {
    size_t first = 0;
    for (; first + 64 <= all->count; first += 64) {
        uint64_t candidates = ~0ull;
        if ((where & rk_text_start) && (where & rk_text_end)) {
            candidates = having_length(all, first, wanted->count);
        } else if (all->size >= 8) {
            size_t back = where & rk_text_start ? 0 : wanted->count, from = where & rk_text_start ? first : first + 1;
            if (are_between(all, from, back, all->size - 8 + back)) candidates = having_head(all, from, back, wanted);
        }
        uint64_t found = 0;
        for (; candidates; candidates &= candidates - 1) {
            size_t i = (size_t)__builtin_ctzll(candidates);
            found |= (uint64_t)fits(all, first + i, wanted, where) << i;
        }
        mask[first >> 6] = found;
    }
    if (first < all->count) mask[first >> 6] = fitting(all, first, all->count - first, wanted, where);
}

// The first text from `text` on that ends after a position; `count` when there is none.
AVX2 static inline size_t text_at(const texts *all, size_t text, size_t position) {
    if (all->width == 16) {
        __m256i limit = _mm256_set1_epi16((short)position);
        while (text + 16 <= all->count) {
            __m256i ends = _mm256_loadu_si256((const __m256i *)(all->offsets + (text + 1) * 2));
            __m256i before = _mm256_cmpeq_epi16(_mm256_min_epu16(ends, limit), ends);
            uint32_t behind = ~(uint32_t)_mm256_movemask_epi8(before);
            if (behind) return text + (size_t)__builtin_ctz(behind) / 2;
            text += 16;
        }
    }
    while (text < all->count && offset(all, text + 1) <= position) text++;
    return text;
}

// The progress of the search: the position up to which all is decided, and the text there.
typedef struct progress {
    size_t decided;
    size_t text;
} progress;

// Marks the texts that contain the needle at those of 32 positions from `from` on whose bits are set in `hits`. Not
// inlined, so that the search keeps its constants in registers.
AVX2 static __attribute__((noinline)) progress mark_hits_avx2(
    const texts *all, const needle *wanted, size_t from, uint32_t hits, progress done, uint64_t *mask) {
    for (; hits; hits &= hits - 1) {
        size_t position = from + (size_t)__builtin_ctz(hits);
        if (position < done.decided || !stands(all, position, wanted)) continue;
        done.text = text_at(all, done.text, position);
        done.decided = mark_position(all, position, &done.text, wanted->count, mask);
    }
    return done;
}

// Searches for the first, a middle and the last byte of the needle at their distances, at 32 positions at once.
AVX2 static void mark_anywhere_avx2(const texts *all, const needle *wanted, uint64_t *mask) {
    size_t count = wanted->count, middle = count / 2, size = all->size;
    const uint8_t *area = all->area;
    uint8_t a = wanted->bytes[0], b = wanted->bytes[middle], c = wanted->bytes[count - 1];
    int folds = wanted->folds;
    __m256i a_wanted = _mm256_set1_epi8((char)a), a_extra = _mm256_set1_epi8(folds && is_letter(a) ? 0x20 : 0);
    __m256i b_wanted = _mm256_set1_epi8((char)b), b_extra = _mm256_set1_epi8(folds && is_letter(b) ? 0x20 : 0);
    __m256i c_wanted = _mm256_set1_epi8((char)c), c_extra = _mm256_set1_epi8(folds && is_letter(c) ? 0x20 : 0);
    size_t from = 0;
    progress done = {0, 0};
    for (; from + count + 31 <= size; from += 32) {
        const uint8_t *at = area + from;
        __m256i first = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)at), a_extra);
        __m256i second = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(at + middle)), b_extra);
        __m256i last = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(at + count - 1)), c_extra);
        __m256i same = _mm256_and_si256(
            _mm256_and_si256(_mm256_cmpeq_epi8(first, a_wanted), _mm256_cmpeq_epi8(second, b_wanted)),
            _mm256_cmpeq_epi8(last, c_wanted));
        uint32_t hits = (uint32_t)_mm256_movemask_epi8(same);
        if (hits) done = mark_hits_avx2(all, wanted, from, hits, done, mask);
    }
    mark_anywhere(all, wanted, from > done.decided ? from : done.decided, done.text, mask);
}

static int has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
#endif

// The instructions that a search may use.
typedef enum instructions { any_processor, blocks_of_16, avx2 } instructions;

static inline instructions best_instructions(void) {
#if defined(__x86_64__)
    if (has_avx2()) return avx2;
#endif
    return blocks_of_16;
}

static inline void mark(
    const texts *all, const uint8_t *bytes, size_t count, int folds, rk_text_anchor where, uint64_t *mask,
    instructions usable) {
    memset(mask, 0, (all->count + 63) / 64 * 8);
    if (count == 0 || count > all->size || all->count == 0) return;
    needle wanted = prepared(bytes, count, folds);
#if defined(__x86_64__)
    if (usable == avx2) {
        if (where == rk_text_anywhere) mark_anywhere_avx2(all, &wanted, mask);
        else mark_at_ends_avx2(all, &wanted, where, mask);
        return;
    }
#endif
#ifdef HAS_BLOCK16
    if (usable == blocks_of_16 && where == rk_text_anywhere) {
        mark_anywhere_block16(all, &wanted, mask);
        return;
    }
#endif
    if (where == rk_text_anywhere) mark_anywhere(all, &wanted, 0, 0, mask);
    else mark_at_ends(all, &wanted, where, mask);
}

void rk_mark_texts(
    const uint8_t *area, size_t size, const void *offsets, unsigned width, size_t text_count, const uint8_t *bytes,
    size_t count, int folds, rk_text_anchor where, uint64_t *mask) {
    texts all = {area, size, offsets, width, text_count};
    mark(&all, bytes, count, folds, where, mask, best_instructions());
}

void rk_mark_texts_blocks(
    const uint8_t *area, size_t size, const void *offsets, unsigned width, size_t text_count, const uint8_t *bytes,
    size_t count, int folds, rk_text_anchor where, uint64_t *mask) {
    texts all = {area, size, offsets, width, text_count};
    mark(&all, bytes, count, folds, where, mask, blocks_of_16);
}

void rk_mark_texts_portable(
    const uint8_t *area, size_t size, const void *offsets, unsigned width, size_t text_count, const uint8_t *bytes,
    size_t count, int folds, rk_text_anchor where, uint64_t *mask) {
    texts all = {area, size, offsets, width, text_count};
    mark(&all, bytes, count, folds, where, mask, any_processor);
}
