/// Where the calling code runs: on an actor's executor, or on a dispatch queue.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Returns whether the calling code runs on an executor. Swift itself only has a check that ends the program. The two
/// words are those of an `UnownedSerialExecutor`. Never traps.
bool executor_is_current(uintptr_t identity, uintptr_t implementation);

/// Returns what the current dispatch queue, or one that it targets, has for a key; null if none of them has the key.
/// Swift's own function makes a copy of the value, which takes many times as long.
const void *queue_specific(const void *key);

/// Returns the current dispatch queue, only for comparison. It takes a fraction of the time of `queue_specific`, which
/// locks the queue.
const void *current_queue(void);

/// Returns the current dispatch queue if it has the key itself, and not only a queue that it targets; else null.
const void *current_queue_with(const void *key);

/// The mark of the calling thread, only for comparison; null if it was not set. Inline, because each value that a thread's
/// realm reads asks for it, and the C library's own look-up takes some times as long.
extern _Thread_local const void *thread_mark_value;
static inline const void *thread_mark(void) { return thread_mark_value; }

/// Sets the mark of the calling thread. It is null again in each new thread.
static inline void set_thread_mark(const void *mark) { thread_mark_value = mark; }
