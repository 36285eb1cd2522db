/* Counts what changes files below a place or goes over certain connections, and breaks the one that it is told to.
 *
 * Preloaded (LD_PRELOAD) into every process of a walk, Java's and Spark's workers too. All of them share one page of
 * memory, whose layout interposer.py knows: one count for all, so that a point is one event of the whole walk. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST 65536
enum fault { COUNT, KILL, TORN, IO_ERROR, NO_SPACE, FULL, CUT };

struct page {
    int32_t armed, fault;
    int64_t at, count, clock_seconds;
    int32_t ports[4];
    char place[512];
    uint8_t kinds[MOST]; /* of each point: an index into NAMES */
    uint32_t files[MOST]; /* of each point: a number for the file, the same for all files of its use */
};
static struct page *page;
static __thread uint32_t file; /* of the path that was last found to be below the place */

enum kind { OPEN, WRITE, RENAME, REMOVE, MAKE_DIR, SYNC, TRUNCATE, SEND };

__attribute__((constructor)) static void attach(void) {
    const char *path = getenv("FAULTS_PAGE");
    int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *found = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (found != MAP_FAILED) page = found;
}

#define REAL(name)                                                     \
    ({                                                                 \
        static __typeof__(&name) found;                                \
        if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        found;                                                         \
    })

/* What a call shall do: 0 go on; 1 go on by half, or whole, and end; else fail with this errno. */
static int fault_at(enum kind kind) {
    int64_t number = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
    if (number <= MOST) page->kinds[number - 1] = kind, page->files[number - 1] = kind == SEND ? 0 : file;
    int fault = page->fault;
    if (fault == FULL && number >= page->at && (kind == OPEN || kind == WRITE || kind == MAKE_DIR)) return ENOSPC;
    if (number != page->at) return 0;
    if (fault == KILL) kill(getpid(), SIGKILL);
    if (fault == TORN || fault == CUT) return 1;
    if (kind == SEND) return fault == IO_ERROR || fault == NO_SPACE ? ECONNRESET : 0;
    return fault == IO_ERROR ? EIO : fault == NO_SPACE ? ENOSPC : 0;
}

/* A path's hash (FNV-1a) without the hexadecimal digits, by which the names of two runs differ. */
static uint32_t number_of(const char *path) {
    uint32_t hash = 2166136261u;
    for (; *path; path++)
        if (!strchr("0123456789abcdef", *path)) hash = (hash ^ (uint8_t)*path) * 16777619u;
    return hash;
}

static int below(const char *path) {
    size_t length = strlen(page->place);
    if (strncmp(path, page->place, length) || (path[length] != '/' && path[length] != 0)) return 0;
    file = number_of(path + length);
    return 1;
}

static int concerns_path(int directory, const char *path) {
    char whole[PATH_MAX], link[64];
    if (!page || !page->armed || !path) return 0;
    if (path[0] == '/') return below(path);
    if (directory == AT_FDCWD) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length <= 0) return 0;
    whole[length] = 0;
    return below(whole);
}

static int is_watched(int descriptor) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &size)) return 0;
    int port = 0;
    if (peer.ss_family == AF_INET) port = ntohs(((struct sockaddr_in *)&peer)->sin_port);
    if (peer.ss_family == AF_INET6) port = ntohs(((struct sockaddr_in6 *)&peer)->sin6_port);
    for (int i = 0; port && i < 4; i++)
        if (page->ports[i] == port) return 1;
    return 0;
}

/* Whether a descriptor is of a file below the place (WRITE), of a watched connection (SEND), or neither (-1). */
static int concerns(int descriptor) {
    struct stat found;
    char link[64], whole[PATH_MAX];
    if (!page || !page->armed || fstat(descriptor, &found)) return -1;
    if (S_ISSOCK(found.st_mode)) return is_watched(descriptor) ? SEND : -1;
    if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length <= 0) return -1;
    whole[length] = 0;
    return below(whole) ? WRITE : -1;
}

/* Says that a call failed. A connection whose call fails is at its end, as it is for the kernel, too. */
static int failed(int kind, int descriptor, int error) {
    if (kind == SEND) shutdown(descriptor, SHUT_RDWR);
    errno = error;
    return -1;
}

static void end(int descriptor) {
    if (page->fault == CUT) shutdown(descriptor, SHUT_RDWR);
    else kill(getpid(), SIGKILL);
}

/* A call that is done or not: with TORN it is done, and the process ends. */
#define WHOLE(kind, watched, descriptor, result, call)          \
    do {                                                        \
        if (watched) {                                          \
            int error = fault_at(kind);                         \
            if (error > 1) { errno = error; return -1; }        \
            if (error) { result done = call; end(descriptor); return done; } \
        }                                                       \
        return call;                                            \
    } while (0)

/* A call that moves bytes: with TORN half of them get there. */
#define BYTES(descriptor, half, call)                           \
    do {                                                        \
        int kind = concerns(descriptor);                        \
        if (kind >= 0) {                                        \
            int error = fault_at(kind);                         \
            if (error > 1) return failed(kind, descriptor, error); \
            if (error) {                                        \
                ssize_t done = kind == SEND ? call : half;      \
                end(descriptor);                                \
                return done;                                    \
            }                                                   \
        }                                                       \
        return call;                                            \
    } while (0)

