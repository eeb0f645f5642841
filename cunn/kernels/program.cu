// program.cu - programs of pointwise ops as kernels: their texts, which NVRTC compiles, the
// compiled code in memory and in files, and their launches.
#include <map>
#include <mutex>
#include <string>
#include "../libraries/nvrtc.cuh"
#include "../runtime/recording.cuh"
#include "../runtime/vector.cuh"
#include "program_args.cuh"
#include "program_files.h"
#include "th_program.h"
#include "thcuda.h"

static_assert((int)program_args::INPUTS == (int)TH_PROGRAM_INPUTS &&
                (int)program_args::OUTPUTS == (int)TH_PROGRAM_OUTPUTS &&
                (int)program_args::NUMBERS == (int)TH_PROGRAM_NUMBERS &&
                (int)program_args::DIMS == (int)TH_MAXDIM,
              "limits");

namespace {

/* ---- the text ---- */

const char beginning[] =
#include "program_text.inc"
;

const char *const stored_type[] = { "",        "uint8_t", "int8_t", "int16_t", "int32_t",
                                    "int64_t", "f16",     "bf16",   "float",   "double" };
const char *const suffix[] = { "", "u8", "i8", "i16", "i32", "i64", "half", "half", "f32", "f64" };

std::string in_order(const std::string &what, int n, const std::string &after = "",
                     const char *between = ", ")
{
  std::string s;
  for (int k = 0; k < n; k++) s += (k ? between : "") + what + std::to_string(k) + after;
  return s;
}
std::string value_name(const th_program *p, int v)
{
  return v < p->ninput ? "x" + std::to_string(v) : "v" + std::to_string(v - p->ninput);
}
std::string computed_type(int dtype)
{
  return std::string("element<") + stored_type[dtype] + ">::C";
}

/* A number as formulas take it: of the type of computation. */
std::string number_of(const th_step &s, int k)
{
  if (s.number[k] < 0) return "0";
  return std::string(s.dtype == TH_F64 ? "a.d[" : "a.f[") + std::to_string(s.number[k]) + "]";
}

std::string expression(const th_program *p, const th_step &s, const th_formula *f)
{
  const std::string x = value_name(p, s.value[0]),
                    z = s.value[1] < 0 ? "" : value_name(p, s.value[1]);
  const std::string w = s.value[2] < 0 ? "" : value_name(p, s.value[2]), k = number_of(s, 0),
                    l = number_of(s, 1);
  const std::string name = std::string(f->id) + "_" + suffix[s.dtype], type = stored_type[s.dtype];
  const std::string d = s.number[0] < 0 ? "" : "a.d[" + std::to_string(s.number[0]) + "]";
  switch (f->form) {
    case TH_FORM_MAP: return name + "(" + x + ", " + k + ", " + l + ")";
    case TH_FORM_ZIP: return name + "(" + x + ", " + z + ", " + k + ")";
    case TH_FORM_ZIP3: return name + "(" + x + ", " + z + ", " + w + ", " + k + ")";
    case TH_FORM_GRADIENT: return name + "(" + x + ", " + z + ", " + w + ", " + k + ", " + l + ")";
    case TH_FORM_COMPARE:
      if (s.dtype < TH_F16)
        return std::string("whole_against<") + f->id + "_op>(" + x + ", bound_of(" + d + "))";
      return x + " " + f->sign + " element<" + type + ">::load(element<" + type +
             ">::from_double(" + d + "))";
    case TH_FORM_COMPARE_TENSORS: return x + " " + f->sign + " " + z;
    default: return x + " ? " + z + " : " + w;
  }
}

int elements_at_once(const th_program *p)
{
  int widest = 1;
  for (int k = 0; k < p->ninput; k++) widest = th_larger(widest, (int)th_element_size(p->dtype[k]));
  for (int k = 0; k < p->noutput; k++)
    widest = th_larger(widest, (int)th_element_size(th_program_dtype(p, p->output[k])));
  return th_smaller(16 / widest, 8);
}

/* For each operand a line, with its number in place of #, its type in place of @ and its type of
 * computation in place of $. */
std::string lines(const th_program *p, bool inputs, const std::string &line)
{
  std::string s;
  for (int k = 0; k < (inputs ? p->ninput : p->noutput); k++) {
    const int dtype = inputs ? p->dtype[k] : th_program_dtype(p, p->output[k]);
    for (const char c : line) {
      if (c == '#') s += std::to_string(k);
      else if (c == '@') s += stored_type[dtype];
      else if (c == '$') s += computed_type(dtype);
      else s += c;
    }
  }
  return s;
}

std::string text_of(const th_program *p)
{
  const std::string n = std::to_string(elements_at_once(p)),
                    block = std::to_string(+program_args::BLOCK) + "u";
  const std::string start = "extern \"C\" __global__ void __launch_bounds__(" +
                            std::to_string(+program_args::BLOCK) + ") ";
  const std::string one = lines(p, false, "    $ y#;\n") + "    compute(a, " +
                          in_order("e", p->ninput) + ", " + in_order("y", p->noutput) + ");\n";
  std::string s;
#define TH_MAP(...)
#define TH_MAP_AS(...)
#define TH_ACT(...)
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define TH_COMPARE(id, operator, doc)                                                              \
  s += "struct " #id "_op { template <class C> TH_DEVICE_FN bool at(C x, C z) { return x " #       \
  operator" z; } };\n";
#include "../../lib/op/pointwise.def"
  s += "TH_DEVICE_FN void compute(const program_args &a";
  s += lines(p, true, ", const $ x#") + lines(p, false, ", $ &y#") + ")\n{\n";
  for (int k = 0; k < p->nstep; k++) {
    const th_step &step = p->step[k];
    s += "  const " + computed_type(step.made) + " v" + std::to_string(k) + " = ";
    const std::string e = expression(p, step, th_formula_of(step.op));
    s += step.made == step.dtype
           ? std::string("result<") + stored_type[step.made] + ">::of(" + e + ", a.nothing);\n"
           : e + ";\n";
  }
  for (int k = 0; k < p->noutput; k++)
    s += "  y" + std::to_string(k) + " = " + value_name(p, p->output[k]) + ";\n";
  s += "}\n";
  s += start + "program_vectors(const __grid_constant__ program_args a)\n{\n";
  s += "  const uint32_t i = (blockIdx.x * " + block + " + threadIdx.x) * " + n + ";\n  if (i + " +
       n + " <= a.n) {\n";
  s += lines(p, true,
             "    $ x#[" + n + "];\n    load_values<computed<@>, " + n +
               ">(x#, static_cast<const @ *>(a.x[#]) + i);\n");
  s += lines(p, false, "    $ y#[" + n + "];\n") + "    TH_UNROLL_ALL\n    for (int k = 0; k < " +
       n + "; k++) compute(a, ";
  s += in_order("x", p->ninput, "[k]") + ", " + in_order("y", p->noutput, "[k]") + ");\n";
  s += lines(p, false,
             "    store_values<computed<@>, " + n + ">(static_cast<@ *>(a.y[#]) + i, y#);\n") +
       "    return;\n  }\n";
  s += "  TH_UNROLL_NONE\n  for (uint32_t j = i; j < a.n; j++) {\n";
  s +=
    lines(p, true, "    const $ e# = element<@>::load(static_cast<const @ *>(a.x[#])[j]);\n") + one;
  s += lines(p, false, "    static_cast<@ *>(a.y[#])[j] = element<@>::store(y#);\n") + "  }\n}\n";
  s += start + "program_elements(const __grid_constant__ program_args a)\n{\n";
  s += "  const uint32_t i = blockIdx.x * " + block + " + threadIdx.x;\n  uint32_t rest = i;\n" +
       lines(p, true, "  int32_t at# = 0;\n");
  s += "  if (i >= a.n) return;\n  TH_UNROLL_NONE\n  for (int d = a.ndim - 1; d > 0; d--) {\n";
  s += "    const uint32_t q = ((uint32_t)((uint64_t)rest * a.times[d] >> 32) + rest) >> "
       "a.shift[d];\n";
  s += "    const int32_t r = (int32_t)(rest - q * a.size[d]);\n" +
       lines(p, true, "    at# += r * a.stride[#][d];\n");
  s += "    rest = q;\n  }\n" + lines(p, true, "  at# += (int32_t)rest * a.stride[#][0];\n");
  s += "  {\n" +
       lines(p, true, "    const $ e# = element<@>::load(static_cast<const @ *>(a.x[#])[at#]);\n") +
       one;
  s += lines(p, false, "    static_cast<@ *>(a.y[#])[i] = element<@>::store(y#);\n") + "  }\n}\n";
  s += "#ifndef __CUDACC_RTC__\nemu::place emu::now;\n"
       "extern \"C\" const unsigned emu_argument[] = { sizeof(program_args), "
       "offsetof(program_args, d) };\n";
  for (const char *name : { "vectors", "elements" }) {
    s += std::string("extern \"C\" void emu_program_") + name +
         "(const emu::place *now, const program_args *a)\n{\n" + "  emu::now = *now;\n  program_" +
         name + "(*a);\n}\n";
  }
  return s + "#endif\n";
}

/* ---- kernels ---- */

struct kernel {
  void *vectors = nullptr, *elements = nullptr;      /* nullptr: it could not be compiled */
  int at_once = 0;
  uint64_t used_on = 0; /* devices, one bit each: there it is loaded, and a graph can record it */
};
std::map<std::pair<std::string, int>, kernel> kernels;       /* by text and capability */
std::mutex lock;
int64_t compiled;
std::string *folder; /* of files with compiled code; nullptr: none */

th_status capability_of(int *capability, int device)
{
  int major = 0, minor = 0;
  TH_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device - 1));
  TH_CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device - 1));
  *capability = 10 * major + minor;
  return TH_OK;
}

