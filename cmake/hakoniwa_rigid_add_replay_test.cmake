# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
#
# hakoniwa_rigid_add_replay_test(<name> BAG <bag> GOLDEN <golden> [WORLD <world>] [PARAMS <file>] [TOLERANCES <file>]
#                                [TIMEOUT <s>] [ARGS <more arguments of hakoniwa-rigid replay>...])
#
# A test that replays a recorded flight and compares it with a golden file (expected: GOLDEN, actual: the replay).  Files
# lie relative to the CMakeLists.txt; WORLD may also be the name of a world of the package.  It leaves <name>.html in
# ${CMAKE_CURRENT_BINARY_DIR}/replay_tests, and JUnit: in a package of ament where `colcon test-result` looks for it,
# otherwise beside the page.  TIMEOUT is 300 s where none is given: the first run on a machine may compile.
function(hakoniwa_rigid_add_replay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BAG;GOLDEN;WORLD;PARAMS;TOLERANCES;TIMEOUT" "ARGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hakoniwa_rigid_add_replay_test(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(_key BAG GOLDEN)
    if(NOT arg_${_key})
      message(FATAL_ERROR "hakoniwa_rigid_add_replay_test(${name}): ${_key} is missing")
    endif()
  endforeach()
  foreach(_key BAG GOLDEN WORLD PARAMS TOLERANCES)
    if(arg_${_key})
      get_filename_component(_path "${arg_${_key}}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      if(EXISTS "${_path}")
        set(arg_${_key} "${_path}")
      elseif(NOT _key STREQUAL "WORLD")
        message(FATAL_ERROR "hakoniwa_rigid_add_replay_test(${name}): ${_key} ${_path}: no such file or folder")
      endif()
    endif()
  endforeach()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  # the command of the installation that this file belongs to
  find_program(HAKONIWA_RIGID_COMMAND hakoniwa-rigid HINTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin")
  if(NOT HAKONIWA_RIGID_COMMAND)
    message(FATAL_ERROR "hakoniwa_rigid_add_replay_test(${name}): the command hakoniwa-rigid is not there; set "
      "HAKONIWA_RIGID_COMMAND")
  endif()

  set(_reports "${CMAKE_CURRENT_BINARY_DIR}/replay_tests")
  set(_junit "${_reports}/${name}.xml")
  if(COMMAND ament_add_test)
    set(_junit "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.xunit.xml")
    file(MAKE_DIRECTORY "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}")
  endif()
  file(MAKE_DIRECTORY "${_reports}")
  set(_command "${HAKONIWA_RIGID_COMMAND}" replay "${arg_BAG}" --golden "${arg_GOLDEN}"
    --report "${_reports}/${name}.html" --junit "${_junit}")
  if(arg_WORLD)
    list(APPEND _command --world "${arg_WORLD}")
  endif()
  if(arg_PARAMS)
    list(APPEND _command --params "${arg_PARAMS}")
  endif()
  if(arg_TOLERANCES)
    list(APPEND _command --tol "${arg_TOLERANCES}")
  endif()
  list(APPEND _command ${arg_ARGS})
  if(COMMAND ament_add_test)
    ament_add_test("${name}" COMMAND ${_command} RESULT_FILE "${_junit}" TIMEOUT "${arg_TIMEOUT}"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  else()
    add_test(NAME "${name}" COMMAND ${_command} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties("${name}" PROPERTIES TIMEOUT "${arg_TIMEOUT}")
  endif()
endfunction()
