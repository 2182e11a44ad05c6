# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Files that parameters name lie in one folder, where one is stated, and are written whole."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from std_srvs.srv import Trigger

from hakoniwa_rigid import files
from hakoniwa_rigid.files import is_inside, write_whole
from hakoniwa_rigid.ros.collision.pace import Pace
from hakoniwa_rigid.ros.collision.recorder import Recorder
from hakoniwa_rigid.ros.collision.services import Services
from hakoniwa_rigid.ros.confined import check_confined
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.hands.hand_params import HAND_BRIDGE
from hakoniwa_rigid.ros.viewer.viewer_params import SHARED, VIEWER
from hakoniwa_rigid.scene.parameters.params import NODE

pytestmark = pytest.mark.ros


@pytest.fixture
def folder(tmp_path):
    """With a link that leads out of it, and one that leads in."""
    made = tmp_path / 'files'
    (made / 'deep').mkdir(parents=True)
    (tmp_path / 'outside').mkdir()
    (made / 'out').symlink_to(tmp_path / 'outside')
    (made / 'loop').symlink_to(made / 'loop')
    (tmp_path / 'in').symlink_to(made / 'deep')
    return made


@pytest.mark.parametrize(('path', 'inside'), [
    ('a', True), ('deep/a', True), ('../in/a', True), ('deep/../a', True), ('none/at/all', True), ('.', True),
    ('../a', False), ('out/a', False), ('deep/../../outside/a', False), ('/etc/passwd', False), ('loop/a', False),
    ('a\0b', False), ('~nobody-of-that-name/a', True), ('../files_too/a', False)])
def test_what_lies_in_a_folder(folder, monkeypatch, path, inside):
    monkeypatch.chdir(folder)
    assert is_inside(path, folder) is inside or path.startswith('~')
    values = {'files_folder': str(folder), 'record': path}
    if is_inside(path, folder):
        check_confined(values, 'record')
    else:
        with pytest.raises(StartError, match='parameter record: must lie in files_folder, .*files; got '):
            check_confined(values, 'record')


def test_what_is_shipped_may_be_named(folder, monkeypatch):
    monkeypatch.chdir(folder)
    check_confined({'files_folder': str(folder), 'world': 'gym', 'file': ''}, 'world', 'file')
    check_confined({'files_folder': '', 'world': '/anywhere'}, 'world')
    with pytest.raises(StartError, match='parameter world: must lie in'):
        check_confined({'files_folder': str(folder / 'deep'), 'world': '../gym.yaml'}, 'world')
    with pytest.raises(StartError, match='parameter files_folder: there is no folder'):
        check_confined({'files_folder': str(folder / 'none'), 'world': 'gym'}, 'world')


def test_no_path_can_be_changed_while_a_node_runs():
    for table in (NODE, VIEWER, SHARED, HAND_BRIDGE):
        paths = {'world', 'record', 'save_world_path', 'files_folder', 'page', 'certificate', 'key', 'file', 'model',
                 'camera'}
        assert all(param.read_only for param in table if param.name in paths)


def saved(path, **values):
    """The answer of ~/save_world."""
    node = SimpleNamespace(create_service=lambda *_: None, destroy_service=lambda _: None)
    scene = SimpleNamespace(save_world=lambda: 'name: room\n')
    services = Services(node, scene, Recorder(), Pace(), SimpleNamespace(tell=lambda: None), lambda: None,
                        {'save_world_path': str(path), 'files_folder': '', **values})
    return services._on_save_world(Trigger.Request(), Trigger.Response())


def test_a_world_is_saved_whole_or_not_at_all(folder, monkeypatch):
    path = folder / 'room.yaml'
    assert saved(path).success and path.read_text() == 'name: room\n'
    path.write_text('what was there')
    monkeypatch.setattr(files.os, 'replace', lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_whole(path, 'new')
    assert path.read_text() == 'what was there'
    assert [p.name for p in folder.iterdir() if 'part' in p.name] == []


def test_a_link_is_replaced_and_not_followed(folder):
    secret = folder.parent / 'outside' / 'secret'
    secret.write_text('secret')
    path = folder / 'room.yaml'
    path.symlink_to(secret)
    answer = saved(path, files_folder=str(folder))
    assert not answer.success and 'must lie in files_folder' in answer.message
    assert saved(path).success
    assert secret.read_text() == 'secret' and not path.is_symlink()


def test_a_folder_that_was_replaced_by_a_link_since_the_start(folder):
    answer = saved(folder / 'out' / 'room.yaml', files_folder=str(folder))
    assert not answer.success
    assert not list((folder.parent / 'outside').iterdir())


def test_permissions_are_those_of_any_file(folder):
    before = os.umask(0o027)
    try:
        write_whole(folder / 'a', 'text')
    finally:
        os.umask(before)
    assert (folder / 'a').stat().st_mode & 0o777 == 0o640
