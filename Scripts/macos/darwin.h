// The declarations of macOS that hapsim and its libraries use, for Scripts/typecheck-macos. They were written by hand from the manual pages and from the
// constants of Apple's public headers. Only the types of parameters and the names matter here: nothing is linked, and padding at the end of structures is
// left out where no code depends on it.
#ifndef HAPSIM_DARWIN_H
#define HAPSIM_DARWIN_H
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>

// Integers
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef uint8_t uint_least8_t;
typedef uint32_t uint_least32_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
#define INT64_C(n) n##LL
#define UINT64_C(n) n##ULL
#define UINT32_MAX 4294967295U
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615UL
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define CHAR_BIT 8
#define PATH_MAX 1024
#define NAME_MAX 255

// Types of the system
typedef long ssize_t;
typedef int64_t off_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int32_t pid_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef uint32_t id_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef unsigned long clock_t;
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;
typedef uint64_t rlim_t;
typedef uint32_t nfds_t;
typedef uint32_t sigset_t;
typedef int wint_t;
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
typedef uint32_t fsblkcnt_t;
typedef uint32_t fsfilcnt_t;
typedef uint32_t mach_port_t;
typedef mach_port_t semaphore_t;
typedef mach_port_t task_t;

// errno.h
int *__error(void);
#define errno (*__error())
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define ENOEXEC 8
#define EBADF 9
#define ECHILD 10
#define EDEADLK 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ETXTBSY 26
#define EFBIG 27
#define ENOSPC 28
#define ESPIPE 29
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EAGAIN 35
#define EWOULDBLOCK 35
#define EINPROGRESS 36
#define EALREADY 37
#define ENOTSOCK 38
#define EDESTADDRREQ 39
#define EMSGSIZE 40
#define EPROTOTYPE 41
#define ENOPROTOOPT 42
#define EPROTONOSUPPORT 43
#define ESOCKTNOSUPPORT 44
#define ENOTSUP 45
#define EAFNOSUPPORT 47
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENETDOWN 50
#define ENETUNREACH 51
#define ENETRESET 52
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define EISCONN 56
#define ENOTCONN 57
#define ESHUTDOWN 58
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENAMETOOLONG 63
#define EHOSTDOWN 64
#define EHOSTUNREACH 65
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EFTYPE 79
#define EOVERFLOW 84
#define ECANCELED 89
#define EILSEQ 92
#define EPROTO 100
#define EOPNOTSUPP 102

// time.h, sys/time.h
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  char *tm_zone;
};
typedef enum {
  CLOCK_REALTIME = 0, CLOCK_MONOTONIC_RAW = 4, CLOCK_MONOTONIC = 6, CLOCK_UPTIME_RAW = 8, CLOCK_PROCESS_CPUTIME_ID = 12, CLOCK_THREAD_CPUTIME_ID = 16,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);
int nanosleep(const struct timespec *time, struct timespec *rest);
time_t time(time_t *time);
time_t mktime(struct tm *time);
struct tm *gmtime_r(const time_t *time, struct tm *parts);
struct tm *localtime_r(const time_t *time, struct tm *parts);
size_t strftime(char *text, size_t size, const char *format, const struct tm *time);
int gettimeofday(struct timeval *time, void *zone);
void tzset(void);

// sys/stat.h, sys/statvfs.h, fcntl.h, dirent.h
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags, st_gen;
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);
int chmod(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);
int mkdir(const char *path, mode_t mode);
int mkfifo(const char *path, mode_t mode);
mode_t umask(mode_t mask);
struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; fsfilcnt_t f_files, f_ffree, f_favail; };
int statvfs(const char *path, struct statvfs *status);
struct flock { off_t l_start, l_len; pid_t l_pid; short l_type, l_whence; };
int flock(int descriptor, int operation);
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define F_RDLCK 1
#define F_UNLCK 2
#define F_WRLCK 3
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_FULLFSYNC 51
#define F_SETNOSIGPIPE 73
#define FD_CLOEXEC 1
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NONBLOCK 4
#define O_APPEND 8
#define O_SYNC 0x80
#define O_NOFOLLOW 0x100
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_SYMLINK 0x200000
#define O_DSYNC 0x400000
#define O_CLOEXEC 0x1000000
struct dirent { ino_t d_ino; uint64_t d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024]; };
#define DT_DIR 4
#define DT_REG 8
typedef struct { int __dd_fd; } DIR;
DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);

