# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameters of a node (the tables of scene/parameters/params.py) declared on rclpy and checked there."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterType, SetParametersResult
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.parameter import Parameter

from hakoniwa_rigid.scene.parameters.params import WORDS, Param, default_of, fault, is_built_in

from .errors import StartError

__all__ = ['Parameters', 'descriptor']

TYPES = {
    bool: ParameterType.PARAMETER_BOOL,
    float: ParameterType.PARAMETER_DOUBLE,
    int: ParameterType.PARAMETER_INTEGER,
    str: ParameterType.PARAMETER_STRING,
    list: ParameterType.PARAMETER_STRING_ARRAY,
    tuple: ParameterType.PARAMETER_DOUBLE_ARRAY,
}
# of lists and of tables of numbers
EMPTY = {list: Parameter.Type.STRING_ARRAY, tuple: Parameter.Type.DOUBLE_ARRAY}


def descriptor(spec: Param) -> ParameterDescriptor:
    """What `ros2 param describe` shows; read-only, because choices are checked where rclpy cannot."""
    result = ParameterDescriptor(
        type=TYPES[type(spec.default)], description=spec.description, read_only=spec.read_only
    )
    if spec.choices:
        result.additional_constraints = 'one of: ' + ', '.join(repr(c) for c in spec.choices)
    if spec.size:
        result.additional_constraints = f'{spec.size} numbers'
    if isinstance(spec.default, int) and spec.low is not None:
        result.integer_range = [IntegerRange(from_value=spec.low, to_value=spec.high, step=1)]
    elif spec.low is not None:
        result.floating_point_range = [FloatingPointRange(from_value=spec.low, to_value=spec.high, step=0.0)]
    return result


class Parameters:
    """Declares tables of `Param` on a node, checks choices at declaration and on every set, and reads values.

    Raises StartError with the parameter's name, the offending value and what would be right.
    """

    def __init__(self, node) -> None:
        self._node = node
        self._specs: dict[str, Param] = {}
        self.values: dict[str, Any] = {}  # of everything declared, by full names, as last read
        node.add_pre_set_parameters_callback(self._converted)
        node.add_on_set_parameters_callback(self._check)

    def declare(self, table: tuple[Param, ...], prefix: str = '', name: str = '') -> dict[str, Any]:
        """Declare every entry of `table` under `prefix` (once) and return name -> value."""
        values = {}
        for spec in table:
            full = prefix + spec.name
            listed = prefix + (spec.listed or spec.name)
            self._specs[listed] = spec
            given = full if full in self._given and listed not in self._given else listed
            values[spec.name] = self.values[full] = self._declare(listed, given, spec, name)
        return values

    def _declare(self, full: str, given_as: str, spec: Param, name: str) -> Any:
        """Declare one as `full`, with what was given under one of its names, and read it."""
        node = self._node
        if not node.has_parameter(full):
            given = self._given.get(given_as)
            whole = _as_numbers(spec, given) if given_as == full else _as_words(given_as, given)
            default = _default(spec, name) if whole is None else whole
            try:
                # `rate: 200` means 200.0, though its YAML type is an integer
                description = descriptor(spec)
                description.read_only &= type(spec.default) not in EMPTY  # _fill makes it so
                node.declare_parameter(full, default, description, ignore_override=whole is not None)
            except InvalidParameterTypeException as error:
                what = WORDS[type(spec.default)]
                raise StartError(f'parameter {full}: must be {what}, got {given.value!r}') from error
            except InvalidParameterValueException as error:
                reason = fault(spec, given.value if whole is None else whole)
                raise StartError(f'parameter {full}: {reason}') from error
            if type(spec.default) in EMPTY:
                self._fill(full, spec)
        value = node.get_parameter(full).value
        kind = type(spec.default)
        return kind(value) if kind in EMPTY else value

    def _fill(self, full: str, spec: Param) -> None:
        """An empty list of the right type where nothing gave one: `ros2 param dump` needs a value of every parameter.

        rclpy cannot declare one, because it takes the type from the value; it can set one that is not read-only.
        """
        # Jazzy gives the number of the type
        if Parameter.Type(self._node.get_parameter_type(full)) == Parameter.Type.NOT_SET:
            self._node.set_parameters([Parameter(full, EMPTY[type(spec.default)], [])])
        self._node.set_descriptor(full, descriptor(spec))

    def _converted(self, parameters: list[Parameter]) -> list[Parameter]:
        """Whole numbers that are set where real ones are meant, as real ones."""
        return [self._as_real(parameter) for parameter in parameters]

    def _as_real(self, parameter: Parameter) -> Parameter:
        spec = self._specs.get(parameter.name)
        whole = _as_numbers(spec, parameter) if spec else None
        return parameter if whole is None else Parameter(parameter.name, value=whole)

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            reason = fault(spec, parameter.value) if spec else ''
            if reason:
                return SetParametersResult(successful=False, reason=f'{parameter.name}: {reason}')
        return SetParametersResult(successful=True)

    @property
    def _given(self) -> dict[str, Parameter]:
        """What params files and the command line say, declared or not.

        rclpy has no public word for it: declaring all of it automatically fails for an empty list.
        """
        return getattr(self._node, '_parameter_overrides', {})

    def given(self) -> dict[str, Any]:
        """What was given, declared or not, by full names: for what is declared when it comes."""
        return {name: one.value if isinstance(one.value, (str, bytes)) or not hasattr(one.value, '__iter__')
                else list(one.value) for name, one in self._given.items()}

    def unknown(self) -> list[str]:
        """Names given in a params file or on the command line that nothing declared: typing errors, most likely."""
        return sorted(n for n in self._given if n not in self.values and not self._node.has_parameter(n)
                      and not is_built_in(n))


def _as_numbers(spec: Param, given: Parameter | None) -> float | list[float] | None:
    """Whole numbers where real ones are meant; None where there is nothing to convert."""
    kinds = {float: Parameter.Type.INTEGER, tuple: Parameter.Type.INTEGER_ARRAY}
    if given is None or given.type_ != kinds.get(type(spec.default)):
        return None
    return float(given.value) if isinstance(spec.default, float) else [float(x) for x in given.value]


def _as_words(full: str, given: Parameter) -> list[str] | None:
    """A list of strings that is declared by another name than it was given; None for an empty one."""
    if not given.value:
        return None
    if given.type_ != Parameter.Type.STRING_ARRAY:
        raise StartError(f'parameter {full}: must be {WORDS[list]}, got {given.value!r}')
    return list(given.value)


def _default(spec: Param, name: str) -> Any:
    # an empty list has no type of its own in rclpy
    return EMPTY[type(spec.default)] if spec.default in ([], ()) else default_of(spec, name)
