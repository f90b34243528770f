#!/usr/bin/env bash
# Makes the virtual environment named as the first argument, with everything in requirements.lock and this project in it,
# and sees to the system packages that full isolation needs. `make setup` calls it when something changed.
set -euo pipefail

cd "$(dirname "$0")/.."
venv=${1:?usage: scripts/setup.sh VENV}

can_install() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; }

apt_install() {
    local log
    log=$(mktemp)
    echo "Installing $* with apt-get."
    if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y "$@"; } >"$log" 2>&1 </dev/null; then
        rm "$log"
    else
        tail -n 3 "$log" >&2
        rm "$log"
        return 1
    fi
}

usable() { # a launcher on the PATH may still fail to start a Python, and Debian's may lack ensurepip: so it is tried
    "$1" -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

find_python() {
    for python in ${PYTHON:-python3.11 python3.12 python3.13 python3.10 python3}; do
        usable "$python" && return
    done
    return 1
}

make_environment() {
    if ! find_python; then
        if [ -z "${PYTHON:-}" ] && can_install; then apt_install python3-venv || true; fi
        if ! find_python; then
            echo "This needs Python 3.10 or newer with venv and ensurepip, and ${PYTHON:-what is on the PATH} is not that." \
                "On Debian: apt-get install python3-venv. Elsewhere: make setup PYTHON=/path/to/python" >&2
            exit 1
        fi
    fi
    echo "Making a virtual environment in $venv with $("$python" --version)."
    "$python" -m venv --clear "$venv"
}

made_here() { # pip runs, and from this place: the scripts of an environment name the folder where it was made
    "$venv/bin/pip" --version 2>/dev/null | grep -qF "from $(pwd -P)/$venv/" && usable "$venv/bin/python"
}

install_packages() {
    local pip=("$venv/bin/python" -m pip --disable-pip-version-check --no-input -qq install)
    echo "Installing the packages of requirements.lock; the first time this takes a minute or more."
    "${pip[@]}" -r requirements.lock
    "${pip[@]}" --no-deps --no-build-isolation --editable .
}

add_isolation() { # a learner practises without it, so what can't be installed here is named and nothing fails
    [ "$(uname -s)" = Linux ] || return 0
    local missing=()
    command -v bwrap >/dev/null || missing+=(bubblewrap)
    "$venv/bin/python" -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' 2>/dev/null || missing+=(libseccomp2)
    [ ${#missing[@]} -gt 0 ] || return 0
    if can_install && apt_install "${missing[@]}"; then return 0; fi
    echo "Full isolation needs ${missing[*]}. On Debian, type: sudo apt-get update && sudo apt-get install -y ${missing[*]}"
}

made_here || make_environment
install_packages
add_isolation
echo "Set up: kata, pytest, ruff and mypy are in $venv/bin."
