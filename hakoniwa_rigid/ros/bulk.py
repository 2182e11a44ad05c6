# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Many topics served in one compiled call: messages as bytes taken from all of many subscriptions, and published to all
of many publishers.

rclpy makes two Python objects and a dict of every message, and asks the interpreter once more to learn that a queue is
empty: 4 to 12 us a topic, of which DDS needs a tenth to a half.  The loops here call the C functions under rclpy
themselves (rcl_take_serialized_message, rcl_publish_serialized_message: the public interface of librcl, unchanged since
2021).  Where they are not to be had the caller goes through rclpy; what comes out is the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np
from numba import types

from hakoniwa_rigid.engine.maths.entries import entry

__all__ = ['BulkPublisher', 'BulkTaker', 'Taken', 'have_rcl', 'publish_all', 'take_all', 'warm_up']

OK, NOTHING_THERE = 0, 401  # RCL_RET_OK, RCL_RET_SUBSCRIPTION_TAKE_FAILED
# messages and bytes read before they are handed on
MOST_MESSAGES = 2048
ARENA = 4 << 20
# what a call of the loop ends with: everything is taken; no room for more; a message larger than the room left
DONE, FULL, LARGE = range(3)
# places in the cursor: topic, messages of it, messages and bytes of this piece, length and reception of a large message
TOPIC, OF_TOPIC, MESSAGES, BYTES, LENGTH, RECEPTION, CURSOR = range(7)


class Allocator(ctypes.Structure):
    """rcutils_allocator_t."""

    _fields_ = [(name, ctypes.c_void_p) for name in ('allocate', 'free', 'reallocate', 'zero_allocate', 'state')]


class Bytes(ctypes.Structure):
    """rcutils_uint8_array_t, which is rcl_serialized_message_t."""

    _fields_ = [
        ('buffer', ctypes.c_void_p),
        ('length', ctypes.c_size_t),
        ('capacity', ctypes.c_size_t),
        ('allocator', Allocator),
    ]


class Info(ctypes.Structure):
    """The beginning of rmw_message_info_t; the rest (its sender) is not of interest."""

    _fields_ = [
        ('sent', ctypes.c_int64),
        ('received', ctypes.c_int64),
        ('number', ctypes.c_uint64),
        ('received_number', ctypes.c_uint64),
        ('rest', ctypes.c_uint8 * 256),
    ]


class Taken(NamedTuple):
    """K messages, by topic and in order of arrival: data (uint8) holds them at offsets (K,) with lengths (K,); topics
    (K,), and times of reception (K,) ns by the system's clock. Valid until the next is asked for."""

    data: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    topics: np.ndarray
    receptions: np.ndarray


def have_rcl(handles: Sequence) -> bool:
    """Whether the C functions can be called for these handles of rclpy."""
    if not all(hasattr(handle, 'pointer') for handle in handles):
        return False
    try:
        _rcutils()
    except (OSError, AttributeError):
        return False
    return True


@cache
def _rcutils() -> ctypes.CDLL:
    """librcutils as rclpy has loaded it; what the compiled loops call is made known by its name."""
    rcl, rcutils = ctypes.CDLL('librcl.so'), ctypes.CDLL('librcutils.so')
    for name in (TAKE, PUBLISH):
        llvm.add_symbol(name, ctypes.cast(getattr(rcl, name), ctypes.c_void_p).value)
    llvm.add_symbol(COPY, ctypes.cast(ctypes.CDLL(None).memcpy, ctypes.c_void_p).value)
    rcutils.rcutils_get_default_allocator.restype = Allocator
    rcutils.rcutils_uint8_array_init.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    rcutils.rcutils_uint8_array_fini.argtypes = [ctypes.c_void_p]
    rcutils.rcutils_reset_error.restype = None
    return rcutils


TAKE, PUBLISH, COPY = 'rcl_take_serialized_message', 'rcl_publish_serialized_message', 'memcpy'
_address = types.uint64
take = types.ExternalFunction(TAKE, types.int32(_address, _address, _address, _address))
publish = types.ExternalFunction(PUBLISH, types.int32(_address, _address, _address))
copy = types.ExternalFunction(COPY, _address(_address, _address, _address))

_flags, _numbers, _words = (types.Array(kind, 1, 'C') for kind in (types.bool_, types.int64, types.uint64))
# arguments of take_all and publish_all
TAKE_TYPES = (_flags, _words, *[_numbers] * 4, types.int64[:, ::1], _words, _numbers, *[types.int64] * 4)
PUBLISH_TYPES = (_flags, _numbers, _words, _words, *[types.int64] * 3)


def warm_up() -> None:
    """Compile both loops, or load them from the cache.  Without ROS they are made for others, and never called here."""
    try:
        import rclpy  # noqa: F401 -- loads the libraries
        _rcutils()
    except (ImportError, OSError, AttributeError):
        for name in (TAKE, PUBLISH, COPY):
            llvm.add_symbol(name, 1)
    take_all.compile(TAKE_TYPES)
    publish_all.compile(PUBLISH_TYPES)


