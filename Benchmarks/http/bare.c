/* The yardstick for our HTTP layer: libmicrohttpd from C with nothing around it, in the same arrangement (a daemon and
   a loop for each core, the daemon's epoll set inside our own). Prints the port it listens on and answers every request
   with the same bytes.

     bare [fresh | shared [BYTES]]: a response made for each request, or one for all; three bytes unless said */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct reply {
  struct MHD_Response *shared; /* NULL: make a fresh response for each request */
  char *bytes;
  size_t size;
};

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **context) {
  static int seen;
  struct reply *reply = cls;
  (void)url, (void)method, (void)version, (void)data;
  if (NULL == *context) {
    *context = &seen;
    return MHD_YES;
  }
  if (0 != *size) { /* a piece of the body; the answer comes after the last */
    *size = 0;
    return MHD_YES;
  }
  if (NULL != reply->shared) return MHD_queue_response(connection, 200, reply->shared);
  struct MHD_Response *fresh = MHD_create_response_from_buffer(reply->size, reply->bytes, MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header(fresh, "Content-Type", "text/plain; charset=utf-8");
  enum MHD_Result result = MHD_queue_response(connection, 200, fresh);
  MHD_destroy_response(fresh);
  return result;
}

static struct MHD_Daemon *start(struct reply *reply, uint16_t port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, reply, MHD_OPTION_SOCK_ADDR,
                          &address, MHD_OPTION_CONNECTION_LIMIT, 16384u, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
                          MHD_OPTION_END);
}

static void *run(void *cls) {
  struct MHD_Daemon *daemon = cls;
  int outer = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(outer, EPOLL_CTL_ADD, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, &event);
  for (;;) {
    MHD_UNSIGNED_LONG_LONG timeout;
    int wait = MHD_YES == MHD_get_timeout(daemon, &timeout) ? (int)timeout : -1;
    epoll_wait(outer, &event, 1, wait);
    MHD_run(daemon);
  }
  return NULL;
}

int main(int argc, char **argv) {
  struct reply reply = {NULL, "ok\n", 3};
  if (argc > 2) {
    reply.size = strtoul(argv[2], NULL, 10);
    reply.bytes = malloc(reply.size);
    memset(reply.bytes, 'x', reply.size);
  }
  if (argc > 1 && 0 == strcmp(argv[1], "shared")) {
    reply.shared = MHD_create_response_from_buffer(reply.size, reply.bytes, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(reply.shared, "Content-Type", "text/plain; charset=utf-8");
  }
  struct MHD_Daemon *first = start(&reply, 0);
  if (NULL == first) return 1;
  int port = MHD_get_daemon_info(first, MHD_DAEMON_INFO_BIND_PORT)->port;
  for (long more = sysconf(_SC_NPROCESSORS_ONLN) - 1; more > 0; more--) {
    struct MHD_Daemon *daemon = start(&reply, (uint16_t)port);
    pthread_t thread;
    if (NULL == daemon || 0 != pthread_create(&thread, NULL, run, daemon)) return 1;
  }
  printf("bare: listening on http://127.0.0.1:%d\n", port);
  fflush(stdout);
  run(first);
}
