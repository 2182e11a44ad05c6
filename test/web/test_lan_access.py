# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`demo --lan`: what is made, kept, and made anew; what is printed."""
import argparse
import os
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import threading

import pytest
import yaml

from hakoniwa_rigid.ros.demo import page_lan
from hakoniwa_rigid.web import lan_access as made
from hakoniwa_rigid.web import lan_address
from hakoniwa_rigid.web.access import LEAST_TOKEN, Settings, tls_of
from hakoniwa_rigid.web.errors import WebError
from hakoniwa_rigid.web.lan_access import check_port, lan_access, state_folder, write_viewer_parameters

needs_openssl = pytest.mark.skipif(shutil.which('openssl') is None, reason='openssl is not installed')
HERE, THERE, NOW = '192.168.1.20', '192.168.1.21', 1.8e9
DAY = 24 * 3600.0


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@needs_openssl
def test_what_is_made_is_its_owners_only_and_is_kept(tmp_path):
    folder = tmp_path / 'state' / 'page'
    old = os.umask(0)
    try:
        first = lan_access(HERE, folder, NOW)
        parameters = write_viewer_parameters(first, folder, 8765)
    finally:
        os.umask(old)
    assert mode(folder) == 0o700
    assert {path.name: mode(path) for path in folder.iterdir()} == dict.fromkeys(
        ['access.json', 'certificate.pem', 'key.pem', 'viewer_8765.yaml'], 0o600)
    assert len(first.token) >= LEAST_TOKEN
    assert lan_access(HERE, folder, NOW + 300 * DAY) == first
    values = yaml.safe_load(parameters.read_text())['/**']['ros__parameters']
    settings = Settings(**{key: values[key] for key in ('host', 'port', 'token', 'certificate', 'key')})
    assert tls_of(settings) is not None and settings.host == HERE


@needs_openssl
@pytest.mark.parametrize('change', ['address', 'end', 'clock', 'readable', 'lost', 'broken'])
def test_it_is_made_anew(tmp_path, change):
    first = lan_access(HERE, tmp_path, NOW)
    before = first.certificate.read_bytes()
    address, now = HERE, NOW
    if change == 'address':
        address = THERE
    elif change == 'end':
        now += 391 * DAY
    elif change == 'clock':     # it was made in what is the future now
        now -= 2 * DAY
    elif change == 'readable':
        first.key.chmod(0o644)
    elif change == 'lost':
        first.certificate.unlink()
    else:
        (tmp_path / 'access.json').write_text('{"token": 3}')
    second = lan_access(address, tmp_path, now)
    assert second.token != first.token
    assert second.certificate.read_bytes() != before
    assert mode(second.key) == 0o600
    assert not [path for path in tmp_path.iterdir() if path.name.startswith('new_')]


@needs_openssl
def test_a_client_that_trusts_the_certificate_takes_it_for_this_address(tmp_path):
    """TLS itself is the judge: the name is checked, and another address is refused."""
    access = lan_access('127.0.0.1', tmp_path)
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(access.certificate, access.key)
    with socket.create_server(('127.0.0.1', 0)) as listener:
        def answer():
            for _ in range(2):
                connection, _ = listener.accept()
                try:
                    server.wrap_socket(connection, server_side=True).close()
                except (ssl.SSLError, OSError):
                    connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        client = ssl.create_default_context(cafile=str(access.certificate))
        port = listener.getsockname()[1]
        for name, fits in (('127.0.0.1', True), (HERE, False)):
            with socket.create_connection(('127.0.0.1', port)) as plain:
                if fits:
                    client.wrap_socket(plain, server_hostname=name).close()
                else:
                    with pytest.raises(ssl.SSLCertVerificationError):
                        client.wrap_socket(plain, server_hostname=name)
        thread.join()


def test_a_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(WebError, match=r'file/page: cannot be written: .*XDG_STATE_HOME'):
        lan_access(HERE, tmp_path / 'file' / 'page', NOW)


@pytest.mark.skipif(os.getuid() == 0, reason='root writes everywhere')
def test_a_folder_that_is_read_only_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(WebError, match='cannot be written: Permission denied'):
        lan_access(HERE, tmp_path / 'page', NOW)


def test_a_link_of_another_is_not_followed(tmp_path):
    (tmp_path / 'real').mkdir()
    (tmp_path / 'page').symlink_to(tmp_path / 'real')
    with pytest.raises(WebError, match='must be a folder of this user'):
        lan_access(HERE, tmp_path / 'page', NOW)


