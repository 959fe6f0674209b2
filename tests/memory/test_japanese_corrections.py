"""What is put right in Japanese, in the same sentence, the next one, or the next message."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
from datetime import date
from functools import partial

import pytest

from tests.memory.written import TEXT
from tests.memory.written import written as written_on

written = partial(written_on, day=date(2026, 11, 20))
WRONG = [
    ("甥っ子、じゃなくて姪っ子が4月から小学生", "甥っ子が2027-04から小学生"),
    ("運転歴は12年、いや13年か", "運転歴は12年"),
    ("営業所は北、じゃない、南だわ", "営業所は北"),
    ("車庫は足立→江東に変わった", "車庫は足立"),
    ("週休二日、もとい隔日勤務です", "週休二日"),
    ("血圧の上が150…じゃなくて140", "血圧の上が150"),
    ("嫁の実家は富山、あ石川だ", "嫁の実家は富山"),
    ("次女は看護師、いや看護学生ね", "次女は看護師"),
    ("同僚の木村さん（木下さんだった）が辞めた", "同僚の木村さんが辞めた"),
    ("保険は月8000円、正確には8200円", "保険は月8000円"),
    ("ゴルフは月2、嘘、月1だな", "ゴルフは月2"),
    ("免許更新は2月、と思ったら3月だった", "免許更新は2027-02"),
    ("会社は日の丸交通ではなく東京無線です", "会社は日の丸交通"),
    ("母は86歳になる。86じゃない、87だ", "母は86歳"),
    ("息子の名前は健太、ちがう健人", "息子の名前は健太"),
    ("売り上げは5万、訂正6万", "売り上げは5万"),
    ("腰の手術は去年の5月って言ったけど6月", "腰の手術は2025-05"),
    ("毎週月曜が休みじゃなくなって火曜になった", "毎週月曜が休み"),
    ("相番は佐藤じゃなく斎藤", "相番は佐藤"),
    ("コーヒー、あ違うわ紅茶派です", "コーヒー派"),
    ("休みは水曜、いや木曜", "休みは水曜、木曜"),
]


@pytest.mark.parametrize(("typed", "line"), WRONG)
def test_what_is_put_right_behind_it_is_not_kept(typed, line):
    """ "No, thirteen", "oh, tea", "to be exact", "not 86, 87", an arrow, or "I wrote, but"."""
    assert f"- {line}\n" not in written(typed, line)[0]


@pytest.mark.parametrize(
    ("said", "line", "stands"),
    [
        (("歯医者は水曜の10時", "あ、木曜だった"), "歯医者は水曜の10時", False),
        (("歯医者は水曜の10時", "ごめん、水曜じゃなくて木曜"), "歯医者は水曜の10時", False),
        (("姪は8歳です", "訂正、9歳でした"), "姪は8歳", False),
        (("弟は岡山に住んでる", "間違えた、岡山じゃなくて福山"), "弟は岡山に住んでいる", False),
        (("家賃は7万円", "ごめん8万円の間違い"), "家賃は7万円", False),
        (("納車は3月4日", "さっき3月4日って書いたけど14日"), "納車は2027-03-04", False),
        (("納車は3月4日", "さっきの3月4日って書いたけど3月14日だった"), "納車は2027-03-04", False),
        (("木村さんが班長になった", "さっきの、正しくは木下さんです"), "木村さんが班長", False),
        (("娘はまなみです", "あ、まなみって打っちゃったけどまなえ"), "娘はまなみ", False),
        (("車検は18日", "おっと、19日ね"), "車検は18日", False),
        (("木村さんが班長になった", "さっき木下さんと話した"), "木村さんが班長になった", True),
        (("娘は7歳です", "えっと、息子は4歳です"), "娘は7歳", True),
        (("猫が2匹いる", "犬じゃなくて猫派だから"), "猫が2匹いる", True),
        (("猫が2匹いる", "ごめん、今日は木曜だったね"), "猫が2匹いる", True),
        (("車は白のヤリス。あ、白じゃなくてグレーだった",), "車は白のヤリス", False),
        (("休みは水曜じゃなくて木曜", "ごめん、会議も水曜じゃなくて火曜"), "休みは水曜じゃなくて木曜", True),
        (("車検は18日", "あ、車検が19日だった"), "車検は18日", False),
        (("娘は2年生です", "えっと、8歳でした"), "娘は2年生", True),
        (("娘は8歳です", "えっと、8歳でした"), "娘は8歳", True),
    ],
)
def test_what_the_next_message_puts_right_is_not_kept(said, line, stands):
    """A noun that it names, or a weekday, number or date where it names another, behind an "oh" or a "sorry"."""
    text, _ = written(said[0], line, behind=said[1:])

    assert (text != TEXT) is stands
