#!/bin/sh
# bench/gpu.sh - one command on a machine with a GPU, in a checkout or in what `./dev bundle` made: every spec of CUDA,
# compute-sanitizer over some of them where it is installed, then the tables of our speed beside PyTorch's where that is installed.
#   bench/gpu.sh [FILE]     FILE: the report, bench/results/NAME-OF-THE-GPU.md by default
# With TH_CUDA=emu it tries itself on the emulated device, in small. It needs neither a network nor root.
set -u
cd "$(dirname "$0")/.."

if [ -x bin/th ]; then th=$PWD/bin/th
elif [ -x build/bin/th ]; then th=$PWD/build/bin/th
else echo "bench/gpu.sh: neither bin/th nor build/bin/th is here: ./dev build first" >&2; exit 2; fi
export TH="$th"

name=$("$th" -e "local c = require 'cutorch' if c.getDeviceCount() > 0 then print(c.getDeviceProperties(1).name) end" 2>&1)
case $name in
  '') echo "bench/gpu.sh: there is no CUDA device; nothing was measured (TH_CUDA=emu tries this script)" >&2; exit 1;;
esac
report=${1:-bench/results/$(printf '%s' "$name" | tr -c 'A-Za-z0-9\n' - | tr -s - | tr 'A-Z' 'a-z').md}
mkdir -p "$(dirname "$report")"
part=$report.part
failed=0
output=$(mktemp)                                  # of one program
trap 'rm -f "$output"' EXIT

say() { printf '%s\n' "$*" | tee -a "$part"; }
shown() { "$@" 2>&1 | tee -a "$part"; }

: >"$part"
say "# $name"
say
say "$(date -u '+%Y-%m-%d %H:%M UTC'); $("$th" -e "local c = require 'cutorch' print(('CUDA %d, driver %d'):format(c.getRuntimeVersion(), c.getDriverVersion()))")"
if command -v nvidia-smi >/dev/null 2>&1; then
  say "$(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit --format=csv,noheader)"
fi

say
say "## Specs"
say
for spec in test/cuda/*_spec.lua; do
  sum=$("$th" test/run.lua "$spec" 2>&1 </dev/null | tee "$output" | tail -n 1)
  say "- $spec: $sum"
  case $sum in *" passed, 0 failed"*) ;; *) failed=1; sed 's/^/      /' "$output" | tail -n 60;; esac
done

if [ "${TH_CUDA:-}" != emu ] && command -v compute-sanitizer >/dev/null 2>&1; then
  say
  say "## compute-sanitizer"
  say
  for tool in memcheck racecheck; do
    if compute-sanitizer --tool $tool --error-exitcode 9 "$th" test/run.lua test/cuda/index_spec.lua >"$output" 2>&1
    then say "- $tool, index_spec: clean"
    else say "- $tool, index_spec: $(grep -m 1 'ERROR SUMMARY' "$output" || tail -n 1 "$output")"; failed=1; fi
  done
fi

say
say "## From nothing to the first kernel"
say
# The third of five times, in ms.
start() {
  "$@" >/dev/null 2>&1 || { echo 'did not run'; return; }
  for _ in 1 2 3 4 5; do from=$(date +%s%N); "$@" >/dev/null 2>&1; echo "$((($(date +%s%N) - from) / 1000000)) ms"; done | sort -n | sed -n 3p
}
say "- th: $(start "$th" -e "local c = require 'cutorch' torch.CudaTensor(1):fill(1) c.synchronize()")"
say "- python3 with PyTorch: $(start "${PYTHON:-python3}" -c "import torch; torch.ones(1, device='cuda'); torch.cuda.synchronize()")"

say
say "## Operations"
say
if [ "${TH_CUDA:-}" = emu ]; then shown "$th" bench/gpu.lua -rounds 1; else shown "$th" bench/gpu.lua -peer pytorch; fi
say
say "## Training steps"
say
if [ "${TH_CUDA:-}" = emu ]; then shown "$th" bench/models.lua -device cuda -rounds 1 -only MLP
else shown "$th" bench/models.lua -device cuda -peer pytorch; fi
mv "$part" "$report"
echo "$report is written"
exit $failed
