"""Whether a model takes pictures: as its server tells, or as a refusal taught; what becomes of a request where it takes none."""

from __future__ import annotations

from dataclasses import replace

from cococat.core.history import pictures_as_text, request_index
from cococat.core.limits import Problem
from cococat.core.messages import Message, User
from cococat.core.model import ProviderError, Request

IMAGES = "images"  # the name of what was learned
TAKEN, NONE = "taken", "none"
HINT = 'ask without the picture, choose another model with -m NAME, or set model.images = "on" if this one sees'


def takes_none(who: str, said: str = "", hint: str = HINT) -> Problem:
    """
    Return what is wrong with a request that has pictures.

    Args:
        who: the model, and where it is.
        said: by its server.
    """
    return Problem("no_images", f"{who} does not take images{said and f'; it said: {said}'}", hint)


def in_words(request: Request, problem: Problem) -> Request:
    """
    Return *request* with a line for each picture of an earlier turn, which another model may have seen, or of a tool's.

    Raises: ProviderError: the user's turn that runs has pictures, without which it would not be what was asked; it is *problem*.
    """
    begun = request_index(request.messages) or 0
    if any(isinstance(m, User) and m.pictures and not m.synthetic for m in request.messages[begun:]):
        raise ProviderError(problem)
    told = (pictures_as_text(m, "not shown") if isinstance(m, User) else m for m in request.messages)
    return replace(request, messages=tuple(told))


def given_by_tools(request: Request) -> frozenset[str]:
    """Return the SHA-256 of each picture in *request* that a tool gave."""
    given = (m.pictures for m in request.messages if isinstance(m, User) and m.synthetic)
    return frozenset(picture.sha256 for pictures in given for picture in pictures)


def without(request: Request, refused: frozenset[str]) -> Request:
    """Return *request* with a line for each picture of a tool's that its server *refused*, among those that came with it."""

    def told(message: Message) -> Message:
        if not isinstance(message, User) or not message.synthetic:
            return message
        unseen = refused.intersection(picture.sha256 for picture in message.pictures)
        return pictures_as_text(message, "refused by the model's server") if unseen else message

    return replace(request, messages=tuple(map(told, request.messages)))
