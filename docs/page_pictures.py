# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Pictures of flights for README and docs: `make pictures` flies the demo, makes its static page and looks at it.

In build/pictures are the recordings and the pages; they are made anew where they are not there, or with --anew.  What
happens when differs from flight to flight: moments and places are chosen from the contacts.
"""
from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

from hakoniwa_rigid import cli
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.paths import world_file as world_path
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.yaml_node import Node
from hakoniwa_rigid.static_page.scene_page import ScenePage
from hakoniwa_rigid.web.scene_view import scene_message

ROOT = Path(__file__).resolve().parents[1]
WORK, IMAGES = ROOT / 'build/pictures', ROOT / 'docs/images'
SCRIPTS = ROOT / 'hakoniwa_rigid/web/page/test/browser'
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
DESKTOP, DESK, PHONE, WIDE, FILM = (1280, 720), (1280, 800), (390, 844), (1280, 640), (640, 360)
DRONE_DRONE, DRONE_HAND = 0, 2
# frames per s of the film; s of a recording per s of it; its colours, fewer where it is too large; bytes of a film and
# of a picture, which has fewer colours, too, where it is too large
FPS, SLOW, COLOURS, MOST_FILM, MOST_PICTURE = 12.5, 0.2, (160, 96, 48), 1_500_000, 150_000
FEWER = (256, 128, 64)
SAMPLES = 16    # frames from which the colours are taken
HOVER = (1.0, 0.0, 1.2)     # m, of the drone of ar_room
HELD = 3.2                  # s after it is taken it is carried, tilted
FLEET, FLOWN = 50, 2.5       # drones that meet, s of their flight
LATE = 0.04                 # s behind the beginning of a contact: its arrow is there


def made(out: Path, make) -> Path:
    """The folder, made where it is not there."""
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        make(out)
    return out


def command(*words: object) -> None:
    """A verb of hakoniwa-rigid; it has to succeed."""
    if code := cli.main([str(word) for word in words]):
        raise SystemExit(f'hakoniwa-rigid {words[0]} ended with {code}')


def fly_demo(out: Path) -> None:
    """Thirty seconds of flight over real ROS 2; a process of its own, whose signals and domain are its own."""
    subprocess.run([sys.executable, '-m', 'hakoniwa_rigid.cli', 'demo', '--no-page', '--out', str(out)], check=True)


def record_grip(out: Path) -> None:
    """A bag with a drone that hovers and the recorded hand that takes it."""
    out.mkdir()
    rows = [f'{1.0 + 0.01 * k},{HOVER[0]},{HOVER[1]},{HOVER[2]},0,0,0,1' for k in range(650)]
    (out / 'd0.csv').write_text('\n'.join(['t,x,y,z,qx,qy,qz,qw', *rows]) + '\n')
    command('import', out / 'd0.csv', '-o', out / 'drone')
    command('hand', config_file('hands', 'grip_right.npz'), '-o', out / 'hand.mcap')
    with BagWriter(out / 'bag') as bag:
        for source in (out / 'drone', out / 'hand.mcap'):
            with Bag(source) as other:
                numbers = {t.name: bag.topic(t.name, t.type, t.definition or None, t.qos) for t in other.topics}
                for message in other.messages():
                    bag.write(numbers[message.topic], message.stamp_ns, message.data)


def write_fleet(out: Path) -> None:
    """Fifty drones on two rings that go round against each other, above a floor: the page of a scene."""
    models = ('api-1', 'unity', 'x500', 'hummingbird')
    half = FLEET // 2

    def place(k: int, seconds: float) -> tuple[float, float, float]:
        way, ring = (1.0, 0) if k < half else (-1.0, 1)
        angle = way * 0.25 * seconds + 2.0 * np.pi * (k % half) / half + 0.1 * ring
        reach = 3.6 + 0.9 * (k % 2) + 2.2 * ring
        return float(reach * np.cos(angle)), float(reach * np.sin(angle)), 1.3 + 0.25 * (k % 3) + 0.3 * ring

    drones = [{'name': f'd{k}', 'model': models[k % len(models)], 'position': list(place(k, 0.0))}
              for k in range(FLEET)]
    floor = {'name': 'floor', 'type': 'plane', 'normal': [0, 0, 1], 'offset': 0.0}
    scene = CollisionScene.from_config(world_file.parse(Node({'name': 'fleet', 'walls': [floor], 'drones': drones},
                                                             'fleet', '')))
    page = ScenePage('Fifty drones')
    for now in range(0, round(FLOWN * 1e9), 20_000_000):
        for k, drone in enumerate(drones):
            at = place(k, now * 1e-9)
            scene.feed_drone(drone['name'], now, at, (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        page.see(scene, scene.advance(now))
    page.write(out)


def content_of(page: Path) -> dict:
    """What the page is told of its flight."""
    text = (page / 'flight.js').read_text(encoding='ascii').splitlines()[1]
    return json.loads(text.removeprefix('flight(').removesuffix(');'))


def strongest(page: Path, kind: int, first: float = 0.0) -> dict:
    """The contact of this kind with the largest impulse from a time on, s."""
    found = [c for c in content_of(page)['contacts'] if c['kind'] == kind and c['begin'] > first]
    return max(found, key=lambda c: np.linalg.norm(c['impulse']))


def place_of(page: Path, at: float) -> list[float]:
    """Where the first drone is at a time, s."""
    content = content_of(page)
    data = zlib.decompress(base64.b64decode(content['data']))
    (first, count), (begin, more) = content['parts']['times'], content['parts']['dronesAt']
    times, places = np.frombuffer(data, '<f8', count, first), np.frombuffer(data, '<f4', more, begin)
    return places.reshape(count, -1, 3)[np.searchsorted(times, at), 0].tolist()


def beside(contact: dict, turn: float = 0.0, up: float = 0.5) -> list[float]:
    """A direction across the impulse, level but for `up`, from the side of (-1, -1); turned about z by so much, rad."""
    x, y, _ = contact['impulse']
    across = np.array((-y, x)) / max(np.hypot(x, y), 1e-9)
    across = -across if across.sum() > 0.0 else across
    c, s = np.cos(turn), np.sin(turn)
    return [float(v) for v in (c * across[0] - s * across[1], s * across[0] + c * across[1], up)]


def shot(page: Path, file: Path, size: tuple[int, int], at: float, look: dict | str | None = None,
         bare: bool = False, theme: str = 'dark') -> dict:
    """As pictures.js reads it."""
    return {'page': str(page), 'file': str(file), 'size': size, 'at': at, 'look': look, 'bare': bare, 'theme': theme}


def close_up(contact: dict, radius: float, turn: float = 0.0, up: float = 0.5) -> dict:
    """A look at a contact from beside it."""
    return {'spot': contact['position'], 'from': beside(contact, turn, up), 'radius': radius}


def first_looks(demo: Path, fleet: Path) -> list[dict]:
    """What a newcomer sees who touches nothing: dark and light, on a telephone, a collision, a fleet."""
    impact = strongest(demo, DRONE_DRONE)
    return [shot(demo, IMAGES / 'first_look.png', DESK, 0.3, 'first'),
            shot(demo, IMAGES / 'first_look_light.png', DESK, 0.3, 'first', theme='light'),
            shot(demo, IMAGES / 'first_look_phone.png', PHONE, 0.3, 'first', theme='light'),
            shot(demo, IMAGES / 'impact_light.png', WIDE, impact['begin'] + LATE, close_up(impact, 0.42), bare=True,
                 theme='light'),
            shot(fleet, IMAGES / 'fleet.png', DESK, FLOWN - 0.1, 'first')]


def stills(demo: Path, grip: Path) -> list[dict]:
    """The pictures of the documentation."""
    impact, hand = strongest(demo, DRONE_DRONE), strongest(demo, DRONE_HAND)
    held = content_of(grip)['changes'][0]['at'] + HELD
    taken = {'spot': place_of(grip, held), 'from': [-1.0, 0.6, 0.5], 'radius': 0.36}
    return [shot(demo, IMAGES / 'static_page.png', DESKTOP, impact['begin'] + LATE, close_up(impact, 0.6)),
            shot(demo, IMAGES / 'static_page_phone.png', PHONE, hand['begin'] + LATE, close_up(hand, 0.42)),
            shot(demo, IMAGES / 'impact.png', WIDE, impact['begin'] + LATE, close_up(impact, 0.42), bare=True),
            shot(grip, IMAGES / 'grip.png', WIDE, held, taken, bare=True)]


def film(demo: Path, folder: Path) -> list[dict]:
    """A collision of two drones and a stroke of a hand, both slowly and from a camera that goes round."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shots = []
    for contact, before, seconds, radius in ((strongest(demo, DRONE_DRONE), 0.24, 2.8, 0.44),
                                             (strongest(demo, DRONE_HAND), 0.2, 2.6, 0.34)):
        for k in range(round(seconds * FPS)):
            turn = 0.6 * (k / (seconds * FPS) - 0.5)
            at = contact['begin'] - before + k / FPS * SLOW
            shots.append(shot(demo, folder / f'{len(shots):03}.png', FILM, at, close_up(contact, radius, turn, 0.42),
                              bare=True))
    return shots


