"""The one door to a language model: any endpoint that speaks OpenAI's protocol, a local one included.

Nothing is sent before `LanguageModel.answer` is awaited. The client library is imported only then, since it takes half a
second. A key comes from the environment, is never shown or stored, and one of a vendor's own variable goes to that
vendor only.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import re
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

from tabcore.errors import ModelError, ModelUnusable, UsageError

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

KEY_VARIABLE = "RUNNINGTAB_API_KEY"
"""Where a key is looked for unless another variable is named."""
VENDOR_KEYS = {"api.openai.com": "OPENAI_API_KEY"}
"""Variables that count for one host without being named."""

RETRIES = 5
"""Further attempts after 408, 409, 429, 5xx and broken connections, with growing pauses or those that the answer asks for."""

Role: TypeAlias = Literal["system", "user", "assistant"]
Form: TypeAlias = Literal["json_schema", "json_object", "text"]
Finish: TypeAlias = Literal["complete", "cut", "refused"]

_Result = TypeVar("_Result")

_FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")


@dataclass(frozen=True, slots=True)
class Message:
    """What one side says."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked. `schema` is the JSON schema of the answer, as JSON; "" where any text will do."""

    messages: tuple[Message, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A tool call as the endpoint gave it: any of it may be "", and `arguments` may be no JSON."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `form` is the strictest form that the endpoint took; tokens and cost are None where it tells none.

    `finish` is "cut" where the answer met its limit of tokens, "refused" where the endpoint says that the model declined.
    `calls` are there only where tools were offered.
    """

    text: str
    finish: Finish = "complete"
    form: Form = "text"
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    calls: tuple[AskedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """What shapes an answer beside its prompt, so that answers are kept apart by it."""

    temperature: float = 0.0
    answer_tokens: int = 1000

    @property
    def as_json(self) -> str:
        """In a stable order."""
        return json.dumps({"answer_tokens": self.answer_tokens, "temperature": self.temperature})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Whom to ask. `timeout` is in seconds, for one answer with all its attempts."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    parameters: Parameters = Parameters()
    timeout: float = 600.0

    @property
    def host(self) -> str:
        """Where the text goes."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """True where it stays on this machine."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("example.com")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def endpoint(
    base_url: str,
    model: str,
    key_variable: str = "",
    parameters: Parameters = Parameters(),
    timeout: float = 600.0,
    environment: Mapping[str, str] = os.environ,
) -> Endpoint:
    """The endpoint that a person names; UsageError where the address, the model or the variable is none.

    >>> endpoint("http://127.0.0.1:11434/v1/", "qwen", environment={}).base_url
    'http://127.0.0.1:11434/v1'
    """
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        remedy = "State the address of an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1"
        raise UsageError(f"endpoint “{base_url}”", "this is no http address", remedy)
    if parts.username or parts.password:
        fact = "its address holds a user or password, which would be shown"
        raise UsageError(f"endpoint on {parts.hostname}", fact, "Put the key into an environment variable")
    if not model.strip():
        raise UsageError(f"endpoint {address}", "no model is named", "State the model's name as the endpoint knows it")
    key = _key(parts.hostname or "", key_variable.strip(), environment)
    return Endpoint(address, model.strip(), key, parameters, timeout)


def _key(host: str, variable: str, environment: Mapping[str, str]) -> str:
    if variable and not environment.get(variable):
        raise UsageError(
            f"variable {variable}", "it is not set", "Set it before runningtab is started, or name another"
        )
    found = environment.get(variable or KEY_VARIABLE) or environment.get(VENDOR_KEYS.get(host, ""), "")
    if not found.isascii():
        raise UsageError(
            f"variable {variable or KEY_VARIABLE}", "its key has letters beyond ASCII", "Copy the key again"
        )
    return found.strip()


def run_apart(coroutine: Coroutine[Any, Any, _Result], interrupted: Callable[[], object] = lambda: None) -> _Result:
    """The result of a coroutine, in a thread with an event loop of its own: the caller, a notebook for one, may run one.

    Ctrl-C calls `interrupted`, which is to end the coroutine, and waits until it has ended.
    """
    with ThreadPoolExecutor(1, "asking a model") as apart:
        try:
            return apart.submit(asyncio.run, coroutine).result()
        except KeyboardInterrupt:
            interrupted()
            raise


