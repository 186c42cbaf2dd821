/* Clients of event streams, thousands in one process: how soon each hears of a commit, whether any misses one or sees
   them out of order, and what a stream costs the server in memory and time.

     streams PORT SERVER-PID all|one|queries|storm STREAMS ROUNDS-OR-SECONDS

   all: every stream observes the same collection; each round is one commit that all are told of.
   one: every stream observes an object of its own; each round is one commit that one is told of.
   queries: every stream observes a query of its own, with ten objects; each round is one commit that one is told of.
   storm: 32 connections commit as fast as they can and one reads, while every stream observes the same collection.

   With HTTP=1.0 in the environment streams are asked for in HTTP/1.0, which has no chunks. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct stream {
  int fd;
  int line_length, is_head;
  int is_chunked;    /* otherwise the stream ends with the connection */
  long chunk_left;   /* bytes of the chunk; 0 in its size, -2 and -1 in the line break after it */
  long chunk_size;
  long id;           /* of the event being read, then of the last one */
  long last;         /* id of the last whole event */
  int events;        /* whole events since the initial one */
  char kind;         /* first letter of the event's name */
  char line[40];
};

struct caller { /* a keep-alive connection that asks again as soon as it is answered */
  int fd, is_reader;
  double asked;
  int have, body_left;
  char head[1024];
};

