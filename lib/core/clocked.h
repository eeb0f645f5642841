/* clocked.h - waits with a deadline on the monotonic clock.
 * ThreadSanitizer of gcc 12 and of clang 14 does not know three functions of glibc and reports false races. Under it, these waits
 * use functions that it knows. */
#ifndef TH_CLOCKED_H
#define TH_CLOCKED_H
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#if !defined(__SANITIZE_THREAD__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);

/* The same deadline on the realtime clock. */
static inline struct timespec th_of_day(const struct timespec *end)
{
  struct timespec t, now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_REALTIME, &t);
  const long long left = (end->tv_sec - now.tv_sec) * 1000000000LL + (end->tv_nsec - now.tv_nsec);
  const long long at = t.tv_nsec + (left > 0 ? left : 0);
  t.tv_sec += (time_t)(at / 1000000000);
  t.tv_nsec = (long)(at % 1000000000);
  return t;
}

static inline int th_wait_semaphore(sem_t *s, const struct timespec *end)
{
  const int failed = sem_clockwait(s, CLOCK_MONOTONIC, end);
  if (!failed) __tsan_acquire(s);
  return failed;
}

static inline int th_join_until(pthread_t thread, const struct timespec *end)
{
  const struct timespec t = th_of_day(end);
  return pthread_timedjoin_np(thread, NULL, &t);
}

static inline int th_lock_until(pthread_mutex_t *lock, const struct timespec *end)
{
  const struct timespec t = th_of_day(end);
  return pthread_mutex_timedlock(lock, &t);
}
#else
static inline int th_wait_semaphore(sem_t *s, const struct timespec *end) { return sem_clockwait(s, CLOCK_MONOTONIC, end); }

static inline int th_join_until(pthread_t thread, const struct timespec *end)
{
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, end);
}

static inline int th_lock_until(pthread_mutex_t *lock, const struct timespec *end)
{
  return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, end);
}
#endif
#endif
