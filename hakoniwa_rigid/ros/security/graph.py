# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the running nodes of a domain use, as the graph of ROS has it."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from .policy import Use

__all__ = ['uses_of']


def uses_of(node: Node, wanted: Callable[[str], bool] = lambda name: True) -> dict[str, Use]:
    """By full name of the node, those that are `wanted`; not of `node`, which looks. A node that comes or goes
    meanwhile is left out."""
    own = node.get_fully_qualified_name()
    questions = (node.get_publisher_names_and_types_by_node, node.get_subscriber_names_and_types_by_node,
                 node.get_service_names_and_types_by_node, node.get_client_names_and_types_by_node)
    found: dict[str, Use] = {}
    for name, namespace in set(node.get_node_names_and_namespaces()):
        full = f'{namespace.rstrip("/")}/{name}'
        if full == own or not wanted(full):
            continue
        try:
            found[full] = Use(*(frozenset(topic for topic, _ in ask(name, namespace)) for ask in questions))
        except RuntimeError:    # NodeNameNonExistentError is one
            continue
    return found
