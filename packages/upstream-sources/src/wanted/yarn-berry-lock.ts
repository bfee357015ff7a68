import { SourceError } from "../source-error.ts";
import { fieldsIn, isFields, parseYamlFile, textIn } from "./parse-document.ts";
import { splitSpecifier } from "./specifier.ts";
import type { WantedEntries } from "./wanted-entries.ts";

/** Reads `yarn.lock` of yarn 2 and later. Its checksums are those of yarn's own archives. */
export async function readYarnBerryLock(
  text: string,
  from: string,
  entries: WantedEntries,
): Promise<void> {
  const [document] = await parseYamlFile(text, from);
  if (!document || !isFields(document["__metadata"])) {
    throw new SourceError(`${from} has no "__metadata": it is not a lock file of yarn.`);
  }
  for (const [key, value] of Object.entries(document)) {
    const fields = fieldsIn(document, key);
    if (key === "__metadata" || !isFields(value)) continue;
    readEntry(textIn(fields, "resolution") ?? "", textIn(fields, "conditions") ?? "", entries);
  }
}

function readEntry(resolution: string, conditions: string, entries: WantedEntries): void {
  const [name, reference] = splitSpecifier(resolution);
  const [, protocol = "", rest = ""] = /^([a-z+]+):(.*)$/s.exec(reference) ?? [];
  switch (protocol) {
    case "npm":
      return entries.npm({
        name,
        version: rest.replace(/::.*$/s, ""),
        ...platformsIn(conditions),
      });
    case "workspace":
    case "link":
    case "portal": {
      const path = rest.replace(/::.*$/s, "");
      const reason = `It is the folder "${path}" of the project.`;
      return entries.skip({ kind: "workspace", name, reason });
    }
    // The patch belongs to the project; the package has its own entry.
    case "patch":
      return undefined;
    case "file":
    case "exec":
      return entries.skip({ kind: "file", name, reason: `It is a local file: ${reference}.` });
    default: {
      const kind = /\.git#|^git/.test(reference) ? "git" : "url";
      return entries.skip({ kind, name, reason: `It comes from ${reference}.` });
    }
  }
}

/** Reads `os=linux & cpu=x64`, also with `!` for what is excluded. */
function platformsIn(conditions: string) {
  const valuesOf = (name: string) =>
    [...conditions.matchAll(/(!?)\b(os|cpu)=([\w-]+)/g)]
      .filter(([, , found]) => found === name)
      .map(([, not = "", , value = ""]) => `${not}${value}`);
  return { os: valuesOf("os"), cpu: valuesOf("cpu") };
}