class LanguageModel:
    """An endpoint while it is asked; use it as `async with`. Cancelling a task that awaits it closes its connection."""

    def __init__(self, where: Endpoint) -> None:
        self.endpoint = where
        self._form = 0
        self._left_out: set[str] = set()
        self._client: openai.AsyncOpenAI | None = None

    async def __aenter__(self) -> LanguageModel:
        import openai

        where = self.endpoint
        http = openai.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=not where.is_local)
        silent = ("Organization", "Project")
        headers: dict[str, Any] = {f"OpenAI-{name}": openai.Omit() for name in silent}
        self._client = openai.AsyncOpenAI(
            api_key=where.key or "none",
            base_url=where.base_url,
            timeout=where.timeout,
            max_retries=RETRIES,
            default_headers=headers,
            http_client=http,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._client is not None
        await self._client.close()

    async def answer(self, prompt: Prompt) -> Answer:
        """What the model answers. ModelUnusable where asking again is vain, ModelError where this prompt failed."""
        return await self._guarded(lambda form: self._body(prompt, form), self.endpoint.timeout)

    async def act(self, request: Mapping[str, Any], seconds: float) -> Answer:
        """The next response of an agent. `request` is what the protocol has beside the model's name: messages, tools, and
        what shapes the answer. Fails as `answer` does, after `seconds` or the endpoint's own time, whichever is less."""
        return await self._guarded(lambda _: dict(request), min(seconds, self.endpoint.timeout))

    async def _guarded(self, body: Callable[[Form], dict[str, Any]], seconds: float) -> Answer:
        """What comes back to a request, which is put otherwise where the endpoint declines its form."""
        import openai

        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                while True:
                    form = self._form
                    try:
                        return _read(await self._ask(body(_FORMS[form])), _FORMS[form], began)
                    except (openai.BadRequestError, openai.UnprocessableEntityError) as fault:
                        if not self._gives_way(str(fault), form):
                            raise
        except TimeoutError as fault:
            raise self._late(seconds) from fault
        except openai.APIError as fault:
            raise await self._told(fault) from fault
        except ValueError as fault:
            raise self._strange("its answer cannot be read") from fault

    async def known_models(self) -> tuple[str, ...]:
        """The models that the endpoint names; none where it names none."""
        import openai

        assert self._client is not None
        try:
            async with asyncio.timeout(10):
                page = await self._client.with_options(max_retries=0).models.list()
                return tuple(str(model.id) for model in page.data or ())
        except (openai.APIError, TimeoutError, ValueError, TypeError, AttributeError):
            return ()

    async def _ask(self, body: dict[str, Any]) -> ChatCompletion:
        assert self._client is not None
        if "max_tokens" in self._left_out and "max_tokens" in body:
            body["max_completion_tokens"] = body["max_tokens"]
        sent = {name: value for name, value in body.items() if name not in self._left_out}
        found: ChatCompletion = await self._client.chat.completions.create(model=self.endpoint.model, **sent)
        return found

    def _body(self, prompt: Prompt, form: Form) -> dict[str, Any]:
        parameters = self.endpoint.parameters
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in prompt.messages],
            "max_tokens": parameters.answer_tokens,
            "temperature": parameters.temperature,
        }
        if prompt.schema and form != "text":
            schema = {"name": "answer", "strict": True, "schema": json.loads(prompt.schema)}
            body["response_format"] = {"type": form} | ({"json_schema": schema} if form == "json_schema" else {})
        return body

    def _gives_way(self, fault: str, form: int) -> bool:
        """Whether to ask again in a manner that the endpoint may take, after it declined this one."""
        if "max_completion_tokens" in fault and "max_tokens" not in self._left_out:
            self._left_out.add("max_tokens")
            return True
        if "temperature" in fault and "temperature" not in self._left_out:
            self._left_out.add("temperature")
            return True
        if _OF_FORM.search(fault) and form < len(_FORMS) - 1:
            self._form = max(self._form, form + 1)
            return True
        return False

    async def _told(self, fault: openai.APIError) -> ModelError:
        """A fault of the client library in our words."""
        import openai

        place, said = f"endpoint {self.endpoint.base_url}", _said(fault)
        match fault:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                remedy = f"Put its key into {KEY_VARIABLE} or name the variable that has it"
                return ModelUnusable(place, f"it does not accept the key ({said})", remedy)
            case openai.NotFoundError():
                known = ", ".join((await self.known_models())[:8])
                remedy = (
                    f"It knows: {known}" if known else "Check the model's name and the address, which often ends in /v1"
                )
                return ModelUnusable(place, f"it has no model “{self.endpoint.model}” there ({said})", remedy)
            case openai.APITimeoutError():
                return self._late(self.endpoint.timeout)
            case openai.APIConnectionError() if type(fault.__cause__).__name__ in _NOBODY:
                remedy = "Check that it runs and that the address is right, then go on: what was answered is kept"
                return ModelUnusable(place, f"nobody answers there ({said})", remedy)
            case openai.APIConnectionError():
                return self._strange(f"its answer breaks off: {said}")
            case openai.RateLimitError():
                remedy = "Wait, or ask with less concurrency, then go on: what was answered is kept"
                return ModelUnusable(place, f"it wants no more requests now ({said})", remedy)
            case openai.APIStatusError() if 300 <= fault.status_code < 400:
                target = fault.response.headers.get("location", "another place")
                return ModelUnusable(
                    place, f"it sends to {target}, which nobody chose", "State that address if you trust it"
                )
            case openai.BadRequestError() if _OF_CONTEXT.search(said):
                remedy = "State the size of the model's context, in tokens"
                return ModelError(place, f"the prompt is longer than the model's context ({said})", remedy)
            case _:
                return self._strange(said)

    def _late(self, seconds: float) -> ModelError:
        fact = f"no answer came within {round(seconds, 1):g} s"
        return ModelError(f"endpoint {self.endpoint.base_url}", fact, "Allow more time, or give the model less to read")

    def _strange(self, said: str) -> ModelError:
        remedy = "See what its own log says; what was answered is kept"
        return ModelError(f"endpoint {self.endpoint.base_url}", f"it failed ({said})", remedy)


