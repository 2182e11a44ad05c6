#!/bin/sh
# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
# Replays every recorded flight of a folder and compares it with its golden file; 1 where one differs or fails.
#   sh replay_tests.sh [FOLDER [OUT]]
# FOLDER (replay_tests) holds room.yaml and NAME.mcap with NAME.golden.yaml beside it; OUT (out) gets NAME (a bag with
# the corrected states), NAME.html (the report, its cause first) and NAME.xml (JUnit).  A flight without a golden file gets one, to be
# looked at and committed, and fails until then.
set -u
folder=${1:-replay_tests} out=${2:-out} status=0
mkdir -p "$out" || exit 2
for bag in "$folder"/*.mcap; do
    [ -e "$bag" ] || { echo "$folder: no recorded flights, *.mcap"; exit 2; }
    name=$(basename "$bag" .mcap)
    golden=$folder/$name.golden.yaml
    echo "== $name"
    set -- replay "$bag" --world "$folder/room.yaml" -o "$out/$name"
    if [ -e "$golden" ]; then
        hakoniwa-rigid "$@" --golden "$golden" --report "$out/$name.html" --junit "$out/$name.xml" || status=1
        continue
    fi
    status=1
    if hakoniwa-rigid "$@" && hakoniwa-rigid diff "$out/$name" --write-golden "$out/$name.golden.yaml"; then
        echo "$golden is missing: look at $out/$name.golden.yaml and commit it"
    fi
done
exit $status
