#!/usr/bin/env bash
# Runs every fuzz target for STICTION_FUZZ_SECONDS (60) seconds, two at a time, by cargo-fuzz on nightly. The seed is the same every
# time: a run that fails is one that a change broke. The kernel has no unsafe code, so no address sanitiser is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${STICTION_FUZZ_SECONDS:-60}"
out="$(cd .. && pwd)/target/fuzz"
cargo +nightly fuzz build --fuzz-dir fuzz --sanitizer none --target-dir "$out"
host="$(rustc -vV | sed -n 's/^host: //p')"
export seconds out host

one() {
    mkdir -p "$out/corpus/$1" "$out/artifacts/$1"
    # What is found goes to the first folder; the committed seeds are only read.
    if "$out/$host/release/$1" -max_total_time="$seconds" -seed=1 -timeout=10 -rss_limit_mb=2048 -max_len=1024 \
        -print_final_stats=1 -artifact_prefix="$out/artifacts/$1/" "$out/corpus/$1" "fuzz/corpus/$1" 2>"$out/$1.log"; then
        executions="$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$1.log")"
        [ -n "$executions" ] || { echo "    $1: no figures in target/fuzz/$1.log"; return 1; }
        echo "    $1: $executions executions, no crash"
    else
        echo "    $1: CRASHED; see target/fuzz/$1.log and target/fuzz/artifacts/$1"
        return 1
    fi
}
export -f one
cargo +nightly fuzz list --fuzz-dir fuzz | xargs -P 2 -I TARGET bash -c 'one TARGET'
