"""Secrets as people type them are found, and what only looks like them stays."""

from __future__ import annotations

import re

import pytest

from cococat.safety.secrets import redact_said
from tests.safety.typed_lines import LINES

# ruff: noqa: RUF001 - as it is typed there

LOOK_ALIKES = (
    "my extension at work is 4471",
    "front desk ext. 2290, ask for Moira",
    "Durchwahl 4471 im Rathaus",
    "ramal 2290 da secretaria",
    "内线 4417 找王老师",
    "order number 4417 9023 is late",
    "Bestellnummer 4471-2290 kommt morgen",
    "pedido 44718822 ainda não chegou",
    "订单号 88214407 还没发货",
    "注文番号 4417-9023 まだ届かない",
    "주문번호 44718822 아직 안 옴",
    "заказ 44718822 задержали",
    "joined the fire brigade in 2019, promoted 2024",
    "alarm at 0630, shift from 0700 to 1900",
    "wifi 6 router for 89 euros",
    "2.4 GHz wifi reaches the garden, 5 GHz does not",
    "our wifi has 3 access points and 200mbps",
    "wifi 802.11ax on the new laptop",
    "wlan kabel cat6a 20m gekauft",
    "das wlan im zug ist ab 2026 kostenlos",
    "wifi at the library, room 2B, is slow",
    "wifi do aeroporto, portão B12, é horrível",
    "el wifi va mal desde el 12/03, 3h al día",
    "wifi no hotel, quarto 204",
    "wifi in carriage 7, seat 61a",
    "wifi speaker JBL, model Charge5, 120 euros",
    "wifi extender, TP-Link RE305, bought 2024",
    "宿舍wifi 100M 一个月30块",
    "店のwifi遅い、2階は5GHzがいい",
    "와이파이 6E 공유기 추천해줘",
    "вайфай 5 ГГц не ловит на 2 этаже",
    "código de barras 7891000315507",
    "código postal 28013 Madrid",
    "código de error 4417 en la caldera",
    "code postal 75011, métro Voltaire",
    "bus 4417 never stops here, take the 22",
    "Buslinie 447 fährt ab 2026 anders",
    "flight LH4471 at 22:05 from gate B12",
    "o portão B22 do voo LA4417",
    "gate 4417 of the stadium opens at 18:00",
    "gate 22 changed again, boarding 1840",
    "python 3.12, numpy 2.2.1, build 4417",
    "part number 4417-2290 for the Bosch pump",
    "lock washer M8, part 90123",
    "Ersatzteil Türschloss 4471 von Abus kostet 89",
    "new lock cost 4417 rubles",
    "门锁花了 1288 块",
    "门锁 型号 K9920 挺好用",
    "密码锁 1288元 包安装",
    "门禁 2024年装的",
    "门口 4417路公交",
    "密码锁用了 2019 年到现在",
    "小区大门 2023 年修过",
    "单元门 3号楼 1204 室",
    "玄関 2019年にリフォームした",
    "현관문 2019년에 교체함",
    "card game with 52 cards, scored 4417 points",
    "yellow card in minute 45, red card in minute 78",
    "cartão amarelo aos 45, vermelho aos 78 do jogo 2026",
    "graphics card 4090 with 24 GB, paid 1899",
    "SD card 128 GB, 4471 photos on it",
    "credit card limit is 5000, balance 2290.50",
    "my card expires 09/28",
    "Karte 4 und 7 ablegen, dann 3000 Punkte",
    "Kreditkarte kostet 49 im Jahr seit 2024",
    "la tarjeta gráfica 4070 cuesta 650 euros",
    "carte 1:25000 de l'IGN, feuille 2314",
    "信用卡额度 50000，账单日 15 号",
    "卡里还剩 4417 块",
    "ポイントカード 4417 ポイント貯まった",
    "카드 포인트 44718점",
    "conta de luz 4471,20 este mês",
    "a conta deu 2290 reais pra 12 pessoas",
    "la cuenta fueron 4500 pesos",
    "das konto hat 4471 euro minus",
    "account has 44718 followers",
    "支付宝转了 5000 块给房东",
    "支付宝 2024 年账单出来了",
    "pix de 2290 reais pro encanador",
    "paguei 1500 no pix ontem às 1830",
    "口座に 447188 円ある",
    "계좌에 447188원 있음",
    "счёт 4417 рублей за свет",
    "score was 44-17 at half time",
    "population of 447188 in 2020",
    "Einwohner 447.188 laut Zensus 2022",
    "人口 4471882 人",
    "address 4417 Maple Street, flat 22",
    "Calle Mayor 44, 28013 Madrid",
    "住所は東京都港区4-17-22",
    "cpf is the Brazilian tax number with 11 digits",
    "cpf e cnpj desde 2024 são pedidos em tudo",
    "my passport for the visa expires 2031-05-01",
    "passport photos 35x45 mm, 12 euros",
    "dni para la matrícula antes del 30/06/2026",
    "nhs waiting list is 7400000 people in 2024",
    "nhs appointment on 12/03/2026 at 14:30",
    "ssn rules changed in 2011",
    "身份证 2031 年到期",
    "マイナンバーカード 2026年5月に更新",
    "the rg-58 cable, 50 ohm, 20 m",
    "rg 6 cable and rg 59 cable",
    "pin 13 and pin 14 on the ESP32-S3",
    "pin header 2x20, 2.54 mm",
    "手机 12800mAh 电池 续航 48 小时",
    "スマホ 128000円 高い",
    "passed test 4417 of 5200",
    "safe at home by 2200",
    "the safe weighs 1200 kg and cost 4471",
    "lock 7 on the canal opens 0800 to 1630",
    "code review took 4471 lines on 2026-05-01",
    "netflix now 12.99 a month, was 9.99",
    "amazon jetzt 8,99 im Monat seit 2022",
    "ИНН организации нужен для договора с 2025",
    "паспорт 2028 года замены",
    "IMEI is on the box, 15 digits long",
    "iban needed, 22 characters in Germany",
    "routing 3 packets over 10.0.0.12",
    "vitamin D 4471 IU, B12 1000",
    "password changed on 2026-05-01 at 14:30",
    "密码 2024 年改过一次",
    "库存 4417 件 编号 A-2290",
    "cvv stands for card verification value, 3 digits",
)


