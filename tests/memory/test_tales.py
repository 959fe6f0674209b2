"""Tales that are ordered without the word, what only begins like one, and how a tale goes on that was told before."""

import asyncio
import contextlib
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.dream_tools import DreamTools
from cococat.memory.rules import Rules
from cococat.memory.tales import of_the_user
from tests.memory.written import TEXT, written

ORDERED = [
    (
        "can u do the ode to my coffee machine, her name is Gloria and she has left me twice",
        "Gloria has left her twice",
    ),
    (
        "give me three opening lines for a thriller, detective with one lung who lives on a barge in Goole",
        "Lives on a barge in Goole",
    ),
    ("make up a horoscope for my cat, she was a duchess in Bath", "Cat was a duchess in Bath"),
    ("finish this: once upon a time a baker from Hull had eleven sons and no oven", "Baker from Hull has eleven sons"),
    (
        "my kid's stuffed rabbit writes postcards from Peru now, do one where he's lost his passport",
        "Rabbit has lost his passport",
    ),
    ("bit of nonsense for the pub quiz intro: i'm the lost king of Rutland and i own every swan", "Owns every swan"),
    ("for the panto: Widow Twankey is my aunt and she's wanted in nine counties", "Aunt is wanted in nine counties"),
    ("imagine i won an oscar, draft the speech, thank my parole officer Keith", "Parole officer is Keith"),
    (
        "gib mir drei erste sätze für einen thriller, kommissar mit einer niere, wohnt auf nem hausboot in Emden",
        "Wohnt auf einem Hausboot in Emden",
    ),
    ("es war einmal ein bäcker aus Gera, der hatte elf söhne. schreib das weiter", "Hat elf Söhne"),
    ("laber mal als wärst du mein toaster, du hast angst vor brot", "Hat Angst vor Brot"),
    ("horoskop für meine katze bitte, sie war mal fürstin in Bad Ems", "Katze war Fürstin in Bad Ems"),
    ("dankesrede für den oscar, ich bedanke mich bei meinem bewährungshelfer Kevin", "Bewährungshelfer heißt Kevin"),
    ("ich brauch ne ausrede fürs fitnessstudio: mein bein ist aus holz und gehört der bank", "Bein gehört der Bank"),
    (
        "für die hochzeitszeitung, fake interview: der bräutigam hat drei ponys und schuldet mir 4000 mark",
        "Der Bräutigam schuldet ihm 4000 Mark",
    ),
    (
        "dame tres comienzos de novela negra, un detective con un solo pulmón que vive en una barcaza en Tigre",
        "Vive en una barcaza en Tigre",
    ),
    ("había una vez un panadero de Luján que tenía once hijos. seguilo vos", "Tiene once hijos"),
    ("hacé de cuenta que sos mi heladera y me odiás porque como de noche", "La heladera lo odia"),
    ("horóscopo para mi gata, que fue duquesa en Ávila", "La gata fue duquesa en Ávila"),
    ("inventale una biografía al muñeco de la nena, nació en Marte y tiene nueve novias", "Tiene nueve novias"),
    (
        "donne-moi trois débuts de polar, un commissaire avec un seul rein qui vit sur une péniche à Sète",
        "Vit sur une péniche à Sète",
    ),
    ("il était une fois un boulanger de Brest qui avait onze fils. continue", "A onze fils"),
    ("parle comme si t'étais mon frigo, tu me détestes parce que je mange la nuit", "Le frigo la déteste"),
    ("un horoscope pour ma chatte, elle a été duchesse à Pau", "La chatte a été duchesse à Pau"),
    ("invente une vie au doudou de Zoé : il est né sur Mars, il a neuf fiancées", "A neuf fiancées"),
    (
        "me dá três começos de romance policial, um delegado com um pulmão só que mora numa balsa em Manaus",
        "Mora numa balsa em Manaus",
    ),
    ("era uma vez um padeiro de Minas que tinha onze filhos. continua aí", "Tem onze filhos"),
    ("finge que vc é minha geladeira e me odeia pq como de noite", "A geladeira o odeia"),
    ("inventa uma biografia pro boneco da Lia, nasceu em Marte e tem nove namoradas", "Tem nove namoradas"),
    (
        "dammi tre incipit di un giallo, un commissario con un rene solo che vive su una chiatta a Chioggia",
        "Vive su una chiatta a Chioggia",
    ),
    ("c'era una volta un fornaio di Lodi che aveva undici figli. vai avanti tu", "Ha undici figli"),
    ("parla come se fossi il mio frigo, mi odi perché mangio di notte", "Il frigo lo odia"),
    ("oroscopo per la mia gatta, è stata duchessa a Parma", "La gatta è stata duchessa a Parma"),
    ("inventa una biografia per il pupazzo di Leo, è nato su Marte e ha nove fidanzate", "Ha nove fidanzate"),
    ("дай три начала для детектива, следователь с одной почкой живёт на барже в Твери", "Живёт на барже в Твери"),  # noqa: RUF001 - Russian
    ("жил-был пекарь из Тулы, у него одиннадцать сыновей. продолжи", "Одиннадцать сыновей"),  # noqa: RUF001 - Russian
    ("представь что ты мой холодильник и ненавидишь меня", "Холодильник ненавидит его"),  # noqa: RUF001 - Russian
    ("придумай биографию плюшевому зайцу, он родился на Марсе и у него девять невест", "Девять невест"),  # noqa: RUF001 - Russian
    ("write my cat's cv: ten years at the ministry of naps, fluent in pigeon", "Fluent in pigeon"),
    ("do a mock review of my own cooking, guests died twice", "Guests died twice"),
    ("caption for a pic of my dog in a tux, say he's the mayor of Crewe", "Dog is the mayor of Crewe"),
    ("a nursery rhyme about a hedgehog who drives a tram in Lille", "Hedgehog drives a tram in Lille"),
    ("bettgeschichte: der bagger Bodo wohnt in Wels", "Bagger Bodo wohnt in Wels"),
]
STAYS = [
    (
        "i write thrillers, the first one sold 400 copies in Leeds",
        "Writes thrillers, the first one sold 400 copies in Leeds",
    ),
    (
        "my detective novel is set on a barge in Goole, deadline 3 may",
        "Detective novel is set on a barge in Goole, deadline 3 May",
    ),
    ("i do amateur panto every winter, i'm the dame", "Does amateur panto every winter"),
    ("my cat was 14 in march, her name is Gloria", "Cat Gloria was 14 in March"),
    (
        "der thriller ist mein lieblingsgenre, ich lese drei im monat",
        "Thriller ist das Lieblingsgenre, liest drei im Monat",
    ),
    ("hab mal ein interview für die zeitung in Emden gegeben, arbeite da im hafen", "Arbeitet im Hafen in Emden"),
    ("escribo novela negra, la segunda sale en mayo", "Escribe novela negra, la segunda sale en mayo"),
    ("en la biografía de mi abuelo trabajo desde 2020", "Trabaja en la biografía de su abuelo desde 2020"),
    ("je lis un polar par semaine, j'habite sur une péniche à Sète", "Habite sur une péniche à Sète"),
    ("moro numa balsa em Manaus, sou delegado", "Mora numa balsa em Manaus, é delegado"),
    ("leggo solo gialli, vivo a Chioggia", "Vive a Chioggia"),
    ("i need a speech for my retirement, i was 38 years at the post office", "38 years at the post office"),
    ("schreib mir ein anschreiben, ich bin seit 2012 schreiner in Gera", "Seit 2012 Schreiner in Gera"),
    ("discurso para la boda de mi hermana Inés, trabaja en Renfe", "Hermana Inés trabaja en Renfe"),
    ("bio for my website: i'm a potter in Stroud, two kids, left-handed", "Potter in Stroud, two kids, left-handed"),
    ("лебедь мой любимый детектив, читаю по вечерам", "Читает по вечерам"),
    ("I do improv on tuesdays", "Does improv on tuesdays"),
]
GOES_ON = [
    (
        "write me a story about a badger called Bodger",
        "haha nice. now make him a dentist in Hull who hates mint",
        "Dentist in Hull, hates mint",
    ),
    (
        "write me a story about a badger called Bodger",
        "love it, he should live in Crewe with nine wives though",
        "Lives in Crewe with nine wives",
    ),
    (
        "erzähl mir ein märchen von einem igel",
        "super. am ende heiratet er die bürgermeisterin von Gera",
        "Heiratet die Bürgermeisterin von Gera",
    ),
    (
        "escribime un cuento de una tortuga",
        "jaja buenísimo. ahora que maneje un taxi en Rosario y odie el mate",
        "Maneja un taxi en Rosario y odia el mate",
    ),
    (
        "invente une histoire d'escargot",
        "génial, à la fin il ouvre une boulangerie à Colmar",
        "Ouvre une boulangerie à Colmar",
    ),
    (
        "scrivimi una favola su un riccio",
        "bella! però alla fine sposa la viola e va a Lodi",
        "Sposa la viola e va a Lodi",
    ),
    (
        "me conta uma historinha de um tatu",
        "adorei, agora ele mora em Manaus e tem medo de pipoca",
        "Mora em Manaus e tem medo de pipoca",
    ),
    ("сочини сказку про ежа", "класс. в конце он открывает пекарню в Туле", "Открывает пекарню в Туле"),
]
BEHIND = [
    ("write me a story about a badger", "haha nice. i live in Hull btw", "Lives in Hull"),
    ("write me a story about a badger", "my son Leo loved it, he's 6", "Son Leo is 6"),
    ("erzähl mir ein märchen", "danke. ich arbeite jetzt in Gera", "Arbeitet in Gera"),
    ("escribime un cuento", "gracias. ahora vivo en Rosario", "Vive en Rosario"),
    ("scrivimi una favola", "bella. mia figlia Ada ha 6 anni", "Figlia Ada ha 6 anni"),
    ("write me a story about a badger", "thanks. always keep stories under 200 words", "Keep stories under 200 words"),
    ("what's the capital of Peru", "now he is a dentist in Hull, my brother", "Brother is a dentist in Hull"),
]


