# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random inputs, judged from outside: `make fuzz`, or `python test/fuzz --help`.

A case is plain JSON, made of a seed by a generator (`*_ops`, `file_cases`), run by a judge (`*_case`, `file_cases`)
that knows the public API and its promises only.  What fails is made small and kept in test/regressions.  No test of one
function lives here, and nothing that knows how the package works inside.
"""
