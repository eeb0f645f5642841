// formula.cuh - the formulas as types, and the tables of kernels that are made of them.
#ifndef TH_FORMULA_CUH
#define TH_FORMULA_CUH
#include "../runtime/backend.cuh"
#include "scalar.cuh"

/* A formula as a type: op::at(kind<T>(), ...) is the one for elements T. */
template <class T> struct kind {};
#define TH_AT_FLOATS(M, id) \
  M(id, f16, float, half) M(id, bf16, float, half) M(id, float, float, f32) \
  M(id, double, double, f64)
#define TH_AT_INTS(M, id) \
  M(id, uint8_t, int32_t, u8) M(id, int8_t, int32_t, i8) M(id, int16_t, int32_t, i16) M(id, int32_t, int64_t, i32) \
  M(id, int64_t, int64_t, i64)
#define TH_AT_ALL(M, id) TH_AT_INTS(M, id) TH_AT_FLOATS(M, id)

/* The tables: run is a template with the element type and the formula. */
#define TH_TABLE_FLOATS(id, run, op) \
  TH_KERNELS(id, nullptr, nullptr, nullptr, nullptr, nullptr, run<f16, op>, run<bf16, op>, run<float, op>, run<double, op>)
#define TH_TABLE_INTS(id, run, op) \
  TH_KERNELS(id, run<uint8_t, op>, run<int8_t, op>, run<int16_t, op>, run<int32_t, op>, run<int64_t, op>)
#define TH_TABLE_ALL(id, run, op) \
  TH_KERNELS(id, run<uint8_t, op>, run<int8_t, op>, run<int16_t, op>, run<int32_t, op>, run<int64_t, op>, \
             run<f16, op>, run<bf16, op>, run<float, op>, run<double, op>)

/* The number arguments of a call, in order, converted for elements of type T. */
template <class T> struct numbers {
  double d[2];
  explicit numbers(const th_call *c) : d{ 0, 0 }
  {
    int n = 0;
    for (int i = 0; i < c->narg; i++) if (c->kind[i] == TH_K_NUMBER) d[n++] = c->arg[i].d;
  }
  typename element<T>::C at(int i) const { return element<T>::number(d[i]); }
};

#endif
