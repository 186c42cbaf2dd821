// The kernels against loops that are obviously right, on the processor that this program is compiled for. `run` runs
// it for arm64 under emulation, where the Swift tests of the same functions cannot run. Values lie at the end of a
// page that an inaccessible one follows, so that a read beyond them is a fault.
//
//   checks [SEED]   the seed is a number, or the word random; else that of REALMGATE_SEED; else always the same one
#include "CKernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed, state;
static unsigned long checks;

static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

static void check(int holds, const char *what, size_t count) {
    checks++;
    if (holds) return;
    fprintf(stderr, "%s is wrong for %zu values; seed %llu\n", what, count, (unsigned long long)seed);
    exit(1);
}

static uint8_t *guard;

// Room for `size` bytes just before an inaccessible page.
static uint8_t *room(size_t size) { return guard - size; }

static const size_t counts[] = {0, 1, 2, 15, 16, 31, 63, 64, 65, 127, 128, 129, 500, 1000};
#define COUNTS (sizeof counts / sizeof counts[0])

static uint64_t made[32], wanted[32];

static void expect_mask(const char *what, size_t count) {
    check(memcmp(made, wanted, (count + 63) / 64 * 8) == 0, what, count);
}

static int selected(const uint64_t *mask, size_t i) { return !mask || (mask[i >> 6] >> (i & 63) & 1); }

