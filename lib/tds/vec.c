/* vec.c - a vector of values of any kind. */
#include "tds.h"
#include "../core/storage.h"

static th_status make_room(vec *v, int64_t size)
{
  if (size <= v->room) return TH_OK;
  const int64_t each = sizeof *v->elements;
  if (size > INT64_MAX / 4 / each) return th_fail(TH_EARG, "a tds.Vec cannot have %lld elements", (long long)size);
  const int64_t room = th_max(size, th_max(8, v->room + v->room / 2));
  element *elements = tds_realloc(v->elements, v->room * each, room * each);
  if (!elements) return th_out_of_memory(room * each);
  v->elements = elements;
  v->room = room;
  return TH_OK;
}

static th_status good_place(int64_t place, int64_t most)
{
  if (place >= 1 && place <= most) return TH_OK;
  if (most == INT64_MAX) return th_fail(TH_EARG, "a place must be at least 1, got %lld", (long long)place);
  return th_fail(TH_EARG, "a place must lie in 1..%lld, got %lld", (long long)most, (long long)place);
}

static th_status grow(vec *v, int64_t size)
{
  TH_TRY(make_room(v, size));
  for (int64_t k = v->size; k < size; k++) v->elements[k] = (element){ 0, TH_TDS_NIL };
  v->size = th_max(v->size, size);
  return TH_OK;
}

th_status th_tds_vec_get(th_tds *o, int64_t place, th_tds_value *value)
{
  vec *v = (vec *)o;
  const element none = { 0, TH_TDS_NIL };
  TH_TRY(good_place(place, INT64_MAX));
  pthread_mutex_lock(&v->o.lock);
  tds_show(place <= v->size ? &v->elements[place - 1] : &none, value);
  pthread_mutex_unlock(&v->o.lock);
  return TH_OK;
}

static th_status set(vec *v, int64_t place, const th_tds_value *value, element *old)
{
  element fresh;
  TH_TRY(make_room(v, place));
  TH_TRY(tds_take(&v->texts, &fresh, value));
  TH_TRY(grow(v, place));
  *old = v->elements[place - 1];
  tds_forget_text(&v->texts, old);
  v->elements[place - 1] = fresh;
  return TH_OK;
}

th_status th_tds_vec_set(th_tds *o, int64_t place, const th_tds_value *value)
{
  vec *v = (vec *)o;
  element old = { 0, TH_TDS_NIL };
  TH_TRY(good_place(place, INT64_MAX));
  pthread_mutex_lock(&v->o.lock);
  const th_status status = set(v, place, value, &old);
  pthread_mutex_unlock(&v->o.lock);
  tds_drop(&old);
  return status;
}

/* Beyond the end this is set, and the gap becomes nil. */
static th_status insert(vec *v, int64_t place, const th_tds_value *value)
{
  element none = { 0, TH_TDS_NIL }, fresh;
  if (place == 0) place = v->size + 1;
  if (place > v->size) return set(v, place, value, &none);
  TH_TRY(good_place(place, v->size));
  TH_TRY(make_room(v, v->size + 1));
  TH_TRY(tds_take(&v->texts, &fresh, value));
  memmove(v->elements + place, v->elements + place - 1, (size_t)(v->size - place + 1) * sizeof *v->elements);
  v->elements[place - 1] = fresh;
  v->size++;
  return TH_OK;
}

th_status th_tds_vec_insert(th_tds *o, int64_t place, const th_tds_value *value)
{
  vec *v = (vec *)o;
  pthread_mutex_lock(&v->o.lock);
  const th_status status = insert(v, place, value);
  pthread_mutex_unlock(&v->o.lock);
  return status;
}

static th_status take_away(vec *v, int64_t place, element *old)
{
  if (place == 0) place = v->size;
  TH_TRY(good_place(place, v->size));
  *old = v->elements[place - 1];
  tds_forget_text(&v->texts, old);
  memmove(v->elements + place - 1, v->elements + place, (size_t)(v->size - place) * sizeof *v->elements);
  v->size--;
  return TH_OK;
}

th_status th_tds_vec_remove(th_tds *o, int64_t place)
{
  vec *v = (vec *)o;
  element old = { 0, TH_TDS_NIL };
  pthread_mutex_lock(&v->o.lock);
  const th_status status = take_away(v, place, &old);
  pthread_mutex_unlock(&v->o.lock);
  tds_drop(&old);
  return status;
}

/* Each round shortens the vector by one under the lock, and drops the removed element outside of it. */
th_status th_tds_vec_resize(th_tds *o, int64_t size)
{
  vec *v = (vec *)o;
  th_status status = TH_OK;
  if (size < 0) return th_fail(TH_EARG, "a size must be at least 0, got %lld", (long long)size);
  for (bool more = true; more;) {
    element old = { 0, TH_TDS_NIL };
    pthread_mutex_lock(&v->o.lock);
    if (size < v->size) {
      old = v->elements[--v->size];
      tds_forget_text(&v->texts, &old);
    } else {
      status = grow(v, size);
      more = false;
    }
    pthread_mutex_unlock(&v->o.lock);
    tds_drop(&old);
  }
  return status;
}

static th_status permute(vec *v, const int64_t *order, int64_t n)
{
  if (n != v->size) {
    return th_fail(TH_EARG, "another thread has changed the vector: it has %lld elements, not %lld",
                   (long long)v->size, (long long)n);
  }
  const int64_t bytes = n * (int64_t)sizeof *v->elements;
  if (n == 0) return TH_OK;
  element *moved = malloc((size_t)bytes);
  bool *taken = calloc((size_t)n, 1);
  th_status status = moved && taken ? TH_OK : th_out_of_memory(bytes);
  for (int64_t k = 0; k < n && status == TH_OK; k++) {
    const int64_t from = order[k] - 1;
    if (from < 0 || from >= n || taken[from]) {
      status = th_fail(TH_EARG, "no order of 1..%lld", (long long)n);
    } else {
      taken[from] = true;
      moved[k] = v->elements[from];
    }
  }
  if (status == TH_OK) memcpy(v->elements, moved, (size_t)bytes);
  free(taken);
  free(moved);
  return status;
}

th_status th_tds_vec_permute(th_tds *o, const int64_t *order, int64_t n)
{
  vec *v = (vec *)o;
  pthread_mutex_lock(&v->o.lock);
  const th_status status = permute(v, order, n);
  pthread_mutex_unlock(&v->o.lock);
  return status;
}

void tds_vec_free(vec *v)
{
  for (int64_t k = 0; k < v->size; k++) {
    tds_forget_text(&v->texts, &v->elements[k]);
    tds_drop(&v->elements[k]);
  }
  tds_pool_free(&v->texts);
  th_account(-v->room * (int64_t)sizeof *v->elements, 0);
  free(v->elements);
}
