// Decimals of 128 bits in their binary integer encoding.
#ifndef CKERNELS_DECIMALS_H
#define CKERNELS_DECIMALS_H

#include <stddef.h>
#include <stdint.h>

// The number of exponents in a table.
#define RK_DECIMAL_EXPONENTS 32

// Selects the decimals, 16 bytes each with the low word first, possibly unaligned, whose signed digits lie in the closed range that the
// table gives for their exponent. The table has two 128-bit signed integers, low and high end, for each biased exponent from
// `first_exponent` on, and is aligned to 8 bytes at least; -(10^34)...10^34 is the widest range. Marks in `odd`, instead, those that have
// another exponent, or digits that may be too many: infinities and NaN are among them. `first_exponent` must be below 10000. Writes
// ceil(count / 64) words of each; returns whether any is odd.
int rk_select_decimals(
    const void *_Nonnull values, size_t count, unsigned first_exponent, const void *_Nonnull table,
    uint64_t *_Nonnull mask, uint64_t *_Nonnull odd);

#endif
