/// Returns whether the calling code runs on an executor. Swift itself only has a check that ends the program.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The two words are those of an `UnownedSerialExecutor`. Never traps.
bool executor_is_current(uintptr_t identity, uintptr_t implementation);