#define RANGES(suffix, type)                                                                             \
    static void ranges_##suffix(const rk_kernels *k, size_t count) {                                     \
        type *values = (type *)room(count * sizeof(type));                                               \
        for (size_t i = 0; i < count; i++) values[i] = (type)(next() % 3 ? next() : next() % 9);         \
        uint64_t mask[32];                                                                               \
        for (int i = 0; i < 32; i++) mask[i] = next() % 4 ? next() : ~0ull;                              \
        for (int round = 0; round < 8; round++) {                                                        \
            type low = (type)(round & 1 ? next() : next() % 9);                                          \
            type span = (type)(round & 2 ? next() : next() % 5);                                         \
            memset(wanted, 0, sizeof wanted);                                                            \
            for (size_t i = 0; i < count; i++)                                                           \
                wanted[i >> 6] |= (uint64_t)((type)(values[i] - low) <= span) << (i & 63);               \
            k->in_range_##suffix(values, count, low, span, made);                                        \
            expect_mask("in_range_" #suffix, count);                                                     \
        }                                                                                                \
        for (int masked = 0; masked < 2; masked++) {                                                     \
            const uint64_t *chosen = masked ? mask : NULL;                                               \
            rk_bounds bounds = k->bounds_##suffix(values, count, chosen);                                \
            uint64_t low = ~0ull, high = 0, found = 0;                                                   \
            for (size_t i = 0; i < count; i++) {                                                         \
                if (!selected(chosen, i)) continue;                                                      \
                found++;                                                                                 \
                if (values[i] < low) low = values[i];                                                    \
                if (values[i] > high) high = values[i];                                                  \
            }                                                                                            \
            check(bounds.count == found, "count of bounds_" #suffix, count);                             \
            check(!found || (bounds.minimum == low && bounds.maximum == high), "bounds_" #suffix, count); \
        }                                                                                                \
    }

RANGES(u8, uint8_t)
RANGES(u16, uint16_t)
RANGES(u32, uint32_t)
RANGES(u64, uint64_t)

#define SUMS(suffix, type)                                                                               \
    static void sums_##suffix(const rk_kernels *k, size_t count) {                                       \
        type *values = (type *)room(count * sizeof(type));                                               \
        uint64_t mask[32], sum = 0, all = 0;                                                             \
        for (int i = 0; i < 32; i++) mask[i] = next();                                                   \
        for (size_t i = 0; i < count; i++) {                                                             \
            values[i] = (type)next();                                                                    \
            all += values[i];                                                                            \
            if (selected(mask, i)) sum += values[i];                                                     \
        }                                                                                                \
        check(k->sum_##suffix(values, count, NULL) == all, "sum_" #suffix, count);                       \
        check(k->sum_##suffix(values, count, mask) == sum, "masked sum_" #suffix, count);                \
    }

SUMS(u8, uint8_t)
SUMS(u16, uint16_t)
SUMS(u32, uint32_t)

#define FLOATS(suffix, type)                                                                             \
    static void floats_##suffix(const rk_kernels *k, size_t count) {                                     \
        type *values = (type *)room(count * sizeof(type));                                               \
        /* Multiples of a half add up exactly in any order. */                                           \
        for (size_t i = 0; i < count; i++)                                                               \
            values[i] = next() % 7 ? (type)((int)(next() % 64) - 32) / 2 : (type)NAN;                    \
        uint64_t mask[32];                                                                               \
        for (int i = 0; i < 32; i++) mask[i] = next() % 3 ? next() : ~0ull;                              \
        for (int round = 0; round < 4; round++) {                                                        \
            type low = round == 3 ? -(type)INFINITY : (type)((int)(next() % 64) - 32) / 2;               \
            type high = round == 3 ? (type)INFINITY : low + (type)(next() % 20) / 2;                     \
            memset(wanted, 0, sizeof wanted);                                                            \
            for (size_t i = 0; i < count; i++)                                                           \
                wanted[i >> 6] |= (uint64_t)(values[i] >= low && values[i] <= high) << (i & 63);         \
            k->in_range_##suffix(values, count, low, high, made);                                        \
            expect_mask("in_range_" #suffix, count);                                                     \
        }                                                                                                \
        double sum = 0, low = INFINITY, high = -INFINITY;                                                \
        uint64_t found = 0;                                                                              \
        for (size_t i = 0; i < count; i++) {                                                             \
            if (!selected(mask, i) || values[i] != values[i]) continue;                                  \
            sum += values[i];                                                                            \
            found++;                                                                                     \
            if (values[i] < low) low = values[i];                                                        \
            if (values[i] > high) high = values[i];                                                      \
        }                                                                                                \
        rk_float_sum total = k->sum_##suffix(values, count, mask);                                       \
        check(total.sum == sum && total.count == found, "sum_" #suffix, count);                          \
        rk_float_bounds bounds = k->bounds_##suffix(values, count, mask);                                \
        check(                                                                                           \
            bounds.minimum == low && bounds.maximum == high && bounds.count == found, "bounds_" #suffix, count); \
    }

FLOATS(f32, float)
FLOATS(f64, double)

static void wide_sum(const rk_kernels *k, size_t count) {
    uint64_t *values = (uint64_t *)room(count * 8);
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] = next();
    rk_wide_sum total = k->sum_u64(values, count, NULL);
    check(((unsigned __int128)total.high << 32) + total.low == sum, "sum_u64", count);
}

static void sets(const rk_kernels *k, size_t count) {
    uint8_t table[256], *codes = room(count);
    for (int i = 0; i < 256; i++) table[i] = (uint8_t)(next() % 2);
    memset(wanted, 0, sizeof wanted);
    for (size_t i = 0; i < count; i++) {
        codes[i] = (uint8_t)next();
        wanted[i >> 6] |= (uint64_t)(table[codes[i]] != 0) << (i & 63);
    }
    k->in_table_u8(codes, count, table, made);
    expect_mask("in_table_u8", count);

    uint64_t bits[4], base = next() % 3 ? next() % 40 : 0 - next() % 40;
    for (int i = 0; i < 4; i++) bits[i] = next();
    uint16_t *values = (uint16_t *)room(count * 2);
    memset(wanted, 0, sizeof wanted);
    for (size_t i = 0; i < count; i++) {
        values[i] = (uint16_t)(next() % 300);
        uint64_t bit = base + values[i];
        if (bit < 256) wanted[i >> 6] |= (bits[bit >> 6] >> (bit & 63) & 1) << (i & 63);
    }
    k->in_bits_u16(values, count, base, bits, 256, made);
    expect_mask("in_bits_u16", count);

    uint8_t out[1024];
    for (unsigned width = 1; width <= 4; width *= 2) {
        size_t size = (count * width + 7) / 8;
        uint8_t *packed = room(size);
        for (size_t i = 0; i < size; i++) packed[i] = (uint8_t)next();
        k->unpack(packed, count, width, out);
        for (size_t i = 0; i < count; i++)
            check(
                out[i] == (packed[i * width / 8] >> i * width % 8 & ((1 << width) - 1)), "unpack", count);
    }
}

static uint8_t lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

static ptrdiff_t found(const uint8_t *text, size_t size, const uint8_t *needle, size_t count, int folds) {
    for (size_t at = 0; at + count <= size; at++) {
        size_t i = 0;
        while (i < count && (folds ? lower(text[at + i]) : text[at + i]) == needle[i]) i++;
        if (i == count) return (ptrdiff_t)at;
    }
    return -1;
}

static void texts(size_t count) {
    static const uint8_t letters[] = {'a', 'a', 'b', 'A', '@', '[', '`', '{', 0xE9, '1'};
    size_t size = next() % (count * 6 + 1);
    uint8_t *area = room(size), needle[8];
    for (size_t i = 0; i < size; i++) area[i] = letters[next() % sizeof letters];
    int folds = next() % 2;
    size_t length = 1 + next() % 7;
    for (size_t i = 0; i < length; i++) {
        needle[i] = letters[next() % sizeof letters];
        if (folds) needle[i] = lower(needle[i]);
    }
    check(
        rk_find(area, size, needle, length, folds) == found(area, size, needle, length, folds), "rk_find", size);
    int is_ascii = 1;
    for (size_t i = 0; i < size; i++) is_ascii &= area[i] < 128;
    check(rk_is_ascii(area, size) == is_ascii, "rk_is_ascii", size);
    for (size_t i = 0; i < size; i++) area[i] &= 127;
    check(rk_is_ascii(area, size), "rk_is_ascii", size);

    uint32_t offsets[1001];
    for (size_t i = 0; i <= count; i++) offsets[i] = (uint32_t)(count ? size * i / count : 0);
    for (int where = 0; where < 4; where++) {
        memset(wanted, 0, sizeof wanted);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *text = area + offsets[i];
            size_t bytes = offsets[i + 1] - offsets[i];
            int holds = 0;
            if (where == rk_text_anywhere) holds = found(text, bytes, needle, length, folds) >= 0;
            else if (bytes >= length && (where != 3 || bytes == length))
                holds = found(
                    where & rk_text_start ? text : text + bytes - length, length, needle, length, folds) >= 0;
            wanted[i >> 6] |= (uint64_t)holds << (i & 63);
        }
        rk_mark_texts(area, size, offsets, 32, count, needle, length, folds, (rk_text_anchor)where, made);
        expect_mask("rk_mark_texts", count);
        rk_mark_texts_blocks(area, size, offsets, 32, count, needle, length, folds, (rk_text_anchor)where, made);
        expect_mask("rk_mark_texts_blocks", count);
        rk_mark_texts_portable(area, size, offsets, 32, count, needle, length, folds, (rk_text_anchor)where, made);
        expect_mask("rk_mark_texts_portable", count);
    }
}

static uint64_t chosen_seed(const char *text) {
    if (!text || !*text) return 20260726;
    return strcmp(text, "random") ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
}

int main(int argc, char **argv) {
    seed = state = chosen_seed(argc > 1 ? argv[1] : getenv("REALMGATE_SEED"));
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 16384;
    uint8_t *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + size, page, PROT_NONE) != 0) return 2;
    guard = memory + size;
    const rk_kernels *variants[] = {rk_portable_kernels(), rk_best_kernels()};
    for (int round = 0; round < 20; round++) {
        for (size_t c = 0; c < COUNTS; c++) {
            for (int variant = 0; variant < 2; variant++) {
                const rk_kernels *k = variants[variant];
                ranges_u8(k, counts[c]), ranges_u16(k, counts[c]), ranges_u32(k, counts[c]), ranges_u64(k, counts[c]);
                sums_u8(k, counts[c]), sums_u16(k, counts[c]), sums_u32(k, counts[c]), wide_sum(k, counts[c]);
                floats_f32(k, counts[c]), floats_f64(k, counts[c]);
                sets(k, counts[c]);
            }
            texts(counts[c]);
        }
    }
    printf("%lu checks of the kernels hold; seed %llu\n", checks, (unsigned long long)seed);
    return 0;
}
