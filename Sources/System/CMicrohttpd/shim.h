// Parts that Swift cannot call or import: libmicrohttpd's variadic functions, and epoll, which the Glibc module lacks.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct rg_mhd_options {
  int listen_fd;
  int is_ipv6;
  unsigned int connection_limit;
  size_t pool_size;
  unsigned int inactivity_seconds;
  void *context;
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *(*target)(void *, const char *, struct MHD_Connection *);
  size_t (*unescape)(void *, struct MHD_Connection *, char *);
  // PEM texts for TLS, NULL without it.
  const char *tls_chain;
  const char *tls_key;
  const char *tls_priorities;
  // Refuses nearly all that RFC 9112 forbids, from 0.9.77 on; 0 refuses what cannot be parsed.
  int strictness;
};

static inline struct MHD_Daemon *rg_mhd_start(const struct rg_mhd_options *o) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)o->tls_chain},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)o->tls_key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)o->tls_priorities},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  // MHD_USE_TURBO: closing a connection closes its descriptor and does not shut the socket down, which may live on as
  // an event stream's. With TLS streams stay with the library, which closes them properly.
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (NULL == o->tls_chain ? MHD_USE_TURBO : MHD_USE_TLS) |
          (o->is_ipv6 ? MHD_USE_IPv6 : 0),
      0, NULL, NULL, o->handler, o->context,
      MHD_OPTION_ARRAY, NULL == o->tls_chain ? none : tls,
      MHD_OPTION_LISTEN_SOCKET, o->listen_fd,
      MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->pool_size,
      MHD_OPTION_CONNECTION_TIMEOUT, o->inactivity_seconds,
      MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
      MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->context,
      MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
      MHD_OPTION_STRICT_FOR_CLIENT, o->strictness,
      MHD_OPTION_UNESCAPE_CALLBACK, o->unescape, o->context,
      MHD_OPTION_END);
}

static inline void rg_mhd_forbid_chunks(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Returns -1 when the library does not know.
static inline int rg_mhd_epoll_fd(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return NULL == info ? -1 : info->epoll_fd;
}

static inline int rg_mhd_connection_fd(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return NULL == info ? -1 : info->connect_fd;
}

// Accepts a connection, which does not block; the Glibc module lacks accept4.
static inline int rg_accept(int listener, struct sockaddr *address, socklen_t *length) {
  int fd = accept(listener, address, length);
  if (fd >= 0 && (0 != fcntl(fd, F_SETFL, O_NONBLOCK) || 0 != fcntl(fd, F_SETFD, FD_CLOEXEC))) {
    close(fd);
    fd = -1;
  }
  return fd;
}

// Returns NULL without TLS.
static inline void *rg_mhd_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return NULL == info ? NULL : info->tls_session;
}

static inline void *rg_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return NULL == info ? NULL : info->socket_context;
}

static inline const struct sockaddr *rg_mhd_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return NULL == info ? NULL : info->client_addr;
}

// Bytes from the method to the empty line after the header, both included.
static inline size_t rg_mhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return NULL == info ? 0 : info->header_size;
}

#endif
