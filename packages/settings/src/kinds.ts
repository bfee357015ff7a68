import { isIP } from "node:net";
import { resolve } from "node:path";
import { formatTimeSpan, parseTimeSpan } from "./time-span.ts";

/** Kind of a setting's value, with its limits. */
export type Kind =
  | { readonly type: keyof typeof PLAIN_KINDS }
  | { readonly type: "integer"; readonly min: number; readonly max: number }
  | { readonly type: "time-span"; readonly minMs: number; readonly maxMs: number }
  | { readonly type: "url"; readonly empty?: "allowed" }
  | {
      readonly type: "choice";
      readonly values: readonly string[];
      /** Values by alternative spelling. */
      readonly spellings?: Readonly<Record<string, string>>;
    }
  | { readonly type: "list"; readonly of: ScalarKind }
  /** Any name below the key, each with a text. */
  | { readonly type: "named" }
  /** A list of entries with the given fields. The values of `secrets` are never shown. */
  | {
      readonly type: "sections";
      readonly fields: Readonly<Record<string, FieldKind>>;
      readonly secrets?: readonly string[];
    }
  /** Entries with the given fields, by any name below the key. Names that belong to other keys of
   * the table are excluded. */
  | { readonly type: "named-sections"; readonly fields: Readonly<Record<string, FieldKind>> };

/** Kind whose value is one text, number or boolean. */
export type ScalarKind = Exclude<
  Kind,
  { readonly type: "list" | "named" | "sections" | "named-sections" }
>;
/** Kind of a field in a section: a scalar, or a list of scalars. */
export type FieldKind = ScalarKind | { readonly type: "list"; readonly of: ScalarKind };

/** One entry of a list of sections. */
export type Section = {
  /** `Some__Key__0`. */
  readonly key: string;
  /** Valid values by the field names of the table; unset and invalid fields are missing. */
  readonly fields: Readonly<Record<string, string>>;
  /** Valid values of the fields that are lists; a list may be empty. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/** One entry of named sections. */
export type NamedSection = {
  /** Lower-case. */
  readonly name: string;
  /** `Some__Key__Name`, in the spelling of its source. */
  readonly key: string;
  /** Valid values by the field names of the table; a list may be empty. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
};

/** The type of a value that a kind gives. */
export type ValueOf<K extends Kind> = K extends { readonly type: "boolean" }
  ? boolean
  : K extends { readonly type: "integer" | "time-span" }
    ? number
    : K extends { readonly type: "choice"; readonly values: readonly (infer V)[] }
      ? V
      : K extends { readonly type: "list" }
        ? readonly string[]
        : K extends { readonly type: "named" }
          ? Readonly<Record<string, string>>
          : K extends { readonly type: "sections" }
            ? readonly Section[]
            : K extends { readonly type: "named-sections" }
              ? readonly NamedSection[]
              : string;

export type Scalar = string | number | boolean;

/** Undefined when the text is not allowed. Choices come back in the spelling of the table. */
export function parseScalar(kind: ScalarKind, text: string): Scalar | undefined {
  switch (kind.type) {
    case "text":
    case "path":
      return text;
    case "folder":
      return isBelowProc(text) ? undefined : text;
    case "boolean":
    case "network":
    case "country":
    case "host-name":
      return parseWord(kind.type, text.trim());
    case "integer":
      return parseWithin(/^-?\d{1,15}$/.test(text) ? Number(text) : undefined, kind.min, kind.max);
    case "time-span":
      return parseWithin(parseTimeSpan(text.trim()), kind.minMs, kind.maxMs);
    case "url":
      return parseUrl(text.trim(), kind.empty === "allowed");
    case "choice":
      return chosen(kind, text);
  }
}

/**
 * Whether a path is in `/proc`, which holds no files of programs. Node never ends when it shall
 * create a folder and its parents there.
 */
export function isBelowProc(path: string): boolean {
  return /^\/proc(?:\/|$)/.test(resolve(path));
}

/** Descriptions of the kinds without limits. */
const PLAIN_KINDS = {
  text: "any text",
  path: "a path",
  folder: "a folder that is not below /proc",
  boolean: "true, false",
  network: "an address or a network such as 10.0.0.0/8",
  country: "a two-letter ISO country code",
  "host-name": "a host name such as npm.example.com, without scheme and port",
} as const;

/** Describes the allowed values in English: `true, false`; `a whole number from 1 to 3650`. */
export function describeKind(kind: Kind): string {
  if (isPlainKind(kind)) return PLAIN_KINDS[kind.type];
  switch (kind.type) {
    case "integer":
      return `a whole number from ${kind.min} to ${kind.max}`;
    case "time-span":
      return `a time span d.hh:mm:ss ${[kind.minMs, kind.maxMs].map(formatTimeSpan).join(" to ")}`;
    case "url":
      return kind.empty ? "an http or https URL, or empty" : "an http or https URL";
    case "choice":
      return [...kind.values, ...Object.keys(kind.spellings ?? {})]
        .map((value) => (value === "" ? "(empty)" : value))
        .join(", ");
    case "list":
      return `a list (__0, __1, …), each ${describeKind(kind.of)}`;
    case "named":
      return "named texts";
    case "sections":
      return `a list (__0, __1, …), each with ${describeFields(kind.fields)}`;
    case "named-sections":
      return `any number of names, each with ${describeFields(kind.fields)}`;
  }
}

function describeFields(fields: Readonly<Record<string, FieldKind>>): string {
  const described = Object.entries(fields).map(
    ([name, field]) => `\`${name}\` (${describeKind(field)})`,
  );
  return described.join(", ");
}

function isPlainKind(kind: Kind): kind is Extract<Kind, { type: keyof typeof PLAIN_KINDS }> {
  return Object.hasOwn(PLAIN_KINDS, kind.type);
}

function parseWithin(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function chosen(
  kind: {
    readonly values: readonly string[];
    readonly spellings?: Readonly<Record<string, string>>;
  },
  text: string,
): string | undefined {
  const lowerText = text.trim().toLowerCase();
  const value = kind.values.find((candidate) => candidate.toLowerCase() === lowerText);
  if (value !== undefined) return value;
  const spelling = Object.entries(kind.spellings ?? {});
  return spelling.find(([other]) => other.toLowerCase() === lowerText)?.[1];
}

/** Without a trailing slash, a query, a fragment or credentials, which no public address has. */
function parseUrl(text: string, emptyAllowed: boolean): string | undefined {
  if (text === "") return emptyAllowed ? "" : undefined;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || url.username !== "" || url.password !== "" || url.hash !== "") return undefined;
  return url.href.replace(/\/+$/, "");
}

/** No address: the last label begins with a letter. */
function isHostName(text: string): boolean {
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  return text.length <= 253 && new RegExp(`^(?:${label}\\.)*(?=[a-z])${label}$`, "i").test(text);
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function parseWord(
  type: "boolean" | "network" | "country" | "host-name",
  text: string,
): string | boolean | undefined {
  const lower = text.toLowerCase();
  if (type === "boolean") return { true: true, false: false }[lower];
  if (type === "network") return isNetwork(text) ? text : undefined;
  if (type === "country") return /^[a-z]{2}$/.test(lower) ? text.toUpperCase() : undefined;
  return isHostName(lower) ? lower : undefined;
}
