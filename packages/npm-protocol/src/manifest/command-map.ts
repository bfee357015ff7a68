import { posix } from "node:path";
import type { JsonObject } from "../json.ts";
import { dictionary, isObject } from "../json.ts";

type StringMap = Readonly<Record<string, string>>;

/**
 * Command name → file in the package, as npm normalises `bin`: a single file is named after the
 * package, the files of a list after themselves. Names lose their scope and any folder. Files that
 * point out of the package point into it, as if the package were the root of the file system.
 */
export function binOf({ bin, name }: JsonObject): StringMap {
  const commands = new Map(Object.entries(commandsOf(bin, name)));
  for (const command of commands.keys()) {
    const file = commands.get(command);
    const base = posix.basename(insideOf(command));
    const path = typeof file === "string" ? insideOf(file) : "";
    if (base !== command || path === "") commands.delete(command);
    if (base !== "" && path !== "") commands.set(base, path);
  }
  const entries = [...commands].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return dictionary(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same as yarn 1 sends it: without what points out of the package. */
export function binWithin({ bin, name }: JsonObject): StringMap {
  const within = Object.entries(commandsOf(bin, name)).filter(
    ([, file]) => typeof file !== "string" || !/^(?:\/|\.\.)/.test(posix.normalize(file)),
  );
  return binOf({ bin: dictionary(within) });
}

function commandsOf(bin: unknown, name: unknown): JsonObject {
  if (typeof bin === "string") return dictionary([[String(name), bin]]);
  if (Array.isArray(bin)) {
    const files = bin.filter((file) => typeof file === "string");
    return dictionary(files.map((file) => [posix.basename(file), file]));
  }
  return isObject(bin) ? bin : {};
}

/** With `/` alone, without a leading `./` or `../`; empty where it is the package itself. */
function insideOf(path: string): string {
  const inside = posix.join(".", posix.join("/", path.replaceAll(/[\\:]/g, "/")));
  return inside === "./" ? "" : inside;
}
