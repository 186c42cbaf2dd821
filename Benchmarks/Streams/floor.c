/* What the system itself takes to send one event to many clients: a bare program that sends as many bytes as the gateway
   does to each of so many TCP connections on loopback, with one sendmsg for each and the same options, to another process
   that waits with epoll.

     floor STREAMS ROUNDS [BYTES]

   Prints the CPU of the sender per event and client, of which user and system. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check(int ok, const char *what) {
  if (ok) return;
  perror(what);
  exit(1);
}

/* Connects so many times, and tells the sender of each round in which all have got as many bytes. */
static void receive(int port, int streams, int bytes, int report) {
  int epoll = epoll_create1(0), *have = calloc(streams, sizeof *have), *fds = calloc(streams, sizeof *fds);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < streams; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    check(fds[i] >= 0 && connect(fds[i], (struct sockaddr *)&address, sizeof address) == 0, "connect");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event) == 0, "epoll_ctl");
  }
  char buffer[65536];
  int done = 0;
  for (;;) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int place = events[i].data.u32;
      ssize_t got = read(fds[place], buffer, sizeof buffer);
      if (got <= 0) exit(0);
      have[place] += got;
      if (have[place] < bytes) continue;
      have[place] -= bytes;
      if (++done < streams) continue;
      done = 0;
      check(write(report, "", 1) == 1, "write");
    }
  }
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int count, char **arguments) {
  int streams = count > 1 ? atoi(arguments[1]) : 2000, rounds = count > 2 ? atoi(arguments[2]) : 50;
  int bytes = count > 3 ? atoi(arguments[3]) : 200, report[2];
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0), *fds = calloc(streams, sizeof *fds), one = 1, low = 65536, timeout = 30000;
  check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 4096) == 0, "listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  check(pipe(report) == 0, "pipe");
  pid_t client = fork();
  if (client == 0) receive(ntohs(address.sin_port), streams, bytes, report[1]);
  for (int i = 0; i < streams; i++) {
    fds[i] = accept(listener, NULL, NULL);
    check(fds[i] >= 0, "accept");
    setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fds[i], IPPROTO_TCP, TCP_NOTSENT_LOWAT, &low, sizeof low);
    setsockopt(fds[i], IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
    setsockopt(fds[i], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  }
  char *event = malloc(bytes);
  memset(event, 'x', bytes);
  /* The two ends of a chunk, and the event. */
  struct iovec parts[3] = {{event, 4}, {event, bytes - 6}, {event, 2}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
  struct rusage before, after;
  for (int round = -5; round < rounds; round++) {
    if (round == 0) getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < streams; i++)
      check(sendmsg(fds[i], &message, MSG_DONTWAIT | MSG_NOSIGNAL) == bytes, "sendmsg");
    char byte;
    check(read(report[0], &byte, 1) == 1, "read");
    /* A commit comes some milliseconds later. */
    usleep(5000);
  }
  getrusage(RUSAGE_SELF, &after);
  double user = seconds(after.ru_utime) - seconds(before.ru_utime), system = seconds(after.ru_stime) - seconds(before.ru_stime);
  double events = (double)streams * rounds;
  printf("a bare sender: %.2f us per event and client, %.2f user, %.2f system\n", (user + system) / events * 1e6,
         user / events * 1e6, system / events * 1e6);
  for (int i = 0; i < streams; i++) close(fds[i]);
  waitpid(client, NULL, 0);
}
