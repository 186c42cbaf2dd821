#include "decimals.h"

#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

int rk_select_decimals(
    const void *values, size_t count, unsigned first_exponent, const void *table, uint64_t *mask, uint64_t *odd) {
    const uint8_t *v = values;
    // The distance from the lower bound, which needs one comparison instead of two. An empty range has no such
    // distance.
    unsigned_wide lows[RK_DECIMAL_EXPONENTS], spans[RK_DECIMAL_EXPONENTS];
    uint64_t possible[RK_DECIMAL_EXPONENTS];
    for (size_t i = 0; i < RK_DECIMAL_EXPONENTS; i++) {
        wide ends[2];
        memcpy(ends, (const uint8_t *)table + i * sizeof ends, sizeof ends);
        lows[i] = (unsigned_wide)ends[0];
        possible[i] = ends[0] <= ends[1];
        spans[i] = possible[i] ? (unsigned_wide)ends[1] - (unsigned_wide)ends[0] : 0;
    }
    // The upper part of 10^34: digits not below it may be beyond 34 digits.
    const uint64_t limit = 0x1ED09BEAD87C0ull;
    uint64_t any = 0;
    for (size_t i = 0; i < count; i += 64) {
        size_t n = count - i < 64 ? count - i : 64;
        uint64_t word = 0, odd_word = 0;
        for (size_t j = 0; j < n; j++) {
            uint64_t parts[2];
            memcpy(parts, v + (i + j) * 16, 16);
            // With both upper bits of the exponent set it is a special form, and far beyond the table.
            uint64_t exponent = (parts[1] >> 49 & 0x3FFF) - first_exponent;
            uint64_t upper = parts[1] & 0x1FFFFFFFFFFFFull;
            uint64_t is_odd = (exponent >= RK_DECIMAL_EXPONENTS) | (upper >= limit);
            unsigned_wide sign = (unsigned_wide)0 - (parts[1] >> 63);
            unsigned_wide digits = (unsigned_wide)upper << 64 | parts[0];
            unsigned_wide number = (digits ^ sign) - sign;
            exponent &= RK_DECIMAL_EXPONENTS - 1;
            uint64_t is_in = (number - lows[exponent] <= spans[exponent]) & possible[exponent];
            word |= (is_in & ~is_odd) << j;
            odd_word |= is_odd << j;
        }
        mask[i >> 6] = word;
        odd[i >> 6] = odd_word;
        any |= odd_word;
    }
    return any != 0;
}
