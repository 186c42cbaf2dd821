#define _GNU_SOURCE
#include "CRefusals.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

typedef enum MHD_Result (*queue_function)(struct MHD_Connection *, unsigned int, struct MHD_Response *);

static _Atomic(rg_refusal_handler) refusal_handler;
static _Atomic(queue_function) library_function;

void rg_handle_refusals(rg_refusal_handler handler) { atomic_store(&refusal_handler, handler); }

enum MHD_Result rg_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  queue_function function = atomic_load_explicit(&library_function, memory_order_relaxed);
  if (NULL == function) {
    function = (queue_function)dlsym(RTLD_NEXT, "MHD_queue_response");
    if (NULL == function) return MHD_NO;
    atomic_store_explicit(&library_function, function, memory_order_relaxed);
  }
  return function(connection, status, response);
}

// Only the library calls this: all of our code calls rg_queue_response.
__attribute__((visibility("default"))) enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  rg_refusal_handler handler = atomic_load(&refusal_handler);
  if (NULL == handler) return rg_queue_response(connection, status, response);
  struct MHD_Response *own = NULL;
  if (MHD_YES == handler(connection, &status, &own)) return MHD_NO;
  if (NULL == own) return rg_queue_response(connection, status, response);
  enum MHD_Result result = rg_queue_response(connection, status, own);
  MHD_destroy_response(own);
  return result;
}
