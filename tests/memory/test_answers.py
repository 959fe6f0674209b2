"""Short answers as people type them, in nine languages: what of the question is noted, as worded or with the answer, and what never."""
# ruff: noqa: RUF001 - as typed

import pytest

from cococat.memory.confirmations import answered, confirmed
from tests.memory.written import TEXT, written

ASKED = {
    "en": ("Do you want recipes in grams?", "Wants recipes in grams"),
    "de": ("Möchtest du Rezepte in Gramm?", "Möchte Rezepte in Gramm"),
    "es": ("¿Quieres recetas en gramos?", "Quiere recetas en gramos"),
    "fr": ("Tu veux les recettes en grammes ?", "Veut les recettes en grammes"),
    "it": ("Vuoi le ricette in grammi?", "Vuole le ricette in grammi"),
    "pt": ("Você quer receitas em gramas?", "Quer receitas em gramas"),
    "ru": ("Давать рецепты в граммах?", "Рецепты в граммах"),
    "zh": ("食谱要用克吗？", "食谱用克"),
    "ja": ("レシピはグラムで書きましょうか？", "レシピはグラムで書いてほしい"),
}
YES = {
    "en": "yes|yep|yes please|sure|ok|sounds good|perfect|yes exactly|that's right|correct|👍|yes. how do i cook rice?|y|yes, do that|of course|go for it|please do|yeah that works|fine by me|yess|yeah|uh yes|okay do it|great|that would be great|sure, why not|please god yes|yes thanks! whats the weather in hull",
    "de": "ja|jo|ja bitte|klar|ok|gerne|ja genau|stimmt|passt|ja. wie koche ich reis?|mach das|natürlich|sehr gerne|jawohl|perfekt|gute idee|na klar|ja danke dir|auf jeden fall|genau so|ja das wär super",
    "es": "sí|si por favor|claro|vale|dale|ok|exacto|perfecto|sí. ¿cómo hago arroz?|si, hazlo|por supuesto|buena idea|de acuerdo|eso es|así es",
    "fr": "oui|ouais|oui stp|bien sûr|d'accord|c'est ça|parfait|oui. comment cuire du riz ?|vas y|volontiers|tout à fait|ça marche|oui merci",
    "it": "sì|si|sì grazie|certo|ok|va bene|esatto|perfetto|sì. come cuocio il riso?|volentieri|d'accordo|ottimo",
    "pt": "sim|sim por favor|claro|ok|isso mesmo|certo|pode sim|com certeza|boa ideia|quero sim|beleza|sim. como faço arroz?",
    "ru": "да|ага|да пожалуйста|конечно|хорошо|давай|да. как сварить рис?|отлично|ладно",
    "zh": "好|好的|是的|对|嗯|行|可以|要|当然|没问题|好。米饭怎么煮？|行 就这样|好啊|好 谢谢",
    "ja": "はい|うん|はい、お願いします|お願いします|いいよ|その通り|はい。ご飯はどう炊く？|もちろん|ぜひ|うん それで|よろしく",
}
NOT_YES = {
    "en": "no|nope|no thanks|nah|not really|rather not|please don't|dont|better not|absolutely not|nah leave it|um, no|not yet|thanks but no|wrong|of course not|ok no|yeah no|sure... not|yes and no|forget it|maybe|not sure|later|dunno|let me think|depends|skip|possibly|i dont know|whatever|could be|thanks|lol|my mum does|ask my mum|sometimes",
    "de": "nein|nö|nee|lieber nicht|bitte nicht|nicht nötig|lass mal|eher nicht|noch nicht|stimmt nicht|falsch|quatsch|ja nein|natürlich nicht|vielleicht|weiß nicht|später|mal sehen|keine ahnung|jein|hm|egal|danke|meine mutter schon|nicht mehr",
    "es": "no|mejor no|para nada|no hace falta|todavía no|claro que no|déjalo|en absoluto|quizás|no sé|depende|a lo mejor|ya veremos|puede ser|ya no",
    "fr": "non|pas besoin|surtout pas|plutôt pas|laisse tomber|bien sûr que non|nan|peut-être|je sais pas|on verra|bof|merci|plus maintenant",
    "it": "no|meglio di no|non serve|lascia perdere|certo che no|macché|forse|non so|boh|dipende|vediamo|può darsi|non più",
    "pt": "não|nao|melhor não|não precisa|deixa pra lá|claro que não|acho que não|talvez|não sei|depende|vamos ver|pode ser|tanto faz",
    "ru": "нет|не надо|лучше не надо|пока нет|конечно нет|не нужно|неа|может быть|не знаю|потом|посмотрим|всё равно",
    "zh": "不|不要|不用了|不是|算了|别|还是不要了|先不用|好像不是|不知道|再说|随便|不确定|让我想想",
    "ja": "いいえ|いや|結構です|いらない|違います|やめて|大丈夫です|ううん|まだいい|たぶん|わからない|あとで|微妙|ありがとう",
}
EITHER = "Should I send it in the mornings or in the evenings?"
BINS = "Shall I keep a shopping list and remind you of the bins?"


