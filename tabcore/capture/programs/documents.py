"""Programs that turn documents into text: pdf, office, archives, e-mail."""

from __future__ import annotations

import posixpath
import re

from tabcore.capture.patterns import is_literal
from tabcore.capture.programs.call import Call, Row, content, noise, writes_to
from tabcore.capture.shows import Names, Noise, Stream


def pdftotext(call: Call) -> Stream:
    """pdftotext, ps2ascii, pdftohtml: text to `-` is shown, to a file (or beside the source) written."""
    parsed = call.parsed("f l r x y W H enc eol opw upw fixed colspacing paperh paperw", "single")
    operands = parsed.operands
    if not operands or parsed.has("v", "h", "help"):
        return (Noise("pdftotext: about itself"),)
    source = call.content(operands[:1], f"{call.name}: takes content")
    shown = (len(operands) > 1 and operands[1] in ("-", "/dev/stdout")) or parsed.has("stdout")
    if shown:
        return source
    target = operands[1] if len(operands) > 1 else posixpath.splitext(operands[0])[0] + ".txt"
    call.shell.facts.author(call.path(target), f"{call.name}: writes text to a file", source)
    return ()


def mutool(call: Call) -> Stream:
    """mutool draw -F txt, qpdf, pdftk, gs: text when asked for, else a file."""
    parsed = call.parsed("F o r p w h I A", "single")
    files = [word for word in parsed.operands if re.search(r"\.(?:pdf|xps|epub|cbz)$", word)]
    target = parsed.value("o")
    if target and target not in ("-", "/dev/stdout"):
        call.shell.facts.author(
            call.path(target), "mutool -o: writes a file", call.content(files, "mutool: takes content")
        )
        return ()
    if parsed.operands[:1] == ["info"]:
        return (Noise("mutool info: about the document"),)
    return call.content(files[:1], "mutool: takes content")


def convert_office(call: Call) -> Stream:
    """libreoffice --convert-to: written beside, or to --outdir; --cat shows."""
    words = call.arguments
    parsed = Call(call.name, words, call.shell).parsed("convert-to outdir infilter env", "single")
    if "cat" in parsed.options:
        return call.content(parsed.operands, f"{call.name} --cat: takes content")
    kind = (parsed.value("convert-to") or "").partition(":")[0]
    folder = parsed.value("outdir") or "."
    files = parsed.operands if not parsed.has("cat") else []
    for word in files:
        target = posixpath.join(folder, posixpath.splitext(posixpath.basename(word))[0] + "." + kind)
        if kind and is_literal(target) and "could not be loaded" not in call.shell.facts.errors.text:
            call.shell.facts.author(
                call.path(target),
                f"{call.name}: converts to a file",
                call.content([word], "libreoffice: takes content"),
            )
    return (Noise(f"{call.name}: reports what it converted"),)


def docx2txt(call: Call) -> Stream:
    """docx2txt: to `-` (or, as the Python program, by default) shown; else written."""
    operands = call.parsed("i img_dir").operands
    if not operands:
        return call.input()
    source = call.content(operands[:1], f"{call.name}: takes content")
    if len(operands) > 1 and operands[1] != "-":
        call.shell.facts.author(call.path(operands[1]), f"{call.name}: writes text to a file", source)
        return ()
    return source


def unzip(call: Call) -> Stream:
    """unzip: -p shows a member, -l names members, otherwise files are made."""
    parsed = call.parsed("d x P")
    if not parsed.operands:
        return ()
    archive = parsed.operands[0]
    if parsed.has("p", "c"):
        return call.content([archive], "unzip -p: shows a member of the archive")
    if parsed.has("l", "v", "Z", "t", "z"):
        return (Names(call.shell.cwd, "archive", "unzip -l: the archive's own path", printed=(archive,)),)
    return (
        Names(
            call.shell.cwd,
            r"^\s*(?:inflating|extracting|linking): (?P<path>\S.*?)\s*(?:->.*)?$",
            "unzip: files that were extracted",
            options="x",
        ),
    )


def zipinfo(call: Call) -> Stream:
    """zipinfo, lsar, 7z l: names of members, which are no files of the workspace."""
    operands = [word for word in call.arguments if not word.startswith("-")]
    return (Names(call.shell.cwd, "archive", f"{call.name}: the archive's own path", printed=tuple(operands[:1])),)


