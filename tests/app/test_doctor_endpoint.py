"""What doctor says of an endpoint that answers, and lists nothing."""

import json


def checked(ran):
    """The check of the endpoint."""
    return next(check for check in json.loads(ran.stdout)["checks"] if check["name"] == "endpoint")


def test_an_endpoint_without_a_listing_is_no_failure(cococat, scripted):
    """Some gateways serve questions only: a warning, exit 0."""
    server = scripted()
    server.unlisted = True
    server.expect_problems()

    ran = cococat("doctor", "--json", env={"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "scripted"})

    assert (0, "warn") == (ran.code, checked(ran)["state"])
    assert "takes questions and lists no models" in checked(ran)["detail"]


def test_a_wrong_path_is_a_failure(cococat, scripted):
    """There is neither a listing nor a place for questions."""
    url = scripted().base_url.replace("/v1", "/v2")

    ran = cococat("doctor", "--json", env={"COCOCAT_BASE_URL": url, "COCOCAT_MODEL": "scripted"})

    assert (3, "fail") == (ran.code, checked(ran)["state"])
    assert "/v1" in checked(ran)["hint"]
