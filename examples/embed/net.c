/* net.c - runs a network in a C program that has LuaJIT inside. doc/embed.md explains it.
 *
 *   cc net.c $(pkg-config --cflags --libs cresset luajit) -o net */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>

/* Makes or loads the network, and returns classify(input, output): addresses of 4 floats to read and 3 to write.
 * A trained network comes from a file: net = torch.load "model.t7". */
static const char program[] =
  "local ffi = require 'ffi'\n"
  "local torch = require 'torch'\n"
  "local nn = require 'nn'\n"
  "torch.setdefaulttensortype 'torch.FloatTensor'\n"
  "torch.manualSeed(1)\n"
  "local net = nn.Sequential():add(nn.Linear(4, 8)):add(nn.ReLU()):add(nn.Linear(8, 3)):add(nn.SoftMax())\n"
  "net:evaluate()\n"
  "local input = torch.FloatTensor(4)\n"
  "return function(from, to)\n"
  "   ffi.copy(input:data(), ffi.cast('const float *', from), 4 * 4)\n"
  "   local output = net:forward(input)\n"
  "   ffi.copy(ffi.cast('float *', to), output:data(), 3 * 4)\n"
  "   return output:nElement()\n"
  "end\n";

static int failed(lua_State *L)
{
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return 1;
}

int main(void)
{
  lua_State *L = luaL_newstate();
  if (!L) return 1;
  luaL_openlibs(L);
  if (luaL_loadbuffer(L, program, sizeof program - 1, "=net.c") || lua_pcall(L, 0, 1, 0)) return failed(L);
  const int classify = luaL_ref(L, LUA_REGISTRYINDEX);

  const float input[4] = { 0.1f, -0.4f, 0.7f, 0.2f };
  float output[3];
  lua_rawgeti(L, LUA_REGISTRYINDEX, classify);
  lua_pushlightuserdata(L, (void *)(uintptr_t)input);
  lua_pushlightuserdata(L, output);
  if (lua_pcall(L, 2, 1, 0)) return failed(L);
  printf("%d classes, the probabilities add up to %.3f\n", (int)lua_tointeger(L, -1), output[0] + output[1] + output[2]);
  lua_close(L);
  return 0;
}