def tar(call: Call) -> Stream:
    """tar: -O shows, -t names members, -c writes the archive, -x makes files."""
    words = list(call.arguments)
    if words and not words[0].startswith("-"):
        words[0] = "-" + words[0]
    parsed = Call(call.name, words, call.shell).parsed(
        "f C T X b file directory exclude strip-components transform files-from I use-compress-program g"
    )
    archive = parsed.value("f", "file")
    folder = parsed.value("C", "directory")
    if parsed.has("O", "to-stdout") and archive:
        return call.content([archive] if archive != "-" else ["-"], "tar -O: shows a member of the archive")
    if parsed.has("c", "create", "r", "u", "append"):
        if archive and archive != "-":
            call.shell.facts.author(call.path(archive), "tar -c: writes an archive")
        return (
            (Names(call.path(folder) if folder else call.shell.cwd, "plain", "tar -cv: paths that were packed"),)
            if parsed.has("v", "verbose")
            else ()
        )
    if parsed.has("x", "extract", "get"):
        base = call.path(folder) if folder else call.shell.cwd
        return (
            (Names(base, "plain", "tar -xv: files that were extracted", options="x"),)
            if parsed.has("v", "verbose")
            else ()
        )
    return (Noise("tar -t: members are no files of the workspace"),)


def seven_zip(call: Call) -> Stream:
    """7z, 7za, unrar: `x -so` and `p` show, `l` names members, `a` writes."""
    verb = call.arguments[0] if call.arguments else ""
    operands = [word for word in call.arguments[1:] if not word.startswith("-")]
    if "-so" in call.arguments or verb in ("p", "lb"):
        return call.content(operands[:1], f"{call.name} -so: shows a member of the archive")
    if verb == "a" and operands:
        call.shell.facts.author(call.path(operands[0]), f"{call.name} a: writes an archive")
    return (Noise(f"{call.name}: its report"),)


def zip_(call: Call) -> Stream:
    """zip: writes the archive that it is given first."""
    operands = call.parsed("x i b n t P").operands
    if operands:
        name = operands[0] if "." in posixpath.basename(operands[0]) else operands[0] + ".zip"
        call.shell.facts.author(call.path(name), "zip: writes an archive")
    return (Noise("zip: reports what it packed"),)


def pandoc(call: Call) -> Stream:
    """pandoc, markitdown: to standard output shown, with -o written."""
    return writes_to(
        "o output",
        "f t from to read write template metadata M V variable wrap columns css H B A include-in-header reference-doc filter lua-filter extract-media x m p d data-dir resource-path toc-depth pdf-engine",
    )(call)


def tesseract(call: Call) -> Stream:
    """tesseract image stdout: the recognised text."""
    operands = call.parsed("l psm oem dpi c tessdata-dir", "single").operands
    source = call.content(operands[:1], "tesseract: recognises text")
    if len(operands) > 1 and operands[1] not in ("stdout", "-"):
        call.shell.facts.author(call.path(operands[1] + ".txt"), "tesseract: writes text to a file", source)
        return ()
    return source


def image_info(call: Call) -> Stream:
    """identify, exiftool: what a picture is, beside its path."""
    operands = [word for word in call.arguments if not word.startswith("-")]
    return (Names(call.shell.cwd, "mentioned", f"{call.name}: paths of its operands", printed=tuple(operands)),)


def pages_to_pictures(call: Call) -> Stream:
    """pdftoppm, pdfimages, convert: pictures are made, nothing is shown."""
    return ()


ROWS: dict[str, Row] = {
    **dict.fromkeys(["pdftotext", "pdftohtml", "ps2ascii", "pstotext", "djvutxt"], pdftotext),
    **dict.fromkeys(["mutool", "qpdf", "pdftk", "gs"], mutool),
    **dict.fromkeys(
        ["pdftoppm", "pdftocairo", "pdfimages", "convert", "magick", "pdfseparate", "pdfunite", "mogrify", "ffmpeg"],
        pages_to_pictures,
    ),
    **dict.fromkeys(["pdfinfo", "pdffonts", "pdfdetach", "pdfsig"], noise),
    "pdf2txt.py": content("o p m t c A S P"),
    "pdf2txt": content("o p"),
    "dumppdf.py": content("o"),
    **dict.fromkeys(["libreoffice", "soffice", "lowriter", "localc", "loimpress", "unoconv"], convert_office),
    **dict.fromkeys(["docx2txt", "docx2txt.pl", "pptx2txt", "pptx2md", "odt2txt", "docx2md"], docx2txt),
    **dict.fromkeys(
        ["antiword", "catdoc", "catppt", "wvText", "unrtf", "rtf2text", "doc2txt", "textutil"],
        content("m f s d w x p i t output"),
    ),
    **dict.fromkeys(["unzip", "funzip"], unzip),
    **dict.fromkeys(["zipinfo", "lsar", "zip-info"], zipinfo),
    **dict.fromkeys(["tar", "bsdtar", "gtar"], tar),
    **dict.fromkeys(["7z", "7za", "7zr", "unrar", "rar"], seven_zip),
    "zip": zip_,
    "pandoc": pandoc,
    **dict.fromkeys(["markitdown", "docling", "tika", "trafilatura"], writes_to("o output", "x extension")),
    "tesseract": tesseract,
    **dict.fromkeys(["identify", "exiftool", "mediainfo", "exiv2"], image_info),
    **dict.fromkeys(["munpack", "ripmime"], pages_to_pictures),
    "mu": content("", skip=1),
    "ebook-convert": pages_to_pictures,
    "zipgrep": content("", skip=1),
}
