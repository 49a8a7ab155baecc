#!/usr/bin/env bash
# Builds the PTX of `device`.
set -euo pipefail
cd "$(dirname "$0")/device"
processor="${STICTION_SM:-sm_70}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
export RUSTC_BOOTSTRAP=1 CARGO_ENCODED_RUSTFLAGS="-Ctarget-cpu=$processor"$'\x1f'"-Zunstable-options"$'\x1f'"-Clink-self-contained=+linker"$'\x1f'"-Clinker-flavor=llbc"
cargo build ${STICTION_CARGO:-} --release --lib --target nvptx64-nvidia-cuda -Zbuild-std=core
ls -l "$target"/nvptx64-nvidia-cuda/release/
