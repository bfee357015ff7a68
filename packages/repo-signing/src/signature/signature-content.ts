import { SignatureError } from "../errors.ts";
import type { HashName } from "../hash.ts";
import { acceptedHashOf, HASH_OID } from "../hash.ts";

/** Content of a NuGet signature: the hash of the package without its signature. */
export type SignatureContent = { readonly hash: HashName; readonly value: Buffer };

const KEY = /^[a-zA-Z0-9.\-/]+$/;

/** `Version:1`, an empty line, `<digest OID>-Hash:<base64>`, an empty line; UTF-8, LF, no BOM. */
export function writeContent(content: SignatureContent): Buffer {
  const hash = `${HASH_OID[content.hash]}-Hash:${content.value.toString("base64")}`;
  return Buffer.from(`Version:1\n\n${hash}\n\n`, "utf8");
}

/** Throws a SignatureError: NU3000 for what is not this format, NU3007 for another version. */
export function parseContent(bytes: Uint8Array): SignatureContent {
  const lines = Buffer.from(bytes)
    .toString("utf8")
    .split(/\r\n|\n|\r/);
  // What follows the last line break is not a line; a reader sees the end there.
  const rest = lines.pop();
  if (rest !== "") lines.push(rest ?? "");
  const header = readSection(lines);
  const version = header.get("Version");
  if (version === undefined) throw invalid("has no version");
  if (version !== "1") {
    throw new SignatureError("NU3007", `The signature's format version is ${version}, not 1.`);
  }
  for (const [key, value] of readSection(lines)) {
    const hash = key.endsWith("-Hash") ? acceptedHashOf(key.slice(0, -"-Hash".length)) : undefined;
    if (hash) return { hash, value: Buffer.from(value, "base64") };
  }
  throw invalid("has no package hash of an accepted kind");
}

function readSection(lines: string[]): ReadonlyMap<string, string> {
  const section = new Map<string, string>();
  for (let line = lines.shift(); line !== ""; line = lines.shift()) {
    if (line === undefined) throw invalid("is cut off");
    const colon = line.indexOf(":");
    const key = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    if (!KEY.test(key) || value === "" || section.has(key)) throw invalid("has a malformed line");
    section.set(key, value);
  }
  if (section.size === 0) throw invalid("has an empty section");
  return section;
}

function invalid(what: string): SignatureError {
  return new SignatureError("NU3000", `The signature's content ${what}.`);
}