// unistd.h, stdio.h
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58
#define _SC_OPEN_MAX 5
int access(const char *path, int mode);
int close(int descriptor);
int dup(int descriptor);
int dup2(int descriptor, int other);
int pipe(int descriptors[2]);
ssize_t read(int descriptor, void *bytes, size_t count);
ssize_t write(int descriptor, const void *bytes, size_t count);
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset);
ssize_t readlink(const char *path, char *bytes, size_t count);
off_t lseek(int descriptor, off_t offset, int whence);
int ftruncate(int descriptor, off_t length);
int truncate(const char *path, off_t length);
int fsync(int descriptor);
int unlink(const char *path);
int rmdir(const char *path);
int link(const char *path, const char *other);
int symlink(const char *path, const char *other);
int chdir(const char *path);
char *getcwd(char *path, size_t count);
int gethostname(char *name, size_t count);
int isatty(int descriptor);
pid_t getpid(void);
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
int usleep(unsigned int microseconds);
unsigned int sleep(unsigned int seconds);
long sysconf(int name);
pid_t setsid(void);
void _exit(int status) __attribute__((noreturn));
typedef struct __sFILE { unsigned char *_p; int _r, _w; short _flags, _file; } FILE;
extern FILE *__stdinp, *__stdoutp, *__stderrp;
#define stdin __stdinp
#define stdout __stdoutp
#define stderr __stderrp
#define EOF (-1)
#define BUFSIZ 1024
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int descriptor, const char *mode);
int fclose(FILE *file);
int fflush(FILE *file);
int fileno(FILE *file);
size_t fread(void *bytes, size_t size, size_t count, FILE *file);
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file);
char *fgets(char *bytes, int size, FILE *file);
int fputs(const char *text, FILE *file);
int fprintf(FILE *file, const char *format, ...);
int printf(const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int setvbuf(FILE *file, char *bytes, int mode, size_t size);
int rename(const char *path, const char *other);
int remove(const char *path);
void perror(const char *text);

// stdlib.h, string.h, wchar.h, locale.h, math.h
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
void abort(void) __attribute__((noreturn));
void exit(int status) __attribute__((noreturn));
int atexit(void (*body)(void));
int atoi(const char *text);
double strtod(const char *text, char **end);
long strtol(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrites);
int unsetenv(const char *name);
int mkstemp(char *path);
int mkstemps(char *path, int suffix);
char *mkdtemp(char *path);
char *realpath(const char *path, char *resolved);
int system(const char *command);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
int ___mb_cur_max(void);
#define MB_CUR_MAX (___mb_cur_max())
#define RAND_MAX 2147483647
void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *bytes, const void *other, size_t count);
void *memcpy(void *bytes, const void *other, size_t count);
void *memmove(void *bytes, const void *other, size_t count);
void *memset(void *bytes, int byte, size_t count);
void *memmem(const void *bytes, size_t count, const void *part, size_t size);
char *strcpy(char *text, const char *other);
char *strdup(const char *text);
char *strerror(int number);
char *strsignal(int number);
size_t strlen(const char *text);
int strcmp(const char *text, const char *other);
int strncmp(const char *text, const char *other, size_t count);
char *strchr(const char *text, int letter);
char *strrchr(const char *text, int letter);
char *strstr(const char *text, const char *part);
#define LC_ALL 0
#define LC_COLLATE 1
#define LC_CTYPE 2
#define LC_NUMERIC 4
char *setlocale(int category, const char *locale);
double acos(double x);
double asin(double x);
double atan(double x);
double atan2(double y, double x);
double ceil(double x);
double cos(double x);
double exp(double x);
double exp2(double x);
double fabs(double x);
double floor(double x);
double fmod(double x, double y);
double log(double x);
double log10(double x);
double log2(double x);
double pow(double x, double y);
double round(double x);
double sin(double x);
double sqrt(double x);
double tan(double x);
double trunc(double x);

