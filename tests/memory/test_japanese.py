"""Lines in Japanese: which wording may stand, when the user's own sentence does, and what is no fact at all."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
from datetime import date
from functools import partial

import pytest

from cococat.memory.confirmations import confirmed
from tests.memory.written import READINGS, TEXT
from tests.memory.written import written as written_on

written = partial(written_on, day=date(2026, 11, 20))
SAME = [
    ("4月からきりん組の担任になりました", "2026-04からきりん組の担任"),
    ("あ、ばあちゃんワーファリン飲んでるから納豆だめなの", "ばあちゃんはワーファリンを飲んでいるので納豆がだめ"),
    ("太鼓の練習は水曜じゃなくて木曜の夜です", "太鼓の練習は木曜の夜"),
    ("来年の2月、東京で和菓子のコースです", "2027年2月、東京で和菓子のコース"),
    ("再来月に二人目が生まれる", "2027-01に二人目が生まれる"),
    ("嫁は看護師です", "妻は看護師"),
    ("父は去年引退、弟の拓也が出荷を手伝ってます", "弟の拓也が出荷を手伝っている"),
    ("毎朝5時に起きて犬のハチと川沿いを走ります", "毎朝犬のハチと川沿いを走る"),
    ("メニューは短く、一品一行で書いて", "メニューは短く、一品一行"),
    ("通知はいらん", "通知はいらない"),
    ("京都で店をやっている森です。定休日は水曜です", "森、京都で店をやっている"),
    ("ルームメイトのジョンは生魚食べれない", "ルームメイトのジョンは生魚が食べられない"),
    ("返事は必ず5行までにしていただけますか", "返事は必ず5行まで"),
    *READINGS["japanese_same"],
]
OTHERWISE = [
    ("カメラを買ったけど返品した", "カメラを買った"),
    ("ジムに入会したのに、もう退会した", "ジムに入会した"),
    ("引っ越し先は横浜に決まったけど、流れた", "引っ越し先は横浜に決まった"),
    ("亮介とは付き合って4年目で、大学の太鼓サークルの先輩だった人", "亮介の大学の太鼓サークルの先輩だった"),
    ("うちのシェフはBertrandで俺の上司", "Bertrandの上司"),
    ("公認心理師になりたいんだよね", "公認心理師である"),
    ("独立したいねんけど、まだ嫁に言うてへん", "独立した"),
    ("主任の話が来たんだけど断った", "主任の話が来た"),
    ("来年度から融資課に異動する予定でしたが、先週その話はなくなりました", "2027年度から融資課に異動する"),
    ("亮介が10月から東京に転勤！", "自分が2026-10から東京に転勤"),
    ("願書は出した。学科が1月24日で実技が2月6日", "学科は2027-02-06、実技は2027-01-24"),
    ("ヨガは月曜の朝から土曜の夕方に変わった", "ヨガは土曜の夕方から月曜の朝に変わった"),
    ("親方の松永さんに腰道具もろた", "松永さんに腰道具をあげた"),
    ("弟の大輔には今月から毎月2万返してもらってる", "弟の大輔に毎月2万返している"),
    ("友人の千夏に勧められて、家庭菜園を借りました", "友人の千夏に家庭菜園を勧めた"),
    ("卒論のテーマ、町家にするか学校建築にするかまだ迷ってる", "卒論のテーマは町家にする"),
    ("血圧の薬飲んでるの俺ちゃうで、親父や", "血圧の薬を飲んでいる"),
    ("猫が飼えたらいい", "猫が飼える"),
    ("前は猫を飼ってた", "猫を飼っている"),
    ("夫の浩司とは昨年離婚して、娘と二人で暮らしています", "夫の浩司と二人で暮らしている"),
    ("妻は美容師で、土曜も仕事", "土曜も仕事"),
    ("平日だけ早番です", "平日は早番です"),
    ("インターン受けた 受かったのは坂東設計のほうで森口組は落ちた", "森口組のインターンに受かった"),
    *READINGS["japanese_otherwise"],
]
FALSE = [
    ("今日、会社に退職届出そうと思ったけどやめた", "退職届を出した"),
    ("今日、社長に褒められたけど昇進の話はなかった", "昇進した"),
    ("今日の健診で血糖値は問題なし、コレステロールだけ高かった", "血糖値が高い"),
    ("彼が福岡に転勤になるらしい、私は残る", "福岡に転勤になる"),
    ("誕生日は3月じゃなくて5月だよ、5月9日", "誕生日は3月9日"),
    ("サイズはLって言ったけどMだった", "サイズはL"),
    ("アレルギーはそば、いや違う、くるみだ", "そばアレルギー"),
    ("姪の名前はさくら、あ、さくらこの間違い", "姪の名前はさくら"),
    ("会議は水曜10時…ごめん木曜だった", "会議は水曜10時"),
    ("月曜は在宅で火曜は出社", "火曜は在宅"),
    ("朝はパンで夜は玄米", "夜はパン"),
    ("妹は横浜で私は川崎に住んでる", "川崎に妹が住んでいる"),
    ("姉がピアノ、私はバイオリンを習ってた", "ピアノを習っていた"),
    ("いずれは独立して寿司屋をやりたいなと", "寿司屋をやっている"),
    ("子どもは二人ほしいけどまだゼロ", "子どもが二人いる"),
    ("結婚したら仙台に戻るつもり", "仙台に戻った"),
    ("プロポーズされたけど返事は待ってもらってる", "プロポーズを受けた"),
    ("犬を飼うか猫を飼うかで夫ともめてる", "犬を飼っている"),
    ("副業は禁止じゃないけどやってない", "副業をしている"),
    ("甘いもの嫌いじゃないよ", "甘いものが嫌い"),
    ("魚は食べるけど肉はほとんど食べない", "肉を食べる"),
    ("兄に車を譲ってもらった", "兄に車を譲った"),
    ("部長に企画をほめられた", "部長の企画をほめた"),
    ("母に頼まれて病院の予約を取った", "母に病院の予約を頼んだ"),
    ("隣の犬に噛まれたことがある", "隣の犬を噛んだことがある"),
    ("後輩の結婚式でスピーチする", "結婚する"),
    ("娘が志望校を変えたいって言ってる", "志望校を変えたい"),
    ("社長の田中さんの奥さんは元CA", "田中さんは元CA"),
    ("英語はTOEIC800目指してる、今は650", "TOEICは800"),
    ("禁煙は3回失敗してる", "禁煙に成功した"),
    ("免許は更新し忘れて失効した", "免許を持っている"),
    ("来週から単身赴任の予定だったけど延期", "2026-11から単身赴任"),
    ("前の会社は銀座で、今は品川", "会社は銀座"),
    ("昔は巨人ファンだったけど今は阪神", "巨人ファン"),
    ("父は日本酒、僕はビールしか飲まない", "日本酒しか飲まない"),
    ("友達の子が自閉症で相談にのってる", "子どもが自閉症"),
    ("俺より弟のほうが背が高い", "弟より背が高い"),
    ("夫の実家は農家で米を送ってくれる", "実家は農家"),
    ("ピーマン以外なら野菜は何でも食べる", "ピーマンは食べる"),
    ("うちの猫は雄、姉の猫は雌", "猫は雌"),
    ("課長は関西出身、僕は北海道", "関西出身"),
    ("株で100万損した", "株で100万儲けた"),
    ("マンション買おうか悩んだ末に賃貸のまま", "マンションを買った"),
    ("大学院は受かったけど行かないことにした", "大学院に行く"),
    ("再婚は考えてない", "再婚を考えている"),
    ("タバコは妊娠がわかって以来吸ってない", "タバコを吸う"),
    ("夜勤は月8回から4回に減った", "夜勤は月8回"),
    ("家賃は12万で駐車場が2万", "家賃は2万"),
    ("8時出社で17時上がり", "17時出社"),
]


@pytest.mark.parametrize(("typed", "line"), SAME)
def test_a_line_that_differs_in_grammar_alone_is_kept_as_it_is(typed, line):
    """Particles left out, polite endings, a reason, a date, another word for one of the family, what "not A but B" takes back."""
    assert f"- {line}\n" in written(typed, line)[0]


@pytest.mark.parametrize(("typed", "line"), OTHERWISE)
def test_a_line_that_leaves_out_or_turns_what_was_said_is_not_kept(typed, line):
    """The sentence as it was typed is in its place: a wish, a refusal, another one's part or day are told by the words around it."""
    text, _ = written(typed, line)

    assert f"- {line}\n" not in text
    assert '- "' in text or "- 2026-11-20: " in text


