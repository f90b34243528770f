#!/usr/bin/env bash
# Writes build/sbom.json: everything that is installed in .venv as a CycloneDX bill of materials, with licences.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=build/sbom
[ -x $tool/bin/cyclonedx-py ] || {
    .venv/bin/python -m venv $tool
    $tool/bin/python -m pip --disable-pip-version-check --no-input -qq install 'cyclonedx-bom==7.5.0'
}
$tool/bin/cyclonedx-py environment .venv --pyproject pyproject.toml --output-reproducible \
    --output-format JSON --output-file build/sbom.json
echo "build/sbom.json: $(grep -c '"bom-ref"' build/sbom.json) entries"
