"""All scenes of `make state-hashes`; in a child process: run them, or write the bags that some of them replay.

What only this tree has is imported inside the scene that needs it: the parent could not import this file otherwise.
"""
from pathlib import Path

import numpy as np

from gates import bag_scenes, drone_scenes, engine_scenes, talk
from gates.moments import trace

SCENES = (*engine_scenes.SCENES, *drone_scenes.SCENES, *bag_scenes.SCENES)


def serve(arguments):
    """('bags', folder) or ('run', folder of the bags, folder for the traces, part of a name)."""
    if arguments[0] == 'bags':
        bag_scenes.write_bags(Path(arguments[1]))
    else:
        run(SCENES, *arguments[1:])


def run(scenes, bags, out, only=''):
    """Trace the scenes whose name has `only` in it, each into a file; tell the digest, or why a scene cannot run."""
    for k, scene in enumerate(scenes):
        if only not in scene.name:
            continue
        try:
            found = trace(scene, Path(bags))
        except Exception as error:
            talk.say({'name': scene.name, 'error': f'{type(error).__name__}: {error}'})
            continue
        file = Path(out, f'{k}.npz')
        np.savez(file, states=found.states, events=found.events)
        talk.say({'name': scene.name, 'digest': found.digest, 'steps': len(found.states), 'file': str(file)})
