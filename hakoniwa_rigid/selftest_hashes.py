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
}
EXPECTED = {
    'shapes land': '817cbe0487a496258036ec35c7031f3b',
    'a closed room': 'f8a83f9641fbfd8fbe66e59a5cbfaffd',
    'hills': '0c4d5421b366043655bb696b6fa13ec6',
    'a trough of triangles': '72e0d944a30ad80bcdf521e5b41b0d73',
    'springs': '516704e17abbb7d5c8338fd3d39eff6b',
    'pair by pair': '1c82b712b3f063e81377f53358deb6f4',
    'impacts over time': '5cb26b6b3697909647615326b5307bc6',
    'a heap': '665531a806b0de07128b65f1c26c03c9',
    'a stack': '98d5d995ad510cf18a7934c6bc7afa61',
    'billiards': 'ffc9aa86a78bf84edd1e1ebeb23516be',
    'a turntable': '02187e8f1dd773f4eb0cc37fe144323c',
    'tumbling': '1194cb0d844ca3571d1c929d952c3dd5',
    'a smooth floor': '15f035b46ab05405680db38781ff7e2a',
    'drones that are observed': '1d53448c29086f8de3a8aea5ec13c9b0',
    'drones that are corrected': '317d34ec841b61d6402733e8ef49f997',
    'drones that are simulated': 'e6f72a1b768f7086041c1402720fcef9',
}
