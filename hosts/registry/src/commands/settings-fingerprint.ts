import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where a command and a host read their settings. */
type Sources = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
};

/**
 * Settings before the table gives them a meaning: the table takes longer to load than a running
 * host takes to answer a command.
 */
export type WrittenSettings = {
  readonly dataPath: string;
  /** The same for the same settings. Reveals none of them. */
  readonly fingerprint: string;
  /** The other words. */
  readonly words: readonly string[];
};

/** Settings without a section, in lower case; a test compares them with the table. */
export const ROOT_KEYS: ReadonlySet<string> = new Set(
  (
    "aspnetcore_environment sealhouse_environment aspnetcore_urls urls isreadonlymode " +
    "allowpackageoverwrites packagedeletionbehavior packagesources nuget_packages " +
    "runmigrationsatstartup connectionstrings apikey authentication pathbase allowedhosts " +
    "shields maxpackagesizegib enablevulnerabilityinfo enablepackagemetadatabackfill " +
    "validateserviceproviders healthcheck search caching"
  ).split(" "),
);
/** Where a host listens and what it logs are nothing to a command. */
const OF_HOSTS = /^(?:(?:logging|kestrel)__|urls$|aspnetcore_urls$)/;
const ARGUMENT = /^--(?<key>[a-z][\w:-]*)(?<value>=.*)?$/is;
const DEFAULT_DATA_PATH = "./data";

/** Reads the settings of a command or of a host. */
export function writtenSettings({ args, env, workingFolder }: Sources): WrittenSettings {
  const settings = new Map<string, string>();
  for (const [key, text] of Object.entries(env)) {
    if (text !== undefined && isSetting(key)) settings.set(folded(key), text);
  }
  const { words, settings: given } = splitWords(args);
  for (const [key, text] of given) settings.set(key, text);
  const counted = [...settings]
    .filter(([key]) => !OF_HOSTS.test(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const environment =
    settings.get("aspnetcore_environment") ?? settings.get("sealhouse_environment") ?? "Production";
  const files = ["", `.${environment.replaceAll(/[^\w.-]/g, "")}`].map((name) =>
    contentOf(join(workingFolder, `appsettings${name}.json`)),
  );
  const all = JSON.stringify([resolve(workingFolder), counted, files]);
  return {
    dataPath: resolve(workingFolder, settings.get("host__datapath") ?? DEFAULT_DATA_PATH),
    fingerprint: createHash("sha256").update(all).digest("base64url"),
    words,
  };
}

function splitWords(args: readonly string[]) {
  const words: string[] = [];
  const settings: [string, string][] = [];
  const left = args.values();
  for (const word of left) {
    const { key = "", value } = ARGUMENT.exec(word)?.groups ?? {};
    if (!isSetting(folded(key))) words.push(word);
    else settings.push([folded(key), value?.slice(1) ?? left.next().value ?? ""]);
  }
  return { words, settings };
}

function isSetting(key: string): boolean {
  return key.includes("__") || ROOT_KEYS.has(key.toLowerCase());
}

function folded(key: string): string {
  return key.replaceAll(":", "__").toLowerCase();
}

/** Undefined without a file that can be read. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