class BulkTaker:
    """Empties the queues of subscriptions. `handles` of rclpy, which must outlive this; depths of their queues. `lost`
    (N,): messages that a full queue had pushed out before the last `take`."""

    def __init__(self, handles: Sequence, depths: Sequence[int]) -> None:
        self._handles = handles
        self._rcutils = _rcutils()
        self._message, self._info = Bytes(), Info()
        self._allocate()
        self._pointers = np.array([handle.pointer for handle in handles], dtype=np.uint64)
        self._depths = np.array(depths, dtype=np.int64)
        self._newest = np.full(len(handles), -1, dtype=np.int64)
        self.lost = np.zeros(len(handles), dtype=np.int64)
        self.failures = 0  # calls that failed for another reason than an empty queue
        self._cursor = np.zeros(CURSOR, dtype=np.int64)
        self._arena = np.zeros(ARENA, dtype=np.uint8)
        self._rows = np.zeros((4, MOST_MESSAGES), dtype=np.int64)
        # views of the two structs, as the loop sees them
        self._view = np.frombuffer(self._message, dtype=np.uint64)
        self._seen = np.frombuffer(self._info, dtype=np.int64)
        self._addresses = (ctypes.addressof(self._message), ctypes.addressof(self._info), self._arena.ctypes.data)

    def _allocate(self) -> None:
        """Memory for the next message; it grows to the largest."""
        allocator = self._rcutils.rcutils_get_default_allocator()
        if self._rcutils.rcutils_uint8_array_init(ctypes.byref(self._message), 4096, ctypes.byref(allocator)) != OK:
            raise MemoryError('4 KiB for a message')

    def close(self) -> None:
        """Give the memory back."""
        self._rcutils.rcutils_uint8_array_fini(ctypes.byref(self._message))

    def take(self, on: np.ndarray) -> Iterator[Taken]:
        """What waits in the queues of those that are `on` (N,) bool, in pieces; of each at most as much as its queue
        holds."""
        cursor, status = self._cursor, FULL
        cursor[:] = 0
        while status != DONE:
            cursor[MESSAGES] = cursor[BYTES] = 0
            status, failures = take_all(
                on, self._pointers, self._depths, self._newest, self.lost, cursor, self._rows, self._view, self._seen,
                *self._addresses, ARENA,
            )  # fmt: skip
            if failures:
                self.failures += failures
                self._rcutils.rcutils_reset_error()
            n = cursor[MESSAGES]
            if n:
                yield Taken(self._arena, *self._rows[:, :n])
            if status == LARGE:
                data = ctypes.string_at(self._message.buffer, int(cursor[LENGTH]))
                row = np.array([[0], [len(data)], [cursor[TOPIC]], [cursor[RECEPTION]]], dtype=np.int64)
                if len(data) > ARENA:   # no simulator sends such: one of them is not to keep the memory for ever
                    self.close()
                    self._allocate()
                yield Taken(np.frombuffer(data, np.uint8), *row)


@entry
def take_all(on, pointers, depths, newest, lost, cursor, rows, message, info, message_at, info_at, arena_at, room):
    """Take from the subscriptions from the cursor on, as long as there is room; returns why it stopped and how many
    calls failed. message, info: the two structs as numbers, which lie at message_at and info_at.
    Writes: newest, lost, cursor, rows."""
    failures, n = 0, 0
    while cursor[TOPIC] < len(pointers):
        s = cursor[TOPIC]
        while on[s] and cursor[OF_TOPIC] < depths[s]:
            if n == rows.shape[1]:
                return FULL, failures
            result = take(pointers[s], message_at, info_at, 0)
            if result != OK:
                failures += result != NOTHING_THERE
                break
            number, length = info[2], np.int64(message[1])
            if cursor[OF_TOPIC] == 0:
                # had the queue been full, there were more before the oldest in it
                lost[s] = max(number - newest[s] - 1, 0) if newest[s] >= 0 else 0
            cursor[OF_TOPIC] += 1
            newest[s] = number
            if length > room - cursor[BYTES]:
                cursor[LENGTH], cursor[RECEPTION] = length, info[1]
                return LARGE, failures
            copy(arena_at + cursor[BYTES], message[0], length)
            rows[0, n], rows[1, n], rows[2, n], rows[3, n] = cursor[BYTES], length, s, info[1]
            cursor[BYTES] += length
            n += 1
            cursor[MESSAGES] = n
        if cursor[OF_TOPIC] < depths[s]:
            lost[s] = 0  # what is missing before a queue that was not full got lost on the way
        cursor[TOPIC], cursor[OF_TOPIC] = s + 1, 0
    return DONE, failures


class BulkPublisher:
    """Publishes one message each to publishers. `handles` of rclpy, which must outlive this."""

    def __init__(self, handles: Sequence) -> None:
        self._handles = handles
        rcutils = _rcutils()
        self._message = Bytes(allocator=rcutils.rcutils_get_default_allocator())
        self._reset_error = rcutils.rcutils_reset_error
        self._pointers = np.array([handle.pointer for handle in handles], dtype=np.uint64)
        self._view = np.frombuffer(self._message, dtype=np.uint64)
        none_on, order = np.zeros(len(handles), dtype=bool), np.arange(len(handles))
        self.publish(np.zeros((len(handles), 1), dtype=np.uint8), none_on, order)  # compiles

    def publish(self, table: np.ndarray, on: np.ndarray, order: np.ndarray) -> int:
        """Send the rows of table (N, size) uint8 to those that are `on` (N,) bool, in this order (N,) int64; returns
        how many could not be."""
        failed = publish_all(
            on, order, self._pointers, self._view, ctypes.addressof(self._message), table.ctypes.data, table.shape[1]
        )
        if failed:
            self._reset_error()
        return failed


@entry
def publish_all(on, order, pointers, message, message_at, table_at, size):
    """Publish the rows of a table, `size` bytes each; returns how many calls failed.  Writes: message."""
    failed = 0
    message[1] = message[2] = size
    for k in order:
        if on[k]:
            message[0] = table_at + k * size
            failed += publish(pointers[k], message_at, 0) != OK
    return failed
