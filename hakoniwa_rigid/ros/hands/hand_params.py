# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameters of hand_bridge."""
from __future__ import annotations

from hakoniwa_rigid.scene.parameters.params import FILES_FOLDER, Param
from hakoniwa_rigid.sims.hands.camera import FORWARD
from hakoniwa_rigid.sims.hands.landmark_tracker import PALM_LENGTH

__all__ = ['HAND_BRIDGE']

HAND_BRIDGE = (
    Param('source', 'recording', 'Where the hand comes from.',
          choices=('recording', 'mediapipe_file', 'camera', 'keyboard', 'mouse')),
    Param('hand', '', 'Name of the hand; of a source with several hands, the only one wanted. Empty: as in the '
          'recording, left and right as a camera sees them, right for keyboard and mouse.'),
    Param('frame_id', 'world', 'Frame that landmarks, keyboard and mouse are given in; recordings have their own.'),
    Param('latency', 0.0, 'From the capture of a sample until it is there, s: how late recordings are sent, how much '
          'older than its arrival an image of a camera is.', 0.0, 1.0),
    FILES_FOLDER,
    # recordings
    Param('file', '', 'Recording: a path, or a name of config/hands. Empty: strike_right.npz, push_right.jsonl.gz.'),
    Param('period', 10.0, 'Time from one beginning of a recording to the next, s; 0 plays it once.', 0.0, 3600.0),
    Param('wait_for_start', False, 'Recordings wait for a stamp on the topic start.'),
    # what sees landmarks
    Param('width', 640, 'Width of the image, px.', 16, 16384),
    Param('height', 480, 'Height of the image, px.', 16, 16384),
    Param('fov', 60.0, 'Horizontal field of view, degrees; where fx is 0.', 1.0, 179.0),
    Param('fx', 0.0, 'Focal length of a calibration, px; 0: from fov.', 0.0, 1e5),
    Param('fy', 0.0, 'The same, vertical; 0: as fx.', 0.0, 1e5),
    Param('cx', 0.0, 'Optical centre, px; 0: the middle.', 0.0, 1e5),
    Param('cy', 0.0, 'The same, vertical.', 0.0, 1e5),
    Param('camera_pose', FORWARD, 'Pose in frame_id of the optical axes (x right, y down, z ahead): x, y, z in m, qx, '
          'qy, qz, qw.', size=7),
    Param('mirrored', False, 'The images are flipped left to right, as selfie cameras give them.'),
    Param('swap_labels', False, "The source's Left and Right are the wrong way round, as in old MediaPipe."),
    Param('palm_length', PALM_LENGTH, 'From the wrist to the middle knuckle, m: the measure of depth. 0 takes world '
          'landmarks at their own size.', 0.0, 0.3),
    Param('min_score', 0.5, 'Hands that the landmarker is less sure of are left out.', 0.0, 1.0),
    # camera
    Param('camera', '0', 'Number of a camera, or a file or stream that OpenCV opens.'),
    Param('model', '', "File of MediaPipe's hand landmarker, hand_landmarker.task."),
    # keyboard and mouse
    Param('rate', 60.0, 'Samples of a steered hand, Hz.', 1.0, 1000.0),
    Param('position', (0.0, 0.0, 1.2), 'Where the palm of a steered hand begins, m in frame_id.', size=3),
    Param('yaw', 0.0, 'Where ahead is for it, rad from x of frame_id.', -10.0, 10.0),
    Param('speed', 0.6, 'Largest speed of steering, m/s.', 0.01, 5.0),
    Param('strike_speed', 1.5, 'Largest speed of a stroke, m/s.', 0.01, 10.0),
)