bool load(kernel *k, const std::string &binary)
{
  void *code = nullptr;
  if (!th_nvrtc_load(&code, binary)) return false;
  k->vectors = th_nvrtc_kernel(code, "program_vectors");
  k->elements = th_nvrtc_kernel(code, "program_elements");
  return k->vectors && k->elements;
}

void make(kernel *k, const std::string &text, int capability)
{
  static const std::string start = program_hash(beginning);
  const std::string key = "NVRTC " + th_nvrtc_version() + " sm_" + std::to_string(capability) +
                          " after " + start + "\n" + text;
  std::string binary, log;
  if (folder && program_file_read(&binary, *folder, key) && load(k, binary)) return;
  if (!th_nvrtc_compile(&binary, &log, beginning + text, capability)) return;
  compiled++;
  if (load(k, binary) && folder) program_file_write(*folder, key, binary);
}

/* The inputs share as few dimensions as possible. Returns whether 32 bits can count their
 * elements. */
bool place_inputs(program_args *a, const th_program *p, th_tensor *const *x, int ndim,
                  const int64_t *size)
{
  int64_t n = 1, reach[TH_PROGRAM_INPUTS] = {}, stride[TH_PROGRAM_INPUTS][TH_MAXDIM],
          merged[TH_MAXDIM];
  int dims = 0;
  for (int d = 0; d < ndim; d++) {
    if (size[d] == 1) continue;
    bool joins = dims > 0;
    int64_t step[TH_PROGRAM_INPUTS];
    for (int k = 0; k < p->ninput; k++) {
      const int e = d - (ndim - x[k]->ndim);
      step[k] = e < 0 || x[k]->size[e] == 1 ? 0 : x[k]->stride[e];
      reach[k] += (size[d] - 1) * (step[k] < 0 ? -step[k] : step[k]);
      joins = joins && stride[k][dims - 1] == step[k] * size[d];
    }
    if (!joins) merged[dims++] = 1;
    merged[dims - 1] *= size[d];
    for (int k = 0; k < p->ninput; k++) stride[k][dims - 1] = step[k];
    n *= size[d];
  }
  if (n > INT32_MAX) return false;
  a->ndim = dims;
  for (int d = 0; d < dims; d++) {
    uint8_t shift;
    a->size[d] = (uint32_t)merged[d];
    th_divisor(merged[d], &a->times[d], &shift);
    a->shift[d] = shift;
    for (int k = 0; k < p->ninput; k++) a->stride[k][d] = (int32_t)stride[k][d];
  }
  for (int k = 0; k < p->ninput; k++) if (reach[k] > INT32_MAX) return false;
  return true;
}

