"""What is written with digits and is no value: numbers of sections, documents, phones, versions, files, machines.

One table; each row has a name, the pattern and an example of what it is for (the tests read them). Years, dates and
times are in `moments.py`. A label holds for a plain number only: "table 4" is a name, "table 4,512.30" is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tabcore.text.ascii_digits import compiled

_L = "A-Za-zÀ-ÖØ-öø-ÿ"
_B = rf"(?<![{_L}\d_-])"
_PLAIN = r"(?![\d_]|[.,]\d|\s?%|\s(?:percent|per cent|Prozent|pour cent|million|billion|thousand|crore|lakh|Mio|Mrd|Tsd)\b|\s?[万亿])"
_UNMARKED = r"(?!,\d{3}(?!\d)|\s?%|\s(?:percent|per cent|Prozent|pour cent|million|billion|thousand|crore|lakh|Mio|Mrd|Tsd)\b|\s?[万亿])"
_PART = r"\d{1,4}(?:\.\d{1,3})*[a-zA-Z]?"
_MORE = rf"(?:(?:\s?[-–—&/]\s?|,\s|\s?(?:,\s?)?(?:and|or|to|und|oder|bis|et|ou|à|through)\s){_PART})*"
_NEAR = r"(?=[^\d]{1,40}+\d)"  # a digit is near: asked first, since a hundred words cost more
_JOINED = rf"(?:[-–—]{_PART})*"


@dataclass(frozen=True, slots=True)
class NoValue:
    """A kind of digits that state no value: its name, its pattern, an example in which no value is left.

    `needs` are features of which a line must have one before the pattern is tried, and `probe` is a cheaper pattern, or
    strings of which one must be found too: see `features`. Speed alone asks for them: a hundred patterns at every letter of a text would take a millisecond a line.
    """

    name: str
    pattern: str
    example: str
    needs: tuple[str, ...] = ("",)
    probe: str | tuple[str, ...] = ""


_SECTIONS = (
    "section|sec\\.|article|art\\.|clause|table|figure|fig\\.|page|chapter|note|step|item|appendix|annex|annexure|exhibit|schedule|"
    "part|paragraph|para|para\\.|line|row|column|col\\.|slide|sheet|rule|regulation|form|footnote|box|question|"
    "Anlage|Anhang|Ziffer|Ziff\\.|Absatz|Abs\\.|Artikel|Kapitel|Kap\\.|Abschnitt|Seite|Tabelle|Abbildung|Abb\\.|Tab\\.|Satz|Nr\\.|Punkt|Zeile|Schritt|Fußnote|Rn\\.|"
    "l'article|alinéa|chapitre|annexe|tableau|paragraphe|étape|ligne|l'annexe|l'étape"
)
_PLURAL_SECTIONS = (
    "sections|articles|clauses|tables|figures|figs\\.|pages|pp\\.|chapters|notes|steps|items|appendices|annexes|schedules|parts|paragraphs|"
    "lines|rows|columns|slides|rules|forms|"
    "Ziffern|Absätze|Abschnitte|Seiten|S\\.|Tabellen|Abbildungen|chapitres|tableaux|lignes"
)
_LABELS = (
    "rev\\.|revision|error|status|code|scope|phase|type|tier|lot|gate|block|room|plot|sector|zone|grade|class|stage|level|floor|building|bay|dock|platform|terminal|ward|"
    "unit|building|suite|apt\\.?|flat|wing|batch|route|highway|exit|track|version|release|firmware|build|schedule|model|series|"
    "Station|Filiale|Linie|Raum|Zimmer|Halle|Tor|Los|Gleis|Phase|Stufe|Klasse|Haus|Gebäude|Etage|Version|"
    "le lot|salle|quai|bâtiment|porte|bureau|étage|niveau|phase|versions?|voie|hall|portal release"
)
_NUMBERED = (
    "order|invoice|ticket|account|acct|case|claim|customer|policy|contract|file|reference|ref|permit|patent|licen[cs]e|"
    "PO|PIN|ISBN|ISSN|IBAN|SIRET|SIREN|Aadhaar|PAN|GSTIN|TIN|VAT|SKU|ID|batch|serial|dossier|facture|commande|compte|"
    "Rechnung|Beleg|Auftrag|Konto|Kostenstelle|Bestellung|Vertrag|Akte|PLZ|Kennung|Vorgang|colis|contrat"
)
_STANDARDS = "ISO|IEC|DIN|IEEE|ASTM|NF|BS|GB|GB/T|JIS|ANSI|IFRS|IAS|RFC|NFPA|ASME|EN|ASC|VDI|VDE|TRGS|IS|Form|HGB"
_PRODUCTS = "Python|Java|Node|Ubuntu|Debian|Windows|macOS|iOS|Android|Excel|Office|PHP|Ruby|Go|Rust|PostgreSQL|MySQL|Oracle|Django|pandas|numpy|Chrome|Firefox|CUDA|GPT|DuckDB|Kubernetes|SAP|Bluetooth|USB|HTTP|TLS"
_STREETS = r"straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|ring"
_CHINESE_LABELS = (
    "编号|号码|尾号|工号|单号|证号|账号|卡号|批号|型号|代码|编码|邮编|学号|案号|文号|合同号|房号|热线|电话|传真|手机|版本|附件|附录|附表|图表|"
    "表格?|图|第|条款|步骤|序号|页码|标准|执行"
)

_NUMBER_WORDS = "number numbers no nos nr num code id n"
_PHONE_WORDS = "tel phone fax mobile hotline helpdesk ext dial tél téléphone telefon durchwahl call"


def _words(*patterns: str) -> tuple[str, ...]:
    """The words of a pattern, lower case, for the line's words before digits to be looked up in."""
    return tuple(f"{word} 0" for word in re.findall(r"[^\W\d_]+", " ".join(patterns).lower()))


