#include "CScratch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

// Enough for texts of about a kilobyte, whose trees take some ten times as much. Only pages that are used take memory.
#define BLOCK_SIZE ((size_t)1 << 15)

// The first two say where the next allocation comes from; outside of a section there is no room.
static _Thread_local char *next;
static _Thread_local size_t room;
static _Thread_local char *block;
static _Thread_local int spilled;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int has_key;

// Other destructors of the thread that read JSON after this one get a block of their own.
static void end_thread(void *memory) {
  room = 0;
  block = NULL;
  free(memory);
}

static void make_key(void) { has_key = pthread_key_create(&key, end_thread) == 0; }

void cscratch_begin(void) {
  spilled = 0;
  if (!block) {
    pthread_once(&once, make_key);
    // Without a key nobody would free the block when the thread ends.
    if (!has_key) return;
    block = malloc(BLOCK_SIZE);
    if (!block) return;
    if (pthread_setspecific(key, block) != 0) {
      free(block);
      block = NULL;
      return;
    }
  }
  next = block;
  room = BLOCK_SIZE;
}

int cscratch_holds_all(void) { return !spilled; }

void cscratch_end(void) { room = 0; }

void *cscratch_malloc(size_t size) {
  // As malloc aligns; a size near the largest wraps to a small one, which the comparison before excludes.
  if (size <= room) {
    size_t taken = (size + 15) & ~(size_t)15;
    if (taken <= room && taken > 0) {
      char *memory = next;
      next += taken;
      room -= taken;
      return memory;
    }
  }
  spilled = 1;
  return malloc(size);
}

void cscratch_free(void *memory) {
  // Both are null in a thread that had no section.
  if (block && (uintptr_t)memory - (uintptr_t)block < BLOCK_SIZE) return;
  free(memory);
}
