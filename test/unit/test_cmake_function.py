# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa_rigid_add_replay_test() in the project of a user, with a stand-in for the command and for ament."""
import shutil
import subprocess
from pathlib import Path

import pytest

FUNCTION = Path(__file__).resolve().parents[2] / 'cmake' / 'hakoniwa_rigid_add_replay_test.cmake'
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(flights LANGUAGES NONE)
enable_testing()
{before}
include("{function}")
{call}
"""
CALL = """hakoniwa_rigid_add_replay_test(landing BAG "flights/into wall.mcap" GOLDEN flights/landing.golden.yaml
  WORLD room.yaml TOLERANCES tol.yaml TIMEOUT 7 ARGS --rate 100)"""
# of the arguments one a line, and of the exit code what the golden file says
STAND_IN = """#!/bin/sh
printf '%s\\n' "$@" > "$(dirname "$0")/arguments"
exit "$(cat "$4")"
"""
AMENT = """set(AMENT_TEST_RESULTS_DIR "${CMAKE_CURRENT_BINARY_DIR}/test_results")
function(ament_add_test name)
  cmake_parse_arguments(arg "" "RESULT_FILE;TIMEOUT;WORKING_DIRECTORY" "COMMAND" ${ARGN})
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/ament" "${name};${arg_RESULT_FILE};${arg_TIMEOUT}")
endfunction()"""

pytestmark = pytest.mark.skipif(not (shutil.which('cmake') and shutil.which('ctest')), reason='CMake is not installed')


@pytest.fixture
def project(tmp_path):
    """The folder of a project with a flight, a golden file and a stand-in for hakoniwa-rigid."""
    (tmp_path / 'flights').mkdir()
    for name, text in (('flights/into wall.mcap', ''), ('flights/landing.golden.yaml', '0'), ('room.yaml', ''),
                       ('tol.yaml', ''), ('hakoniwa-rigid', STAND_IN)):
        (tmp_path / name).write_text(text)
    (tmp_path / 'hakoniwa-rigid').chmod(0o755)
    return tmp_path


def configured(project, call=CALL, before=''):
    """Exit code and what CMake says."""
    (project / 'CMakeLists.txt').write_text(PROJECT.format(function=FUNCTION, call=call, before=before))
    done = subprocess.run(['cmake', '-S', project, '-B', project / 'build',
                           f'-DHAKONIWA_RIGID_COMMAND={project / "hakoniwa-rigid"}'],
                          capture_output=True, text=True, check=False)
    return done.returncode, ' '.join(done.stderr.split())


def test_a_flight_is_a_test_that_leaves_its_reports(project):
    assert configured(project) == (0, '')
    ctest = ['ctest', '--test-dir', str(project / 'build'), '--output-on-failure']
    assert subprocess.run(ctest, capture_output=True, check=False).returncode == 0
    reports = project / 'build' / 'replay_tests'
    assert (project / 'arguments').read_text().split('\n')[:-1] == [
        'replay', f'{project}/flights/into wall.mcap', '--golden', f'{project}/flights/landing.golden.yaml', '--report',
        f'{reports}/landing.html', '--junit', f'{reports}/landing.xml', '--world', f'{project}/room.yaml', '--tol',
        f'{project}/tol.yaml', '--rate', '100']
    assert reports.is_dir()
    (project / 'flights' / 'landing.golden.yaml').write_text('1')
    assert subprocess.run(ctest, capture_output=True, check=False).returncode != 0


def test_ament_finds_the_junit_where_it_looks(project):
    assert configured(project, before=AMENT) == (0, '')
    results = project / 'build' / 'test_results' / 'flights'
    assert (project / 'build' / 'ament').read_text() == f'landing;{results}/landing.xunit.xml;7'
    assert results.is_dir()


@pytest.mark.parametrize(('call', 'words'), [
    ('hakoniwa_rigid_add_replay_test(a GOLDEN flights/landing.golden.yaml)', 'BAG is missing'),
    ('hakoniwa_rigid_add_replay_test(a BAG room.yaml)', 'GOLDEN is missing'),
    ('hakoniwa_rigid_add_replay_test(a BAG no.mcap GOLDEN room.yaml)', 'no.mcap: no such file or folder'),
    ('hakoniwa_rigid_add_replay_test(a BAG room.yaml GOLDEN room.yaml WOLRD room.yaml)', 'unknown arguments: WOLRD')])
def test_mistakes_are_found_when_cmake_configures(project, call, words):
    code, said = configured(project, call)
    assert code != 0 and words in said


def test_a_world_may_be_one_of_the_package(project):
    assert configured(project, CALL.replace('room.yaml', 'yard'))[0] == 0
