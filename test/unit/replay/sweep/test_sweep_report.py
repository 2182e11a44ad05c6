# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The page of a sweep: what its heat maps and its table say, texts escaped, sizes bounded."""
import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import product

import pytest
import sweeps

from hakoniwa_rigid import cli
from hakoniwa_rigid.replay.report_pages.heat_map import MOST_VALUES, heat_map
from hakoniwa_rigid.replay.sweep import html_report, pool
from hakoniwa_rigid.replay.sweep.grid import Axis
from hakoniwa_rigid.replay.sweep.html_report import as_html, headline
from hakoniwa_rigid.replay.sweep.run import Swept

HOSTILE = '</td><script>alert(1)</script>"\''


def swept(restitutions=(0.2, 0.8), frictions=(0.1, 0.5), bags=('a',), failed=()):
    """Runs whose impulse is that of an impact: m v (1 + e) of 1 kg and 1 m/s; friction in `failed`: no result."""
    rows = []
    for bag, e, mu in product(bags, restitutions, frictions):
        row = {'bag': bag, 'restitution': e, 'friction': mu, 'status': 'ok', 'contacts': 2, 'largest_impulse': 1.0 + e,
               'largest_impulse_pair': 'ball - floor', 'impulse_sum': 1.0 + e, 'ticks': 10}
        rows.append(row if mu not in failed else {key: row[key] for key in ('bag', 'restitution', 'friction')}
                    | {'status': 'must be <= 1'})
    return Swept((Axis('restitution', tuple(restitutions)), Axis('friction', tuple(frictions))), {}, rows)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)


def test_the_headline_counts_and_names_the_hardest():
    assert headline(swept()) == ('4 runs of 1 bag: 4 ok; largest impulse 1.8 N s (ball - floor) at restitution 0.8, '
                                 'friction 0.1')
    assert headline(swept(failed=(0.1,))).startswith('4 runs of 1 bag: 2 ok, 2 failed; ')
    assert headline(swept(failed=(0.1, 0.5))) == '4 runs of 1 bag: 0 ok, 4 failed'


def test_heat_maps_hold_the_values_and_crosses_for_what_failed():
    page = as_html(swept(failed=(0.5,)))
    titles = re.findall('<title>([^<]*): ([^<]*)</title></rect>', page)
    assert ('restitution 0.8, friction 0.1', '1.8') in titles and ('restitution 0.2, friction 0.1', '2') in titles
    assert not any('friction 0.5' in name for name, _ in titles)
    assert page.count('<path class="rule"') == 4      # two runs, in two maps
    assert page.count('<figcaption>') == 2 and 'largest impulse, N s' in page


def test_larger_values_are_stronger():
    page = heat_map('t', 'x', ['1', '2', '3'], '', [''], [[0.0, 5.0, 10.0]])
    strength = [float(v) for v in re.findall('fill-opacity="([0-9.]*)"', page)]
    assert strength == sorted(strength) and len(set(strength)) == 3


def test_the_table_reads_without_its_script_which_is_the_only_one_allowed():
    page = as_html(swept(failed=(0.5,)))
    (script,) = re.findall('<script>(.*?)</script>', page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page and len(script.splitlines()) < 12
    assert page.count('<tr') == 1 + 4 and page.count('<tr class="bad">') == 2
    assert '<td class="text">must be &lt;= 1</td>' in page


def test_an_axis_alone_and_several_bags():
    assert as_html(swept(frictions=(0.1,))).count('<figcaption>') == 2
    page = as_html(swept(bags=('a', 'b')))
    assert page.count('<figcaption>') == 2 * 3 and 'contacts, mean over bag' in page


def test_names_of_strangers_are_text():
    page = as_html(swept(bags=(HOSTILE, 'b'), frictions=(HOSTILE, 'x')))
    assert Tags(page).found.count('script') == 1 and '&lt;script&gt;' in page


def test_a_huge_sweep_makes_a_small_page():
    many = swept([k / 1000 for k in range(300)], [k / 100 for k in range(60)], ('"' * 500, '<' * 500))
    page = as_html(many)
    assert len(page.encode()) <= html_report.MOST_BYTES
    assert page.count('<tr') == 1 + html_report.MOST_ROWS
    assert f'{MOST_VALUES} of 300 values of restitution' in page
    assert f'The first {html_report.MOST_ROWS} of 36000 runs' in page


def test_sweep_writes_the_page_beside_the_table(tmp_path, monkeypatch, capsys):
    def one_by_one(function, jobs, workers, first):
        yield from ((k, function(one)) for k, one in enumerate(jobs))
    monkeypatch.setattr(pool, 'finished', one_by_one)
    page = tmp_path / 'r.html'
    words = ['sweep', sweeps.drop(tmp_path), '--grid', 'restitution=0.2,0.8', '-o', str(tmp_path / 't.csv'), '--world',
             sweeps.world(tmp_path), '--report']
    assert cli.main([*words, str(page)]) == 0
    assert page.read_text().count('<tr') == 3
    assert cli.main([*words, str(tmp_path / 'no' / 'r.html')]) == 2
    assert 'report not written' in capsys.readouterr().err


@pytest.mark.parametrize('values', [[[None]], [[float('nan')]], [[float('inf')]], [[1e300]]])
def test_absurd_values_are_no_error(values):
    assert 'nan' not in heat_map('t', 'x', ['1'], 'y', ['2'], values).replace('finance', '')
