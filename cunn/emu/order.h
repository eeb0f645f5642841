// order.h - which work of the devices is done before which other work: vector clocks of the streams and of the host.
//
// A piece of work has a stream and a position in it. Stream 0 is the host with all its threads. A stream knows the pieces that
// are done before its next one: its earlier pieces, what the host knows when it puts work into the stream, and what the events
// know for which the stream waits. The host knows what it has waited for.
#ifndef TH_EMU_ORDER_H
#define TH_EMU_ORDER_H
#include <stdint.h>
#include <vector>

namespace emu {

struct moment { uint32_t stream, position; };

/* The position of each stream up to which its work is done. */
struct times {
  std::vector<uint32_t> done;
  void learn(moment m)
  {
    if (done.size() <= m.stream) done.resize(m.stream + 1);
    if (done[m.stream] < m.position) done[m.stream] = m.position;
  }
  void learn(const times &t)
  {
    for (uint32_t s = 0; s < t.done.size(); s++) learn(moment{ s, t.done[s] });
  }
  bool know(moment m) const { return m.stream < done.size() && m.position <= done[m.stream]; }
  uint32_t at(uint32_t stream) const { return stream < done.size() ? done[stream] : 0; }
};

/* What a piece of memory was made by, and the last work of each stream that uses it. */
struct uses { moment made; times last; };

}  // namespace emu
#endif
