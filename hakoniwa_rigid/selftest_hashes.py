# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What `hakoniwa-rigid selftest` has to find; made by ``hakoniwa-rigid selftest --show``."""
# of each version of the law (`hakoniwa_rigid.law`) the hash of all parts; they are added to, never changed
TOTALS = {
    1: 'cce2fa48cb8ab28ac86bd8c5b3ee5082',
    2: '95419e25f5dcafa01b4a42ffa7f16083',
    3: 'd8820beff7b47a8776be80435d3563ff',
    4: 'de0f8497ee443c3503939c4aa02a5662',
    5: '2f6a79a9893aab42c2440391c40acc6b',
    6: '20827ad3069f0df8fec78e3e8c338772',
    7: 'e9844a71ad405e7fa256a18792ca3712',
    8: '8da7414a56819f3af5022aa138969863',
    9: '53022716946c27f7bc097650de695c89',
    10: '75ebb47112f4d0c3209945e77d464ad2',
    11: '96c4c374b396f7332d16705997c538f8',
    12: '7fd21764a91b7389b902ebf612a8094d',
    13: '3cff84ce5de998406d831169f003bc62',
}
EXPECTED = {
    'shapes land': 'cc08e80c3c54a19d1ab0ff7cd58cc3a2',
    'a closed room': 'f8a83f9641fbfd8fbe66e59a5cbfaffd',
    'hills': '78dbff5847fb5c367deacdd44ff202ec',
    'a trough of triangles': 'ec8c71455636a1ba54ba190f1388e4e3',
    'springs': '516704e17abbb7d5c8338fd3d39eff6b',
    'pair by pair': 'b08967fec86ac0eaa522e2aaadf57670',
    'impacts over time': '42eb607e30061e279c8e3d73aead7d8d',
    'a heap': '6b2bdb4c21ac390fa7e51022a32a5301',
    'a stack': '98d5d995ad510cf18a7934c6bc7afa61',
    'billiards': '3c511718212b160a541325e9eb45e55e',
    'a turntable': '1369870c8d28cbecfa9d9177bc7c81ca',
    'tumbling': '3ddc7b34d34ab83abe338eafcdc23c02',
    'a smooth floor': '15f035b46ab05405680db38781ff7e2a',
    'drones that are observed': 'd1768f30d4961371cb48ec219827526a',
    'drones that are corrected': '317d34ec841b61d6402733e8ef49f997',
    'drones that are simulated': 'e6f72a1b768f7086041c1402720fcef9',
}
