#!/usr/bin/env bash
# Makes build/jupyterhub: the environment of a JupyterHub and its proxy, for tests/server/test_jupyterhub.py. It is made to lie
# in /opt/jupyterhub, where the test puts it in mounts of its own; the machine's /opt stays as it is. What the project's own
# environment has (Jupyter, nbgrader, torch) is linked into it; only JupyterHub and the proxy are fetched, by pip and npm.
# Needs root, Debian's python3 of the same version as .venv's, npm, and `make instructor` before.
set -euo pipefail
cd "$(dirname "$0")/.."
own=.venv/bin/python
python=/usr/bin/python3 # one that every user of a server may run
place=$PWD/build/jupyterhub
hub=/opt/jupyterhub

if [ "${1:-}" != within ]; then
    "$own" -c 'import nbgrader, torch' 2>/dev/null || { echo "Type make instructor first." >&2; exit 2; }
    command -v npm >/dev/null || { echo "This needs npm, for JupyterHub's proxy." >&2; exit 2; }
    [ "$(id -u)" = 0 ] || { echo "This needs root." >&2; exit 2; }
    version='import sys; print(*sys.version_info[:2])'
    [ "$("$own" -c "$version")" = "$("$python" -c "$version")" ] || {
        echo "$python is of another version than $own." >&2
        exit 2
    }
    rm -rf "$place"
    mkdir -p "$place/environment"
    exec unshare --mount "$PWD/scripts/set_up_jupyterhub.sh" within
fi

packages() { "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/opt,upperdir=/mnt/upper,workdir=/mnt/work /opt
mkdir "$hub"
mount --bind "$place/environment" "$hub"

"$python" -m venv "$hub"
# Without the project itself: the test puts it in as a learner's wheel.
cp -al "$(packages "$own")" "$place/environment/linked"
rm -rf "$place"/environment/linked/{__editable__*,attention_kata-*,distutils-precedence.pth}
for name in nbgrader alembic; do # nbgrader starts the other one
    sed "1s|.*|#!$hub/bin/python|" ".venv/bin/$name" >"$hub/bin/$name"
    chmod +x "$hub/bin/$name"
done
for part in share etc; do cp -al ".venv/$part" "$place/environment/"; done
echo "$hub/linked" >"$(packages "$hub/bin/python")/linked.pth"
"$hub/bin/python" -m pip --disable-pip-version-check --no-input -q install jupyterhub==6.1.1
npm install --global --prefix "$hub" --loglevel=error --no-fund configurable-http-proxy@5.3.0
echo "Set up: JupyterHub $("$hub/bin/jupyterhub" --version) in $place."
