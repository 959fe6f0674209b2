"""Lines from Japanese as it is spoken in Kyushu, Kansai, Chugoku, Nagoya and Tohoku: judged as the same words of the standard language are."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
from datetime import date
from functools import partial

import pytest

from tests.memory.written import written as written_on

written = partial(written_on, day=date(2026, 11, 20))
SAME = [
    ("うちの猫は魚ば食べん", "猫は魚を食べない"),
    ("弟は広島に住んどるけえ", "弟は広島に住んでいる"),
    ("毎朝5時に起きよる", "毎朝5時に起きている"),
    ("酒は飲まへん", "酒は飲まない"),
    ("たばこはもう吸うてへん", "たばこはもう吸っていない"),
    ("うちの犬は柴やねん", "犬は柴"),
    ("練習は火曜やのうて水曜や", "練習は水曜"),
    ("姉ちゃんは看護師やっとる", "姉は看護師をやっている"),
    ("息子は名古屋の大学に通っとる", "息子は名古屋の大学に通っている"),
    ("納豆は食えんがや", "納豆は食えない"),
    ("車は軽トラだっちゃ", "車は軽トラ"),
    ("毎週土曜はスーパーさ行く", "毎週土曜はスーパーに行く"),
    ("毎年りんごば作っとるばい", "毎年りんごを作っている"),
    ("娘は卵アレルギーじゃけえ卵は使わん", "娘は卵アレルギーなので卵は使わない"),
    ("そばは食べきらん", "そばは食べられない"),
    ("嫁はんは大阪の人やさかい", "妻は大阪の人"),
    ("息子は野球しよる", "息子は野球をしている"),
    ("ピアノは8年習うとった", "ピアノは8年習っていた"),
    ("運転はせんけん、バスで通いよる", "運転はしない、バスで通っている"),
    ("返事は短うしてや", "返事は短く"),
    ("敬語は使わんといて", "敬語は使わない"),
    ("親父から店ば継いだと", "親父から店を継いだ"),
    ("来年の春に独立するっちゃん", "2027年の春に独立する"),
    ("甘いもんは好かん", "甘いものは好かない"),
    ("膝が悪かけん正座はできん", "膝が悪いので正座はできない"),
    ("孫は4人おるんよ", "孫は4人いる"),
    ("米は農協さ出してる", "米は農協に出している"),
    ("免許は去年返したんじゃ", "免許は2025年に返した"),
    ("親父は大工やったけん", "父は大工だった"),
]
OTHERWISE = [
    ("うちの猫は魚ば食べん", "猫は魚を食べる"),
    ("酒は飲まへん", "酒を飲む"),
    ("たばこはもう吸うてへん", "たばこを吸っている"),
    ("練習は火曜やのうて水曜や", "練習は火曜"),
    ("血ぃ見るんはあかんねん", "血を見るのが好き"),
    ("独立したかばってん嫁が反対しとる", "独立した"),
    ("家ば買おうて思いよったけどやめた", "家を買った"),
    ("免許は取れんやった", "免許を取った"),
    ("兄貴は東京おるけど、わしは松山", "東京にいる"),
    ("試験は受けんことにしたと", "試験を受ける"),
    ("息子が医者になりたいて言いよる", "医者になりたい"),
    ("店は閉めんばい", "店を閉める"),
    ("妹に車ば譲ってもろた", "妹に車を譲った"),
    ("社長に怒られたけど辞めさせられはせんかった", "会社を辞めさせられた"),
    ("誕生日は3月や、ちゃうわ4月や", "誕生日は3月"),
    ("予約は10日、あ、すまん11日じゃった", "予約は10日"),
    ("肉はよう食わん", "肉を食べる"),
    ("もう太鼓はやっとらん", "太鼓をやっている"),
    ("再婚はせえへんで", "再婚する"),
    ("犬ば飼いたかー", "犬を飼っている"),
    ("じいちゃんは耳が聞こえん", "耳が聞こえない"),
    ("東京の会社さ行ぐって娘が言ってだ", "東京の会社に行く"),
    ("畑はもうやらねえ", "畑をやっている"),
    ("膝の手術は受けんでよかったげな", "膝の手術を受けた"),
    ("嫁さんが妊娠したっちゅう話はうそやった", "妻が妊娠した"),
]


@pytest.mark.parametrize(("typed", "line"), SAME)
def test_a_line_in_standard_japanese_of_what_was_typed_in_a_dialect_is_kept(typed, line):
    """Copulas, what is being done, a "not", a "because", objects and directions are written in another way and say the same."""
    assert f"- {line}\n" in written(typed, line)[0]


@pytest.mark.parametrize(("typed", "line"), OTHERWISE)
def test_a_line_that_turns_what_was_typed_in_a_dialect_is_not_kept(typed, line):
    """A "not", a wish, hearsay, a correction and who does it are seen there as well."""
    assert f"- {line}\n" not in written(typed, line)[0]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("弟はお盆に帰ってくる。あ、ちがうわ、お盆は仕事で無理で9月の頭だって", "弟は2026年のお盆に帰ってくる"),
        ("送別会は金曜。あ、ごめん、金曜は中止で来月になった", "送別会は金曜"),
    ],
)
def test_what_falls_through_in_the_next_sentence_is_not_kept(typed, line):
    """ "Oh no, that day is off" takes back the day of the sentence before."""
    assert f"- {line}\n" not in written(typed, line)[0]


def test_an_answer_to_who_pays_for_a_child_is_the_payers():
    """The child is only whose trip it is."""
    asked = "元旦那さんが陸くんの遠征費を半分出すのは来年の1月から？"
    line = "元旦那が2027-01から陸の遠征費を半分出す"

    assert f"- {line}\n" in written("そう、1月から", line, asked)[0]
    assert (
        "- 陸が2027-01から遠征費を半分出す\n"
        not in written("そう、1月から", "陸が2027-01から遠征費を半分出す", asked)[0]
    )


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("往復2回でお尻が平らになったばい", "往復2回でお尻が平らになった"),
        ("猫がキーボードの上で寝よる", "猫がキーボードの上で寝ている"),
        ("犬がスリッパかじりよる", "犬がスリッパをかじる"),
        ("ほな俺が刑事やるけん、あんた犯人な", "刑事をやる"),
        ("寝る前に1個あそぼ、幽霊船のゲーム。私が船長のゴンドウ", "船長のゴンドウ"),
        ("コントしよか。わしが医者で離島におる", "離島にいる"),
    ],
)
def test_what_passes_or_is_played_is_noted_in_no_words(typed, line):
    """An ache, what a pet is up to, parts that are handed out in either order, and a game."""
    assert "- Writes Python\n" == written(typed, line)[0].split("## Preferences\n")[1]


def test_own_words_end_where_a_later_message_puts_them_right():
    """ "My mother keeps a shop, and is 76": the shop is noted, and no age that the next message takes back."""
    typed, behind = "うちの母がさ唐人町でたばこ屋しよって、もう76", "あ、76やなくて77やった"

    assert (
        '- "うちの母がさ唐人町でたばこ屋しよって"\n' in written(typed, "母の店は唐人町のたばこ屋", behind=[behind])[0]
    )


def test_a_question_that_only_says_again_what_was_asked_is_of_the_answer():
    """ "My ex? In Kokura now": the sentence behind it says nothing without it."""
    text, _ = written("元旦那？今小倉。2021年に別れた。", "元旦那とは2021年に離婚、今は小倉")

    assert '"元旦那？今小倉。2021年に別れた。"' in text or '"元旦那？今小倉。2021年に別れた"' in text
