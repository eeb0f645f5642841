/* squareplus.c - an op of your own: torch.squareplus(x, b) = (x + sqrt(x^2 + b)) / 2. See doc/user-ops.md. */
#include <math.h>
#include <th_args.h>

TH_ARGS(squareplus, (y, out), (x, tensor), (b, number, "4"))

static th_status check(th_call *c)          /* refuses what cannot be, says what the result will be */
{
  const squareplus_args *a = squareplus_args_of(c);
  TH_TRY(th_need_float(c, squareplus_x));
  if (!(a->b > 0)) return th_fail(TH_EARG, "b must be above 0, got %g", a->b);
  return th_out_like(c, squareplus_y, a->x);
}

static void row(char *const *p, const int64_t *step, int64_t n, const void *call)
{
  const th_call *c = call;
  const double b = squareplus_args_of(c)->b;
  for (int64_t i = 0; i < n; i++) {
    const double x = th_read(p[1] + i * step[1], c->dtype);
    th_write(p[0] + i * step[0], c->dtype, (x + sqrt(x * x + b)) / 2);
  }
}

static th_status run(const th_call *c)      /* any strides, all cores */
{
  th_tensor *const t[] = { squareplus_args_of(c)->y, squareplus_args_of(c)->x };
  return th_each(2, t, row, c);
}

static const th_op squareplus = {
  .name = "squareplus", .args = squareplus_signature,
  .doc = "(x + sqrt(x^2 + b)) / 2, a smooth relu. Barron, arXiv:2112.11687.\n"
         "torch.squareplus(torch.Tensor{-1.5, 0, 1.5}) --> {0.5, 1, 2}",
  .grad = "x: mul(cmul(g, add(cdiv(x, sqrt(add(square(x), b))), 1)), 0.5)",
  .flags = TH_INPLACE, .check = check,
};

TH_PLUGIN({ &squareplus, .kernel = run })