def run_script(name: str, *options: object, text: str = '') -> None:
    """A script of the page's browser tests."""
    chromium = os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not chromium:
        raise SystemExit('no Chromium or Chrome: apt-get install chromium, or name one in CHROMIUM')
    subprocess.run(['node', str(SCRIPTS / name), '--chromium', chromium, *map(str, options)], input=text, text=True,
                   check=True, cwd=SCRIPTS.parents[1])


def wear_headset(file: Path) -> Path:
    """What a user of an emulated headset sees who stands in ar_room."""
    world = world_file.load(world_path('ar_room'))
    room = WORK / 'ar_room.json'
    room.write_text(json.dumps({'scene': json.loads(scene_message(world)), 'starts': [
        {'name': drone.name, 'position': list(drone.pose.position)} for drone in world.drones]}))
    run_script('ar_picture.js', '--out', file, room)
    return file


def make_small(file: Path) -> None:
    """As PNG packs it best, of as many colours as there is room for; a picture that is too large is an error."""
    picture = Image.open(file).convert('RGB')
    picture.save(file, optimize=True)
    for colours in FEWER:
        if file.stat().st_size > MOST_PICTURE:
            picture.quantize(colours, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)
    if file.stat().st_size > MOST_PICTURE:
        raise SystemExit(f'{file}: {file.stat().st_size} bytes, at most {MOST_PICTURE}')