// signal.h, sys/wait.h, sys/resource.h, termios.h, sys/ioctl.h, poll.h
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGABRT 6
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGWINCH 28
#define SIGUSR1 30
#define SIGUSR2 31
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
typedef void (*sig_t)(int);
sig_t signal(int number, sig_t handler);
int kill(pid_t process, int number);
int raise(int number);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt; };
#define RUSAGE_SELF 0
int getrusage(int who, struct rusage *usage);
struct rlimit { rlim_t rlim_cur, rlim_max; };
#define RLIMIT_FSIZE 1
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 8
int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);
pid_t waitpid(pid_t process, int *status, int options);
#define WNOHANG 1
struct termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_cc[20]; speed_t c_ispeed, c_ospeed; };
#define ECHO 8
#define ICANON 0x100
#define ISIG 0x80
#define TCSANOW 0
#define TCSAFLUSH 2
int tcgetattr(int descriptor, struct termios *settings);
int tcsetattr(int descriptor, int actions, const struct termios *settings);
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
struct pollfd { int fd; short events, revents; };
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds);
#define MADV_DONTNEED 4
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
int madvise(void *memory, size_t size, int advice);
void *mmap(void *memory, size_t size, int protection, int flags, int descriptor, off_t offset);
int munmap(void *memory, size_t size);

// pthread.h, semaphore.h, dlfcn.h
struct _opaque_pthread_t { long __sig; };
typedef struct _opaque_pthread_t *pthread_t;
typedef struct { long __sig; char __opaque[56]; } pthread_mutex_t;
typedef struct { long __sig; char __opaque[40]; } pthread_cond_t;
typedef struct { long __sig; char __opaque[192]; } pthread_rwlock_t;
typedef struct { long __sig; char __opaque[8]; } pthread_once_t;
typedef struct { long __sig; char __opaque[56]; } pthread_attr_t;
typedef unsigned long pthread_key_t;
#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}
#define PTHREAD_MUTEX_INITIALIZER {0x32AAABA7, {0}}
pthread_t pthread_self(void);
int pthread_detach(pthread_t thread);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_kill(pthread_t thread, int number);
int pthread_setname_np(const char *name);
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_LOCAL 4
#define RTLD_GLOBAL 8
void *dlopen(const char *path, int mode);
void *dlsym(void *handle, const char *name);
char *dlerror(void);

// pwd.h
struct passwd { char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; time_t pw_change; char *pw_class, *pw_gecos, *pw_dir, *pw_shell; time_t pw_expire; };
struct passwd *getpwuid(uid_t user);
struct passwd *getpwnam(const char *name);

// sys/uio.h, sys/socket.h, sys/un.h
struct iovec { void *iov_base; size_t iov_len; };
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { uint8_t ss_len; sa_family_t ss_family; char __ss_pad1[6]; int64_t __ss_align; char __ss_pad2[112]; };
struct sockaddr_un { uint8_t sun_len; sa_family_t sun_family; char sun_path[104]; };
struct msghdr { void *msg_name; socklen_t msg_namelen; struct iovec *msg_iov; int msg_iovlen; void *msg_control; socklen_t msg_controllen; int msg_flags; };
struct cmsghdr { socklen_t cmsg_len; int cmsg_level, cmsg_type; };
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_RAW 3
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_ROUTE 17
#define PF_ROUTE 17
#define AF_INET6 30
#define SOL_SOCKET 0xffff
#define SOL_LOCAL 0
#define LOCAL_PEERPID 2
#define SO_REUSEADDR 4
#define SO_KEEPALIVE 8
#define SO_LINGER 0x80
#define SO_REUSEPORT 0x200
#define SO_SNDBUF 0x1001
#define SO_RCVBUF 0x1002
#define SO_SNDTIMEO 0x1005
#define SO_RCVTIMEO 0x1006
#define SO_ERROR 0x1007
#define SO_NOSIGPIPE 0x1022
#define MSG_PEEK 2
#define MSG_DONTWAIT 0x80
#define MSG_NOSIGNAL 0x80000
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define SOMAXCONN 128
struct linger { int l_onoff, l_linger; };
int socket(int family, int type, int protocol);
int socketpair(int family, int type, int protocol, int descriptors[2]);
int bind(int descriptor, const struct sockaddr *address, socklen_t length);
int connect(int descriptor, const struct sockaddr *address, socklen_t length);
int listen(int descriptor, int backlog);
int accept(int descriptor, struct sockaddr *address, socklen_t *length);
int shutdown(int descriptor, int how);
ssize_t recv(int descriptor, void *bytes, size_t count, int flags);
ssize_t send(int descriptor, const void *bytes, size_t count, int flags);
ssize_t recvmsg(int descriptor, struct msghdr *message, int flags);
ssize_t sendto(int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length);
ssize_t recvfrom(int descriptor, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *length);
int getsockname(int descriptor, struct sockaddr *address, socklen_t *length);
int getpeername(int descriptor, struct sockaddr *address, socklen_t *length);
int getsockopt(int descriptor, int level, int name, void *value, socklen_t *size);
int setsockopt(int descriptor, int level, int name, const void *value, socklen_t size);
int getpeereid(int descriptor, uid_t *user, gid_t *group);