@pytest.mark.parametrize(("typed", "line"), FALSE)
def test_what_nobody_said_is_not_kept_whether_a_sentence_can_stand_there_or_not(typed, line):
    """A plan that fell through, a correction, a maybe, who does what, the other of two, and what is only so today."""
    assert f"- {line}\n" not in written(typed, line)[0]


def test_what_is_said_of_no_one_is_of_whom_the_sentence_before_spoke():
    """A grandmother is of the family in each of her names: what follows is not said of the user."""
    typed = "家は87歳のばあちゃん（トシ子）とふたり。要介護2で、火曜と金曜はデイに行ってもらってる"
    text, _ = written(typed, "要介護2でデイに行っている")

    assert "- 要介護2" not in text


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("練習つきあって。わたしがクライアント役ね。「印刷会社で係長をしてます」", "印刷会社で係長をしている"),
        ("患者さん役やって。あなたは52歳で、毎晩ビール3本飲んでる設定。わたしは新人の栄養士", "新人の栄養士"),
        ("詐欺電話の寸劇を書いてください。私は70歳で年金暮らしです", "70歳で年金暮らし"),
        ("人狼ごっこしよ 俺は占い師で村の北に住んでる", "村の北に住んでいる"),
        ("娘に読む絵本を考えて、ミオは魔女で、パン屋の二階に住んでる", "ミオは魔女"),
        ("模擬面接して。私は営業を5年やってきました", "営業を5年やってきた"),
        ("つかれた…肩バキバキ", "肩がバキバキ"),
        ("今日は雷で、プリンターも紙詰まりばかりで…", "プリンターが紙詰まりばかり"),
        ("現場の電気も落ちよったし最悪", "現場の電気が落ちた"),
        ("昨日は3時間しか寝てない", "3時間しか寝ていない"),
    ],
)
def test_a_part_to_play_and_a_trouble_of_today_are_no_facts(typed, line):
    """Nothing is noted, in whatever words."""
    assert TEXT == written(typed, line)[0]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("町内会でまとめ役をやってる", "町内会でまとめ役をやっている"),
        ("市役所で働いてます", "市役所で働いている"),
        ("試験の話をしないようにしよう", "試験の話をしない"),
        ("毎年春は花粉で鼻がだめ", "毎年春は花粉で鼻がだめ"),
        ("彼女が来年スペインに留学する", "彼女は2027年にスペインに留学する"),
        ("子どもに絵本を作ってる", "子どもに絵本を作っている"),
    ],
)
def test_what_only_looks_like_a_part_or_a_trouble_is_kept(typed, line):
    """An office, a book of one's own, what comes back every year, and a girlfriend, who is no "she" of before."""
    assert TEXT != written(typed, line)[0]


