"""The rules by which secrets are told: detect-secrets' detectors, and a few of the same make for shapes it lacks.

Taken are the detectors whose shape is their proof. Left out are those that go by entropy or a word nearby, and those
whose shape hashes and identifiers have too (Telegram, Cloudant, Softlayer, IBM, Artifactory, addresses).
Only user of detect_secrets, which takes a third of a second to import: nobody imports this before a text is suspect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from detect_secrets.filters.heuristic import is_prefixed_with_dollar_sign, is_sequential_string, is_templated_secret
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.private_key import PrivateKeyDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector


class AnthropicDetector(RegexBasedDetector):
    """Keys and tokens of Anthropic's API."""

    secret_type = "Anthropic API Key"
    denylist = (re.compile(r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_-]{60,}"),)


class GoogleDetector(RegexBasedDetector):
    """Keys of Google's APIs."""

    secret_type = "Google API Key"
    denylist = (re.compile(r"AIza[0-9A-Za-z_-]{35}"),)


class HuggingFaceDetector(RegexBasedDetector):
    """Access tokens of Hugging Face."""

    secret_type = "Hugging Face Token"
    denylist = (re.compile(r"hf_[A-Za-z0-9]{34}"),)


class FineGrainedGitHubDetector(RegexBasedDetector):
    """GitHub's fine-grained tokens."""

    secret_type = "GitHub Token"
    denylist = (re.compile(r"github_pat_[A-Za-z0-9_]{60,}"),)


RULES: tuple[RegexBasedDetector, ...] = (
    AWSKeyDetector(),
    AnthropicDetector(),
    AzureStorageKeyDetector(),
    BasicAuthDetector(),
    DiscordBotTokenDetector(),
    FineGrainedGitHubDetector(),
    GitHubTokenDetector(),
    GitLabTokenDetector(),
    GoogleDetector(),
    HuggingFaceDetector(),
    JwtTokenDetector(),
    MailchimpDetector(),
    NpmDetector(),
    OpenAIDetector(),
    PrivateKeyDetector(),
    PypiTokenDetector(),
    SendGridDetector(),
    SlackDetector(),
    SquareOAuthDetector(),
    StripeDetector(),
    TwilioKeyDetector(),
)

_OF_ONE_LENGTH = (AWSKeyDetector, GoogleDetector, HuggingFaceDetector, MailchimpDetector, TwilioKeyDetector)
"""What looks like one of these and goes on is a piece of something longer."""

KEY_LIMIT = 20_000
"""Characters of the longest private key."""

_REST_OF_TOKEN = re.compile(r"[A-Za-z0-9_-]*")
_REST_OF_JWT = re.compile(r"[A-Za-z0-9_.-]*")
_NPM = re.compile(r"[A-Za-z0-9_-]+")
_DASHES = re.compile(r"-*$")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=]{40}")
_KEY_END = re.compile(r"-*END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-*")
_KEY_LINES = re.compile(r"(?:-*(?:\\[nr]|\s)*[A-Za-z0-9+/=]{16,})+")
_INSIDE_A_TOKEN = re.compile(r"(?<!\\)[A-Za-z0-9+/]$")


def places(text: str, start: int, end: int, reach: int) -> Iterator[tuple[int, int, str]]:
    """Where secrets stand that begin between `start` and `end`, and of what kind each is; they may overlap.

    Nothing further than `reach` after the end is looked at.

    A token that a rule knows by its beginning is taken to its end.
    """
    for rule in RULES:
        for regex in rule.denylist:
            for match in regex.finditer(text, start, end + reach):
                if match.start() < end and (place := _place(rule, match)):
                    yield *place, rule.secret_type


def _place(rule: RegexBasedDetector, match: re.Match[str]) -> tuple[int, int] | None:
    text, (start, end) = match.string, match.span()
    match rule:
        case PrivateKeyDetector():
            return _private_key(text, start, end)
        case BasicAuthDetector():
            start, end = start + len("://"), end - 1
            return None if _is_placeholder(match[1]) else (start, end)
        case NpmDetector():
            token = _NPM.match(text, match.start(1))
            return token.span() if token else None
        case AWSKeyDetector() if match.re.groups:
            return match.span(1)
        case JwtTokenDetector() if not rule.is_formally_valid(match[0]):
            return None
    if _INSIDE_A_TOKEN.search(text, max(0, start - 2), start) and not match[0].startswith(("/", "http")):
        return None
    rest = (_REST_OF_JWT if isinstance(rule, JwtTokenDetector) else _REST_OF_TOKEN).match(text, end)
    if rest and rest[0] and isinstance(rule, _OF_ONE_LENGTH):
        return None
    return start, rest.end() if rest else end


def _is_placeholder(password: str) -> bool:
    return (
        is_templated_secret(password)
        or is_prefixed_with_dollar_sign(password)
        or is_sequential_string(password)
        or not password.strip("*xX.-_…")
    )


def _private_key(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A key with its body; a mere mention of its first line is none."""
    if not _KEY_BODY.search(text, end, end + 400):
        return None
    last = _KEY_END.search(text, end, end + KEY_LIMIT)
    lines = None if last else _KEY_LINES.match(text, end, end + KEY_LIMIT)
    closing = last or lines
    dashes = _DASHES.search(text, max(0, start - 5), start)
    return (dashes.start() if dashes else start, closing.end()) if closing else None
