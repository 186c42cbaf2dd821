// The kernels whose C source is the same for every processor. Included once per variant with RK_TARGET (a function
// attribute) and RK_NAME (appends the variant to a name) defined; the compiler's vectoriser does the rest.

// AVX2 has these sums by hand: the vectoriser shifts the mask by 64-bit lanes, also for bytes.
#ifndef RK_HAS_SUMS
#define DEFINE_SUM(suffix, type, partial)                                                                      \
    RK_TARGET static uint64_t RK_NAME(sum_##suffix)(const void *values, size_t count, const uint64_t *mask) {   \
        const unaligned_##suffix *v = values;                                                                  \
        uint64_t sum = 0;                                                                                      \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            partial block = 0;                                                                                 \
            if (selected == ~0ull) {                                                                           \
                for (size_t j = 0; j < 64; j++) block += v[i + j];                                             \
            } else if (selected != 0) {                                                                        \
                for (size_t j = 0; j < n; j++) block += v[i + j] & (type)(0 - (type)(selected >> j & 1));      \
            }                                                                                                  \
            sum += block;                                                                                      \
        }                                                                                                      \
        return sum;                                                                                            \
    }

// 64 values of 8 or 16 bits add up within 32 bits.
DEFINE_SUM(u8, uint8_t, uint32_t)
DEFINE_SUM(u16, uint16_t, uint32_t)
DEFINE_SUM(u32, uint32_t, uint64_t)
#undef DEFINE_SUM
#endif

// The halves of 64-bit values are added separately, so that nothing is lost.
RK_TARGET static rk_wide_sum RK_NAME(sum_u64)(const void *values, size_t count, const uint64_t *mask) {
    const unaligned_u64 *v = values;
    rk_wide_sum sum = {0, 0};
    for (size_t i = 0; i < count; i += 64) {
        size_t n = count - i < 64 ? count - i : 64;
        uint64_t selected = block_mask(mask, i >> 6, n);
        if (selected == 0) continue;
        for (size_t j = 0; j < n; j++) {
            uint64_t value = v[i + j] & (0 - (selected >> j & 1));
            sum.low += value & 0xFFFFFFFF;
            sum.high += value >> 32;
        }
    }
    return sum;
}

#define DEFINE_BOUNDS(suffix, type)                                                                             \
    RK_TARGET static rk_bounds RK_NAME(bounds_##suffix)(const void *values, size_t count, const uint64_t *mask) { \
        const unaligned_##suffix *v = values;                                                                  \
        type low = (type)~0ull, high = 0;                                                                      \
        uint64_t found = 0;                                                                                    \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            if (selected == 0) continue;                                                                       \
            found += (uint64_t)__builtin_popcountll(selected);                                                 \
            for (size_t j = 0; j < n; j++) {                                                                   \
                type keep = (type)(0 - (type)(selected >> j & 1));                                             \
                type upper = v[i + j] & keep;                                                                  \
                type lower = v[i + j] | (type)~keep;                                                           \
                low = lower < low ? lower : low;                                                               \
                high = upper > high ? upper : high;                                                            \
            }                                                                                                  \
        }                                                                                                      \
        if (found == 0) return (rk_bounds){~0ull, 0, 0};                                                       \
        return (rk_bounds){low, high, found};                                                                  \
    }

DEFINE_BOUNDS(u8, uint8_t)
DEFINE_BOUNDS(u16, uint16_t)
DEFINE_BOUNDS(u32, uint32_t)
DEFINE_BOUNDS(u64, uint64_t)
#undef DEFINE_BOUNDS