@pytest.mark.parametrize(("typed", "line"), ORDERED)
def test_what_a_text_is_to_tell_is_no_fact(typed, line):
    """A thriller's first lines, a horoscope of a cat, "once upon a time", a letter from a fridge."""
    text, _ = written(typed, line)

    assert text == TEXT


@pytest.mark.parametrize(("typed", "line"), STAYS)
def test_who_writes_or_reads_them_is_a_fact(typed, line):
    """The user's own books, and what else is said beside them."""
    text, _ = written(typed, line)

    assert text != TEXT


@pytest.mark.parametrize(
    ("said", "line", "left"),
    [
        ("my novel's hero is a vet and sings, I row", "Is a vet", ", I row"),
        ("my novel's hero is a vet", "Novel is about a vet", "my novel's hero is a vet"),
        ("the hero of my crime novel is a vet", "Novel is about a vet", "the hero of my crime novel is a vet"),
        ("in my crime novel Hull is where the hero sings", "Sings in Hull", ""),
        ("the hero is Vera, a nurse", "Vera is a nurse", "the hero is Vera, a nurse"),
        ("the hero sings, my sister rows", "Sings", ", my sister rows"),
    ],
)
def test_what_is_told_of_a_hero_is_said_where_a_line_speaks_of_the_tale(said, line, left):
    """By the word for a hero, by "my novel" or by the name; elsewhere it is nobody's."""
    assert left == of_the_user(said, line)


def behind(first, typed, line):
    """Return the memory after *line* was noted of *typed*, which came behind the message *first*."""
    said = {1: first, 2: typed}
    box = DreamTools(TEXT, Rules(said, DreamSettings(), days=dict.fromkeys(said, date(2026, 5, 11))))
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    with contextlib.suppress(ToolFailure):
        asyncio.run(box.tools()[1].run({**given, "evidence": [{"seq": 2, "quote": typed}]}, lambda _: None))
    return box.text


@pytest.mark.parametrize(("first", "typed", "line"), GOES_ON)
def test_how_a_tale_is_to_go_on_is_no_fact(first, typed, line):
    """Typed right behind the order, without a word that names the tale."""
    assert behind(first, typed, line) == TEXT
    assert behind("what is the capital of Peru?", typed, line) != TEXT


@pytest.mark.parametrize(("first", "typed", "line"), BEHIND)
def test_what_the_user_tells_behind_a_tale_is_a_fact(first, typed, line):
    """Of themself or their family, or how they want tales to be."""
    assert behind(first, typed, line) != TEXT
