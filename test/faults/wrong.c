/* wrong.c - functions that do the wrong thing when an allocation fails: the sweep must find each of them. */
#include <stdlib.h>
#include <string.h>

int wrong_leak(void);                 /* 0: well; 1: out of memory */
int wrong_crash(void);
int wrong_change(double *x);

int wrong_leak(void)
{
  char *a = malloc(100), *b = malloc(200);
  if (!a || !b) return 1;             /* one of them is lost */
  free(a);
  free(b);
  return 0;
}

int wrong_crash(void)
{
  volatile char *a = malloc(100);
  a[0] = 1;
  free((void *)a);
  return 0;
}

int wrong_change(double *x)
{
  *x += 1;
  void *a = malloc(100);
  free(a);
  return !a;
}