// Four lanes at a time; a lane is kept if its mask bit is set and it equals itself, so is not NaN. A sum first adds all
// lanes whose bit is set: a NaN among them, which is rare, makes a NaN of the sum, and then they are added again without.
// The additions have the same order in both.
#define DEFINE_FLOAT(suffix, load)                                                                              \
    RK_TARGET static rk_float_sum RK_NAME(sum_of_numbers_##suffix)(                                             \
        const void *values, size_t count, const uint64_t *mask) {                                              \
        const unaligned_##suffix *v = values;                                                                  \
        const v4l bits = {1, 2, 4, 8};                                                                         \
        v4d sums[4] = {{0}, {0}, {0}, {0}};                                                                    \
        v4l found = {0};                                                                                       \
        double rest = 0;                                                                                       \
        uint64_t rest_count = 0;                                                                               \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            if (selected == 0) continue;                                                                       \
            if (n < 64) {                                                                                      \
                for (size_t j = 0; j < n; j++) {                                                               \
                    double x = v[i + j];                                                                       \
                    if ((selected >> j & 1) && x == x) rest += x, rest_count++;                                \
                }                                                                                              \
                continue;                                                                                      \
            }                                                                                                  \
            if (selected == ~0ull) {                                                                           \
                for (int k = 0; k < 16; k++) {                                                                 \
                    v4d x = load(v + i + 4 * k);                                                               \
                    v4l keep = x == x;                                                                         \
                    sums[k & 3] += (v4d)((v4l)x & keep);                                                       \
                    found -= keep;                                                                             \
                }                                                                                              \
                continue;                                                                                      \
            }                                                                                                  \
            for (int k = 0; k < 16; k++) {                                                                     \
                v4d x = load(v + i + 4 * k);                                                                   \
                int64_t nibble = (int64_t)(selected >> (4 * k));                                               \
                v4l lanes = {nibble, nibble, nibble, nibble};                                                  \
                v4l keep = ((lanes & bits) != 0) & (x == x);                                                   \
                sums[k & 3] += (v4d)((v4l)x & keep);                                                           \
                found -= keep;                                                                                 \
            }                                                                                                  \
        }                                                                                                      \
        v4d sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                   \
        return (rk_float_sum){(sum[0] + sum[1]) + (sum[2] + sum[3]) + rest,                                    \
                              (uint64_t)(found[0] + found[1] + found[2] + found[3]) + rest_count};             \
    }                                                                                                          \
                                                                                                               \
    RK_TARGET static rk_float_sum RK_NAME(sum_##suffix)(                                                        \
        const void *values, size_t count, const uint64_t *mask) {                                              \
        const unaligned_##suffix *v = values;                                                                  \
        v4d sums[4] = {{0}, {0}, {0}, {0}};                                                                    \
        double rest = 0;                                                                                       \
        uint64_t found = 0;                                                                                    \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            found += (uint64_t)__builtin_popcountll(selected);                                                 \
            if (selected == 0) continue;                                                                       \
            if (n < 64) {                                                                                      \
                for (size_t j = 0; j < n; j++) if (selected >> j & 1) rest += v[i + j];                        \
                continue;                                                                                      \
            }                                                                                                  \
            if (selected == ~0ull) {                                                                           \
                for (int k = 0; k < 16; k++) sums[k & 3] += load(v + i + 4 * k);                               \
                continue;                                                                                      \
            }                                                                                                  \
            for (int k = 0; k < 16; k++) {                                                                     \
                v4d x = load(v + i + 4 * k);                                                                   \
                v4l keep = *(const v4l *)nibble_lanes[selected >> (4 * k) & 15];                               \
                sums[k & 3] += (v4d)((v4l)x & keep);                                                           \
            }                                                                                                  \
        }                                                                                                      \
        v4d sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                   \
        double total = (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;                                           \
        return total == total ? (rk_float_sum){total, found}                                                   \
                              : RK_NAME(sum_of_numbers_##suffix)(values, count, mask);                         \
    }                                                                                                          \
                                                                                                               \
    RK_TARGET static rk_float_bounds RK_NAME(bounds_##suffix)(                                                  \
        const void *values, size_t count, const uint64_t *mask) {                                              \
        const unaligned_##suffix *v = values;                                                                  \
        const v4l bits = {1, 2, 4, 8};                                                                         \
        const double infinity = __builtin_inf();                                                               \
        v4d low = {infinity, infinity, infinity, infinity};                                                    \
        v4d high = {-infinity, -infinity, -infinity, -infinity};                                               \
        v4l found = {0};                                                                                       \
        rk_float_bounds all = {infinity, -infinity, 0};                                                        \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            if (selected == 0) continue;                                                                       \
            if (n < 64) {                                                                                      \
                for (size_t j = 0; j < n; j++) {                                                               \
                    double x = v[i + j];                                                                       \
                    if (!(selected >> j & 1) || x != x) continue;                                              \
                    if (x < all.minimum) all.minimum = x;                                                      \
                    if (x > all.maximum) all.maximum = x;                                                      \
                    all.count++;                                                                               \
                }                                                                                              \
                continue;                                                                                      \
            }                                                                                                  \
            for (int k = 0; k < 16; k++) {                                                                     \
                v4d x = load(v + i + 4 * k);                                                                   \
                int64_t nibble = (int64_t)(selected >> (4 * k));                                               \
                v4l lanes = {nibble, nibble, nibble, nibble};                                                  \
                v4l keep = ((lanes & bits) != 0) & (x == x);                                                   \
                v4l below = keep & (x < low);                                                                  \
                v4l above = keep & (x > high);                                                                 \
                low = (v4d)(((v4l)x & below) | ((v4l)low & ~below));                                           \
                high = (v4d)(((v4l)x & above) | ((v4l)high & ~above));                                         \
                found -= keep;                                                                                 \
            }                                                                                                  \
        }                                                                                                      \
        for (int k = 0; k < 4; k++) {                                                                          \
            if (low[k] < all.minimum) all.minimum = low[k];                                                    \
            if (high[k] > all.maximum) all.maximum = high[k];                                                  \
            all.count += (uint64_t)found[k];                                                                   \
        }                                                                                                      \
        return all;                                                                                            \
    }