bool all_contiguous(const th_program *p, th_tensor *const *x, const th_tensor *shape, int at_once)
{
  for (int k = 0; k < p->ninput; k++) {
    const size_t bytes = th_element_size(x[k]->dtype);
    if (!th_contiguous(x[k]) || !th_same_shape(x[k], shape) ||
        (uintptr_t)th_data(x[k], bytes) % (at_once * bytes))
      return false;
  }
  return true;
}

th_status find(void **found, const th_program *p, th_tensor *const *x, const th_tensor *shape)
{
  int capability = 0;
  *found = nullptr;
  TH_TRY(capability_of(&capability, shape->device));
  program_args a;
  if (!all_contiguous(p, x, shape, elements_at_once(p)) &&
      !place_inputs(&a, p, x, shape->ndim, shape->size))
    return TH_OK;
  th_program *known = const_cast<th_program *>(p);   /* of one Lua state */
  std::lock_guard<std::mutex> guard(lock);
  if (!p->kernel || p->capability != capability) {
    const std::pair<std::string, int> key(text_of(p), capability);
    auto at = kernels.find(key);
    if (at == kernels.end()) {
      if (th_cuda_records() || th_nvrtc_why()) return TH_OK;
      kernel k;
      k.at_once = elements_at_once(p);
      make(&k, key.first, capability);
      at = kernels.emplace(key, k).first;
    }
    known->kernel = &at->second;
    known->capability = capability;
  }
  const kernel *k = static_cast<const kernel *>(p->kernel);
  const bool ready = !th_cuda_records() || (k->used_on >> (shape->device - 1) & 1);
  if (k->elements && ready) *found = p->kernel;
  return TH_OK;
}

