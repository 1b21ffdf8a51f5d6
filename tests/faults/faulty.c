// Preloaded into the program: sets its clock, and lets its calls to files fail, as a file says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// What the file holds; tests/faults/preload.ts writes it while the program runs.
static volatile struct orders {
  int64_t step_s;                // how far the wall clock is set
  int64_t calls;                 // which calls: bits of `enum call`
  int64_t act;                   // what happens: `enum act`
  int64_t error;                 // with which errno
  int64_t from, count;           // to so many matching calls, from this one on, counted from 1
  int64_t seen, done;            // how many matched, and how many of them it happened to
  char pattern[192];             // for files of such names (glob)
} *orders, none;

enum call { WRITE = 1, SYNC = 2, READ = 4, NAME = 8 };
enum act { FAIL = 1, SHORT = 2, KILL = 3, TORN = 4 };

__attribute__((constructor)) static void load(void) {
  const char *path = getenv("FAULTS_FILE");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *map = fd < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  orders = map == MAP_FAILED ? &none : map;
  if (fd >= 0) close(fd);
}

// What happens to this call: 0, or one of `enum act`; does what ends the process at once.
static int fate(enum call call, int fd, const char *path) {
  if (!orders || !(orders->calls & call)) return 0;
  char link[64], name[4096];
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (length < 0) return 0;
    name[length] = 0;
    path = name;
  }
  if (fnmatch((const char *)orders->pattern, path, 0)) return 0;
  int64_t at = __sync_add_and_fetch(&orders->seen, 1);
  if (at < orders->from || at >= orders->from + orders->count) return 0;
  __sync_add_and_fetch(&orders->done, 1);
  if (orders->act == KILL) kill(getpid(), SIGKILL);
  errno = orders->error;
  return orders->act;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
// A short write takes half. A torn one ends the process in its middle: between two pages, as the
// kernel does.
#define WRITING(name, half, pages, ...)         \
  REAL(name);                                   \
  int act = fate(WRITE, fd, NULL);              \
  if (act == FAIL) return -1;                   \
  if (act == SHORT && size > 1) size = half;    \
  if (act == TORN) size = pages;                \
  ssize_t result = size ? real(__VA_ARGS__) : 0; \
  if (act == TORN) kill(getpid(), SIGKILL);     \
  return result
#define PAGES (size / 2 & ~(size_t)4095)

ssize_t write(int fd, const void *data, size_t size) {
  WRITING(write, size / 2, PAGES, fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  WRITING(pwrite, size / 2, PAGES, fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  WRITING(pwrite64, size / 2, PAGES, fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *data, int size) {
  WRITING(writev, 1, 1, fd, data, size);
}

#define FAILING(name, call, fd, path, ...)     \
  REAL(name);                                  \
  if (fate(call, fd, path) == FAIL) return -1; \
  return real(__VA_ARGS__)

int fsync(int fd) { FAILING(fsync, SYNC, fd, NULL, fd); }
int fdatasync(int fd) { FAILING(fdatasync, SYNC, fd, NULL, fd); }
ssize_t read(int fd, void *data, size_t size) { FAILING(read, READ, fd, NULL, fd, data, size); }
ssize_t pread(int fd, void *data, size_t size, off_t at) {
  FAILING(pread, READ, fd, NULL, fd, data, size, at);
}
ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
  FAILING(pread64, READ, fd, NULL, fd, data, size, at);
}
int ftruncate(int fd, off_t size) { FAILING(ftruncate, NAME, fd, NULL, fd, size); }
int ftruncate64(int fd, off64_t size) { FAILING(ftruncate64, NAME, fd, NULL, fd, size); }
int rename(const char *from, const char *to) { FAILING(rename, NAME, -1, to, from, to); }
int unlink(const char *path) { FAILING(unlink, NAME, -1, path, path); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime);
  int result = real(clock, time);
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall && orders) time->tv_sec += orders->step_s;
  return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(time, zone);
  if (result == 0 && orders) time->tv_sec += orders->step_s;
  return result;
}