ssize_t write(int fd, const void *data, size_t size) { BYTES(fd, REAL(write)(fd, data, size / 2), REAL(write)(fd, data, size)); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { BYTES(fd, REAL(pwrite)(fd, data, size / 2, at), REAL(pwrite)(fd, data, size, at)); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { BYTES(fd, REAL(pwrite64)(fd, data, size / 2, at), REAL(pwrite64)(fd, data, size, at)); }
ssize_t writev(int fd, const struct iovec *parts, int count) { BYTES(fd, REAL(writev)(fd, parts, count / 2), REAL(writev)(fd, parts, count)); }
ssize_t send(int fd, const void *data, size_t size, int flags) { BYTES(fd, 0, REAL(send)(fd, data, size, flags)); }
ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) { BYTES(fd, 0, REAL(sendto)(fd, data, size, flags, to, length)); }
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) { BYTES(fd, 0, REAL(sendmsg)(fd, message, flags)); }
ssize_t sendfile(int to, int from, off_t *at, size_t size) { BYTES(to, REAL(sendfile)(to, from, at, size / 2), REAL(sendfile)(to, from, at, size)); }
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) { BYTES(to, REAL(sendfile64)(to, from, at, size / 2), REAL(sendfile64)(to, from, at, size)); }
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t size, unsigned flags) { BYTES(to, REAL(copy_file_range)(from, at, to, there, size / 2, flags), REAL(copy_file_range)(from, at, to, there, size, flags)); }

int fsync(int fd) { WHOLE(SYNC, concerns(fd) == WRITE, fd, int, REAL(fsync)(fd)); }
int fdatasync(int fd) { WHOLE(SYNC, concerns(fd) == WRITE, fd, int, REAL(fdatasync)(fd)); }
int ftruncate(int fd, off_t size) { WHOLE(TRUNCATE, concerns(fd) == WRITE, fd, int, REAL(ftruncate)(fd, size)); }
int ftruncate64(int fd, off64_t size) { WHOLE(TRUNCATE, concerns(fd) == WRITE, fd, int, REAL(ftruncate64)(fd, size)); }
int rename(const char *from, const char *to) { WHOLE(RENAME, concerns_path(AT_FDCWD, to), -1, int, REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) { WHOLE(RENAME, concerns_path(b, to), -1, int, REAL(renameat)(a, from, b, to)); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { WHOLE(RENAME, concerns_path(b, to), -1, int, REAL(renameat2)(a, from, b, to, flags)); }
int unlink(const char *path) { WHOLE(REMOVE, concerns_path(AT_FDCWD, path), -1, int, REAL(unlink)(path)); }
int unlinkat(int directory, const char *path, int flags) { WHOLE(REMOVE, concerns_path(directory, path), -1, int, REAL(unlinkat)(directory, path, flags)); }
int rmdir(const char *path) { WHOLE(REMOVE, concerns_path(AT_FDCWD, path), -1, int, REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { WHOLE(MAKE_DIR, concerns_path(AT_FDCWD, path), -1, int, REAL(mkdir)(path, mode)); }
int mkdirat(int directory, const char *path, mode_t mode) { WHOLE(MAKE_DIR, concerns_path(directory, path), -1, int, REAL(mkdirat)(directory, path, mode)); }

/* Only what makes or empties a file is a point. */
#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC))
#define MODE(mode, flags)                                       \
    mode_t mode = 0;                                            \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                      \
        va_list rest;                                           \
        va_start(rest, flags);                                  \
        mode = va_arg(rest, mode_t);                            \
        va_end(rest);                                           \
    }

int open(const char *path, int flags, ...) {
    MODE(mode, flags)
    WHOLE(OPEN, CHANGES(flags) && concerns_path(AT_FDCWD, path), -1, int, REAL(open)(path, flags, mode));
}
int open64(const char *path, int flags, ...) {
    MODE(mode, flags)
    WHOLE(OPEN, CHANGES(flags) && concerns_path(AT_FDCWD, path), -1, int, REAL(open64)(path, flags, mode));
}
int openat(int directory, const char *path, int flags, ...) {
    MODE(mode, flags)
    WHOLE(OPEN, CHANGES(flags) && concerns_path(directory, path), -1, int, REAL(openat)(directory, path, flags, mode));
}
int openat64(int directory, const char *path, int flags, ...) {
    MODE(mode, flags)
    WHOLE(OPEN, CHANGES(flags) && concerns_path(directory, path), -1, int, REAL(openat64)(directory, path, flags, mode));
}

/* The clock of the walk, set back or forward. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = REAL(clock_gettime)(clock, now);
    if (page && clock == CLOCK_REALTIME) now->tv_sec += page->clock_seconds;
    return done;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int done = REAL(gettimeofday)(now, zone);
    if (page) now->tv_sec += page->clock_seconds;
    return done;
}
time_t time(time_t *into) {
    time_t now = REAL(time)(NULL) + (page ? page->clock_seconds : 0);
    if (into) *into = now;
    return now;
}
