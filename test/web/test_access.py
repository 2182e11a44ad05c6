# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Who gets in: names of hosts and pages on this machine, token and TLS elsewhere; and what a stranger gets."""
import asyncio
import shutil
import ssl

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import NOW, connected, serving  # noqa: E402

from hakoniwa_rigid.web.access import Settings, tls_of  # noqa: E402
from hakoniwa_rigid.web.certificate import make_certificate  # noqa: E402
from hakoniwa_rigid.web.errors import WebError  # noqa: E402
from hakoniwa_rigid.web.server import Server  # noqa: E402

TOKEN = 'a-token-of-some-length'


@pytest.fixture(scope='module')
def pair(tmp_path_factory):
    """Certificate and key."""
    if shutil.which('openssl') is None:
        pytest.skip('no openssl command')
    return make_certificate(tmp_path_factory.mktemp('pair'), ['localhost', '127.0.0.1'])


@pytest.fixture
def page(tmp_path):
    folder = tmp_path / 'dist'
    (folder / 'assets').mkdir(parents=True)
    (folder / 'index.html').write_text('<!doctype html><title>page</title>')
    (folder / 'assets' / 'a.js').write_text('let x = 1')
    (tmp_path / 'secret.txt').write_text('secret')
    return folder


async def get(address, path='', **options):
    """Status, text and headers of a GET; the path as it is."""
    from yarl import URL
    async with aiohttp.ClientSession() as session, \
            session.get(URL(address + path, encoded=True), **options) as answer:
        return answer.status, await answer.text(), answer.headers


@pytest.mark.parametrize(('headers', 'status'), [
    ({}, 101),
    ({'Origin': 'http://localhost:{port}'}, 101),
    ({'Origin': 'https://app.foxglove.dev'}, 101),
    ({'Host': 'localhost:9999'}, 101),      # a tunnel
    ({'Host': '[::1]:{port}', 'Origin': 'http://[::1]:{port}'}, 101),
    ({'Origin': 'http://evil.example'}, 403),
    ({'Origin': 'null'}, 403),
    ({'Origin': 'http://localhost:1'}, 403),
    ({'Origin': 'https://localhost:{port}'}, 403),
    ({'Host': 'evil.example', 'Origin': 'http://evil.example'}, 403),       # a rebound name
    ({'Host': 'localhost.evil.example:{port}'}, 403),
    ({'Host': '[:::'}, 403),
])
def test_pages_that_may_open_the_socket_of_this_machine(headers, status):
    async def run():
        sent = {k: v.format(port=server.port) for k, v in headers.items()}
        try:
            async with connected(f'http://localhost:{server.port}/', headers=sent):
                return 101
        except aiohttp.WSServerHandshakeError as error:
            return error.status

    with serving() as (server, _):
        assert asyncio.run(run()) == status
        assert sum(server.stats().dropped.values()) == (status != 101)


@pytest.mark.parametrize(('changes', 'said'), [
    ({'host': '0.0.0.0'}, '0.0.0.0 can be reached from other machines, which needs token, certificate, key'),
    ({'host': '192.168.1.2', 'token': TOKEN}, 'needs certificate, key'),
    ({'host': '::', 'token': 'short'}, 'token: must have at least 16 characters, got 5'),
    ({'certificate': 'c.pem'}, 'must both be given'),
    ({'certificate': '/no/c.pem', 'key': '/no/k.pem'}, 'certificate: no such file: /no/c.pem'),
])
def test_settings_that_are_not_safe(changes, said):
    with pytest.raises(WebError, match=said) as error:
        tls_of(Settings(**changes))
    assert TOKEN not in str(error.value)


def test_files_that_are_no_pair(pair, tmp_path):
    other = make_certificate(tmp_path, ['localhost'])
    with pytest.raises(WebError, match='are no pair'):
        tls_of(Settings(certificate=str(pair[0]), key=str(other[1])))


def test_a_port_that_is_taken():
    with serving() as (server, notes), pytest.raises(WebError, match=f'cannot listen at 127.0.0.1:{server.port}'):
        Server(Settings(port=server.port), notes, [], [], [])


def test_the_page_and_nothing_beside_it(page):
    async def run():
        status, text, headers = await get(server.address)
        assert (status, 'page' in text, headers['Referrer-Policy']) == (200, True, 'no-referrer')
        status, text, headers = await get(server.address, 'assets/a.js')
        assert (status, text) == (200, 'let x = 1')
        assert 'javascript' in headers['Content-Type']
        for path in ('no.js', 'assets', '../secret.txt', '%2e%2e/secret.txt', 'assets/..%2f..%2fsecret.txt', '%00',
                     '/etc/passwd', '..\\secret.txt'):
            status, text, _ = await get(server.address, path)
            assert (status, 'secret' in text) == (404, False), path
        status, _, _ = await get(server.address, 'ws')
        assert status == 426

    (page / 'link').symlink_to(page.parent / 'secret.txt')
    with serving(page=str(page)) as (server, _):
        asyncio.run(run())
        assert asyncio.run(get(server.address, 'link'))[0] == 404


def test_without_a_built_page_the_socket_works():
    async def run():
        status, text, _ = await get(server.address)
        assert (status, 'make page' in text, server.socket_address in text) == (503, True, True)
        async with connected(server.address):
            assert server.stats().clients == 1

    with serving() as (server, _):
        asyncio.run(run())


def test_a_stranger_gets_nothing(page, pair, caplog, capfd):
    """Over TLS, without the token: 401 for the page, its files and the socket; with it the page brings a cookie."""
    trust = ssl.create_default_context(cafile=str(pair[0]))

    async def run():
        address = f'https://localhost:{server.port}/'
        for path in ('', 'assets/a.js', '?token=', '?token=wrong', f'?token={TOKEN}x', 'ws', 'no'):
            status, text, headers = await get(address, path, ssl=trust)
            assert (status, text) == (401, 'a token is needed\n')
            assert 'Set-Cookie' not in headers
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with connected(address, ssl=trust):
                pass
        assert refused.value.status == 401
        with pytest.raises(aiohttp.ClientError):
            await get(f'http://localhost:{server.port}/', f'?token={TOKEN}')
        async with aiohttp.ClientSession() as session:
            async with session.get(f'{address}?token={TOKEN}', ssl=trust) as answer:
                assert answer.status == 200
                cookie = answer.headers['Set-Cookie']
                assert TOKEN not in cookie
                assert all(word in cookie for word in ('HttpOnly', 'Secure', 'SameSite=Strict'))
            async with session.get(f'{address}assets/a.js', ssl=trust) as answer:
                assert answer.status == 200
        ws = f'wss://localhost:{server.port}/ws?token={TOKEN}'
        async with aiohttp.ClientSession() as session, \
                session.ws_connect(ws, ssl=trust, protocols=('foxglove.sdk.v1',),
                                   headers={'Origin': f'https://localhost:{server.port}'}) as socket:
            assert 'serverInfo' in (await socket.receive()).data
        assert server.stats().dropped['unauthorised'] == 8

    with serving(page=str(page), token=TOKEN, certificate=str(pair[0]), key=str(pair[1])) as (server, _):
        assert server.address == f'https://localhost:{server.port}/'
        asyncio.run(run())
    said = capfd.readouterr()
    assert TOKEN not in caplog.text + said.out + said.err


def test_other_protocols_are_refused():
    async def run():
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with connected(server.address, 'chat'):
                pass
        assert refused.value.status == 400

    with serving() as (server, notes):
        asyncio.run(run())
        assert notes.now_ns() == NOW