# The word before a digit, with at most a point, a colon, a sign or a short code between them.
_BEFORE_DIGIT = compiled(r"(?<![^\W\d_])([^\W\d_]+)(?=[.:#°(\s-]{0,3}(?:[A-Z]{1,4}[-/ ]?)?\d)")
_LABELLED = _words(_SECTIONS, _PLURAL_SECTIONS, _LABELS, _NUMBERED, _NUMBER_WORDS, "orders")
LABEL_WORDS = frozenset(word.removesuffix(" 0") + end for word in (*_LABELLED, *_words(_PRODUCTS)) for end in ("", "s"))
# Words that name even what is written like a value: No. 10,123,456.
NAMING_WORDS = frozenset(word.removesuffix(" 0") for word in _words(_NUMBER_WORDS, _PHONE_WORDS))

NO_VALUES: tuple[NoValue, ...] = (
    NoValue("data", r"data:[\w/+.;=-]+;base64,[A-Za-z0-9+/=]*|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}={0,2}", "data:image/png;base64,iVBOR88AFCAY", ("long",)),
    NoValue("web address", r"\b[a-z]{2,8}://[^\s\"'<>，。]+|\bwww\.[^\s\"'<>，。]+", "https://example.com/a/2024?id=77", probe=("://", "www.")),
    NoValue("mail address", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", "j.smith42@example.com", ("@",)),
    NoValue("hunk header", r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", "@@ -12,7 +12,9 @@ def settle", ("@",), r"@@"),
    NoValue("listed file", r"^[-dlbcps][-rwxsStT]{9}[.+@]?\s[^\n]*", "-rw-r--r-- 1 agent agent 50126 Mar  1 09:00 x.csv", ("-",), r"^[-dlbcps][-r][-w][-xsS]"),
    NoValue("line of a search", r"^[^:\n|]{0,200}?\.[A-Za-z]\w{0,4}[:-]\d+(?::\d+)?(?=[:-])", "data/sales_2023.csv:102:Leeds", (":",), r"\.[A-Za-z]\w{0,4}[:-]\d"),
    NoValue("place in a file", r"[\w./\\-]+\.[A-Za-z]{1,4}\w?:\d+(?::\d+(?![,.\d]))?\b", "at app.py:102 it fails", (":",), r"\.[A-Za-z]\w{0,4}:\d"),
    NoValue("path", rf"(?<![\w/])(?=[\w.~:-]*+[/\\])(?:(?:[A-Za-z]:)?(?:[~.]{{1,2}}|[{_L}_][\w.~-]*)?[/\\](?:[\w.~-]+[/\\])*[\w.~-]*[{_L}_][\w.~-]*|(?:[{_L}_][\w.~-]*[/\\])+[\w.~-]*)", r"C:\data\2023\07\q3.csv", ("/", "\\")),
    NoValue("file", r"(?<!\w)\w[\w.-]*\.(?:csv|tsv|xlsx?|docx?|pptx?|pdf|txt|md|json|jsonl|py|js|ts|html?|xml|ya?ml|zip|gz|tar|log|png|jpe?g|sql|sh|ipynb|parquet|eml)\b", "report_2024.v2.xlsx", (".",), r"\.[a-z]{2,7}\b"),
    NoValue("uuid", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "123e4567-e89b-12d3-a456-426614174000", ("-",), r"[0-9a-fA-F]{8}-"),
    NoValue("hash", r"\b(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])(?!\d+e\d+\b)[0-9a-f]{7,64}\b", "9f3c2ab", ("a0", "0a"), r"[0-9][a-f]|[a-f][0-9]"),
    NoValue("hexadecimal", r"\b0x[0-9A-Fa-f]+\b", "0x1F", probe=("0x",)),
    NoValue("machine's own address", r"(?<![\w:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b", "00:1B:44:11:3A:B7", (":", "-"), r"(?:[0-9A-Fa-f]{2}[:-]){5}"),
    NoValue("name of a paper", r"\b(?:doi|DOI|arXiv)\s?:\s?[\w./()-]+", "doi:10.1000/182", probe=("doi", "DOI", "arXiv")),
    NoValue("hash sign", r"#\s?[0-9A-Fa-f]+\b", "#4821", ("#",)),
    NoValue("machine address", r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\d]|\.\d|,\d\d(?!\d))(?:[:/]\d+)?", "192.168.10.24", (".",), r"\d\.\d{1,3}\.\d"),
    NoValue("line number", r"^\s*\d+(?=[→⇥])|^ +\d+(?=\t)|^\d{1,6}(?=\t[^\t]*\Z)(?=[^\n]*[^\d\s.,%-])", "    14\tDeposit", ("→", "⇥", "\t"), r"^\s*\d+[→⇥\t]"),
    NoValue("heading", r"^\s*#{1,6}\s+\d+(?:\.\d+)*[.)]?(?=\s|\Z)", "## 3.1 Revenue", ("#",), r"^\s*#"),
    NoValue("list number", r"^\s*(?:[-*•>]\s*)?\(?\d{1,3}(?:\.\d{1,2})*[.)](?=\s+[^\d\s])|^\s*[(（]?\d{1,2}(?:[、)）．]|\.(?=[\u4e00-\u9fff]))", "2) The pilot", (".", ")", "、", "）"), r"^[\s>|*•(（-]*\d{1,3}[\d.]*[.)）、．]"),
    NoValue("contents", r"^\s*\d{1,2}(?:\.\d{1,2})*\.?\s[^\n]*?(?:\.{3,}|…{2,}|\s\.\s\.\s\.)[. …]*\d{1,4}\s*$|(?:\.{4,}|…{2,}|(?:\s\.){3,})\s*\d{1,4}\s*$", "Scope ........ 12", probe=("...", "……", ". . ")),
    NoValue("citation", rf"(?<=[{_L}.,;)\"”\u4e00-\u9fff])\s?\[\d{{1,3}}(?:[-–]\d{{1,3}})?\]|(?<=[{_L}.,;)\"”])\s?\[\d{{1,2}}(?:,\s?\d{{1,2}})+\]", "as shown [12]", ("[",)),
    NoValue("page of pages", r"(?i:\b(?:page|seite|slide))\s\d+\s?(?:of|/|von|sur|de)\s?\d+", "Page 3 of 12", probe=("age ", "eite ", "lide ", "AGE ", "EITE ")),
    NoValue("law", r"\d+\s(?:CFR|C\.F\.R\.|U\.S\.C\.|USC)\s(?:§+\s?|Part\s)?\d+(?:\.\d+)*", "40 CFR 60.4", probe=("CFR", "C.F.R", "USC", "U.S.C")),
    # With a code between the two, the letter may be any; without one it is none that scales (5K .0625).
    NoValue("regulation", r"(?<![\w.,])(?:(?:\d{1,3}[A-Z]?\s)?[A-Z]{2,6}\s\d{1,3}[A-Z]|\d{1,3}[AC-JLN-SU-Z])\s?\.\d{4}(?:(?:,|\s?[-–]|,?\s(?:and|or|to|through))\s?\.\d{4})*(?![\d%])", "15A NCAC 18A .1600", (".0",), r"\d[A-Z]\s?\.\d{4}"),
    NoValue("paragraph sign", rf"§+\s?{_PART}{_MORE}", "§ 15", ("§",)),
    NoValue("court number", r"\b\d{1,3}\s[A-Z]{1,3}\s\d+/\d\d\b|\bAz\.:?\s?[\w ]{1,12}/\d\d", "12 K 345/23", ("/",), r"[A-Z]\s\d+/\d\d|Az"),
    NoValue("several sections", rf"(?<![\w-]){_NEAR}(?i:(?:{_PLURAL_SECTIONS})\s){_PART}{_MORE}{_PLAIN}", "pages 12–15", _LABELLED),
    NoValue("section", rf"(?<![\w-]){_NEAR}(?i:(?:{_SECTIONS})\s?)(?:(?i:no\.|nr\.|n°)\s?)?{_PART}{_JOINED}(?:\(\w{{1,3}}\))*{_PLAIN}", "Section 4.2", _LABELLED),
    NoValue("part of a line", r"(?<![\w])(?:p\.|l\.)\s?\d{1,4}(?:[-–]\d{1,4})?", "p. 48", ("l", "p"), r"p\.|l\."),
    NoValue("label", rf"(?<![\w-]){_NEAR}(?i:(?:{_LABELS}))\s(?:\d{{1,4}}[a-z]?(?:[-–]\d+)*|[A-Z]-?\d+)(?![A-Za-z]){_PLAIN}(?:\s(?:of|and|&)\s(?=\d\b)\d)?", "Scope 1", _LABELLED),
    NoValue("room with a dot", rf"{_B}(?:Raum|Zimmer|[Rr]oom|salle|bureau)\s\d++\.\d++\b{_UNMARKED}", "Raum 2.14", _words("Raum Zimmer room salle bureau")),
    NoValue("year of a plan", r"\b(?:Year|Day|Quarter|Month|Sprint|Round)s?\s\d{1,2}\b" + _PLAIN, "Year 5 of the plan", _words("year years day days quarter quarters month months sprint sprints round rounds")),
    NoValue("numbered paper", rf"(?<![\w-]){_NEAR}(?i:(?:{_NUMBERED}))s?(?:[\s-](?:[Nn]umbers?|[Nn]o\.?|[Nn]r\.?|ID|id|n°|#))?\.?\s?[:#]?\s?(?:[A-Z]{{1,4}}[-/ ]?)?\d{{3,}}(?:[ /-]\d+)*{_PLAIN}", "Order number 88231", _LABELLED),
    NoValue("number of a paper", rf"(?i:\b(?:{_NUMBERED}|[\w-]{{2,20}}))[\s-](?i:number|no|nos|nr|num|code)\.?\s?[:#]?\s?\d[\d,./ -]*\d", "US Patent No. 10,123,456", _words(_NUMBER_WORDS)),
    NoValue("German number", rf"(?:[{_L}]*(?:[Nn]ummer|[Kk]ennzeichen|[Kk]onto)|{_B}Nr\.?|-(?:Nr\.?|ID)|[a-zäöü]nr\.)\s?:?\s?\d[\d /-]*\d?", "Kundennummer 445566", probe=("ummer", "ennzeichen", "onto", "Nr", "nr.", "-ID")),
    NoValue("number sign", rf"{_B}(?:No\.|Nos\.|Nr\.|N°|n°|№)\s?\d++(?![.,]\d)(?:[/:-]\w+)*", "No. 12", probe=("No", "Nr.", "N°", "n°", "№")),
    NoValue("standard", rf"{_B}(?:{_STANDARDS})(?:[/ -](?:[A-Z]{{1,4}}))*[ -]?(?:[A-Z]\s?)?\d[\d.:-]*(?:\(\d+\))?", "ISO 9001", probe=tuple(_STANDARDS.split("|"))),
    NoValue("product", rf"\b(?:{_PRODUCTS})[ -]v?\d++(?:\.\d++)*+\b{_UNMARKED}", "Python 3.11", _words(_PRODUCTS, "v")),
    NoValue("version", rf"(?i:(?<![\w])(?:version|release|ver\.|firmware|build|update)\s?v?)\d++(?:\.\d++)*+{_UNMARKED}", "version 2.5", _words("version release ver firmware build update v")),
    NoValue("version after v", r"\bv\d+(?:\.\d+)*", "v1.2.3", ("v",), r"\bv\d"),
    NoValue("version of three parts", r"(?<![\d.,])\d+\.\d+\.\d+(?:[-.][A-Za-z0-9_]+)*(?![\d,])(?<!\.\d\d\d)", "1.2.3-rc1", (".",), r"\d\.\d+\.\d"),
    NoValue("phone with a plus", r"(?<![\w])\+(?:[ ().-]{0,2}\d){9,}(?!\d|[.,]\d|\s?%)", "+33 6 12 34 56 78", ("+",), r"\+\d|\+\("),
    NoValue("phone with an area", r"\(\d{2,5}\)\s?\d{3,}[- ]\d{2,}", "(0161) 496 0018", ("(",), r"\(\d+\)"),
    NoValue("phone with a zero", r"(?<![\w.,])0\d(?: \d\d){4}(?!\d)|(?<![\w.,])0\d{1,4}[ /-]\d{3,}(?:[ -]\d+)*", "020 7946 0958", ("0",), r"(?<![\d.,])0\d+[ /-]\d"),
    NoValue("mobile phone", r"(?<![\d.])1[3-9]\d{9}(?!\d|\.\d)", "13912345678", ("1",), r"\d{11}"),
    NoValue("phone of ten digits", r"(?<![\d.,])\d{3}[-.]\d{3}[-.]\d{4}\b", "555-010-4477", ("-", "."), r"\d{3}[-.]\d{3}[-.]\d"),
    NoValue("phone after a name", r"(?i:\b(?:tel|phone|fax|mobile|hotline|helpdesk|ext|dial|tél|téléphone|telefon|durchwahl|call)\b)\.?\s?:?\s?\(?\d[\d ()/-]{2,}\d", "Tel. 030 901820-12", _words(_PHONE_WORDS)),
    NoValue("numbers by hyphens", r"(?<![\w.,$€£%-])\d+(?:-\d+){2,}(?![\d=%.,]|\s?=)", "ISBN 978-3-16-148410-0", ("-",), r"\d-\d+-\d"),
    NoValue("street", rf"(?:[A-ZÄÖÜ][a-zäöüß-]+(?:{_STREETS})|\b[A-Z][a-zäöüß]+er\s(?:Straße|Str\.|Weg|Platz|Allee|Ring))\s\d{{1,4}}\s?[a-z]?\b(?:,\s\d{{5}}\s)?|\b\d{{1,4}}(?:bis|ter)?,?\s(?:rue|avenue|boulevard|place|quai|chemin|allée)\b|\b\d{{1,5}}\s(?:[A-Z][a-z]+\s){{1,2}}(?:Street|St\.|Road|Rd\.?|Avenue|Ave\.?|Lane|Drive)\b", "Hauptstraße 12, 10115 Berlin", probe=("straße", "strasse", "Straße", "tr.", "weg", "Weg", "latz", "llee", "gasse", "ufer", "damm", "ring", "Ring", "rue", "avenue", "boulevard", "place", "quai", "chemin", "Street", "St.", "Road", "Rd", "Ave", "Lane", "Drive")),
    NoValue("postcode", r"(?<=, )\d{5}(?=\s[A-ZÄÖÜ][a-zäöüß]+\s*(?:$|[,.;\n]))|(?<=, )[A-Z]{2}\s\d{5}(?:-\d{4})?\b|^\d{5}(?=\s[A-ZÄÖÜ][a-zäöüß]+\s*$)", "Lyon, 69002 Lyon", (",", "Z"), r", (?:[A-Z]{2}\s)?\d{5}|^\d{5}"),
    NoValue("road", rf"{_B}(?:NH|SH|RN|RD)[- ]\d{{1,4}}\b", "NH-44", probe=("NH", "SH", "RN", "RD")),
    NoValue("idiom", r"(?<![\d/])24/7(?![\d/])", "24/7", ("2",), r"24/7"),
    NoValue("ordinal", r"(?<![\d.,])\d+(?:st|nd|rd|th|ers?|ères?|res?|èmes?|ièmes?|es?|ᵉ|º|ª|te[rnms]?|ste[rnms]?)(?![\w]|-\d)(?:-century)?", "2ème", ("0a",), r"\d[erstnèiᵉºª]"),
    NoValue("German ordinal", r"(?i:(?<![\w])(?:im|am|zum|zur|der|die|das|dem|des|den|vom|beim|ab|jede[rs]?|ein(?:e[rmns]?)?|seine[mrns]?|ihre[mrns]?|und)\s)\d{1,3}\.(?=\s[A-ZÄÖÜ])", "Im 3. Quartal", (".",), r"\d\.\s[A-ZÄÖÜ]"),
    NoValue("Chinese phone", r"(?:电话|传真|热线|手机)\s?[:：]?\s?\d[\d -]{5,}\d", "传真：010-6552 9988", ("一",), r"电话|传真|热线|手机"),
    NoValue("Chinese page of pages", r"第\s?\d+\s?页\s?[,，/]?\s?共\s?\d+\s?页", "第3页 共12页", ("页",)),
    NoValue("Chinese room", r"(?:\d+号)?\d{3,4}室", "100号1203室", ("室",)),
    NoValue("bank account", r"\b[A-Z]{2}\d{2}(?: [\dA-Z]{4}){3,}(?: \d{1,4})?\b", "DE89 3704 0044 0532 0130 00", ("a0",), r"\b[A-Z]{2}\d{2} "),
    NoValue("Chinese label", rf"(?:{_CHINESE_LABELS})\s?[:：]?\s?[A-Za-z]{{0,4}}[-]?\d+(?:[-.]\d+)*(?![\d,%]|\.\d|\s?[万亿元%])", "附件2", ("一",), r"[\u4e00-\u9fff]\s?[:：]?\s?[A-Za-z]{0,4}-?\d"),
    NoValue("Chinese ordinal", r"第\s?(?:\d+|[零〇一二三四五六七八九十百千]+)(?:[-—~至到、]\d+)?[条章节款项届次期位名页季号批轮部分类]*", "第12条", ("第",)),
    NoValue("Chinese number of", r"(?<![\d.,])(?:\d+|[一二三四五六七八九十]+)(?:、\d+)*(?:号(?!召)[线楼院机馆厂]?|期(?!间|权|货|望|末|初)|#)", "1号线", ("#", "号", "期")),
    NoValue("document number", r"[〔\[（(]\d{4}[〕\])）]\s?\d+号|[〔]\d{4}[〕]第?\d*号?", "国发〔2024〕12号", ("〔", "号")),
    NoValue("plate", r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][A-Z0-9]{5,6}", "沪A12345", ("一",), r"[\u4e00-\u9fff][A-Z][A-Z0-9]{5}"),
    NoValue("glued letters", rf"(?<![{_L}\d_])(?=[{_L}_./-]*+\d)(?!(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|INR|AUD|CAD|HKD|Rs|kr|KR|SFr|Fr|n|x|X)\.?\d)_*[{_L}][{_L}\d]*(?:(?:[-/.]|_+)[{_L}\d]+)*(?<=\d)[{_L}]*(?:[-_/][{_L}\d]+)*(?![{_L}\d])", "COVID-19", ("a0", "-0", ".0", "/0", "_0"), r"[A-Za-zÀ-ÖØ-öø-ÿ](?:[-/.]|_+)?\d"),
    NoValue("name after digits", r"(?<![\w.,])\d+\([a-z]\)|(?<![\w.,])\d{1,2}-[A-Z](?![A-Za-z])", "401(k)", ("(", "-"), r"\d(?:\([a-z]\)|-[A-Z])"),
    NoValue("exponent", r"(?<=[\d)a-z])\^[-+]?\d+", "x^2", ("^",)),
)  # fmt: skip

GONE = "\x01"


class Row(NamedTuple):
    """A row of the table as it is tried."""

    needs: frozenset[str]
    strings: tuple[str, ...]
    probe: re.Pattern[str] | None
    pattern: re.Pattern[str]


ROWS = tuple(
    Row(
        frozenset(kind.needs),
        kind.probe if isinstance(kind.probe, tuple) else (),
        compiled(kind.probe, re.MULTILINE) if isinstance(kind.probe, str) and kind.probe else None,
        compiled(kind.pattern, re.MULTILINE),
    )
    for kind in NO_VALUES
)
FILE = next(row.pattern for kind, row in zip(NO_VALUES, ROWS, strict=True) if kind.name == "file")
_LONG = 40  # characters without a blank
_NEIGHBOURS = compiled(rf"([{_L}])(?=\d)|(?<=\d)([{_L}ᵉºª])|([-./_ ])(?=\d)|(?<=\d),")
_CJK = re.compile(r"[\u4e00-\u9fff]")


def without(plain: str, has: set[str], rows: Sequence[Row] = ROWS) -> str:
    """The text with the digits of everything in the table replaced by a sign that no rule reads, length kept.

    `has` are the features of the text, or of more than it; `rows` are those that are tried.

    >>> without("Table 7 has 12 rows", features("Table 7 has 12 rows")).replace(GONE, "_")
    '_______ has 12 rows'
    """
    spans: list[tuple[int, int]] = []
    for needs, strings, probe, pattern in rows:
        if needs.isdisjoint(has) or (probe is not None and not probe.search(plain)):
            continue
        if not strings or any(map(plain.__contains__, strings)):
            spans += [m.span() for m in pattern.finditer(plain)]
    return blanked(plain, spans) if spans else plain


def features(plain: str) -> set[str]:
    """Its characters; `word 0` for a word before a digit; `a0`, `0a`, `-0` … for what touches a digit; `long`
    where 40 characters have no blank; `一` for Chinese.

    >>> sorted(features("see Table 7") - set("see Table 7"))
    ['', ' 0', 'table 0']
    """
    has = told(plain) | {*plain}
    has |= {
        "a0" if before else "0a" if after else f"{sign}0" if sign else "0,"
        for before, after, sign in _NEIGHBOURS.findall(plain)
    }
    if not plain.isascii() and _CJK.search(plain):
        has.add("一")
    return has


def told(plain: str) -> set[str]:
    """Of its features, the words before digits and whether 40 characters have no blank."""
    has = {"", *(f"{word.lower()} 0" for word in _BEFORE_DIGIT.findall(plain))}
    if max(map(len, plain.split()), default=0) >= _LONG:
        has.add("long")
    return has


def blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these spans, which may overlap, replaced by `GONE`.

    >>> blanked("a 12 b", [(2, 4), (3, 4)]).replace(GONE, "_")
    'a __ b'
    """
    pieces, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            start = max(start, at)
            pieces += [text[at:start], GONE * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])