static struct stream *streams;
static struct caller callers[33];
static const char *version = "1.1";
static int stream_count, initials, caller_count, port, disorder, ended;
static pid_t server;
static int epoll;
static double *latencies; /* of what was received in this round, or of reads */
static long latency_count, latency_room, received;
static long commits;
static double round_start;
static uint64_t patch_number = 1;
static int is_storm_over;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int connected(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0) fail("socket");
  if (0 != connect(fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

static void put(int fd, const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = send(fd, text, length, MSG_NOSIGNAL);
    if (count < 0) fail("send");
    text += count, length -= count;
  }
}

static void watch(int fd, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
  fcntl(fd, F_SETFL, O_NONBLOCK);
  if (0 != epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

static void note(double latency) {
  if (latency_count == latency_room) latencies = realloc(latencies, (latency_room = latency_room * 2 + 1024) * sizeof *latencies);
  latencies[latency_count++] = latency;
}

static long server_rss(void) { /* in KB */
  char path[64], line[256];
  long kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%d/status", server);
  FILE *file = fopen(path, "r");
  if (NULL == file) fail(path);
  while (fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kilobytes);
  fclose(file);
  return kilobytes;
}

static double server_cpu(void) { /* in ms */
  char path[64], text[1024];
  unsigned long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", server);
  FILE *file = fopen(path, "r");
  if (NULL == file || NULL == fgets(text, sizeof text, file)) fail(path);
  fclose(file);
  sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return (user + system) * 1e3 / sysconf(_SC_CLK_TCK);
}

static void whole_event(struct stream *stream, double time) {
  if (stream->kind == 'i') initials++;
  else {
    if (stream->id <= stream->last) disorder++;
    stream->events++;
    received++;
    if (caller_count == 0) note(time - round_start);
  }
  stream->last = stream->id;
  stream->kind = 0;
}

static int is_of_event(struct stream *stream, char c) { /* and not of the frame of a chunk */
  if (stream->chunk_left > 0) {
    if (--stream->chunk_left == 0) stream->chunk_left = -2;
    return 1;
  }
  if (stream->chunk_left < 0) stream->chunk_left++;
  else if (c == '\n') stream->chunk_left = stream->chunk_size, stream->chunk_size = 0;
  else if (c >= '0' && c <= '9') stream->chunk_size = stream->chunk_size * 16 + c - '0';
  else if (c >= 'a' && c <= 'f') stream->chunk_size = stream->chunk_size * 16 + c - 'a' + 10;
  return 0;
}

static void read_stream(struct stream *stream) {
  static char buffer[65536];
  ssize_t count = recv(stream->fd, buffer, sizeof buffer, 0);
  double time = now();
  if (count <= 0) {
    if (count < 0 && errno == EAGAIN) return;
    ended++;
    close(stream->fd);
    stream->fd = -1;
    return;
  }
  for (ssize_t i = 0; i < count; i++) {
    char c = buffer[i];
    if (stream->is_chunked && !stream->is_head && !is_of_event(stream, c)) continue;
    if (c != '\n') {
      if (c != '\r' && stream->line_length < (int)sizeof stream->line - 1) stream->line[stream->line_length++] = c;
      continue;
    }
    stream->line[stream->line_length] = 0;
    if (stream->line_length == 0) {
      if (stream->is_head) stream->is_head = 0;
      else if (stream->kind) whole_event(stream, time);
    } else if (stream->is_head && 0 == strncmp(stream->line, "HTTP/", 5)) {
      if (NULL == strstr(stream->line, " 200 ")) fprintf(stderr, "refused: %s\n", stream->line), exit(1);
    } else if (stream->is_head) stream->is_chunked |= 0 == strcasecmp(stream->line, "transfer-encoding: chunked");
    else if (0 == strncmp(stream->line, "id: ", 4)) stream->id = atol(stream->line + 4);
    else if (0 == strncmp(stream->line, "event: ", 7)) stream->kind = stream->line[7];
    stream->line_length = 0;
  }
}

static void ask(struct caller *caller) {
  char text[256], body[64];
  int length;
  caller->asked = now();
  caller->have = caller->body_left = 0;
  if (caller->is_reader) length = snprintf(text, sizeof text, "GET /v1/objects/Item/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  else {
    int size = snprintf(body, sizeof body, "{\"n\":%lu}", ++patch_number);
    length = snprintf(text, sizeof text,
                      "PATCH /v1/objects/Item/%d HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      "Content-Length: %d\r\n\r\n%s", (int)(patch_number % 32), size, body);
  }
  put(caller->fd, text, length);
}

static void answered(struct caller *caller) {
  if (caller->is_reader) note(now() - caller->asked);
  else commits++;
  if (!is_storm_over) ask(caller);
}

static void read_caller(struct caller *caller) {
  char buffer[16384];
  ssize_t count = recv(caller->fd, buffer, sizeof buffer, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fprintf(stderr, "a caller was cut\n"), exit(1);
  for (ssize_t i = 0; i < count; i++) {
    if (caller->body_left > 0) {
      if (--caller->body_left == 0) answered(caller);
      continue;
    }
    if (caller->have < (int)sizeof caller->head - 1) caller->head[caller->have++] = buffer[i];
    if (caller->have >= 4 && 0 == memcmp(caller->head + caller->have - 4, "\r\n\r\n", 4)) {
      caller->head[caller->have] = 0;
      if (0 != strncmp(caller->head, "HTTP/1.1 200", 12)) fprintf(stderr, "%s\n", caller->head), exit(1);
      char *field = strcasestr(caller->head, "content-length:");
      caller->body_left = field ? atoi(field + 15) : 0;
      if (caller->body_left == 0) answered(caller);
    }
  }
}

static void turn(int timeout) {
  struct epoll_event events[512];
  int count = epoll_wait(epoll, events, 512, timeout);
  for (int i = 0; i < count; i++) {
    uint64_t tag = events[i].data.u64;
    if (tag >> 32) read_caller(&callers[tag & 0xffff]);
    else if (streams[tag].fd >= 0) read_stream(&streams[tag]);
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double part(double share) {
  if (latency_count == 0) return 0;
  qsort(latencies, latency_count, sizeof *latencies, ascending);
  long place = (long)(share * latency_count);
  return latencies[place < latency_count ? place : latency_count - 1];
}

static void commit(int fd, int object) { /* and read the answer */
  char text[256], body[64];
  int size = snprintf(body, sizeof body, "{\"n\":%lu}", ++patch_number);
  int length = snprintf(text, sizeof text,
                        "PATCH /v1/objects/Item/%d HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        "Content-Length: %d\r\n\r\n%s", object, size, body);
  put(fd, text, length);
}

static void open_streams(const char *mode) {
  streams = calloc(stream_count, sizeof *streams);
  double start = now(), cpu = server_cpu();
  for (int i = 0; i < stream_count; i++) {
    char text[256];
    int length =
        0 == strcmp(mode, "queries")
            ? snprintf(text, sizeof text,
                       "GET /v1/observe/objects/Item?filter=_id%%20%%3E%%3D%%20%d%%20AND%%20_id%%20%%3C%%20%d%%20AND%%20n%%20%%3E%%3D%%200&sort=-n "
                       "HTTP/%s\r\nHost: localhost\r\n\r\n", i * 10, i * 10 + 10, version)
        : 0 == strcmp(mode, "one")
            ? snprintf(text, sizeof text, "GET /v1/observe/objects/Item/%d HTTP/%s\r\nHost: localhost\r\n\r\n", i, version)
            : snprintf(text, sizeof text,
                       "GET /v1/observe/objects/Item?filter=_id%%20%%3C%%2032&sort=_id&include=objects HTTP/%s\r\n"
                       "Host: localhost\r\n\r\n", version);
    streams[i].fd = connected();
    streams[i].is_head = 1;
    put(streams[i].fd, text, length);
    watch(streams[i].fd, i);
    while (i - initials > 500) turn(1000);
  }
  while (initials < stream_count && now() - start < 120e3) turn(1000);
  printf("%d streams told what there is after %.0f ms, server CPU %.0f us per stream\n", initials, now() - start,
         (server_cpu() - cpu) * 1e3 / stream_count);
  if (initials < stream_count) exit(1);
}

static void rounds(const char *mode, int count) {
  int fd = connected(), everybody = 0 == strcmp(mode, "all");
  double p50 = 0, p99 = 0, last = 0, worst = 0, cpu = server_cpu();
  char sink[16384];
  long expected = everybody ? stream_count : 1, missing = 0;
  for (int round = 0; round < count; round++) {
    latency_count = 0;
    round_start = now();
    int object = everybody ? 7 : (int)(((long)round * 7919) % stream_count);
    commit(fd, 0 == strcmp(mode, "queries") ? object * 10 + 3 : object);
    while (latency_count < expected && now() - round_start < 20e3) turn(100);
    missing += expected - latency_count;
    p50 += part(.5), p99 += part(.99), last += part(1);
    if (part(1) > worst) worst = part(1);
    while (recv(fd, sink, sizeof sink, MSG_DONTWAIT) > 0) {}
    usleep(20000);
    while (recv(fd, sink, sizeof sink, MSG_DONTWAIT) > 0) {}
  }
  cpu = server_cpu() - cpu;
  printf("from sending the commit to receipt, mean of %d rounds: p50 %.2f, p99 %.2f, last %.2f, slowest round %.2f ms\n",
         count, p50 / count, p99 / count, last / count, worst);
  printf("server CPU: %.2f us per event and client, %.2f ms per commit\n", cpu * 1e3 / count / expected, cpu / count);
  printf("missing %ld, out of order %d, ended %d\n", missing, disorder, ended);
}

static void storm(int seconds) {
  caller_count = 33;
  for (int i = 0; i < caller_count; i++) {
    callers[i].fd = connected();
    callers[i].is_reader = i == 32;
    watch(callers[i].fd, (uint64_t)1 << 32 | i);
    ask(&callers[i]);
  }
  double start = now(), cpu = server_cpu();
  while (now() - start < seconds * 1e3) turn(100);
  is_storm_over = 1;
  double took = now() - start;
  cpu = server_cpu() - cpu;
  long reads = latency_count;
  double p50 = part(.5), p99 = part(.99), most = part(1);
  double quiet = now();
  long seen = received;
  while (now() - quiet < 2000) {
    turn(100);
    if (received != seen) seen = received, quiet = now();
  }
  long latest = 0, behind = 0;
  for (int i = 0; i < stream_count; i++) if (streams[i].last > latest) latest = streams[i].last;
  for (int i = 0; i < stream_count; i++) if (streams[i].last != latest) behind++;
  printf("%.0f commits/s, %.0f events/s received, %.0f reads/s: p50 %.2f, p99 %.2f, slowest %.2f ms; server CPU %.0f %%\n",
         commits / took * 1e3, received / took * 1e3, reads / took * 1e3, p50, p99, most, cpu / took * 100);
  int fewest = streams[0].events, most_events = fewest;
  for (int i = 0; i < stream_count; i++) {
    if (streams[i].events < fewest) fewest = streams[i].events;
    if (streams[i].events > most_events) most_events = streams[i].events;
  }
  printf("events per stream: %d to %d, begun anew %d times\n", fewest, most_events, initials - stream_count);
  printf("all quiet %.0f ms after the last commit; streams not at the last version: %ld, out of order %d, ended %d\n",
         quiet - start - took, behind, disorder, ended);
}

int main(int count, char **arguments) {
  if (count != 6) return fprintf(stderr, "streams PORT SERVER-PID all|one|queries|storm STREAMS ROUNDS-OR-SECONDS\n"), 2;
  port = atoi(arguments[1]);
  server = atoi(arguments[2]);
  stream_count = atoi(arguments[4]);
  if (NULL != getenv("HTTP")) version = getenv("HTTP");
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  epoll = epoll_create1(0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  long before = server_rss();
  open_streams(arguments[3]);
  printf("server memory: %ld KB before, %.2f KB per stream, ", before, (double)(server_rss() - before) / stream_count);
  usleep(500000);
  printf("%.2f KB after half a second\n", (double)(server_rss() - before) / stream_count);
  if (0 == strcmp(arguments[3], "storm")) storm(atoi(arguments[5]));
  else rounds(arguments[3], atoi(arguments[5]));
  printf("server memory at the end: %.2f KB per stream above the beginning\n",
         (double)(server_rss() - before) / stream_count);
  return disorder + ended > 0;
}
