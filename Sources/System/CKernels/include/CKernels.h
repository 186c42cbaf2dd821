// Scans, masks and sums over columns in memory.
//
// All value pointers may be unaligned; nothing beyond `count` values is read. Masks have one bit per value in 64-bit words, least
// significant first; a kernel that makes a mask writes ceil(count / 64) words and clears the bits beyond `count`; a kernel that takes
// one ignores those bits, and takes a null pointer for "all".
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "decimals.h"
#include "text.h"
#include "texts.h"

// high * 2^32 + low.
typedef struct rk_wide_sum {
    uint64_t low;
    uint64_t high;
} rk_wide_sum;

typedef struct rk_float_sum {
    double sum;
    // The number of values added: those selected that are not NaN.
    uint64_t count;
} rk_float_sum;

// Without any value: count 0, and minimum above maximum.
typedef struct rk_bounds {
    uint64_t minimum;
    uint64_t maximum;
    uint64_t count;
} rk_bounds;

// Without any value that is not NaN: count 0, infinity and minus infinity.
typedef struct rk_float_bounds {
    double minimum;
    double maximum;
    uint64_t count;
} rk_float_bounds;

typedef struct rk_kernels {
    // Selects the values with (value - low), wrapping, at most span: low...low + span.
    void (*_Nonnull in_range_u8)(
        const void *_Nonnull values, size_t count, uint8_t low, uint8_t span, uint64_t *_Nonnull mask);
    void (*_Nonnull in_range_u16)(
        const void *_Nonnull values, size_t count, uint16_t low, uint16_t span, uint64_t *_Nonnull mask);
    void (*_Nonnull in_range_u32)(
        const void *_Nonnull values, size_t count, uint32_t low, uint32_t span, uint64_t *_Nonnull mask);
    void (*_Nonnull in_range_u64)(
        const void *_Nonnull values, size_t count, uint64_t low, uint64_t span, uint64_t *_Nonnull mask);

    // Selects low <= value <= high; never a NaN.
    void (*_Nonnull in_range_f32)(
        const void *_Nonnull values, size_t count, float low, float high, uint64_t *_Nonnull mask);
    void (*_Nonnull in_range_f64)(
        const void *_Nonnull values, size_t count, double low, double high, uint64_t *_Nonnull mask);

    // Selects the codes whose entry in the table of 256 is not 0.
    void (*_Nonnull in_table_u8)(
        const void *_Nonnull values, size_t count, const uint8_t *_Nonnull table, uint64_t *_Nonnull mask);

    // Selects the values for which bit (base + value), wrapping, of the bits is set; beyond `bit_count` none is.
    void (*_Nonnull in_bits_u16)(
        const void *_Nonnull values, size_t count, uint64_t base, const uint64_t *_Nonnull bits, uint64_t bit_count,
        uint64_t *_Nonnull mask);
    void (*_Nonnull in_bits_u32)(
        const void *_Nonnull values, size_t count, uint64_t base, const uint64_t *_Nonnull bits, uint64_t bit_count,
        uint64_t *_Nonnull mask);

    // Expands values of 1, 2 or 4 bits to bytes.
    void (*_Nonnull unpack)(const void *_Nonnull values, size_t count, unsigned width, uint8_t *_Nonnull out);

    uint64_t (*_Nonnull popcount)(const uint64_t *_Nonnull words, size_t count);
    void (*_Nonnull mask_and)(uint64_t *_Nonnull into, const uint64_t *_Nonnull other, size_t words);
    void (*_Nonnull mask_or)(uint64_t *_Nonnull into, const uint64_t *_Nonnull other, size_t words);
    // into & ~other
    void (*_Nonnull mask_andnot)(uint64_t *_Nonnull into, const uint64_t *_Nonnull other, size_t words);

    // Exact for fewer than 2^32 values.
    uint64_t (*_Nonnull sum_u8)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    uint64_t (*_Nonnull sum_u16)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    uint64_t (*_Nonnull sum_u32)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_wide_sum (*_Nonnull sum_u64)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    // In double precision, in an order of their own.
    rk_float_sum (*_Nonnull sum_f32)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_float_sum (*_Nonnull sum_f64)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);

    rk_bounds (*_Nonnull bounds_u8)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_bounds (*_Nonnull bounds_u16)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_bounds (*_Nonnull bounds_u32)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_bounds (*_Nonnull bounds_u64)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_float_bounds (*_Nonnull bounds_f32)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
    rk_float_bounds (*_Nonnull bounds_f64)(const void *_Nonnull values, size_t count, const uint64_t *_Nullable mask);
} rk_kernels;

// For any processor.
const rk_kernels *_Nonnull rk_portable_kernels(void);

// The fastest that this processor runs.
const rk_kernels *_Nonnull rk_best_kernels(void);

#endif
