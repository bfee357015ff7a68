import { SourceError } from "../source-error.ts";
import { aliasedName, splitSpecifier } from "./specifier.ts";
import type { WantedEntries } from "./wanted-entries.ts";

const LINE_LENGTH_MAX = 64 * 1024;
/** A value in quotes, or one without blanks, quotes, commas and a colon at its end. */
const VALUE = /^(?:"((?:[^"\\]|\\.)*)"|([^\s",]+?))(?=[\s,:]|$)/;

/** Reads `yarn.lock` of yarn 1, whose syntax resembles YAML. */
export function readYarnLock(text: string, from: string, entries: WantedEntries): void {
  let specifiers: readonly string[] = [];
  let fields = new Map<string, string>();
  const finish = () => {
    if (specifiers.length > 0) readEntry(specifiers, fields, entries);
    fields = new Map();
  };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const refuse = (reason: string) => new SourceError(`${from}, line ${index + 1}: ${reason}`);
    if (line.length > LINE_LENGTH_MAX) throw refuse("the line is too long.");
    if (line.trim() === "" || line.startsWith("#")) continue;
    const indent = line.length - line.trimStart().length;
    // Deeper lines list dependencies, each of which has an entry.
    if (indent > 2) continue;
    if (indent === 0) {
      finish();
      if (!line.trimEnd().endsWith(":")) throw refuse("an entry must end with a colon.");
      specifiers = valuesIn(line.trimEnd().slice(0, -1));
      if (specifiers.length === 0) throw refuse("the entry has no name.");
      continue;
    }
    const [name, value] = valuesIn(line.trim().replace(/:$/, ""));
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  finish();
}

/** Values that blanks or commas separate. Empty when one is malformed. */
function valuesIn(text: string): readonly string[] {
  const values: string[] = [];
  let rest = text;
  while (rest !== "") {
    const match = VALUE.exec(rest);
    if (!match) return [];
    const [whole, quoted, bare = ""] = match;
    values.push(quoted === undefined ? bare : quoted.replace(/\\(.)/g, "$1"));
    rest = rest.slice(whole.length).replace(/^[\s,]+/, "");
  }
  return values;
}

function readEntry(
  specifiers: readonly string[],
  fields: ReadonlyMap<string, string>,
  entries: WantedEntries,
): void {
  const [name, range] = splitSpecifier(specifiers[0] ?? "");
  const resolved = fields.get("resolved") ?? "";
  const [url = "", sha1 = ""] = resolved.split("#");
  if (/^git[+:]|\.git$|^https:\/\/codeload\.github\.com\//.test(url)) {
    return entries.skip({ kind: "git", name, reason: `It comes from ${url}.` });
  }
  if (/^(?:file|link):/.test(range) || url === "") {
    return entries.skip({ kind: "file", name, reason: `It is a local file: ${range}.` });
  }
  if (/^https?:/.test(range)) {
    return entries.skip({ kind: "url", name, reason: `It comes from ${url}.` });
  }
  entries.npm({
    name: aliasedName(range) ?? name,
    version: fields.get("version") ?? "",
    integrity: fields.get("integrity") ?? integrityOf(sha1),
  });
}

function integrityOf(sha1: string): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(sha1)) return undefined;
  return `sha1-${Buffer.from(sha1, "hex").toString("base64")}`;
}