// netinet/in.h, netinet/tcp.h, arpa/inet.h, net/if.h, ifaddrs.h, netdb.h
struct in_addr { in_addr_t s_addr; };
struct in6_addr { union { uint8_t __u6_addr8[16]; uint16_t __u6_addr16[8]; uint32_t __u6_addr32[4]; } __u6_addr; };
struct sockaddr_in { uint8_t sin_len; sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; char sin_zero[8]; };
struct sockaddr_in6 { uint8_t sin6_len; sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr; uint32_t sin6_scope_id; };
struct ip_mreq { struct in_addr imr_multiaddr, imr_interface; };
struct ip_mreqn { struct in_addr imr_multiaddr, imr_address; int imr_ifindex; };
struct ipv6_mreq { struct in6_addr ipv6mr_multiaddr; unsigned int ipv6mr_interface; };
#define IPPROTO_IP 0
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define IPPROTO_IPV6 41
#define INADDR_ANY ((uint32_t)0)
#define INADDR_LOOPBACK ((uint32_t)0x7f000001)
#define IP_TTL 4
#define IP_MULTICAST_IF 9
#define IP_MULTICAST_TTL 10
#define IP_MULTICAST_LOOP 11
#define IP_ADD_MEMBERSHIP 12
#define IP_DROP_MEMBERSHIP 13
#define IP_BOUND_IF 25
#define MCAST_JOIN_GROUP 80
#define IPV6_UNICAST_HOPS 4
#define IPV6_MULTICAST_IF 9
#define IPV6_MULTICAST_HOPS 10
#define IPV6_MULTICAST_LOOP 11
#define IPV6_V6ONLY 27
#define IPV6_BOUND_IF 125
#define INET6_ADDRSTRLEN 46
#define TCP_NODELAY 1
#define TCP_MAXSEG 2
#define TCP_KEEPALIVE 0x10
#define TCP_KEEPINTVL 0x101
#define TCP_KEEPCNT 0x102
#define IFF_UP 1
#define IFF_LOOPBACK 8
#define IFF_POINTOPOINT 0x10
#define IFF_RUNNING 0x40
#define IFF_MULTICAST 0x8000
#define IF_NAMESIZE 16
struct ifaddrs {
  struct ifaddrs *ifa_next;
  char *ifa_name;
  unsigned int ifa_flags;
  struct sockaddr *ifa_addr, *ifa_netmask, *ifa_dstaddr;
  void *ifa_data;
};
int getifaddrs(struct ifaddrs **list);
void freeifaddrs(struct ifaddrs *list);
unsigned int if_nametoindex(const char *name);
char *if_indextoname(unsigned int index, char *name);
int inet_pton(int family, const char *text, void *bytes);
const char *inet_ntop(int family, const void *bytes, char *text, socklen_t size);
struct addrinfo {
  int ai_flags, ai_family, ai_socktype, ai_protocol;
  socklen_t ai_addrlen;
  char *ai_canonname;
  struct sockaddr *ai_addr;
  struct addrinfo *ai_next;
};
#define NI_MAXHOST 1025
#define NI_MAXSERV 32
#define MAXHOSTNAMELEN 256

// mach
#define KERN_SUCCESS 0
#endif
