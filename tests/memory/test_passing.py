"""What a text says in passing, or makes up: none of it is a fact about its user, and what stands beside it still is."""

import pytest

from cococat.memory.tales import ahead_of_tale
from tests.memory.written import TEXT, written

PASSES = [
    ("are short answers good?", "Wants short answers"),
    ("you be the customs guy and i'm a spy called Vera with diamonds in my shoes", "Diamonds in her shoes"),
    (
        "lets do an adventure game. I'm a cook called Baldric and my horse is afraid of bridges",
        "Horse is afraid of bridges",
    ),
    ("jouons: tu es mon patron et moi je travaille de nuit à la boulangerie", "Travaille de nuit à la boulangerie"),
    ("wir spielen jetzt: ich bin tierarzt auf dem mond und mein hund heißt Komet", "Hund heißt Komet"),
    ("juguemos a que soy detective y tengo un loro que habla latín", "Tiene un loro que habla latín"),
    ("io sono un pirata e ho perso una gamba a Genova", "Ha perso una gamba a Genova"),
    ("咱们玩个游戏 你是掌柜的 我是大侠 欠你三两银子", "欠三两银子"),
    ("你当面试官 我当厨师 会做满汉全席", "会做满汉全席"),
    ("クイズ番組の司会者になりきって 私は三連覇中のチャンピオンね", "三連覇中のチャンピオン"),
    ("I'm a blind knight and my horse limps in Hull", "Horse limps in Hull"),
    ("right its perishing, away home", "It is perishing"),
    ("muss los, der laden is voll", "Der Laden ist voll"),
    ("zurück aus Rom, braun wie ein Keks", "Braun wie ein Keks"),
    ("me voy a casa, qué frío en el taller", "Frío en el taller"),
    ("schreib was lustiges fürs fest: Olaf hat drei Arme und wohnt im Turm", "Olaf wohnt im Turm"),
    ("a poem for the kids please: Olaf has three arms", "Olaf has three arms"),
    ("mia needs a spooky story, the hero is Olaf and he eats stars", "Olaf eats stars"),
    ("the printer is jammed and my report is due", "Printer is jammed"),
    ("word crashed today, I lost an hour", "Word crashed"),
    ("der drucker spinnt und mir ist schlecht", "Ihm ist schlecht"),
    ("got a splitting headache, make it quick", "Has a splitting headache"),
    ("perfect. its chucking it down here", "It is chucking it down"),
    ("if i won the lottery i'd move to Greece", "Moves to Greece"),
    ("wenn ich mal Rentner bin zieh ich nach Sylt", "Zieht nach Sylt"),
    ("si j'étais riche je vivrais à Marseille", "Vit à Marseille"),
    ('my boss said "we need someone from Leeds", nice', "Needs someone from Leeds"),
    ("er meinte nur „ich ziehe nach Wien“, tja", "Zieht nach Wien"),
    ("hazme un cuento, soy dentista en Venus", "Dentista en Venus"),
    ("nice story, but make it longer and in it I work in a morgue", "Works in a morgue"),
    ("in the story I am a baker in Hull", "Baker in Hull"),
    ("die Geschichte ist gut, aber ich soll darin Imker sein", "Ist Imker"),
    ("voglio una favola, io sono un lupo di Gubbio", "Lupo di Gubbio"),
    ("a limerick: I keep bees in Hull", "Keeps bees in Hull"),
    ("on fait un jeu de rôle ? je suis capitaine", "Capitaine"),
    ("동화 하나 만들어줘, 나는 등대에 살고", "등대에 살고"),
    ("咱们玩角色扮演吧 我在扬州卖豆腐", "在扬州卖豆腐"),
    ("怖い話を作って。私は灯台に住んでいます", "灯台に住んでいる"),
    ("se me ha jodido la impresora y el tren, retraso otra vez", "Impresora jodida"),
    ("sin wifi toda la mañana, el coche no arranca", "El coche no arranca"),
    ("my laptops on 4%, quick", "Laptop is on 4%"),
    ("running on 4h sleep and coffee, sorry", "Runs on coffee"),
    ("fa un freddo cane oggi", "Fa un freddo cane"),
    ("me muero de hambre y voy tarde", "Se muere de hambre"),
    ("프린터 또 고장났어", "프린터 고장"),
    ("打印机又卡纸了 烦", "打印机卡纸"),
    ("外は土砂降りだ。参った", "外は土砂降り"),
    ("whats 17.5% of 2340? also how do I make tables in word", "Makes tables in Word"),
    ("2340的17.5%是多少", "2340的17.5%"),
    ("ワードで目次ってどう作るの", "ワードで目次を作る"),
    ("rian wants a story. digger called dinny, lives in a castle", "Lives in a castle"),
    ("kids want another one of those owl stories, the owl works in a bank", "Owl works in a bank"),
    ("Emil will ne geschichte, ein bagger der in Wels wohnt", "Wohnt in Wels"),
    ("Тимур просит сказку. ёжик работает в метро", "Работает в метро"),
    ("quick ghost story for the campfire, a keeper with one ear who lost his wife", "Lost his wife"),
    ("un petit poème pour mamie, dis qu'elle a traversé l'atlantique à la nage", "A traversé l'Atlantique"),
    ("write a complaint letter as my cat. she has been starved for nine years", "Cat has been starved for nine years"),
    ("ti chiami Ercole e hai rotto tre violini", "Ha rotto tre violini"),
    ("spiel du mal den schwierigen kunden, du heißt Horst und hast drei anwälte", "Hat drei Anwälte"),
    ("play the angry customer. the kettle from cork was bought by a judge", "Kettle from Cork was bought by a judge"),
    ("c'mere do a roleplay with me, ur a dodgy landlord called Fintan and u own a llama", "Owns a llama"),
    ("so tired after the walk with the twins", "So tired after the walk with the twins"),
    ("right, the wifi is down and the telly. pun for rain?", "The telly is down"),
    ("brr its freezing, synonyms for warm", "It is freezing"),
    ("me duele la panza toda la mañana. un chiste?", "Le duele la panza"),
]
STAYS = [
    ("you're a star, I'm a nurse in Hull by the way", "Nurse in Hull"),
    ("you're the best, I am a nurse in Hull", "Nurse in Hull"),
    ("ich arbeite im Café Ritter in Kassel", "Arbeitet im Café Ritter in Kassel"),
    ("you're the third to ask, my boss Rolf retires", "Boss Rolf retires"),
    ("I'm married to a pirate fan, my boat is red", "Boat is red"),
    ("du bist ein Schatz, ich bin Lehrerin in Kassel", "Lehrerin in Kassel"),
    ("wir spielen dienstags Volleyball, ich bin Libero", "Libero, Volleyball dienstags"),
    ("你是对的，我是老师", "是老师"),  # noqa: RUF001 - Chinese
    ("my daughter Lea turns 5, write her a story", "Daughter Lea turns 5"),
    ("can you proofread my novel? my publisher is in Leeds", "Publisher is in Leeds"),
    ("我在写一本科幻小说，背景是高雄", "在写一本科幻小说"),  # noqa: RUF001 - Chinese
    ("推理小説を書いていて、去年一冊出しました", "推理小説を書いている"),
    ("I tell stories at the library in Hull", "Tells stories at the library in Hull"),
    ("mi mujer escribe cuentos en Lugo", "Su mujer escribe cuentos en Lugo"),
    ("te cuento que trabajo en Lugo", "Trabaja en Lugo"),
    ("en Belém llueve toda tarde, corro pronto", "En Belém llueve toda tarde"),
    ("se chove vou de carro", "Se chove, vai de carro"),
    ("the scanner is broken since 2019, nobody cares", "Scanner is broken since 2019"),
    ("no tengo coche. y como pescado en casa", "Come pescado en casa"),
    ("腰疼三年了，一直在做理疗", "一直在做理疗"),  # noqa: RUF001 - Chinese
    ("积累了三年经验", "积累了三年经验"),
    ("off to bed. I work nights at the port", "Works nights at the port"),
    ("remember please: Olaf has three cats", "Olaf has three cats"),
    ("answers always like this please: short, no emojis", "Wants answers short, no emojis"),
    ("schreib immer so: kurz und ohne Floskeln", "Schreib kurz und ohne Floskeln"),
    ("the printer is jammed and I work in Leeds", "Works in Leeds"),
    ("I always get a headache from red wine", "Always gets a headache from red wine"),
    ("when it's raining I take the tram", "Takes the tram when it's raining"),
    ("wenn meine Mutter Fieber hat, bleibe ich zuhause", "Bleibt zuhause, wenn seine Mutter Fieber hat"),
    ('I said no to "Office", I use Emacs', "Uses Emacs"),
    ("fix it please, I live in Lisbon", "Lives in Lisbon"),
    ("corrige ça, je prépare le concours d'instit", "Prépare le concours d'instit"),
    ("no i meant python 3.12 not 3.10", "Uses Python 3.12"),
    ("nein, ich meinte Leeds, nicht Leicester", "Leeds, nicht Leicester"),
    ("no, my exam is on the 7th not the 6th", "Exam is on the 7th"),
    ("I need a new bike, mine is 20 years old", "Needs a new bike"),
    ("the kids I teach come in hungry on mondays", "The kids I teach come in hungry on mondays"),
    ('my mum wrote from Crete: "come over"', "Mum wrote from Crete"),
    ("the printer is jammed and I love Hull", "Loves Hull"),
    ("I like it cold", "Likes it cold"),
    ("me duele siempre la espalda", "Le duele siempre la espalda"),
    ("se piove la corsa salta", "Se piove la corsa salta"),
]


