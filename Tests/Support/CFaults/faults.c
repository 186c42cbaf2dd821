// See include/CFaults.h. Only system calls are used below the wrappers: no allocation, no stdio, and nothing that would
// call these wrappers again.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

enum call { WRITE, SYNC, TRUNCATE, RENAME, CALLS };
static const char *const call_names[CALLS] = {"write", "sync", "truncate", "rename"};

enum action { NONE, FAIL, LATE, SHORT, TORN, BEFORE, AFTER, WAIT, ACTIONS };
static const char *const action_names[ACTIONS] = {"", "fail", "late", "short", "torn", "before", "after", "wait"};

static char patterns[4096];
static enum call fault_call = CALLS;
static enum action fault_action = NONE;
static long fault_number, fault_argument;
static bool fault_repeats;
static atomic_long counts[CALLS];
static int trace_file = -1;
// Makes the order of the trace that of the calls.
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noreturn)) static void refuse(const char *what) {
    char line[256];
    int length = snprintf(line, sizeof line, "CFaults: %s cannot be read\n", what);
    syscall(SYS_write, 2, line, (size_t)length);
    _exit(2);
}

static int position(const char *name, const char *const *names, int count) {
    for (int index = 0; index < count; index++) {
        if (*names[index] && !strcmp(name, names[index])) return index;
    }
    return -1;
}

__attribute__((constructor)) static void load(void) {
    const char *files = getenv("REALMGATE_FAULT_FILES");
    if (files) {
        if (strlen(files) >= sizeof patterns) refuse("REALMGATE_FAULT_FILES");
        strcpy(patterns, files);
    }
    const char *fault = getenv("REALMGATE_FAULT");
    if (fault && *fault) {
        char call[16], number[24], action[16];
        fault_argument = 0;
        if (sscanf(fault, "%15[^:]:%23[^:]:%15[^:]:%ld", call, number, action, &fault_argument) < 3) {
            refuse("REALMGATE_FAULT");
        }
        int which = position(call, call_names, CALLS), what = position(action, action_names, ACTIONS);
        char *end;
        fault_number = strtol(number, &end, 10);
        fault_repeats = *end == '+';
        if (which < 0 || what < 0 || fault_number < 1) refuse("REALMGATE_FAULT");
        fault_call = (enum call)which;
        fault_action = (enum action)what;
    }
    const char *trace = getenv("REALMGATE_FAULT_TRACE");
    if (trace && *trace) {
        trace_file = (int)syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (trace_file < 0) refuse("REALMGATE_FAULT_TRACE");
    }
}

static bool path_matches(const char *path) {
    char list[sizeof patterns];
    strcpy(list, patterns);
    char *rest = list, *pattern;
    while ((pattern = strsep(&rest, ":"))) {
        if (*pattern && !fnmatch(pattern, path, 0)) return true;
    }
    return false;
}

static bool matches(int descriptor) {
    if (!*patterns) return false;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return path_matches(path);
}