def make_film(files: list[Path], out: Path) -> None:
    """One palette for all frames, so that what stands still costs nothing."""
    frames = [Image.open(file).convert('RGB') for file in files]
    sample = Image.new('RGB', (FILM[0], FILM[1] * SAMPLES))
    for k in range(SAMPLES):
        sample.paste(frames[(2 * k + 1) * len(frames) // (2 * SAMPLES)], (0, FILM[1] * k))
    for colours in COLOURS:
        # k-means finds the few bright colours of a flash, too
        palette = sample.quantize(colours, kmeans=4, dither=Image.Dither.NONE)
        flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
        flat[0].save(out, save_all=True, append_images=flat[1:], duration=round(1000 / FPS), loop=0, optimize=True)
        if out.stat().st_size <= MOST_FILM:
            return
    raise SystemExit(f'{out}: {out.stat().st_size} bytes, at most {MOST_FILM}')


def main() -> None:
    """Everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--anew', action='store_true', help='fly again, too')
    if parser.parse_args().anew:
        shutil.rmtree(WORK, ignore_errors=True)
    demo, grip = made(WORK / 'demo', fly_demo), made(WORK / 'grip', record_grip)
    pages = WORK / 'pages'
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir()
    command('page', demo / 'bag', '-o', pages / 'demo', '--title', 'hakoniwa_rigid demo')
    command('page', grip / 'bag', '-o', pages / 'grip', '--world', 'ar_room', '--title', 'A hand takes a drone')
    write_fleet(pages / 'fleet')
    pictures = [*stills(pages / 'demo', pages / 'grip'), *first_looks(pages / 'demo', pages / 'fleet')]
    moments = film(pages / 'demo', WORK / 'film')
    run_script('pictures.js', text=json.dumps([*pictures, *moments]))
    files = [*(Path(picture['file']) for picture in pictures), wear_headset(IMAGES / 'ar.png')]
    for file in files:
        make_small(file)
    make_film([Path(moment['file']) for moment in moments], IMAGES / 'demo.gif')
    for file in (*files, IMAGES / 'demo.gif'):
        sys.stdout.write(f'{file.relative_to(ROOT)}  {file.stat().st_size / 1000:.0f} kB\n')


if __name__ == '__main__':
    main()
