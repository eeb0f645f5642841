#!/bin/sh
# bench/gpu.sh - measures a machine with a GPU with one command, in a checkout or an archive of `./dev bundle`: the tables of our
# speed beside PyTorch's where it is installed, then every spec of CUDA, then compute-sanitizer over some specs where it is installed.
set -u
usage() {
  cat <<'END'
usage: bench/gpu.sh [-quick] [-budget SECONDS] [-rounds N] [-section NAME]... [FILE]
  FILE              the report, bench/results/NAME-OF-THE-GPU.md by default; FILE.part holds every row as soon as it is measured
  -section NAME     only this section; it may be repeated. In this order:
                      start          from an empty process to the first kernel
                      ops            memory, products of matrices, layers, optimizers
                      conv           convolutions
                      steps          training steps of small models, without and with a CUDA graph
                      models         training steps of bench/models.lua
                      attention      attention of several lengths
                      data-parallel  one step on one and on all devices
                      specs          all of test/cuda, 60 seconds at most for each
                      sanitizer      compute-sanitizer over some specs
  -budget SECONDS   the time for everything; a section that no longer fits is cut off or left out, and the report says so
  -rounds N         how often each row is measured, in turn with PyTorch; 5 by default
  -quick            small sizes, one round and few specs, to check that everything runs; it measures no speed
With TH_CUDA=emu it runs on the emulated device, with small sizes. It needs neither a network nor root. Parts that are missing, fail
or hang do not stop the rest. PYTHON names the python3 that has PyTorch.
END
}
SECTIONS='start ops conv steps models attention data-parallel specs sanitizer'
quick='' budget='' wanted='' report='' rounds=5
while [ $# -gt 0 ]; do
  case $1 in
    -quick) quick=1;;
    -budget | -rounds)
      case ${2:-} in '' | *[!0-9]*) echo "bench/gpu.sh: $1 must be a whole number, got '${2:-}'" >&2; exit 2;; esac
      if [ "$1" = -budget ]; then budget=$2; else rounds=$2; fi
      shift;;
    -section)
      case " $SECTIONS " in
        *" ${2:-?} "*) wanted="$wanted $2";;
        *) echo "bench/gpu.sh: -section must be one of $SECTIONS, got '${2:-}'" >&2; exit 2;;
      esac
      shift;;
    -h | -help | --help) usage; exit 0;;
    -*) usage >&2; exit 2;;
    *) [ -z "$report" ] || { usage >&2; exit 2; }
      case $1 in /*) report=$1;; *) report=$PWD/$1;; esac;;
  esac
  shift
done
wanted=${wanted:-$SECTIONS}
cd "$(dirname "$0")/.." || exit 2

if [ -x bin/th ]; then th=$PWD/bin/th
elif [ -x build/bin/th ]; then th=$PWD/build/bin/th
else echo "bench/gpu.sh: neither bin/th nor build/bin/th is here: ./dev build first" >&2; exit 2; fi
export TH="$th"
export TH_CUDA="${TH_CUDA:-gpu}"                  # specs take the emulated device otherwise

if ! name=$("$th" -e "local c = require 'cutorch' if c.getDeviceCount() > 0 then print(c.getDeviceProperties(1).name) end" 2>&1); then
  echo "bench/gpu.sh: $name; nothing was measured (TH_CUDA=emu tries this script)" >&2
  exit 1
fi
case $name in
  '') echo "bench/gpu.sh: there is no CUDA device; nothing was measured (TH_CUDA=emu tries this script)" >&2; exit 1;;
esac
report=${report:-bench/results/$(printf '%s' "$name" | tr -c 'A-Za-z0-9\n' - | tr -s - | tr '[:upper:]' '[:lower:]').md}
mkdir -p "$(dirname "$report")" && : >"$report.part" || { echo "bench/gpu.sh: $report.part cannot be written" >&2; exit 2; }
part=$report.part
failed=0
output=$(mktemp)                                  # of one program
found=$(mktemp -d)                                # of specs that run side by side
trap 'rm -rf "$output" "$found"' EXIT
trap 'echo "bench/gpu.sh: stopped; what was found until now stands in $part" >&2; exit 130' INT TERM HUP

say() { printf '%s\n' "$*" | tee -a "$part"; }
began=$(date +%s)
# left SECONDS: these, or what is left of the budget.
left() {
  rest=$1
  if [ "$budget" ]; then rest=$((budget - $(date +%s) + began)); [ "$rest" -le "$1" ] || rest=$1; fi
  [ "$rest" -gt 0 ] || rest=0
  echo "$rest"
}
# within SECONDS COMMAND: ends a program that hangs.
within() {
  limit=$(left "$1"); shift
  [ "$limit" -gt 0 ] || return 124
  if command -v timeout >/dev/null 2>&1; then timeout -k 5 "$limit" "$@"; else "$@"; fi
}
# shown SECONDS COMMAND: prints its lines immediately.
shown() {
  { within "$@" 2>&1; echo $? >"$output"; } | tee -a "$part"
  status=$(cat "$output")
  [ "$status" = 0 ] || { failed=1; say; say "This ended with status $status$([ "$status" = 124 ] && echo ": it took more than $1 s, or than the budget had left")."; }
}
# The state of the GPU beside the rows.
gpu_state() {
  [ "${TH_CUDA:-}" != emu ] && command -v nvidia-smi >/dev/null 2>&1 || return 0
  say
  say "GPU $1: $(nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu,memory.used --format=csv,noheader 2>&1 | head -n 1)"
}
# section NAME TITLE: whether it is wanted and still fits.
section() {
  case " $wanted " in *" $1 "*) ;; *) return 1;; esac
  say
  say "## $2"
  say
  [ "$(left 1)" != 0 ] || { say "Left out: the $budget seconds of the budget are used."; return 1; }
  printf 'bench/gpu.sh: %s, %s s after the start\n' "$1" $(($(date +%s) - began)) >&2
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
gpu_state 'before'

if [ "${TH_CUDA:-}" = emu ] || [ "$quick" ]; then rounds=1; fi
if [ "${TH_CUDA:-}" = emu ]; then beside=; else beside='-peer pytorch'; fi
if [ "${TH_CUDA:-}" = emu ]; then spec_limit=300; else spec_limit=60; fi
sizes="-rounds $rounds ${quick:+-size small}"

# The median of three times, in ms.
start() {
  within 60 "$@" >/dev/null 2>&1 || { echo 'did not run'; return; }
  for _ in 1 2 3; do from=$(date +%s%N); "$@" >/dev/null 2>&1; echo "$((($(date +%s%N) - from) / 1000000)) ms"; done | sort -n | sed -n 2p
}
if section start 'From an empty process to the first kernel'; then
  say "- th: $(start "$th" -e "local c = require 'cutorch' torch.CudaTensor(1):fill(1) c.synchronize()")"
  [ "${TH_CUDA:-}" = emu ] ||
    say "- python3 with PyTorch: $(start "${PYTHON:-python3}" -c "import torch; torch.ones(1, device='cuda'); torch.cuda.synchronize()")"
fi

# These variables hold several words.
# shellcheck disable=SC2086
{
  if section ops 'Operations'; then shown 300 "$th" bench/gpu.lua -part ops $beside $sizes; gpu_state after; fi
  if section conv 'Convolutions'; then shown 300 "$th" bench/gpu.lua -part conv $beside $sizes; gpu_state after; fi
  if section steps 'Steps of small models, without and with a graph'; then shown 200 "$th" bench/gpu.lua -part steps $beside $sizes; fi
  if section models 'Training steps'; then
    shown 300 "$th" bench/models.lua -device cuda $beside -rounds $rounds ${quick:+-only MLP}
    gpu_state after
  fi
  if section attention 'Attention'; then
    if [ -f bench/attention.lua ]; then
      shown 200 "$th" bench/attention.lua -device cuda $beside $sizes
      say "With cuDNN's kernels where it has them:"
      shown 100 "$th" bench/attention.lua -device cuda $beside $sizes -cudnn yes -only '%d [fb]'
    else say 'bench/attention.lua is not in this archive.'; fi
  fi
  if section data-parallel 'Several devices'; then shown 200 "$th" bench/gpu.lua -part devices $sizes; fi
}

# One spec: its sum, and its output if it failed.
one_spec() {
  sum=$(within $spec_limit "$th" test/run.lua "$1" 2>&1 </dev/null | tee "$found/$(basename "$1")" | tail -n 1)
  case $sum in
    *" passed, 0 failed"*) echo "- $1: $sum";;
    *" passed, "*) echo "- $1: $sum"; tail -n 60 "$found/$(basename "$1")" | sed 's/^/      /';;
    *) echo "- $1: it did not come to its end, or took more than $spec_limit s"; tail -n 60 "$found/$(basename "$1")" | sed 's/^/      /';;
  esac >"$found/$(basename "$1").sum"
}
if section specs 'Specs'; then
  library=$("$th" -e "package.path = './?.lua;' .. package.path print(require 'test.support.cuda.device'.name)" 2>&1 | tail -n 1)
  say "They use $library."
  say
  case $TH_CUDA,$library in gpu,*emu*) failed=1; say 'That is the emulated device, so nothing below says anything of the GPU.'; say;; esac
  if [ "$quick" ]; then specs='test/cuda/index_spec.lua test/cuda/graph_memory_spec.lua'; else specs=$(ls test/cuda/*_spec.lua); fi
  jobs=$(nproc 2>/dev/null || echo 1)
  [ "$jobs" -le 4 ] || jobs=4                     # processes take turns on a GPU
  # Some fill the memory of the device or measure what is free: each of them runs alone.
  alone=$(grep -l '^-- runs alone' $specs)
  for spec in $alone; do one_spec "$spec"; done
  running=0
  for spec in $specs; do
    case " $alone " in *"$spec"*) continue;; esac
    one_spec "$spec" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then wait; running=0; fi
  done
  wait
  for spec in $specs; do
    sum=$found/$(basename "$spec").sum
    head -n 1 "$sum" | grep -q ' passed, 0 failed' || failed=1
    tee -a "$part" <"$sum"
  done
fi

if section sanitizer 'compute-sanitizer'; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
  if [ "${TH_CUDA:-}" = emu ]; then say 'An emulated device has none.'
  elif [ -z "$sanitizer" ]; then say 'It is not installed here.'
  else
    for tool in memcheck racecheck synccheck; do
      for spec in test/cuda/index_spec.lua test/cuda/random_spec.lua; do
        if within 120 "$sanitizer" --tool "$tool" --error-exitcode 9 "$th" test/run.lua "$spec" >"$output" 2>&1
        then say "- $tool, $spec: clean"
        else say "- $tool, $spec: $(grep -m 1 'ERROR SUMMARY' "$output" || tail -n 1 "$output")"; failed=1; fi
      done
    done
  fi
fi
gpu_state 'at the end'
say
say "$(($(date +%s) - began)) seconds."
mv "$part" "$report" && echo "$report is written"
exit $failed
