"""Pasted keys and tokens are found, what only looks like one is not, and nothing of them is left in what is masked."""

import base64
import json
import random
import re
import time

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL

from tabcore import secrets
from tabcore.redaction import Known, Masks, redacted
from tabcore.secret_rules import RULES
from tabcore.secrets import find, suspects
from tabcore.trajectory import Message, Observation, Span, Turn


def token(length: int, seed: int = 1, letters: str = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789") -> str:
    return "".join(random.Random(seed).choices(letters, k=length))


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BODY = "\n".join(token(64, seed) for seed in range(6))
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "AWS Access Key": "AKIA" + token(16, 2, UPPER),
    "Anthropic API Key": "sk-ant-api03-" + token(93, 3) + "-_AA",
    "OpenAI Token": "sk-proj-" + token(40, 4) + "T3BlbkFJ" + token(40, 5),
    "GitHub Token": "ghp_" + token(36, 6),
    "GitLab Token": "glpat-" + token(20, 7),
    "Google API Key": "AIza" + token(35, 8),
    "Hugging Face Token": "hf_" + token(34, 9),
    "JSON Web Token": f"{part({'alg': 'HS256'})}.{part({'sub': '1', 'iat': 5})}.{token(43, 10)}",
    "NPM tokens": "npm_" + token(36, 11),
    "PyPI Token": "pypi-AgEIcHlwaS5vcmc" + token(90, 12),
    "Private Key": KEY,
    "SendGrid API Key": f"SG.{token(22, 13)}.{token(43, 14)}",
    "Slack Token": f"xoxb-123456789012-123456789012-{token(24, 15).lower()}",
    "Stripe Access Key": "sk_live_" + token(24, 16),
    "Basic Auth Credentials": "admin:" + token(14, 17),
    "Azure Storage Account access key": "AccountKey=" + token(86, 18) + "==",
}
SHOWN = {
    "NPM tokens": "//registry.npmjs.org/:_authToken={}\n",
    "Basic Auth Credentials": "git clone https://{}@git.io/x",
}


def planted(kind: str, around: str = "export KEY='{}'\nls") -> str:
    return SHOWN.get(kind, around).format(SECRETS[kind])


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_whole_and_named(kind: str) -> None:
    for text in (planted(kind), planted(kind, "{}"), "x " * 30_000 + planted(kind, "it is {}\n") + "y " * 30_000):
        [found] = find(text)
        assert found.kind == kind
        assert text[found.start : found.end].rstrip("=") == SECRETS[kind].rstrip("=")
        assert suspects(pa.array(["nothing", text])) == [1]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_json_within_json_leaves_nothing_once_masked(kind: str) -> None:
    plain = planted(kind)
    once = json.dumps({"command": plain})
    found = find(once)
    assert [secret.kind for secret in found] == [kind]
    masks = Masks(Known(secret.kind, once[secret.start : secret.end]) for secret in found)
    pieces = [piece for piece in SECRETS[kind].split("\n") if len(piece) > 20 and "KEY---" not in piece]
    for text in (plain, once, json.dumps({"again": once}), plain.replace("\n", "\r\n")):
        assert not [piece for piece in pieces if piece in masks.text(text)]
        assert f"[secret: {kind}]" in masks.text(text)


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2504e04f8911d39a0c0305e82c33013f2504e0 merges 550e8400-e29b-41d4-a716-446655440000",
        base64.b64encode(random.Random(3).randbytes(200_000)).decode(),
        base64.b85encode(random.Random(4).randbytes(50_000)).decode(),
        "use sk-learn and task-ant; the AKIA prefix; ghp_ tokens; -----BEGIN RSA PRIVATE KEY----- opens a key file",
        "postgres://${USER}:${PASSWORD}@db/x and https://user:<password>@host and http://localhost:8080/a@b",
        "https://x:****@host and redis://:@host and mailto:a@b.c and 12:30@noon",
        "eyJ not.a.token eyJhbGciOi.x.y and SG.short.one, xoxb-, hf_model_name_that_is_quite_long_but_no_token",
        "aws s3 ls --key 'short' and AWS_SECRET_ACCESS_KEY=\"$SECRET\"",
        "sha512-" + base64.b64encode(random.Random(5).randbytes(64)).decode(),
        "AC and SK, ACa1b2, uuid AC3f2504e04f8911d39a0c0305e82c3301ffff",
    ],
)
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert find(text) == ()


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_sieve_holds_back_whatever_a_rule_matches(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(RULES))
    regex = data.draw(st.sampled_from(list(rule.denylist)))
    text = data.draw(st.from_regex(re.compile(regex.pattern, (regex.flags & re.IGNORECASE) | re.ASCII)))
    if find(f"a {text} b"):
        assert suspects(pa.array([text])) == [0]
    if regex.search(text) and rule.secret_type not in ("Private Key", "Basic Auth Credentials", "JSON Web Token"):
        assert re.search(secrets.SIEVE, text)


@pytest.mark.parametrize(
    "text",
    [
        "sk-" * 300_000 + "T3BlbkFJ",
        "eyJ" * 300_000,
        "eyJa.eyJb." * 90_000,
        "aws key '" * 90_000,
        "PRIVATE KEY" * 90_000,
    ],
    ids=["sk", "eyJ", "jwt", "aws", "key"],
)
def test_a_text_made_to_be_slow_is_not(text: str) -> None:
    started = time.process_time()
    find(text)
    assert time.process_time() - started < 20


def test_the_beginning_of_a_secret_at_the_end_of_a_cut_text_is_masked() -> None:
    masks = Masks([Known("Stripe Access Key", SECRETS["Stripe Access Key"])])
    for size in range(8, 32):
        shown = masks.text("key " + SECRETS["Stripe Access Key"][:size] + "…")
        assert shown == "key [secret: Stripe Access Key]…"


@given(st.text("ab ", max_size=30), st.text("ab ", max_size=30), st.data())
def test_spans_move_with_the_text(before: str, after: str, data: st.DataObject) -> None:
    secret = SECRETS["GitHub Token"]
    text = before + secret + after
    masks = Masks([Known("GitHub Token", secret)])
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    [span] = masks.spans(text, [Span(start, end, "harness")])
    shown = masks.text(text)
    assert 0 <= span.start <= span.end <= len(shown)
    inside = text[start:end]
    if secret in inside or len(before) >= end or start >= len(before) + len(secret):
        assert shown[span.start : span.end] == inside.replace(secret, "[secret: GitHub Token]")


def test_every_text_of_a_row_is_masked_and_nothing_else_changes() -> None:
    secret = SECRETS["GitHub Token"]
    masks = Masks([Known("GitHub Token", secret)])
    seen = Observation("c1", f"got {secret} <note>", spans=(Span(45, 51, "harness"),))
    turn = Turn(3, f"use {secret}", observations=(seen,), before=(Message("plain", "person", "prompt"),))
    shown = redacted(turn, masks)
    assert secret not in repr(shown)
    [span] = shown.observations[0].spans
    assert shown.observations[0].text[span.start : span.end] == "<note>"
    assert (shown.number, shown.before) == (3, turn.before)
    assert redacted(turn, Masks([])) is turn


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
def test_no_real_log_has_a_false_secret() -> None:
    files = [path for path in REAL.rglob("*") if path.is_file()]
    found = [(path.name, find(path.read_bytes().decode("utf-8", "replace"))) for path in files]
    assert [(name, hits) for name, hits in found if hits] == []
