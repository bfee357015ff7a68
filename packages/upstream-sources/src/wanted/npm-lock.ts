import { SourceError } from "../source-error.ts";
import { fieldsIn, isFields, listIn, parseJsonFile, textIn } from "./parse-document.ts";
import type { Fields } from "./parse-document.ts";
import type { WantedEntries } from "./wanted-entries.ts";

const FOLDER = "node_modules/";

/** Reads `package-lock.json` and `npm-shrinkwrap.json` of lockfileVersion 2 and 3. */
export function readNpmLock(text: string, from: string, entries: WantedEntries): void {
  const document = parseJsonFile(text, from);
  if (!isFields(document["packages"])) {
    throw new SourceError(
      `${from} has no "packages". Write it again with npm 7 or later: ` +
        "npm install --package-lock-only.",
    );
  }
  for (const [path, fields] of Object.entries(fieldsIn(document, "packages"))) {
    // Other paths are folders of the project, which an entry with "link" points to.
    const start = path.lastIndexOf(FOLDER);
    if (start === -1 || !isFields(fields)) continue;
    readEntry(path.slice(start + FOLDER.length), fields, entries);
  }
}

function readEntry(folder: string, fields: Fields, entries: WantedEntries): void {
  const name = textIn(fields, "name") ?? folder;
  const version = textIn(fields, "version");
  const resolved = textIn(fields, "resolved") ?? "";
  // Part of the tarball of another package.
  if (fields["inBundle"] === true) return;
  if (fields["link"] === true) {
    const reason = `It is the folder "${resolved}" of the project.`;
    return entries.skip({ kind: "workspace", name, reason });
  }
  if (/^git[+:]|^github:/.test(resolved)) {
    return entries.skip({ kind: "git", name, reason: `It comes from ${resolved}.` });
  }
  if (resolved.startsWith("file:") || version === undefined) {
    return entries.skip({ kind: "file", name, reason: `It is a local file: ${resolved}.` });
  }
  entries.npm({
    name,
    version,
    integrity: textIn(fields, "integrity"),
    os: listIn(fields, "os"),
    cpu: listIn(fields, "cpu"),
  });
}
