/* device.c - devices other than the CPU: the backend that implements them, and queries to it. */
#include <stdio.h>
#include "entry.h"
#include "th_record.h"

static const th_backend no_backend = { .abi = TH_ABI };
static const th_backend *backend = &no_backend;
int th_devices;

const th_backend *th_backend_get(void) { return __atomic_load_n(&backend, __ATOMIC_ACQUIRE); }

static const th_recorder *recorder;
void th_recorder_add(const th_recorder *r) { __atomic_store_n(&recorder, r, __ATOMIC_RELEASE); }
const th_recorder *th_recording(void)
{
  const th_recorder *r = __atomic_load_n(&recorder, __ATOMIC_ACQUIRE);
  return r && r->records() ? r : NULL;
}

int th_device_count(void) { return __atomic_load_n(&th_devices, __ATOMIC_RELAXED); }

const char *th_device_text(char text[TH_DEVICE_TEXT], int device)
{
  if (device == 0) return "the CPU";
  snprintf(text, TH_DEVICE_TEXT, "CUDA device %d", device);
  return text;
}

th_status th_backend_add(const th_backend *b)
{
  const th_backend *none = &no_backend;
  if (b->abi != TH_ABI) {
    return th_fail(TH_EBACKEND, "the library of devices was compiled for version %d of th_backend.h, this Cresset has version %d",
                   b->abi, TH_ABI);
  }
  if (b->count < 0 || b->count > TH_MAXDEVICE) {
    return th_fail(TH_EBACKEND, "there can be at most %d devices, got %d", TH_MAXDEVICE, b->count);
  }
  if (__atomic_compare_exchange_n(&backend, &none, b, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&th_devices, b->count, __ATOMIC_RELEASE);
    return TH_OK;
  }
  return none == b ? TH_OK : th_fail(TH_EBACKEND, "a library of devices is loaded already");
}
