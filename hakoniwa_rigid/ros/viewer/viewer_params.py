# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameters of `viewer`: a table like those of the collision node (scene/parameters/params.py), and those that
both have, so that one file of parameters serves both."""

from __future__ import annotations

from hakoniwa_rigid.scene.parameters.params import NODE, Param
from hakoniwa_rigid.web.access import FOXGLOVE, LEAST_TOKEN

__all__ = ['SHARED', 'VIEWER']

COMMON = ('sim', 'world', 'world_frame', 'accepted_frames', 'frames', 'drones', 'drone_models', 'spare_drones',
          'default_drone_model', 'default_authority', 'hands', 'hand_models', 'spare_hands', 'files_folder')
SHARED = tuple(param for param in NODE if param.name in COMMON)

VIEWER = (
    Param('collision_node', 'collision_node', 'Name of the node whose services the page calls.'),
    Param('host', '127.0.0.1', 'Address to listen at; all but loopback ones need token, certificate and key.'),
    Param('port', 8765, 'TCP port; 0: one that is free.', 0, 65535),
    Param('token', '', f'What page and socket must bring as ?token=, {LEAST_TOKEN} letters at least; empty: nothing.'),
    Param('certificate', '', 'Certificate (PEM file); with key, the page comes by https, which WebXR needs elsewhere.'),
    Param('key', '', 'Private key of the certificate (PEM file).'),
    Param('origins', [FOXGLOVE], 'Pages besides ours that may open the socket, as scheme://host:port.'),
    Param('max_message_size', 65536, 'Longest message of a client, bytes; a longer one ends its connection.',
          1024, 16777216),
    Param('max_rate', 500.0, 'Messages per s taken of a client; what is more is dropped.', 1.0, 100000.0),
    Param('max_byte_rate', 2e6, 'Bytes per s read of a client; who sends more waits. All together have 8e6.', 1e4, 8e6),
    Param('max_clients', 16, 'Connections to the socket at a time.', 1, 1000),
    Param('page', '', 'Folder of the built page; empty: that of the package.'),
)
