import { SourceError } from "../source-error.ts";
import { fieldsIn, isFields, parseJsonFile, textIn } from "./parse-document.ts";
import type { Fields } from "./parse-document.ts";
import type { WantedEntries } from "./wanted-entries.ts";

/** Reads `packages.lock.json`. It lacks the packs that the SDK itself downloads. */
export function readNuGetLock(text: string, from: string, entries: WantedEntries): void {
  const document = parseJsonFile(text, from);
  if (!isFields(document["dependencies"])) {
    throw new SourceError(`${from} has no "dependencies": it is not a lock file of NuGet.`);
  }
  const frameworks = Object.values(fieldsIn(document, "dependencies")).filter(isFields);
  for (const framework of frameworks) {
    for (const [name, fields] of Object.entries(framework)) {
      if (!isFields(fields)) continue;
      if (textIn(fields, "type") === "Project") skipProject(name, entries);
      else {
        const version = textIn(fields, "resolved") ?? "";
        entries.nuget({ name, version, integrity: sriOf(textIn(fields, "contentHash")) });
      }
    }
  }
}

/** Reads `project.assets.json`, with the packs that `PackageDownload` names. */
export function readProjectAssets(text: string, from: string, entries: WantedEntries): void {
  const document = parseJsonFile(text, from);
  if (!isFields(document["libraries"])) {
    throw new SourceError(`${from} has no "libraries": it is not a project.assets.json.`);
  }
  for (const [key, fields] of Object.entries(fieldsIn(document, "libraries"))) {
    if (!isFields(fields)) continue;
    const [name = "", version = ""] = key.split("/");
    if (textIn(fields, "type") === "project") skipProject(name, entries);
    else entries.nuget({ name, version, integrity: sriOf(textIn(fields, "sha512")) });
  }
  const frameworks = fieldsIn(fieldsIn(document, "project"), "frameworks");
  for (const framework of Object.values(frameworks).filter(isFields)) {
    for (const found of downloadsOf(framework)) entries.nuget(found);
  }
}

/** Versions of these are exact ranges: `[8.0.0, 8.0.0]`, several separated by semicolons. */
function downloadsOf(framework: Fields) {
  const downloads: unknown = framework["downloadDependencies"];
  const list: readonly unknown[] = Array.isArray(downloads) ? downloads : [];
  return list.filter(isFields).flatMap((fields) => {
    const ranges = (textIn(fields, "version") ?? "").split(";");
    return ranges.map((range) => {
      const [, version = ""] = /^\s*\[\s*([^,\]\s]+)\s*(?:,\s*\1\s*)?\]\s*$/.exec(range) ?? [];
      return { name: textIn(fields, "name") ?? "", version };
    });
  });
}

function skipProject(name: string, entries: WantedEntries): void {
  entries.skip({ kind: "workspace", name, reason: "It is a project of the solution." });
}

function sriOf(base64: string | undefined): string | undefined {
  return base64 === undefined || base64 === "" ? undefined : `sha512-${base64}`;
}