static void finish(void) {
    syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

static void pass_time(void) {
    struct timespec rest = {.tv_sec = fault_argument / 1000, .tv_nsec = fault_argument % 1000 * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
}

/// The action for this call, which is counted.
static enum action strike(enum call call) {
    long number = atomic_fetch_add(&counts[call], 1) + 1;
    if (call != fault_call || number < fault_number || (number > fault_number && !fault_repeats)) return NONE;
    char line[64];
    int length = snprintf(line, sizeof line, "fault %s %ld\n", call_names[call], number);
    syscall(SYS_write, 2, line, (size_t)length);
    return fault_action;
}

static void trace(enum trace_kind kind, uint64_t offset, const struct iovec *parts, int count) {
    if (trace_file < 0) return;
    struct trace_record record = {.kind = kind, .offset = offset};
    for (int index = 0; index < count; index++) record.length += parts[index].iov_len;
    pthread_mutex_lock(&trace_lock);
    syscall(SYS_write, trace_file, &record, sizeof record);
    for (int index = 0; index < count; index++) {
        syscall(SYS_write, trace_file, parts[index].iov_base, parts[index].iov_len);
    }
    pthread_mutex_unlock(&trace_lock);
}

// MARK: Writing

/// Truncates the parts to `limit` bytes; returns their number.
static int cut(const struct iovec *parts, int count, size_t limit, struct iovec *result) {
    int used = 0;
    while (used < count && limit > 0) {
        result[used] = parts[used];
        if (result[used].iov_len > limit) result[used].iov_len = limit;
        limit -= result[used].iov_len;
        used++;
    }
    return used;
}

/// One write by any of the calls; `offset` is -1 for those that write at the file's own position.
static ssize_t do_write(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                      : syscall(SYS_pwritev, descriptor, parts, count, offset, (long)0);
}

static ssize_t faulty_write(int descriptor, const struct iovec *parts, int count, off_t offset) {
    if (descriptor == trace_file || !matches(descriptor)) {
        ssize_t written = do_write(descriptor, parts, count, offset);
        if (descriptor == 1 && written > 0) trace(TRACE_SAID, 0, parts, count);
        return written;
    }
    struct iovec some[IOV_MAX];
    enum action action = strike(WRITE);
    switch (action) {
    case FAIL:
        errno = (int)fault_argument;
        return -1;
    case BEFORE: finish();
    case SHORT:
    case TORN:
        count = cut(parts, count, (size_t)fault_argument, some);
        parts = some;
        break;
    default: break;
    }
    if (count == 0 && action == TORN) finish();
    uint64_t position = (uint64_t)(offset < 0 ? syscall(SYS_lseek, descriptor, (off_t)0, SEEK_CUR) : offset);
    bool synchronous = trace_file >= 0 && syscall(SYS_fcntl, descriptor, F_GETFL) & O_DSYNC;
    trace(TRACE_WRITE, position, parts, count);
    ssize_t written = count == 0 ? 0 : do_write(descriptor, parts, count, offset);
    if (written >= 0 && synchronous) trace(TRACE_WRITE_IS_DURABLE, position, NULL, 0);
    if (action == TORN || action == AFTER) finish();
    if (action == WAIT) pass_time();
    if (action == LATE) {
        errno = (int)fault_argument;
        return -1;
    }
    return written;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct iovec part = {(void *)bytes, count};
    return faulty_write(descriptor, &part, 1, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct iovec part = {(void *)bytes, count};
    return faulty_write(descriptor, &part, 1, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return faulty_write(descriptor, parts, count, -1);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return faulty_write(descriptor, parts, count, offset);
}

ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));
ssize_t pwritev64(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev")));

// MARK: Everything else

/// Wraps a call that succeeds or fails as a whole. `before` returns false when the call must not be made.
static bool before(enum call call, bool known, enum action *action) {
    *action = known ? strike(call) : NONE;
    if (*action == BEFORE) finish();
    if (*action == FAIL) {
        errno = (int)fault_argument;
        return false;
    }
    return true;
}

static int after(int result, enum action action) {
    if (action == AFTER || action == TORN) finish();
    if (action == WAIT) pass_time();
    if (action == LATE) {
        errno = (int)fault_argument;
        return -1;
    }
    return result;
}

static int faulty_sync(int descriptor, long number) {
    enum action action;
    bool known = matches(descriptor);
    if (!before(SYNC, known, &action)) return -1;
    int result = (int)syscall(number, descriptor);
    if (known && result == 0) trace(TRACE_SYNC, 0, NULL, 0);
    return after(result, action);
}

int fsync(int descriptor) { return faulty_sync(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return faulty_sync(descriptor, SYS_fdatasync); }

/// The file of a mapping is not looked up: every msync of the process counts.
int msync(void *address, size_t length, int flags) {
    enum action action;
    if (!before(SYNC, *patterns, &action)) return -1;
    return after((int)syscall(SYS_msync, address, length, flags), action);
}

int ftruncate(int descriptor, off_t length) {
    enum action action;
    bool known = matches(descriptor);
    if (!before(TRUNCATE, known, &action)) return -1;
    if (known) trace(TRACE_TRUNCATE, (uint64_t)length, NULL, 0);
    return after((int)syscall(SYS_ftruncate, descriptor, length), action);
}

int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    enum action action;
    if (!before(TRUNCATE, matches(descriptor), &action)) return -1;
    return after((int)syscall(SYS_fallocate, descriptor, mode, offset, length), action);
}

int fallocate64(int, int, off_t, off_t) __attribute__((alias("fallocate")));

int rename(const char *from, const char *to) {
    enum action action;
    if (!before(RENAME, *patterns && (path_matches(from) || path_matches(to)), &action)) return -1;
    return after((int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), action);
}

int link(const char *from, const char *to) {
    enum action action;
    if (!before(RENAME, *patterns && (path_matches(from) || path_matches(to)), &action)) return -1;
    return after((int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0), action);
}