@pytest.mark.parametrize("lang", YES)
def test_a_yes_however_it_is_put_notes_what_was_asked(lang):
    asked, line = ASKED[lang]

    assert [] == [one for one in YES[lang].split("|") if f"- {line}\n" not in written(one, line, asked)[0]]


@pytest.mark.parametrize("lang", NOT_YES)
def test_a_no_and_what_leaves_it_open_note_nothing(lang):
    """Neither the line nor the question; thanks, a laugh, and what somebody else would say are no yes."""
    asked, line = ASKED[lang]

    assert [] == [
        one for one in NOT_YES[lang].split("|") if confirmed(one, asked) or written(one, line, asked)[0] != TEXT
    ]


@pytest.mark.parametrize(
    ("lang", "typed", "line"),
    [
        ("en", "yes but only at work", "Wants recipes in grams only at work"),
        ("en", "yes, but not on weekends", "Wants recipes in grams, but not on weekends"),
        ("en", "only on weekdays", "Wants recipes in grams only on weekdays"),
        ("en", "yes. but only at work", "Wants recipes in grams only at work"),
        ("en", "sure for long ones", "Wants recipes in grams for long ones"),
        ("de", "ja aber nur im winter", "Möchte Rezepte in Gramm nur im Winter"),
        ("de", "nur werktags", "Möchte Rezepte in Gramm nur werktags"),
        ("es", "sí pero solo en el trabajo", "Quiere recetas en gramos solo en el trabajo"),
        ("fr", "oui, en hiver seulement", "Veut les recettes en grammes seulement en hiver"),
        ("it", "sì, ma non nel weekend", "Vuole le ricette in grammi, ma non nel weekend"),
        ("pt", "sim mas só no trabalho", "Quer receitas em gramas só no trabalho"),
        ("ru", "да, но только на работе", "Рецепты в граммах только на работе"),
        ("zh", "好，但只在冬天", "食谱用克，只在冬天"),
        ("ja", "はい、でも仕事のときだけ", "レシピはグラムで書いてほしい、仕事のときだけ"),
    ],
)
def test_what_a_yes_is_limited_to_stands_beside_it(lang, typed, line):
    """The line that leaves it out is not noted: the answer stands with its question instead."""
    asked, without = ASKED[lang]
    quoted = f'{TEXT}- "{asked}" → "{typed}"\n'

    assert written(typed, line, asked)[0] in (f"{TEXT}- {line}\n", quoted)
    assert written(typed, without, asked)[0] in (TEXT, quoted)


@pytest.mark.parametrize(
    ("typed", "line", "asked"),
    [
        ("no, my brother", "Dev is her brother", "Is Dev your partner?"),
        ("my brother", "Dev is her brother", "Is Dev your partner?"),
        ("nein, mein bruder", "Dev ist ihr Bruder", "Ist Dev dein Partner?"),
        ("no, mi hermano", "Dev es su hermano", "¿Dev es tu pareja?"),
        ("non, mon frère", "Dev est son frère", "Dev est ton compagnon ?"),
        ("нет, мой брат", "Дев — её брат", "Дев — твой партнёр?"),
        ("four, not three", "Has four cats", "So you have three cats?"),
        ("vier", "Hat vier Katzen", "Du hast also drei Katzen?"),
        ("cups", "Wants recipes in cups", "Do you want recipes in grams?"),
        ("since 2019", "Lives in Hull since 2019", "Since when do you live in Hull?"),
        ("german pls", "Wants German", "Which language do you want?"),
        ("3, all black", "Has 3 cats, all black", "How many cats do you have?"),
        ("4", "Son is 4", "How old is your son?"),
        ("depuis 2019", "Habite à Hull depuis 2019", "Depuis quand tu habites à Hull ?"),
        ("nuts and shellfish", "Does not eat nuts and shellfish", "Anything you don't eat?"),
        ("yes, and the meat extra", "Recipes vegetarian and for two, the meat extra", "Shall I write recipes vegetarian and for two?"),
        ("ja genau, und das fleisch extra dazu", "Rezepte vegetarisch und für zwei Personen, das Fleisch extra dazu", "Soll ich Rezepte vegetarisch und für zwei Personen schreiben?"),
        ("2019年から", "2019年から札幌に住んでいる", "いつから札幌に住んでいますか？"),
        ("用杯", "食谱用杯", "食谱要用克吗？"),
    ],
)  # fmt: skip
def test_what_is_so_instead_and_what_was_asked_for_stand_with_the_question(typed, line, asked):
    """As worded, or as the question with the answer."""
    assert written(typed, line, asked)[0] in (f"{TEXT}- {line}\n", f'{TEXT}- "{asked}" → "{typed}"\n')