@pytest.mark.parametrize(
    ("typed", "asked", "taken"),
    [
        (
            "5問はそれでいいけど、解説は全部につけて",
            "過去問は1回に5問ずつ出して、解説は間違えた問題だけにしましょうか？",
            "過去問は1回に5問ずつ出して",
        ),
        (
            "下書きは頼むわ。通知はいらん",
            "毎月25日に下書きを出して、前日の夜に通知しましょうか？",
            "毎月25日に下書きを出して",
        ),
        (
            "どっちもそうして。はー洗濯しなきゃ",
            "平日は復習を出して、土日は休みにしようか？",
            "平日は復習を出して、土日は休みにしようか",
        ),
        ("後者で", "朝に送りますか、それとも夜に送りますか？", "夜に送りますか"),
        ("朝のほうで", "朝に送りますか、それとも夜に送りますか？", "朝に送りますか"),
        ("どっちでもいい", "朝に送りますか、夜に送りますか？", ""),
        ("いや、いいです", "献立はまとめて出しましょうか？", ""),
        ("いえ、結構です", "毎朝送りましょうか？", ""),
    ],
)
def test_an_answer_takes_from_a_question_what_it_agrees_to(typed, asked, taken):
    """One part of it, the one of two that is named, both, or nothing where it says no."""
    assert taken == confirmed(typed, asked)


@pytest.mark.parametrize(
    ("typed", "line", "shown"),
    [
        ("願書出したよ。学科だけ", "産業カウンセラーの願書", "'産業カウンセラー'"),
        ("媽媽不愛吃魚喔", "媽媽愛吃魚", "'媽媽不愛吃魚喔'"),
        ("札幌に住んでる", "札幌に住みたい", "'- \"札幌に住んでる\"': the user did not say it so there"),
    ],
)
def test_a_refusal_shows_words_in_the_characters_in_which_they_were_typed(typed, line, shown):
    assert shown in written(typed, line)[1]
