/* ops.c - calls ops from C, without Lua: the product of two matrices. doc/embed.md explains it.
 *
 *   cc ops.c $(pkg-config --cflags --libs cresset) -o ops */
#include <stdio.h>
#include <th.h>

/* Prints the message of the last failure and returns 1. */
static int failed(const char *what)
{
  fprintf(stderr, "%s: %s\n", what, th_error());
  return 1;
}

/* A float matrix with these elements, row by row. */
static th_status make(th_tensor *t, int64_t rows, int64_t columns, const float *from)
{
  const int64_t size[2] = { rows, columns };
  const th_status s = th_tensor_resize(t, TH_F32, 2, size, NULL);
  return s != TH_OK ? s : th_storage_put(t->storage, 0, rows * columns, from);
}

int main(void)
{
  if (th_abi() != TH_ABI) {
    fprintf(stderr, "th.h and libth come from different versions\n");
    return 1;
  }
  th_tensor a = { 0 }, b = { 0 }, y = { 0 };              /* an empty tensor is all zeros */
  const float numbers[6] = { 1, 2, 3, 4, 5, 6 };
  if (make(&a, 2, 3, numbers) != TH_OK || make(&b, 3, 2, numbers) != TH_OK) return failed("make");

  const th_op *mm = th_op_find("mm", 0);                  /* its signature: mm->args is "y:out a:tensor b:tensor" */
  if (!mm) return failed("th_op_find");
  th_arg arg[3] = { { .t = &y }, { .t = &a }, { .t = &b } };
  if (th_run(mm, arg, 3) != TH_OK) return failed("mm");   /* y gets its size */

  float out[4];
  if (th_storage_get(y.storage, y.offset, 4, out) != TH_OK) return failed("th_storage_get");
  printf("%g %g\n%g %g\n", out[0], out[1], out[2], out[3]);

  th_tensor_release(&a);
  th_tensor_release(&b);
  th_tensor_release(&y);
  return 0;
}
