#include "texts.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static inline uint8_t folded(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

static inline int is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static inline int equal(const uint8_t *text, const uint8_t *needle, size_t count, int folds) {
    if (!folds) return memcmp(text, needle, count) == 0;
    for (size_t i = 0; i < count; i++) {
        if (folded(text[i]) != needle[i]) return 0;
    }
    return 1;
}

// The first place from `from` on where the needle stands; `size` when there is none.
static size_t find_portable(
    const uint8_t *text, size_t size, size_t from, const uint8_t *needle, size_t count, int folds) {
    for (size_t i = from; i + count <= size; i++) {
        if (equal(text + i, needle, count, folds)) return i;
    }
    return size;
}

#if defined(__x86_64__)
// Looks for the first and the last byte of the needle at their distance, 32 places at once.
__attribute__((target("avx2,bmi"))) static size_t find_avx2(
    const uint8_t *text, size_t size, size_t from, const uint8_t *needle, size_t count, int folds) {
    uint8_t first = needle[0], last = needle[count - 1];
    __m256i first_wanted = _mm256_set1_epi8((char)first), last_wanted = _mm256_set1_epi8((char)last);
    __m256i first_extra = _mm256_set1_epi8(folds && is_letter(first) ? 0x20 : 0);
    __m256i last_extra = _mm256_set1_epi8(folds && is_letter(last) ? 0x20 : 0);
    size_t i = from;
    for (; i + count + 31 <= size; i += 32) {
        __m256i starts = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(text + i)), first_extra);
        __m256i ends = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(text + i + count - 1)), last_extra);
        uint32_t hits = (uint32_t)_mm256_movemask_epi8(
            _mm256_and_si256(_mm256_cmpeq_epi8(starts, first_wanted), _mm256_cmpeq_epi8(ends, last_wanted)));
        while (hits) {
            size_t place = i + (size_t)__builtin_ctz(hits);
            if (equal(text + place, needle, count, folds)) return place;
            hits &= hits - 1;
        }
    }
    return find_portable(text, size, i, needle, count, folds);
}
#endif

typedef size_t (*find_function)(const uint8_t *, size_t, size_t, const uint8_t *, size_t, int);

static find_function best_find(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return find_avx2;
#endif
    return find_portable;
}

static inline size_t offset(const uint8_t *offsets, unsigned width, size_t index) {
    if (width == 16) {
        uint16_t value;
        memcpy(&value, offsets + index * 2, 2);
        return value;
    }
    uint32_t value;
    memcpy(&value, offsets + index * 4, 4);
    return value;
}

void rk_mark_texts(
    const uint8_t *area, size_t size, const void *raw_offsets, unsigned width, size_t text_count, const uint8_t *needle,
    size_t count, int folds, rk_text_place where, uint64_t *mask) {
    memset(mask, 0, (text_count + 63) / 64 * 8);
    if (count == 0 || count > size || text_count == 0) return;
    const uint8_t *offsets = raw_offsets;
    find_function find = best_find();
    size_t text = 0;
    size_t place = find(area, size, 0, needle, count, folds);
    while (place < size) {
        // Which text has the place: first by doubling steps, then between two of them.
        if (offset(offsets, width, text + 1) <= place) {
            size_t low = text, step = 1;
            while (low + step < text_count && offset(offsets, width, low + step + 1) <= place) {
                low += step;
                step *= 2;
            }
            size_t high = low + step < text_count ? low + step : text_count;
            // The end of `low` is not behind the place; that of `high` is, or there is no such text.
            while (high - low > 1) {
                size_t middle = low + (high - low) / 2;
                if (offset(offsets, width, middle + 1) <= place) low = middle;
                else high = middle;
            }
            text = high;
            if (text >= text_count) return;
        }
        size_t start = offset(offsets, width, text), end = offset(offsets, width, text + 1);
        int fits = place >= start && place + count <= end;
        if (where & rk_text_start) fits = fits && place == start;
        if (where & rk_text_end) fits = fits && place + count == end;
        size_t next = place + 1;
        if (fits) {
            mask[text >> 6] |= 1ull << (text & 63);
            if (end > next) next = end;
        } else if ((where & rk_text_start) && end > next) {
            // It does not begin so: on to the next text.
            next = end;
        }
        place = find(area, size, next, needle, count, folds);
    }
}
