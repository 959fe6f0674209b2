"""What is only so at the moment at which it is typed, and what sounds like it and lasts."""

import pytest

from tests.memory.written import TEXT, written

PASSES = [
    (
        "hiya, its 34 degrees and the office has no aircon, im soup. can you fix this regex: a+?b",
        "Office has no aircon",
    ),
    (
        "on the 55 bus, some lad is eating an entire rotisserie chicken next to me. anyway, synonyms for calm",
        "A lad eats a rotisserie chicken",
    ),
    (
        "dishwasher's leaking all over the kitchen, plumber reckons its the hose. whats the capital of Malawi",
        "Dishwasher is leaking",
    ),
    ("im a bit hyper today, third espresso. gimme a name for a kayak", "Is hyper"),
    ("Saturday, sofa, blanket, bliss. recommend me a heist movie", "Spends Saturdays on the sofa with a blanket"),
    ("38 grad im büro, ich zerlauf. wie schreibt man rhythmus", "Im Büro sind es 38 Grad"),
    ("sitz grad im ICE und neben mir schnarcht einer. was heißt schnarchen auf finnisch", "Sitzt im ICE"),
    ("waschmaschine ausgelaufen, ganzes bad nass. na egal. reimwort auf orange?", "Waschmaschine ist ausgelaufen"),
    ("sonntag, regen, couch. tipp mir nen film", "Sonntags auf der Couch"),
    ("der nachbar sägt schon wieder, ich dreh durch. erklär mir mitose", "Nachbar sägt"),
    ("se cortó la luz otra vez, chau", "Se cortó la luz"),
    ("el gato me tiró el café encima del teclado, genial. qué es un hipérbaton", "El gato tira el café"),
    ("hoy ando de mal humor, así que cortito", "Anda de mal humor"),
    ("me estoy comiendo una empanada, esperá. listo. traducime 'tornillo'", "Come empanadas"),
    ("36 degrés ici, je fonds. c'est quoi un oxymore", "Il fait 36 degrés"),
    ("je suis dans le tram, un mec joue de l'accordéon horriblement faux. synonyme de bruit ?", "Est dans le tram"),
    ("la machine à laver fuit, y a de l'eau partout. recette de crêpes stp", "La machine à laver fuit"),
    ("dimanche, pluie, plaid, thé. un film pour ce soir ?", "Dimanche, pluie et thé"),
    ("39 graus aqui, to derretendo. como escreve exceção", "39 graus"),
    ("to na fila do banco, umas 30 pessoas na frente e um bebê berrando. sinônimo de lento?", "Está na fila do banco"),
    ("a geladeira pifou, o técnico falou que é o motor. receita de arroz?", "A geladeira pifou"),
    ("qui 38 gradi, mi sciolgo. come si scrive soqquadro", "Ci sono 38 gradi"),
    ("sono in coda alla posta, davanti a me uno litiga con tutti. sinonimo di noioso?", "È in coda alla posta"),
    ("la lavatrice perde acqua, il tecnico dice che è la guarnizione. ricetta del pesto", "La lavatrice perde acqua"),
    ("domenica, pioggia, divano. consigliami un film", "Domenica sul divano"),
    ("il vicino trapana da stamattina, impazzisco. riassumi la rivoluzione francese", "Il vicino trapana"),
    ("свет вырубили опять, пока", "Свет вырубили"),
    ("кот только что опрокинул чай на клаву. объясни дроби", "Кот опрокинул чай"),
    ("сегодня я не в духе, давай коротко", "Не в духе"),  # noqa: RUF001 - Russian
    ("сосед сверлит с утра, голова квадратная. что такое метафора", "Сосед сверлит"),  # noqa: RUF001 - Russian
    ("domingo de lluvia, mate y fiaca. como saco tintura azul de la mesada", "Los domingos de lluvia tiene fiaca"),
    ("111 out and the swamp cooler crapped out. I am soup", "The swamp cooler crapped out"),
    ("I'm beat and crabby today so don't be chirpy at me", "Don't be chirpy at her"),
    ("plantão foi punk, fogo num galpão de colchão, só sentei agora", "Fogo num galpão de colchão"),
    ("Biscuit chewed the tv remote again lol", "Biscuit chewed the TV remote"),
    ("yes do that. power cut again, bye", "Has a power cut again"),
    (
        "my scooty died near sitabuldi, pushed it 2 km in the rain. mechanic says carburettor",
        "Scooty's carburettor is broken",
    ),
    ("PASSEI!!! eram 25 vagas. to tremendo até agora", "Está tremendo"),
    ("the shift was brutal. whats a fork bomb", "Shift was brutal"),
    ("on the bus with a goat, synonyms for calm?", "On the bus with a goat"),
    ("stuck in a ridiculously long queue", "Stuck in a queue"),
    ("Some lad is singing here, I'm on the bus", "Lad sings"),
]
STAYS = [
    ("no tomo café", "No toma café"),
    ("I'm in the park most mornings", "In the park most mornings"),
    ("no uso el micro", "No usa el micro"),
    ("my mother died when i was 9, the heating was off that winter", "Mother died when she was 9"),
    ("i'm on the train crew at Northern, a conductor", "On the train crew at Northern, a conductor"),
    ("I'm in traffic engineering, bridges mostly", "In traffic engineering"),
    ("estoy en la plaza de maestra interina en Lugo", "En la plaza de maestra interina en Lugo"),
    ("my hours at the power plant got cut to 20", "Hours at the power plant got cut to 20"),
    ("j'ai été renversé en vélo, depuis je boite", "Renversé en vélo, boite"),
    ("my shift was moved to 6am", "Shift was moved to 6am"),
    ("der dienst war früher nachts, jetzt tagsüber", "Dienst früher nachts, jetzt tagsüber"),
    ("our cat was knocked over by a car and lost a leg", "Cat was knocked over by a car and lost a leg"),
    ("estou no mercado financeiro, renda fixa", "No mercado financeiro, renda fixa"),
    ("on the train i read sci-fi", "Reads sci-fi on the train"),
    ("im park trainiere ich mit Lea", "Trainiert im Park mit Lea"),
    ("monday choir, tuesday judo", "Monday choir, tuesday judo"),
    ("montag chor, dienstag tee mit Oma", "Dienstag Tee mit Oma"),
    ("my neighbour is a builder, he built our shed", "Neighbour is a builder, built the shed"),
    ("mein nachbar sagt die miete steigt auf 900", "Miete steigt auf 900"),
    ("me gusta el queso derretido", "Le gusta el queso derretido"),
    ("j'ai des fonds en actions", "A des fonds en actions"),
    ("I get grumpy before coffee", "Gets grumpy before coffee"),
    ("nach milch muss ich kotzen, laktoseintoleranz", "Laktoseintoleranz"),
    ("the mechanic is called Gary, he says cash only", "Mechanic is called Gary, cash only"),
    ("i am a plumber, i think in inches", "Plumber, thinks in inches"),
    ("the boiler is a Vaillant from 2009", "Boiler is a Vaillant from 2009"),
    ("wir heizen mit holz, die heizung ist aus 1987", "Heizung ist aus 1987"),
    ("my tv show got cancelled, it died after one season", "TV show got cancelled after one season"),
    ("im at the beach every sunday with the dogs", "At the beach every sunday with the dogs"),
    ("sono in una coda da mesi per l'alloggio popolare", "In una coda da mesi per l'alloggio popolare"),
    ("the fridge in the lab is kept at 4 degrees", "Fridge in the lab is kept at 4 degrees"),
    ("el horno del taller llega a 1200 grados", "El horno del taller llega a 1200 grados"),
    ("in unserem haus gibts keinen aufzug", "Kein Aufzug im Haus"),
    ("tenemos una heladera Siam de 1955", "Tienen una heladera Siam de 1955"),
    ("today i became a grandmother, the baby is called Ines", "Baby is called Ines"),
    ("hoje comecei na Petrobras", "Começou na Petrobras"),
    ("heute bin ich 40 geworden", "Ist 40 geworden"),
    ("сегодня меня взяли в Яндекс", "Взяли в Яндекс"),
    ("I woke up blind in one eye in 2019", "Woke up blind in one eye in 2019"),
    ("my bike was stolen so i walk to work", "Walks to work"),
    (
        "the washing machine is in the cellar, we share it with the Kowalskis",
        "Washing machine is in the cellar, shared with the Kowalskis",
    ),
    ("je suis dans le train de 7h12 chaque matin", "Dans le train de 7h12 chaque matin"),
    ("I drive a tram, the number 96", "Drives a tram, the number 96"),
    ("ich bin im zug sicherheitsdienst, nachts", "Im Zug Sicherheitsdienst, nachts"),
    ("estoy en tratamiento por ansiedad", "En tratamiento por ansiedad"),
    ("estoy en la playa hasta septiembre, curro de socorrista", "En la playa hasta septiembre, curra de socorrista"),
    ("my toddler only eats pasta, spilled milk makes her cry", "Toddler only eats pasta"),
    ("the neighbours upstairs are my inlaws", "Neighbours upstairs are the inlaws"),
    ("quarta é dia de futebol, quinta de terapia", "Quarta é dia de futebol, quinta de terapia"),
    ("third coffee shop i've opened, this one's in Hull", "Third coffee shop is in Hull"),
    ("my partner is a wine merchant and i'm a beer person", "Partner is a wine merchant"),
    ("I'm in the pub every friday, the trio plays folk", "The trio plays folk"),
    ("im in the pub on mondays", "In the pub on mondays"),
    ("I'm in the pub, barman Ken keeps bees", "Barman Ken keeps bees"),
    ("i'm on the crew of a ferry", "On the crew of a ferry"),
    ("im in charge of the ferry", "In charge of the ferry"),
    ("at the airport in Leeds as security", "At the airport in Leeds as security"),
    ("sundays, tea at 4", "Sundays tea at 4"),
    ("I just moved to Hull", "Just moved to Hull"),
    ("my dog Rex ate grass as a pup", "Dog Rex ate grass as a pup"),
    ("the builders next door are drilling 112 wells", "Builders next door are drilling 112 wells"),
]


@pytest.mark.parametrize(("typed", "line"), PASSES)
def test_a_place_a_mood_or_a_mess_of_the_moment_is_no_fact(typed, line):
    """Where somebody waits and what goes on there, the heat, a machine that leaks, the noise next door, a sofa on a rainy day."""
    text, told = written(typed, line)

    assert text == TEXT
    assert "does not support" in told


@pytest.mark.parametrize(("typed", "line"), STAYS)
def test_what_lasts_is_kept_whatever_it_sounds_like(typed, line):
    """A tram that somebody drives, a shift that was moved, the day on which somebody began."""
    text, _ = written(typed, line)

    assert text != TEXT
