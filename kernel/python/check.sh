#!/usr/bin/env bash
# Builds the package into a wheel, installs it into a new virtual environment and runs its tests there. Then it imports the same wheel
# with every other Python from 3.10 on that it finds. The first argument, if any, is the command `stiction` to compare with.
#
# STICTION_PYTHONS has further Pythons, separated by spaces.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -eq 0 ] || STICTION_COMMAND="$(realpath "$1")"
[ $# -eq 0 ] || export STICTION_COMMAND
out="$PWD/target/python"
mkdir -p "$out"
rm -rf "$out/wheels" "$out/venv" "$out"/import-*

# Whether a program is a Python that the package supports; prints its version.
version() {
    "$1" -c 'import sys, venv; assert sys.version_info >= (3, 10); print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

version python3 >/dev/null || { echo "python3 is older than 3.10 or has no module venv"; exit 1; }
python3 -m venv "$out/venv"
"$out/venv/bin/pip" --quiet --disable-pip-version-check install pytest
"$out/venv/bin/pip" --quiet --disable-pip-version-check wheel --no-deps --wheel-dir "$out/wheels" ./kernel/python
wheel="$(echo "$out"/wheels/stiction-*-abi3-*.whl)"
[ -f "$wheel" ] || { echo "no wheel for the stable interface in target/python/wheels"; exit 1; }
"$out/venv/bin/pip" --quiet --disable-pip-version-check install "$wheel"
# For the examples alone; what is missing is named where their tests are skipped.
for package in "pin>=4" "mujoco>=4" ray pyarrow matplotlib; do
    "$out/venv/bin/pip" --quiet --disable-pip-version-check install "$package" || echo "cannot be installed: $package"
done

# Not from the folder of the sources: they have no native module.
tests="$PWD/kernel/python/tests"
study="$PWD/kernel/python/examples/fleet"
cd "$out"
"$out/venv/bin/pytest" -q -rs -p no:cacheprovider "$tests"
"$out/venv/bin/pytest" -q -rs -p no:cacheprovider "$study"

tried=" $(version python3) "
# shellcheck disable=SC2086
for python in python3.1{0..9} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1*/bin/python ${STICTION_PYTHONS:-}; do
    number="$(version "$python")" || continue
    case "$tried" in *" $number "*) continue ;; esac
    tried="$tried$number "
    "$python" -m venv "$out/import-$number"
    "$out/import-$number/bin/pip" --quiet --disable-pip-version-check install "$wheel"
    "$out/import-$number/bin/python" -m doctest -o ELLIPSIS "$tests/imports.txt"
    echo "Python $number: imported, and solves"
done
echo "Pythons:$tried"
