/** The parsed challenge of a 401. */
export type Challenge =
  | { readonly scheme: "basic" }
  | {
      readonly scheme: "bearer";
      /** Where tokens are made, as the registry wrote it. */
      readonly realm: string;
      readonly service: string | undefined;
      readonly scopes: readonly string[];
    };

const HEADER_MAX = 16_384;
const TOKEN = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
const SCHEME = new RegExp(String.raw`(${TOKEN})(?:[ \t]+|(?=,|$))`, "y");
const PARAMETER = new RegExp(
  String.raw`(${TOKEN})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(${TOKEN}))`,
  "y",
);
const BETWEEN = /[ \t,]*/y;

/**
 * Reads `WWW-Authenticate`, which may contain several challenges (RFC 9110, 11.6.1). A Bearer
 * challenge with a realm comes first. Unknown schemes and unreadable challenges are omitted.
 */
export function parseChallenges(header: string | null): readonly Challenge[] {
  const read = partsOf((header ?? "").slice(0, HEADER_MAX)).flatMap(challengeOf);
  return read.toSorted((a, b) => Number(b.scheme === "bearer") - Number(a.scheme === "bearer"));
}

type Part = { readonly scheme: string; readonly parameters: Map<string, string> };

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let index = matchAt(BETWEEN, text, 0)?.end ?? 0;
  while (index < text.length) {
    const parameter = matchAt(PARAMETER, text, index);
    const part = parts.at(-1);
    if (parameter && part) {
      const [, name = "", quoted, bare = ""] = parameter.groups;
      const value = quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, "$1");
      part.parameters.set(name.toLowerCase(), value);
      index = parameter.end;
    } else {
      const scheme = matchAt(SCHEME, text, index);
      if (!scheme) return parts;
      parts.push({ scheme: (scheme.groups[1] ?? "").toLowerCase(), parameters: new Map() });
      index = scheme.end;
    }
    index = matchAt(BETWEEN, text, index)?.end ?? index;
  }
  return parts;
}

function matchAt(
  pattern: RegExp,
  text: string,
  index: number,
): { readonly groups: RegExpExecArray; readonly end: number } | undefined {
  pattern.lastIndex = index;
  const groups = pattern.exec(text);
  return groups ? { groups, end: pattern.lastIndex } : undefined;
}

function challengeOf({ scheme, parameters }: Part): readonly Challenge[] {
  if (scheme === "basic") return [{ scheme }];
  const realm = parameters.get("realm");
  if (scheme !== "bearer" || realm === undefined) return [];
  const scopes = (parameters.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  return [{ scheme, realm, service: parameters.get("service"), scopes }];
}
