#!/bin/sh
# bench/gpu.sh - one command for a machine with a GPU, in a checkout or an archive of `./dev bundle`: every spec of CUDA, the tables
# of our speed and of PyTorch's if it is installed, and compute-sanitizer over some specs if it is installed.
#   bench/gpu.sh [-quick] [FILE]     FILE: the report, bench/results/NAME-OF-THE-GPU.md by default
# -quick: a few specs, no compute-sanitizer, one round of small sizes, to check that everything runs; it measures no speed.
# With TH_CUDA=emu it runs on the emulated device, with small sizes. It needs neither a network nor root. Each result is written to
# FILE.part immediately, and parts that are missing, fail or hang do not stop the rest. PYTHON names the python3 that has PyTorch.
set -u
quick=
if [ "${1:-}" = -quick ]; then quick=1; shift; fi
case ${1:-} in -*) echo "usage: bench/gpu.sh [-quick] [FILE]" >&2; exit 2;; esac
case ${1:-} in '' | /*) report=${1:-};; *) report=$PWD/$1;; esac
cd "$(dirname "$0")/.." || exit 2

if [ -x bin/th ]; then th=$PWD/bin/th
elif [ -x build/bin/th ]; then th=$PWD/build/bin/th
else echo "bench/gpu.sh: neither bin/th nor build/bin/th is here: ./dev build first" >&2; exit 2; fi
export TH="$th"

if ! name=$("$th" -e "local c = require 'cutorch' if c.getDeviceCount() > 0 then print(c.getDeviceProperties(1).name) end" 2>&1); then
  echo "bench/gpu.sh: $name; nothing was measured (TH_CUDA=emu tries this script)" >&2
  exit 1
fi
case $name in
  '') echo "bench/gpu.sh: there is no CUDA device; nothing was measured (TH_CUDA=emu tries this script)" >&2; exit 1;;
esac
report=${report:-bench/results/$(printf '%s' "$name" | tr -c 'A-Za-z0-9\n' - | tr -s - | tr 'A-Z' 'a-z').md}
mkdir -p "$(dirname "$report")" && : >"$report.part" || { echo "bench/gpu.sh: $report.part cannot be written" >&2; exit 2; }
part=$report.part
failed=0
output=$(mktemp)                                  # of one program
trap 'rm -f "$output"' EXIT
trap 'echo "bench/gpu.sh: stopped; what was found until now stands in $part" >&2; exit 130' INT TERM HUP

say() { printf '%s\n' "$*" | tee -a "$part"; }
# within SECONDS COMMAND: ends a program that hangs.
within() {
  limit=$1; shift
  if command -v timeout >/dev/null 2>&1; then timeout -k 10 "$limit" "$@"; else "$@"; fi
}
# shown SECONDS COMMAND: prints its lines immediately.
shown() {
  { within "$@" 2>&1; echo $? >"$output"; } | tee -a "$part"
  status=$(cat "$output")
  [ "$status" = 0 ] || { failed=1; say; say "This ended with status $status$([ "$status" = 124 ] && echo ": it took more than $1 s")."; }
}

say "# $name"
say
say "$(date -u '+%Y-%m-%d %H:%M UTC'); $("$th" -e "local c = require 'cutorch' print(('CUDA %d, driver %d'):format(c.getRuntimeVersion(), c.getDriverVersion()))")"
if [ "${TH_CUDA:-}" = emu ]; then
  say
  say "**This device is emulated: the host computes, and no time below says anything of a GPU.**"
elif command -v nvidia-smi >/dev/null 2>&1; then
  say "$(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit --format=csv,noheader 2>&1)"
fi

say
say "## Specs"
say
if [ "$quick" ]; then specs='test/cuda/index_spec.lua test/cuda/graph_memory_spec.lua'; else specs=$(ls test/cuda/*_spec.lua); fi
for spec in $specs; do
  sum=$(within 300 "$th" test/run.lua "$spec" 2>&1 </dev/null | tee "$output" | tail -n 1)
  case $sum in
    *" passed, 0 failed"*) say "- $spec: $sum";;
    *" passed, "*) failed=1; say "- $spec: $sum"; tail -n 60 "$output" | sed 's/^/      /' | tee -a "$part";;
    *) failed=1; say "- $spec: it did not come to its end, or took more than 300 s"; tail -n 60 "$output" | sed 's/^/      /' | tee -a "$part";;
  esac
done

say
say "## From nothing to the first kernel"
say
# The median of five times, in ms.
start() {
  within 120 "$@" >/dev/null 2>&1 || { echo 'did not run'; return; }
  for _ in 1 2 3 4 5; do from=$(date +%s%N); "$@" >/dev/null 2>&1; echo "$((($(date +%s%N) - from) / 1000000)) ms"; done | sort -n | sed -n 3p
}
say "- th: $(start "$th" -e "local c = require 'cutorch' torch.CudaTensor(1):fill(1) c.synchronize()")"
[ "${TH_CUDA:-}" = emu ] ||
  say "- python3 with PyTorch: $(start "${PYTHON:-python3}" -c "import torch; torch.ones(1, device='cuda'); torch.cuda.synchronize()")"

if [ "${TH_CUDA:-}" = emu ] || [ "$quick" ]; then small='-rounds 1'; else small=; fi
if [ "${TH_CUDA:-}" = emu ]; then beside=; else beside='-peer pytorch'; fi
# These hold several words.
# shellcheck disable=SC2086
{
  say
  say "## Operations"
  say
  shown 900 "$th" bench/gpu.lua $beside $small ${quick:+-size small}
  say
  say "## Training steps"
  say
  shown 900 "$th" bench/models.lua -device cuda $beside $small ${small:+-only MLP}
}

if [ "${TH_CUDA:-}" != emu ] && [ ! "$quick" ]; then
  say
  say "## compute-sanitizer"
  say
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
  [ -n "$sanitizer" ] || say "It is not installed here."
  for tool in ${sanitizer:+memcheck racecheck}; do
    if within 600 "$sanitizer" --tool "$tool" --error-exitcode 9 "$th" test/run.lua test/cuda/index_spec.lua >"$output" 2>&1
    then say "- $tool, index_spec: clean"
    else say "- $tool, index_spec: $(grep -m 1 'ERROR SUMMARY' "$output" || tail -n 1 "$output")"; failed=1; fi
  done
fi
mv "$part" "$report" && echo "$report is written"
exit $failed