def test_without_openssl_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(WebError, match='openssl'):
        lan_access(HERE, tmp_path / 'page', NOW)
    assert not any((tmp_path / 'page').iterdir())


def test_the_state_folder_is_where_the_user_wants_it(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    assert state_folder() == tmp_path / 'hakoniwa_rigid' / 'page'
    for unset in ('', 'relative'):
        monkeypatch.setenv('XDG_STATE_HOME', unset)
        monkeypatch.setenv('HOME', str(tmp_path / 'home'))
        assert state_folder() == tmp_path / 'home/.local/state/hakoniwa_rigid/page'


def test_a_port_in_use_is_named():
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebError, match=f'port {port} of 127.0.0.1 is in use: .*--page-port'):
            check_port('127.0.0.1', port)
    check_port('127.0.0.1', 0)


@pytest.mark.parametrize(('wanted', 'why'), [
    ('localhost', 'no address'), ('127.0.0.1', 'another machine'), ('0.0.0.0', 'another machine'),
    ('203.0.113.7', 'no address of this machine')])
def test_an_address_that_others_cannot_reach_is_refused(wanted, why):
    with pytest.raises(WebError, match=why):
        lan_address.lan_address(wanted)


def test_without_a_network_it_says_so(monkeypatch):
    monkeypatch.setattr(lan_address, '_own', lambda version: '')
    monkeypatch.setattr(lan_address, '_of_interfaces', lambda: '')
    with pytest.raises(WebError, match='in no network'):
        lan_address.lan_address()


def test_the_address_of_an_interface_is_one_of_ours():
    found = lan_address._of_interfaces()
    if found:
        with socket.socket() as own:
            own.bind((found, 0))


def options(**given):
    return argparse.Namespace(**{'lan': '', 'page_params': None, 'no_page': False, 'page_port': 0, **given})


@pytest.mark.parametrize('given', [{'page_params': 'viewer.yaml'}, {'no_page': True}])
def test_options_that_contradict_are_refused(given):
    with pytest.raises(WebError, match='take one'):
        page_lan.viewer_parameters(options(**given))


@needs_openssl
def test_one_option_makes_all_that_a_viewer_needs(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    monkeypatch.setattr(page_lan, 'lan_address', lambda wanted: '127.0.0.1')
    path = page_lan.viewer_parameters(options())
    assert path == tmp_path / 'hakoniwa_rigid/page/viewer_0.yaml'
    assert page_lan.viewer_parameters(options()) == path
    assert made.state_folder() == path.parent


ADDRESS = 'https://192.168.1.20:8765/?token=abcdefghijklmnop-_QRST'


def test_the_code_is_that_of_the_whole_address():
    """The squares that are printed are those of segno's matrix for this text."""
    segno = pytest.importorskip('segno', reason="pip install 'hakoniwa_rigid[web]'")
    printed = page_lan.invitation(ADDRESS, 200).splitlines()
    matrix = [list(row) for row in segno.make(ADDRESS, error='l', micro=False).matrix_iter(border=page_lan.QUIET)]
    light = {' ': (0, 0), '▀': (1, 0), '▄': (0, 1), '█': (1, 1)}
    rows = []
    for line in printed:
        pairs = [light[letter] for letter in line]
        rows += [[1 - upper for upper, _ in pairs], [1 - lower for _, lower in pairs]]
    assert rows[:len(matrix)] == matrix


def test_a_terminal_that_is_too_narrow_gets_a_sentence():
    pytest.importorskip('segno', reason="pip install 'hakoniwa_rigid[web]'")
    assert page_lan.invitation(ADDRESS, 20).startswith('for the address as a QR code: a terminal of')


def test_without_segno_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'segno', None)
    assert page_lan.invitation(ADDRESS) == page_lan.NO_QR
    assert "'hakoniwa_rigid[web]'" in page_lan.NO_QR


def test_the_command_line_explains_and_refuses():
    command = [sys.executable, '-m', 'hakoniwa_rigid.cli', 'demo']
    for words, said in ((['--world', 'gym'], '--world: with --ar only'),
                        (['--ar', '--world', 'gyn'], 'did you mean gym?'),
                        (['--ar', '--lan', '203.0.113.7'], 'error: --lan: 203.0.113.7 is no address of this machine')):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert said in done.stderr
