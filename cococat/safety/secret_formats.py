"""The forms of keys and tokens that tell by themselves what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_WORD = 24  # letters in a row that still read as a word
MIN_WORD = 3  # letters of a word of an identifier, on average
MAX_CONSONANTS = 7
MAX_NUMBERS = 2  # in one identifier
_UNSPEAKABLE = rf"(?i)[b-df-hj-np-tv-xz]{{{MAX_CONSONANTS}}}"
_CHUNK = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"


@dataclass(frozen=True, slots=True)
class Format:
    """
    One form of a secret.

    Args:
        kind: stands in the mark that replaces it.
        signs: each secret of the kind holds one of these, which are quicker to look for; an empty one is always there.
        pattern: a regular expression; its group `secret` is what goes, where it has one.
        worded: whether a match may also read like an identifier; otherwise such a match stays.
    """

    kind: str
    signs: tuple[str, ...]
    pattern: str
    worded: bool = True

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern, compiled when first needed: 60 ms for all that a start should not cost."""
        return re.compile(self.pattern)


def is_worded(text: str) -> bool:
    """Return whether *text* reads like an identifier: a few words, not a throw of letters and digits."""
    chunks = re.findall(_CHUNK, text)
    words = [chunk for chunk in chunks if not chunk.isdigit()]
    numbers = [chunk for chunk in chunks if chunk.isdigit()]
    if not words or len(numbers) > MAX_NUMBERS or sum(map(len, words)) < MIN_WORD * len(words):
        return False
    if any(len(number) > 4 for number in numbers):  # noqa: PLR2004 - a year is the longest that a name holds
        return False
    return not any(len(word) > MAX_WORD or re.search(_UNSPEAKABLE, word) for word in words)


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
FORMATS: tuple[Format, ...] = (
    Format(
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*KEY(?: BLOCK)?-----|\Z)",
    ),
    Format("anthropic-key", ("sk-ant-",), r"\bsk-ant-[\w-]{16,}"),
    Format("openai-key", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{16,}", worded=False),
    Format("stripe-key", ("k_live_", "k_test_", "k_prod_"), r"\b[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    Format("stripe-webhook", ("whsec_",), r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
    Format("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{16,}"),
    Format("github-token", ("github_pat_",), r"\bgithub_pat_\w{20,}"),
    Format(
        "gitlab-token",
        (
            *("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glffct-", "gloas-", "glsoat-", "glcbt-", "glimt-"),
            *("glagent-", "glrtr-", "glwt-"),
        ),
        r"\bgl(?:pat|dt|rt|rtr|ptt|ft|ffct|oas|soat|cbt|imt|agent|wt)-[\w.-]{16,}",
    ),
    Format("gitlab-session", ("_gitlab_session=",), r"_gitlab_session=(?P<secret>[0-9a-z]{32})"),
    Format("gitlab-token", ("GR1348941",), r"\bGR1348941[\w-]{20,}"),
    Format(
        "aws-key-id", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), r"\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\b"
    ),
    Format("aws-bedrock-key", ("ABSK",), r"\bABSK[A-Za-z0-9+/]{100,}={0,2}"),
    Format("aws-bedrock-key", ("bedrock-api-key-",), r"\bbedrock-api-key-[A-Za-z0-9+/=]{20,}"),
    Format("slack-token", ("xox", "xapp-"), r"\bxox[a-z](?:\.xox[bp])?-[\w-]{10,}|\bxapp-\d-[\w-]{10,}"),
    Format("slack-token", ("xwfp-",), r"\bxwfp-[\w-]{20,}"),
    Format(
        "slack-webhook",
        ("hooks.slack.com",),
        r"(?:https://|\b)hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}",
    ),
    Format(
        "teams-webhook",
        (".webhook.office.com",),
        r"(?:https://|\b)[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@-]{20,}/[\w/-]{20,}",
    ),
    Format("discord-webhook", ("/api/webhooks/",), r"\bhttps://discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    Format("discord-token", (".",), r"\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}", worded=False),
    Format("google-key", ("AIza",), r"\bAIza[\w-]{30,}"),
    Format("google-oauth", ("ya29.", "GOCSPX-"), r"\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
    Format("jwt", (".eyJ",), r"\beyJ[\w-]{8,}\.eyJ[\w/-]{8,}\.[\w/-]{8,}={0,2}"),
    Format("jwt", ("ZXlK",), r"\bZXlK[A-Za-z0-9+/]{60,}={0,2}"),
    Format("npm-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{30,}"),
    Format("pypi-token", ("pypi-",), r"\bpypi-[\w-]{30,}", worded=False),
    Format("huggingface-token", ("hf_", "api_org_"), r"\b(?:hf|api_org)_[A-Za-z0-9]{20,}", worded=False),
    Format("groq-key", ("gsk_",), r"\bgsk_[A-Za-z0-9]{20,}", worded=False),
    Format("xai-key", ("xai-",), r"\bxai-[A-Za-z0-9]{20,}", worded=False),
    Format("perplexity-key", ("pplx-",), r"\bpplx-[A-Za-z0-9]{20,}", worded=False),
    Format("replicate-token", ("r8_",), r"\br8_[A-Za-z0-9]{20,}", worded=False),
    Format("tavily-key", ("tvly-",), r"\btvly-[\w-]{16,}"),
    Format("sendgrid-key", ("SG.",), r"\bSG\.[\w=-]{16,}\.[\w=.-]{16,}|\bSG\.[\w=.-]{66}"),
    Format("sendinblue-key", ("xkeysib-",), r"\bxkeysib-[0-9a-f]{40,}-[A-Za-z0-9]{10,}"),
    Format("mailgun-key", ("key-",), r"\b(?:pub)?key-[0-9a-f]{32}\b"),
    Format("mailchimp-key", ("-us",), r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    Format("twilio-key", ("SK",), r"\bSK[0-9a-fA-F]{32}\b"),
    Format("telegram-token", (":A",), r"\b\d{5,16}:A[\w-]{33,}", worded=False),
    Format("digitalocean-token", ("_v1_",), r"\bdo[opr]_v1_[0-9a-fA-F]{40,}"),
    Format("doppler-token", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{30,}"),
    Format("shopify-token", ("shp",), r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    Format("linear-key", ("lin_",), r"\blin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    Format("notion-token", ("secret_", "ntn_"), r"\b(?:secret|ntn)_[A-Za-z0-9]{40,}"),
    Format("vault-token", ("hvs.", "hvb.", "hvr."), r"\bhv[sbr]\.[\w-]{20,}", worded=False),
    Format("terraform-token", (".atlasv1.",), r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}"),
    Format("databricks-token", ("dapi",), r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    Format("age-key", ("AGE-SECRET-KEY-1",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    Format(
        "grafana-token", ("glsa_", "glc_"), r"\bglsa_[A-Za-z0-9]{20,}(?:_[0-9a-fA-F]{8})?|\bglc_[A-Za-z0-9+/=]{28,}"
    ),
    Format("grafana-token", ("eyJrIjoi",), r"\beyJrIjoi[A-Za-z0-9+/]{40,}={0,3}"),
    Format("atlassian-token", ("ATATT3", "ATCTT3", "ATBB"), r"\bAT(?:ATT3|CTT3|BB)[\w=-]{24,}", worded=False),
    Format("postman-key", ("PMAK-", "pmak-"), r"\b(?:PMAK|pmak)-[0-9a-fA-F]{20,}-[0-9a-fA-F]{30,}"),
    Format("sentry-token", ("sntryu_",), r"\bsntryu_[0-9a-f]{40,}"),
    Format("sentry-token", ("sntrys_",), r"\bsntrys_eyJ[A-Za-z0-9+/=]{20,}(?:_[A-Za-z0-9+/]{20,})?"),
    Format("prefect-token", ("pnu_", "pnb_"), r"\bpn[ub]_[A-Za-z0-9]{30,}", worded=False),
    Format("pulumi-token", ("pul-",), r"\bpul-[0-9a-f]{40}\b"),
    Format("rubygems-token", ("rubygems_",), r"\brubygems_[0-9a-f]{40,}"),
    Format("shippo-token", ("shippo_",), r"\bshippo_(?:live|test)_[0-9a-fA-F]{30,}"),
    Format("square-token", ("sq0", "EAAA"), r"\bsq0[a-z]{3}-[\w-]{20,}|\bEAAA[\w-]{22,}", worded=False),
    Format("planetscale-token", ("pscale_",), r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{30,}"),
    Format("dynatrace-token", ("dt0c0", "dt0s0"), r"\bdt0[cs]0\d\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{60,}"),
    Format("heroku-key", ("HRKU-",), rf"\bHRKU-(?:[\w-]{{40,}}|{_UUID})"),
    Format("fly-token", ("fo1_", "fm1", "fm2_"), r"\bfo1_[\w-]{40,}|\bfm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}"),
    Format(
        "1password-key",
        ("A3-",),
        r"\bA3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?:-[A-Z0-9]{5})?\b",
    ),
    Format("1password-token", ("ops_eyJ",), r"\bops_eyJ[A-Za-z0-9+/]{100,}={0,3}"),
    Format("adobe-secret", ("p8e-",), r"\bp8e-[A-Za-z0-9]{32}\b"),
    Format("airtable-token", ("pat",), r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    Format("alibaba-key-id", ("LTAI",), r"\bLTAI[A-Za-z0-9]{16,24}\b"),
    Format("artifactory-key", ("AKCp", "cmVmd"), r"\bAKCp[A-Za-z0-9]{60,}|\bcmVmd[A-Za-z0-9]{50,}"),
    Format(
        "authress-key",
        (".acc",),
        r"\b(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}",
    ),
    Format(
        "azure-key", ("AccountKey=", "SharedAccessKey="), r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/=]{40,})"
    ),
    Format("azure-secret", ("Q~",), r"(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    Format("clickhouse-key", ("4b1d",), r"\b4b1d[A-Za-z0-9]{38}\b"),
    Format("clojars-token", ("CLOJARS_",), r"\bCLOJARS_[A-Za-z0-9]{60}"),
    Format("cloudflare-key", ("v1.0-",), r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b"),
    Format("duffel-token", ("duffel_",), r"\bduffel_(?:test|live)_[\w=-]{40,}"),
    Format("easypost-key", ("EZAK", "EZTK"), r"\bEZ[AT]K[A-Za-z0-9]{54}\b"),
    Format("facebook-token", ("EAAM", "EAAC"), r"\bEAA[MC][A-Za-z0-9]{80,}"),
    Format("facebook-token", ("|", "%"), r"\b\d{15,16}(?:\||%7C|%)[\w-]{27,40}\b", worded=False),
    Format("flutterwave-key", ("FLWSECK", "FLWPUBK"), r"\bFLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    Format("frameio-token", ("fio-u-",), r"\bfio-u-[\w=-]{64}"),
    Format("gocardless-token", ("live_",), r"\blive_[\w=-]{40}(?![\w=-])", worded=False),
    Format("harness-token", ("pat.", "sat."), r"\b[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    Format("infracost-key", ("ico-",), r"\bico-[A-Za-z0-9]{32}\b", worded=False),
    Format("intra42-secret", ("s-s4t2",), r"\bs-s4t2(?:ud|af)-[0-9a-f]{64}\b"),
    Format("mapbox-token", ("pk.", "sk."), r"\b[ps]k\.[A-Za-z0-9]{60,}\.[\w-]{22,}"),
    Format("maxmind-key", ("_mmk",), r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    Format("newrelic-key", ("NRAK-", "NRJS-", "NRII-"), r"\bNR(?:AK|JS|II)-[A-Za-z0-9-]{19,}"),
    Format("octopus-key", ("API-",), r"\bAPI-[A-Z0-9]{26}\b", worded=False),
    Format("openshift-token", ("sha256~",), r"\bsha256~[\w-]{40,}"),
    Format("plaid-token", ("access-",), rf"\baccess-(?:sandbox|development|production)-{_UUID}"),
    Format("readme-token", ("rdme_",), r"\brdme_[a-z0-9]{60,}"),
    Format("scalingo-token", ("tk-us-",), r"\btk-us-[\w-]{48}"),
    Format("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), r"\bsm_[aps]at_[A-Za-z0-9]{16,}"),
    Format("sidekiq-secret", ("contribsys",), r"\bhttps?://(?P<secret>[0-9a-f]{8}:[0-9a-f]{8})@\w+\.contribsys"),
    Format("sonar-token", ("squ_", "sqp_", "sqa_"), r"\bsq[upa]_[0-9a-f]{40}\b"),
    Format("sourcegraph-token", ("sgp_",), r"\bsgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}\b"),
    Format("typeform-token", ("tfp_",), r"\btfp_[\w.=-]{40,}", worded=False),
    Format("vercel-token", ("vercel_blob_rw_",), r"\bvercel_blob_rw_\w{30,}"),
    Format("yandex-key", ("AQVN", "t1."), r"\bAQVN[\w-]{35,38}|\bt1\.[\w-]+={0,2}\.[\w-]{86}={0,2}"),
    Format("supabase-key", ("sbp_", "sb_secret_"), r"\bsbp_[0-9a-f]{40}\b|\bsb_secret_[\w-]{20,}"),
    Format("figma-token", ("figd_",), r"\bfigd_[\w-]{30,}"),
    Format("asana-token", ("/",), r"\b[12]/\d{16}(?:/\d{16})?:[0-9a-f]{32}\b"),
    Format("bearer-token", ("",), r"(?i)\bbearer (?P<secret>[\w.~+/-]{16,}=*)"),
    Format("basic-auth", ("",), r"(?i)\bauthorization[\"']?\s?[:=]\s?[\"']?basic (?P<secret>[A-Za-z0-9+/]{8,}=*)"),
)