@pytest.mark.parametrize("line", LINES)
def test_what_is_secret_in_a_line_is_not_remembered(line):
    """Not a piece of it; a second look finds nothing more."""
    told = re.sub("[{}]", "", line)
    pieces = [piece for secret in re.findall(r"\{(.+?)\}", line) for piece in (secret, *re.findall(r"\w{4,}", secret))]

    clean = redact_said(told, ())

    assert [] == [piece for piece in pieces if piece in clean]
    assert clean == redact_said(clean, ())


@pytest.mark.parametrize("line", LOOK_ALIKES)
def test_a_line_with_harmless_numbers_is_remembered(line):
    """Times, prices, orders, models, years: whole."""
    assert line == redact_said(line, ())


def test_the_words_around_a_secret_stay():
    """Whatever they are."""
    for line in (
        "meu cpf pra nota dela é {042.771.386-19}, tá",
        "房东催租 卡号{6222 0319 8876 1150} 明天给",
        "mudaram o wifi do quartel, {cb193@Setor7}, deixa aí",
        "后台门禁又换了 {4417井号} 我老记不住",
        "das gäste-wlan, {See-Blick-4471}, steht am kühlschrank",
    ):
        before, _, behind = re.sub("[{}]", "\0", line).split("\0")

        clean = redact_said(re.sub("[{}]", "", line), ())

        assert re.fullmatch(rf"{re.escape(before)}\[redacted:[a-z-]+\]{re.escape(behind)}", clean)
