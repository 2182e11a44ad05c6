"""What `hakoniwa-rigid selftest` has to find; made by ``hakoniwa-rigid selftest --show``."""
EXPECTED = {
    'shapes land': '09844b1943adfa4548a655d57df7dc89',
    'a closed room': '9fe915691ac7c41d5aa1b7a5b7a792cd',
    'hills': 'c8865b9c699373b97977b7d075db6d92',
    'a trough of triangles': '7117e8ffe3a90a7e760a4eac1472e4be',
    'springs': '7f3c57bd0c3bc0297301227ee0c8cb6b',
    'pair by pair': '756195dd50dffbce7ce7a81fda3cce2c',
    'impacts over time': 'c42da21c2f7a17b86f910546280aa1e7',
    'a heap': '94b4728e56f991bf0c07bf1ff186983f',
    'a stack': '98d5d995ad510cf18a7934c6bc7afa61',
    'billiards': 'e24344f2a697d570c3321af721eb3826',
    'a turntable': 'c85179690277a6400242c76e017bf424',
    'tumbling': '2e00b4d23dc50d2b4572075fca633ebe',
    'a smooth floor': '15f035b46ab05405680db38781ff7e2a',
    'drones that are observed': '76297c71812108a65f6f872614925175',
    'drones that are corrected': '9f0ab831a2e647ead5037b3c31bce89b',
    'drones that are simulated': 'e6f72a1b768f7086041c1402720fcef9',
}
