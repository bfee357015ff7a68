import type { Der } from "../der/reader.ts";
import { childrenOf, oidOf, sequenceOf, setOf, TAG } from "../der/reader.ts";
import { encode, oid, printableString, sequence, sortedSet, utf8String } from "../der/writer.ts";

/** Short names as .NET prints them; what it does not know is written `OID.1.2.3=…`. */
const KEY_OF_OID: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "S"],
  ["2.5.4.9", "STREET"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.12", "T"],
  ["2.5.4.4", "SN"],
  ["2.5.4.5", "SERIALNUMBER"],
  ["2.5.4.13", "Description"],
  ["2.5.4.17", "PostalCode"],
  ["2.5.4.42", "G"],
  ["2.5.4.43", "I"],
  ["0.9.2342.19200300.100.1.25", "DC"],
  ["1.2.840.113549.1.9.1", "E"],
]);

const OID_OF_KEY: ReadonlyMap<string, string> = new Map([
  ...[...KEY_OF_OID].map(([dotted, key]): [string, string] => [key.toUpperCase(), dotted]),
  ["ST", "2.5.4.8"],
  ["EMAIL", "1.2.840.113549.1.9.1"],
]);

const COUNTRY = "2.5.4.6";
const IA5_VALUES: ReadonlySet<string> = new Set([
  "0.9.2342.19200300.100.1.25",
  "1.2.840.113549.1.9.1",
]);

/** One attribute of a name. */
export type NamePart = { readonly oid: string; readonly value: string };

/**
 * A Name as .NET prints it: most specific part first, `, ` between parts, values with special
 * characters in quotes. Clients compare and show this form.
 */
export function formatName(name: Der): string {
  return sequenceOf(name, "name")
    .toReversed()
    .map((part) => setOf(part, "name part").map(formatAttribute).join(" + "))
    .join(", ");
}

/**
 * Reads `CN=Example, O="Acme, Inc.", C=DE`: most specific part first, in the usual notation.
 * @throws RangeError with the fault
 */
export function parseName(text: string): readonly NamePart[] {
  const parts: NamePart[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const match = /^([A-Za-z][\w.]*)\s*=\s*(?:"((?:[^"]|"")*)"|([^",;+]*))\s*(?:[,;]\s*|$)/.exec(
      rest,
    );
    if (!match) throw new RangeError(`“${rest}” is not a part of a name such as CN=Example`);
    const [whole, key = "", quoted, plain = ""] = match;
    const dotted = key.toUpperCase().startsWith("OID.")
      ? key.slice(4)
      : OID_OF_KEY.get(key.toUpperCase());
    if (dotted === undefined || !/^[0-2](\.\d+)+$/.test(dotted)) {
      throw new RangeError(`“${key}” is not a known part of a name`);
    }
    const value = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"');
    if (value === "") throw new RangeError(`${key} has no value in the name “${text}”`);
    if (dotted === COUNTRY && !/^[A-Za-z]{2}$/.test(value)) {
      throw new RangeError(`the country “${value}” is not a two-letter code`);
    }
    parts.push({ oid: dotted, value: dotted === COUNTRY ? value.toUpperCase() : value });
    rest = rest.slice(whole.length);
  }
  if (parts.length === 0) throw new RangeError("the name is empty");
  return parts;
}

/** Writes a Name from parts that stand most specific first. */
export function encodeName(parts: readonly NamePart[]): Uint8Array {
  const relative = parts.toReversed().map((part) => {
    const value =
      part.oid === COUNTRY
        ? printableString(part.value)
        : IA5_VALUES.has(part.oid)
          ? encode(TAG.ia5String, Buffer.from(part.value, "latin1"))
          : utf8String(part.value);
    return sortedSet(TAG.set, [sequence(oid(part.oid), value)]);
  });
  return sequence(...relative);
}

/**
 * Whether a Name equals the parts, in the same order, whatever the encoding of its strings, and
 * whatever white space is around or between their words.
 */
export function isSameName(name: Der, parts: readonly NamePart[]): boolean {
  const relative = sequenceOf(name, "name").toReversed();
  return (
    relative.length === parts.length &&
    relative.every((der, index) => {
      const [attribute, ...others] = setOf(der, "name part");
      const part = parts[index];
      if (!attribute || !part || others.length > 0) return false;
      const [type, value] = childrenOf(attribute);
      return (
        oidOf(type, "name attribute") === part.oid &&
        value !== undefined &&
        canonical(part.oid, textOf(value)) === canonical(part.oid, part.value)
      );
    })
  );
}

function canonical(dotted: string, text: string): string {
  const words = text.normalize("NFC").trim().replaceAll(/\s+/g, " ");
  return dotted === COUNTRY ? words.toUpperCase() : words;
}

function formatAttribute(attribute: Der): string {
  const [type, value] = childrenOf(attribute);
  const dotted = oidOf(type, "name attribute");
  const text = value === undefined ? "" : textOf(value);
  const quoted = text === "" || /[,+="\n<>#;]|^\s|\s$/.test(text);
  return `${KEY_OF_OID.get(dotted) ?? `OID.${dotted}`}=${
    quoted ? `"${text.replaceAll('"', '""')}"` : text
  }`;
}

function textOf(value: Der): string {
  const bytes = Buffer.from(value.body);
  if (value.tag === TAG.utf8String) return bytes.toString("utf8");
  const bmpString = 0x1e;
  return value.tag === bmpString && bytes.length % 2 === 0
    ? bytes.swap16().toString("utf16le")
    : bytes.toString("latin1");
}
