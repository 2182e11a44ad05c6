"""What `hakoniwa-rigid selftest` has to find; made by ``hakoniwa-rigid selftest --show``."""
# of each version of the law (`hakoniwa_rigid.law`) the hash of all parts; they are added to, never changed
TOTALS = {
    1: '0e602b6aff1f19a9429de13c8552d141',
}
EXPECTED = {
    'shapes land': '53fb205e1211308467f1c2240843cf48',
    'a closed room': 'f8a83f9641fbfd8fbe66e59a5cbfaffd',
    'hills': '7a7cf523c67ba11ca65e595a9545edc7',
    'a trough of triangles': 'ad3d978fa3b38c62c802b89a4a2c361a',
    'springs': '516704e17abbb7d5c8338fd3d39eff6b',
    'pair by pair': 'd332a4069b1c4c46ea3790514fb482a9',
    'impacts over time': '8ea9a11651d914b128e4558c1882e93c',
    'a heap': '1d379837d0da697e68d50c2a45450240',
    'a stack': '98d5d995ad510cf18a7934c6bc7afa61',
    'billiards': 'e24344f2a697d570c3321af721eb3826',
    'a turntable': 'c85179690277a6400242c76e017bf424',
    'tumbling': '2e00b4d23dc50d2b4572075fca633ebe',
    'a smooth floor': '15f035b46ab05405680db38781ff7e2a',
    'drones that are observed': '76297c71812108a65f6f872614925175',
    'drones that are corrected': '9f0ab831a2e647ead5037b3c31bce89b',
    'drones that are simulated': 'e6f72a1b768f7086041c1402720fcef9',
}