th_status run(void *found, const th_program *p, th_tensor *const *y, th_tensor *const *x)
{
  enum : int64_t { MOST = 1 << 30 };
  kernel *const k = static_cast<kernel *>(found);
  const int64_t n = th_numel(y[0]);
  const bool vectors = all_contiguous(p, x, y[0], k->at_once);
  program_args a = {};
  for (int i = 0; i < p->nnumber; i++) a.d[i] = p->number[i], a.f[i] = (float)p->number[i];
  if (!vectors) place_inputs(&a, p, x, y[0]->ndim, y[0]->size);
  for (int64_t first = 0; first < n; first += vectors ? +MOST : n) {
    a.n = (uint32_t)(vectors && n - first > MOST ? +MOST : n - first);
    for (int i = 0; i < p->ninput; i++) {
      const size_t bytes = th_element_size(x[i]->dtype);
      a.x[i] = static_cast<char *>(th_data(x[i], bytes)) + first * bytes;
    }
    for (int i = 0; i < p->noutput; i++) {
      const size_t bytes = th_element_size(y[i]->dtype);
      a.y[i] = static_cast<char *>(th_data(y[i], bytes)) + first * bytes;
    }
    const uint32_t turns = vectors ? (a.n + k->at_once - 1) / k->at_once : a.n;
    const unsigned blocks = (turns + program_args::BLOCK - 1) / program_args::BLOCK;
    TH_TRY(th_nvrtc_launch(vectors ? k->vectors : k->elements, blocks, program_args::BLOCK, &a));
  }
  if (!th_cuda_records()) {
    std::lock_guard<std::mutex> guard(lock);
    k->used_on |= (uint64_t)1 << (y[0]->device - 1);
  }
  return TH_OK;
}

const th_program_runner runner = { find, run };

}  // namespace

void th_cuda_add_programs() { th_program_add_runner(&runner); }

const char *th_cuda_program_text(const th_program *p)
{
  static thread_local std::string text;
  text = beginning + text_of(p);
  return text.c_str();
}
const char *th_cuda_program_why(void)
{
  const char *why = th_nvrtc_why();
  return why ? why : "";
}
int64_t th_cuda_programs_compiled(void)
{
  std::lock_guard<std::mutex> guard(lock);
  return compiled;
}
void th_cuda_program_folder(const char *name)
{
  std::lock_guard<std::mutex> guard(lock);
  delete folder;
  folder = name ? new std::string(name) : nullptr;
}
