"""A clause of a line in Chinese or Japanese says what one typed clause says, not halves of two."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
from datetime import date

import pytest

from cococat.memory.cjk_roles import Typed, fault

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("我住板橋 在內湖上班", "住內湖"),
        ("我住板橋 在內湖上班", "在板橋上班"),
        ("我媽住嘉義 在臺南開店", "媽媽住臺南"),
        ("我在一間做電商的公司當行銷啦 主管叫Kevin", "在電商公司當主管"),
        ("闺女上中班，对虾过敏 鸡蛋没事", "女儿对鸡蛋过敏"),
        ("主力机是索尼 备机用佳能", "主力机是佳能"),
        ("代码注释写英文，论文摘要写德语", "代码注释写德语"),
        ("平日がサッカー、土曜は水泳やってる", "土曜はサッカーをやっている"),
        ("回答は箇条書きで、専門用語は避けて", "箇条書きは避けて"),
    ],
)
def test_halves_of_two_clauses_make_no_line(typed, line):
    """Where both of them say something else: it names both."""
    assert "is put together of" in fault(line, [Typed(typed, DAY)], [], wished=True)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("我养了只仓鼠 叫豆包 灰色的", "养了一只叫豆包的灰色仓鼠"),
        ("我在一間做電商的公司當行銷啦 主管叫Kevin", "在電商公司當行銷，主管叫Kevin"),
        ("大鹏求婚了 10月3号在华山顶上", "大鹏10月3号在华山顶上求婚了"),
        ("12月12号有场婚礼在都江堰 13号在绵阳", "2026年12月13日在绵阳有一场婚礼"),
        ("诊所要改名 从安康改成禾悦", "诊所从安康改成禾悦"),
        ("合唱团周三排练 太晚了，排练挪到周六", "合唱团排练挪到周六"),
        ("公司用vue3 我不熟，讲的时候多跟react对照", "讲vue3的时候多跟react对照"),
        ("公司用vue3 我不熟，讲的时候多跟react对照", "用vue3的时候多跟react对照"),
        ("柴犬で名前はこむぎ、5歳です", "柴犬のこむぎ、5歳"),
    ],
)
def test_a_clause_may_hold_several_that_are_told_to_their_end(typed, line):
    """One of them, and what it speaks of, may hold more than the line says."""
    assert "" == fault(line, [Typed(typed, DAY)], [], wished=True)