@pytest.mark.parametrize(
    ("typed", "line", "asked"),
    [
        ("no, my brother", "Dev is her partner", "Is Dev your partner?"),
        ("my brother", "Dev is her partner", "Is Dev your partner?"),
        ("he's my brother", "Dev is her partner", "Is Dev your partner?"),
        ("ex partner", "Dev is her partner", "Is Dev your partner?"),
        ("was", "Dev is her partner", "Is Dev your partner?"),
        ("dev is a he", "Dev is her partner", "Is Dev your partner?"),
        ("four", "Has three cats", "So you have three cats?"),
        ("cups", "Wants recipes in grams", "Do you want recipes in grams?"),
        ("my oven is broken", "Wants recipes in grams", "Do you want recipes in grams?"),
        ("yes, on wednesday", "Remind of the bins every Tuesday", "Shall I remind you of the bins every Tuesday?"),
        ("yes but for four", "Recipes vegetarian and for two people", "Shall I write recipes vegetarian and for two people?"),
        ("milch ja, nüsse sind ok", "Nüsse weglassen", "Soll ich Milch und Nüsse weglassen?"),
        ("ok", "Wants it sent in the mornings", EITHER),
        ("yes", "Wants it sent in the evenings", EITHER),
        ("sí, menos basura", "Recordar la basura", "¿Llevo una lista de la compra y te recuerdo la basura?"),
        ("imposto por favor", "Arredondar os preços", "Arredondo os preços e mostro o imposto?"),
        ("nein englisch", "Auf Deutsch antworten", "Soll ich auf Deutsch oder auf Englisch antworten?"),
        ("yes bins, but forget the list", "Keep a shopping list", BINS),
        ("only the bins", "Keep a shopping list", BINS),
        ("the first one, not the second", "Remind of the bins", BINS),
        ("四只", "有三只猫", "你有三只猫吗？"),
        ("我哥", "小李是男朋友", "小李是你男朋友吗？"),
        ("让我想想", "上夜班", "要不要我记住你上夜班？"),
    ],
)  # fmt: skip
def test_what_was_not_agreed_to_is_not_kept_as_worded(typed, line, asked):
    assert f"- {line}\n" not in written(typed, line, asked)[0]


@pytest.mark.parametrize(
    ("typed", "asked", "taken"),
    [
        ("only the list", BINS, "Shall the assistant keep a shopping list"),
        ("not both, only the first", BINS, "Shall the assistant keep a shopping list"),
        ("list yes bins no", BINS, "Shall the assistant keep a shopping list"),
        ("the latter", EITHER, "in the evenings"),
        ("not the mornings", EITHER, "in the evenings"),
        ("evenings, never mornings", EITHER, "in the evenings"),
        ("neither of them", EITHER, ""),
        ("prose", "a table, a list or prose?", "prose"),
        ("the first", "a table, a list or prose?", "a table"),
        ("mostro sim, preços não", "Arredondo os preços e mostro o imposto?", "mostro o imposto"),
        ("英文", "用中文还是英文回答？", "英文回答"),
        ("选列表", "表格、列表还是文字？", "列表"),
        ("値段だけ", "値段は丸めて、税金を表示しましょうか？", "値段は丸めて"),
        ("tutte e due", "Arrotondo i prezzi e mostro la tassa?", "Arrotondo i prezzi e mostro la tassa"),
    ],
)  # fmt: skip
def test_of_two_things_the_one_that_is_named_counted_or_left_is_taken(typed, asked, taken):
    assert taken == confirmed(typed, asked)


def test_an_answer_that_says_nothing_of_what_a_line_says_does_not_stand_for_it():
    """A question alone is the assistant's, whatever is typed behind it."""
    asked = "Do you want recipes in grams?"

    assert ("ask my mum", TEXT) == (
        answered("ask my mum", asked),
        written("ask my mum", "Wants recipes in grams", asked)[0],
    )


@pytest.mark.parametrize(
    ("asked", "typed", "line"),
    [
        ("Para la firma, ¿pongo que Beto es tu esposo o que es tu pareja?", "lo segundo", "Beto es su esposo"),
    ],
)
def test_what_a_question_is_about_is_none_of_its_options(asked, typed, line):
    """Ahead of them it would be counted: the second of two was taken for the first."""
    assert f"- {line}\n" not in written(typed, line, asked)[0]


def test_a_question_and_its_answer_stand_for_a_line_that_has_a_word_more():
    """What the line is about was said elsewhere; most of it is in the two."""
    asked, typed = "Tu t'inscris au niveau 2 en janvier?", "oui, chu deja inscrite. pis ma mère vend sa roulotte"

    kept = written(typed, "LSQ: déjà inscrite au niveau 2", asked)[0].removeprefix(TEXT)

    assert kept.startswith(f'- "{asked}" \u2192 "oui, chu deja inscrite.'), kept


def test_both_of_two_things_with_a_word_more_stands_with_the_question():
    """No word of the line is in the answer; "both" says that it is of all that was asked."""
    asked, typed = "Do you row in the mornings or in the evenings?", "both, the kids come along at times"

    assert f'{TEXT}- "{asked}" \u2192 "{typed}"\n' == written(typed, "Rows mornings and evenings", asked)[0]