_OF_FORM = re.compile(r"response_format|json_schema|json_object|schema|grammar|structured", re.IGNORECASE)
_OF_CONTEXT = re.compile(r"context|too long|too large|exceed", re.IGNORECASE)
_NOBODY = ("ConnectError", "ConnectTimeout")  # of the client library's own client, whose name has changed before
_SAID = 200  # characters of an endpoint's own words


def _said(fault: openai.APIError) -> str:
    cause = fault.__cause__ or fault
    words = " ".join((str(cause) or type(cause).__name__).split())
    return words if len(words) <= _SAID else words[: _SAID - 1] + "…"


def _read(completion: ChatCompletion, form: Form, began: float) -> Answer:
    """An answer of the protocol; ValueError where it is none."""
    choices = getattr(completion, "choices", None)
    if not choices or getattr(choices[0], "message", None) is None:
        raise ValueError("no choice")
    choice, usage = choices[0], getattr(completion, "usage", None)
    message = choice.message
    refusal = getattr(message, "refusal", None)
    finish: Finish = "complete"
    if refusal or choice.finish_reason == "content_filter":
        finish = "refused"
    elif choice.finish_reason == "length":
        finish = "cut"
    text = message.content if isinstance(message.content, str) else ""
    return Answer(
        text or str(refusal or ""),
        finish,
        form,
        _count(getattr(usage, "prompt_tokens", None)),
        _count(getattr(usage, "completion_tokens", None)),
        _cost(getattr(usage, "cost", None)),
        round(time.monotonic() - began, 3),
        tuple(map(_call, getattr(message, "tool_calls", None) or ())),
    )


def _call(told: object) -> AskedCall:
    """A tool call, whatever of it there is: what does not keep to the protocol reaches us as plain objects."""
    function = _part(told, "function")
    arguments = _part(function, "arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments)
    texts = (_part(told, "id"), _part(function, "name"), arguments)
    return AskedCall(*(text if isinstance(text, str) else "" for text in texts))


def _part(told: object, name: str) -> object:
    return told.get(name) if isinstance(told, dict) else getattr(told, name, None)


def _count(told: object) -> int | None:
    return told if isinstance(told, int) and told >= 0 else None


def _cost(told: object) -> float | None:
    return float(told) if isinstance(told, int | float) and told >= 0 else None