DEFINE_FLOAT(f32, LOAD_4_F32)
DEFINE_FLOAT(f64, LOAD_4_F64)
#undef DEFINE_FLOAT

RK_TARGET static void RK_NAME(in_table_u8)(
    const void *values, size_t count, const uint8_t *table, uint64_t *mask) {
    const uint8_t *v = values;
    for (size_t i = 0; i < count; i += 64) {
        size_t n = count - i < 64 ? count - i : 64;
        uint64_t word = 0;
        for (size_t j = 0; j < n; j++) word |= (uint64_t)(table[v[i + j]] != 0) << j;
        mask[i >> 6] = word;
    }
}

#define DEFINE_BITS(suffix)                                                                                    \
    RK_TARGET static void RK_NAME(in_bits_##suffix)(                                                           \
        const void *values, size_t count, uint64_t base, const uint64_t *bits, uint64_t bit_count,             \
        uint64_t *mask) {                                                                                      \
        const unaligned_##suffix *v = values;                                                                  \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t word = 0;                                                                                 \
            for (size_t j = 0; j < n; j++) {                                                                   \
                uint64_t bit = base + v[i + j];                                                                \
                if (bit < bit_count) word |= (bits[bit >> 6] >> (bit & 63) & 1) << j;                          \
            }                                                                                                  \
            mask[i >> 6] = word;                                                                               \
        }                                                                                                      \
    }

DEFINE_BITS(u16)
DEFINE_BITS(u32)
#undef DEFINE_BITS

RK_TARGET static void RK_NAME(unpack)(const void *values, size_t count, unsigned width, uint8_t *out) {
    const uint8_t *v = values;
    if (width == 1) {
        for (size_t i = 0; i < count; i++) out[i] = v[i >> 3] >> (i & 7) & 1;
    } else if (width == 2) {
        for (size_t i = 0; i < count; i++) out[i] = v[i >> 2] >> (2 * (i & 3)) & 3;
    } else {
        for (size_t i = 0; i < count; i++) out[i] = v[i >> 1] >> (4 * (i & 1)) & 15;
    }
}

RK_TARGET static uint64_t RK_NAME(popcount)(const uint64_t *words, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += (uint64_t)__builtin_popcountll(words[i]);
    return sum;
}

RK_TARGET static void RK_NAME(mask_and)(uint64_t *into, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++) into[i] &= other[i];
}

RK_TARGET static void RK_NAME(mask_or)(uint64_t *into, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++) into[i] |= other[i];
}

RK_TARGET static void RK_NAME(mask_andnot)(uint64_t *into, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++) into[i] &= ~other[i];
}

static const rk_kernels RK_NAME(table) = {
    RK_NAME(in_range_u8), RK_NAME(in_range_u16), RK_NAME(in_range_u32), RK_NAME(in_range_u64),
    RK_NAME(in_range_f32), RK_NAME(in_range_f64), RK_NAME(in_table_u8), RK_NAME(in_bits_u16), RK_NAME(in_bits_u32), RK_NAME(unpack),
    RK_NAME(popcount), RK_NAME(mask_and), RK_NAME(mask_or), RK_NAME(mask_andnot),
    RK_NAME(sum_u8), RK_NAME(sum_u16), RK_NAME(sum_u32), RK_NAME(sum_u64), RK_NAME(sum_f32), RK_NAME(sum_f64),
    RK_NAME(bounds_u8), RK_NAME(bounds_u16), RK_NAME(bounds_u32), RK_NAME(bounds_u64),
    RK_NAME(bounds_f32), RK_NAME(bounds_f64),
};
