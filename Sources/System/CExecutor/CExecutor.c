#include "CExecutor.h"

typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} serial_executor;

_Thread_local const void *thread_mark_value;

// The function that compilers call where a function that is isolated to an actor is entered from unchecked code.
// Without flags it returns the answer instead of asserting.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(serial_executor executor, uintptr_t flags);

bool executor_is_current(uintptr_t identity, uintptr_t implementation) {
    serial_executor executor = {identity, implementation};
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

void *dispatch_get_specific(const void *key);

const void *queue_specific(const void *key) { return dispatch_get_specific(key); }

void *dispatch_get_current_queue(void);
void *dispatch_queue_get_specific(void *queue, const void *key);

const void *current_queue(void) { return dispatch_get_current_queue(); }

const void *current_queue_with(const void *key) {
    void *queue = dispatch_get_current_queue();
    return queue && dispatch_queue_get_specific(queue, key) ? queue : 0;
}
