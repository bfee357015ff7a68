import { SourceError } from "../source-error.ts";
import { fieldsIn, isFields, listIn, parseYamlFile, textIn } from "./parse-document.ts";
import type { Fields } from "./parse-document.ts";
import { splitSpecifier } from "./specifier.ts";
import type { WantedEntries } from "./wanted-entries.ts";

const VERSIONS = /^(?:6|9)\.\d$/;
const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies"];

/** Reads `pnpm-lock.yaml` of lockfileVersion 6 (pnpm 8) and 9. */
export async function readPnpmLock(
  text: string,
  from: string,
  entries: WantedEntries,
): Promise<void> {
  const documents = await parseYamlFile(text, from);
  if (documents.length === 0) throw new SourceError(`${from} is empty.`);
  for (const document of documents) {
    const version = textIn(document, "lockfileVersion") ?? "";
    if (!VERSIONS.test(version)) {
      throw new SourceError(
        `${from} has lockfileVersion "${version}"; 6 and 9 are supported. Write it again with ` +
          "pnpm 8 or later: pnpm install --lockfile-only.",
      );
    }
    readLinks(document, entries);
    for (const [key, fields] of Object.entries(fieldsIn(document, "packages"))) {
      if (isFields(fields)) readEntry(key, fields, entries);
    }
  }
}

function readEntry(key: string, fields: Fields, entries: WantedEntries): void {
  const [name, version] = splitSpecifier(withoutPeers(key));
  const resolution = fieldsIn(fields, "resolution");
  const type = textIn(resolution, "type");
  const tarball = textIn(resolution, "tarball") ?? "";
  const named = textIn(fields, "name") ?? name;
  if (type === "git" || /codeload\.github\.com/.test(tarball)) {
    const origin = textIn(resolution, "repo") ?? tarball;
    return entries.skip({ kind: "git", name: named, reason: `It comes from ${origin}.` });
  }
  if (type === "directory" || tarball.startsWith("file:")) {
    const path = textIn(resolution, "directory") ?? tarball;
    return entries.skip({ kind: "file", name: named, reason: `It is a local file: ${path}.` });
  }
  if (/^https?:/.test(version)) {
    return entries.skip({ kind: "url", name: named, reason: `It comes from ${version}.` });
  }
  entries.npm({
    name: named,
    version,
    integrity: textIn(resolution, "integrity"),
    os: listIn(fields, "os"),
    cpu: listIn(fields, "cpu"),
  });
}

/** Without the leading slash of version 6 and the peers: `/a@1.0.0(react@18.2.0)` is `a@1.0.0`. */
function withoutPeers(key: string): string {
  const start = key.startsWith("/") ? 1 : 0;
  const end = key.indexOf("(");
  return key.slice(start, end === -1 ? undefined : end);
}

/** Projects of the workspace that depend on each other. */
function readLinks(document: Fields, entries: WantedEntries): void {
  const importers = Object.values(fieldsIn(document, "importers"));
  const projects = [document, ...importers.filter(isFields)];
  for (const project of projects) {
    for (const [name, fields] of DEPENDENCIES.flatMap((field) =>
      Object.entries(fieldsIn(project, field)),
    )) {
      const version = isFields(fields) ? textIn(fields, "version") : undefined;
      if (version?.startsWith("link:") !== true) continue;
      const reason = `It is the folder "${version.slice("link:".length)}" of the project.`;
      entries.skip({ kind: "workspace", name, reason });
    }
  }
}
