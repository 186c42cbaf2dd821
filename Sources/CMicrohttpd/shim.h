#include <microhttpd.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