@pytest.mark.parametrize(("typed", "line"), PASSES)
def test_what_passes_or_is_made_up_is_no_fact(typed, line):
    """Where somebody goes now and how it is there, and what a text that they order is to say."""
    text, told = written(typed, line)

    assert text == TEXT
    assert "does not support" in told


@pytest.mark.parametrize(("typed", "line"), STAYS)
def test_what_stands_beside_it_still_is_one(typed, line):
    """A farewell, a "please" or a need takes nothing away from what else was typed."""
    text, _ = written(typed, line)

    assert f"- {line}\n" in text or any(f'- "{typed[at:]}"\n' in text for at in range(len(typed)))


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("my novel's hero is called Ana and lives in Hull, due in May", "Lives in Hull"),
        ("我小说的女主叫林晚，是个法医", "是法医"),  # noqa: RUF001 - Chinese
    ],
)
def test_the_hero_of_a_tale_is_not_the_user(typed, line):
    """The whole sentence may be noted, which says of whom it speaks; never that part of it alone."""
    assert f"- {line}\n" not in written(typed, line)[0]


@pytest.mark.parametrize(
    ("sentence", "ahead"),
    [
        ("I live in Hull", None),
        ("write a story: I am a fox", ""),
        ("I'm Dana, write me a story", "I'm Dana"),
        ("I'm Dana, I cook, write me a story", "I'm Dana, I cook"),
        ("I'm Dana but write me a story", "I'm Dana"),
        ("I'm Dana, so now please write me a story", "I'm Dana"),
        ("write me a story, I'm Dana", ""),
        ("nice story, but make it longer, I'm Dana", ""),
        ("my story is long", None),
        ("I write a story every day", None),
        ("I tell a story", None),
        ("write my story", None),
        ("play the angry customer", ""),
        ("now play the angry customer", ""),
        ("I play the angry customer", None),
        ("I'm a knight", ""),
        ("I'm tall, you're my landlord", ""),
        ("you're my landlord", None),
        ("you're a star, I'm Dana thanks", None),
        ("let's play, I'm the cook", ""),
        ("we do a role play", None),
        ("a role play", ""),
        ("we love doing roleplay", None),
        ("I do improv on tuesdays", None),
        ("play king", ""),
        ("play the old angry customer", ""),
        ("be kind to every single customer", None),
        ("write my dog a story", ""),
        ("write my best story", None),
        ("write the diary of a fridge", ""),
        ("me dá um poema", ""),
        ("I'm Dana, write for Tom a story", "I'm Dana"),
        ("I'm Dana, write comic songs for a living", None),
        ("people at the pub tell stories", None),
        ("any good joke?", ""),
        ("did Tom like that story?", None),
        ("Mia wants a comic book", None),
        ("Mia wants a story about books", ""),
        ("rian wants a really long and quite scary pirate story", ""),
        ("my son wants a bike and his sister reads him a story", None),
        ("a poem right now for Mia", ""),
        ("a joke is always good for morale", None),
    ],
)
def test_what_stands_ahead_of_an_ordered_tale_is_said_by_its_user(sentence, ahead):
    """Nothing where the order comes first or a part is given; None where no tale is ordered, as of the user's own work."""
    assert ahead == ahead_of_tale(sentence)
