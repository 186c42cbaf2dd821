#include "CExecutor.h"

typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} serial_executor;

// The function that compilers call where a function that is isolated to an actor is entered from unchecked code.
// Without flags it returns the answer instead of asserting.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(serial_executor executor, uintptr_t flags);

bool executor_is_current(uintptr_t identity, uintptr_t implementation) {
    serial_executor executor = {identity, implementation};
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}
