"""Digests: whether the files are those that the manifest and the receipts answer for."""

from __future__ import annotations

from collections.abc import Mapping

from simworld.audit.report import Findings
from simworld.store import SCHEMA, Suite, digest_of, read_json
from simworld.world.engine import PHYSICS

MANIFEST = "manifest.json"


def check_digests(suite: Suite, findings: Findings) -> None:
    """Check every file's sha256 against the manifest and its receipt; each failure names a file."""
    manifest, files = suite.manifest, suite.artefacts()
    findings.counts["files"] = len(files)
    with findings.reading(MANIFEST, MANIFEST):
        _check_listed(manifest["artefacts"], files, MANIFEST, findings)
        answered = {key: manifest[key] for key in ("recipe", "versions", "artefacts")}
        findings.expect("the manifest's digest", MANIFEST, digest_of(answered), manifest["digest"])
        findings.expect("the manifest's schema", MANIFEST, SCHEMA, manifest["schema"])
        findings.expect("the physics simulated with", MANIFEST, PHYSICS, manifest["physics"])
    for path in sorted(suite.folder.glob("clips/*/receipt.json")):
        _check_receipt(suite, f"clips/{path.parent.name}/", files, findings)
    for path in sorted(suite.folder.glob("groups/*/receipt.json")):
        _check_receipt(suite, "", files, findings, path.relative_to(suite.folder).as_posix())


def _check_receipt(
    suite: Suite, prefix: str, files: Mapping[str, str], findings: Findings, name: str = ""
) -> None:
    """Check a receipt's outputs; a clip's are named within its folder, a group's from the top."""
    where = name or f"{prefix}receipt.json"
    with findings.reading(where, where):
        receipt = read_json(suite.folder / where)
        listed = {f"{prefix}{path}": sha256 for path, sha256 in receipt["outputs"].items()}
        folders = [prefix] if prefix else [f"clips/{clip}/" for clip in receipt["clips"]]
        own = {
            path: sha256
            for path, sha256 in files.items()
            if path.startswith(tuple(folders)) and path != where
        }
        _check_listed(listed, own, where, findings)


def _check_listed(
    listed: Mapping[str, str], files: Mapping[str, str], where: str, findings: Findings
) -> None:
    for path in sorted(listed.keys() | files.keys()):
        expected, found = listed.get(path), files.get(path)
        if expected is None:
            findings.fail(path, where, "no such file", f"sha256 {found}")
        elif found is None:
            findings.fail(path, where, f"sha256 {expected}", "no such file")
        elif expected != found:
            findings.fail(path, where, f"sha256 {expected}", f"sha256 {found}")
