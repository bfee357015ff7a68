import { SourceError } from "../source-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own field, if it is an object; otherwise an empty one. */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return isFields(value) ? value : {};
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

export function listIn(fields: Fields, name: string): readonly string[] | undefined {
  const value: unknown = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  return list?.filter((entry) => typeof entry === "string");
}

/** @throws {SourceError} */
export function parseJsonFile(text: string, from: string): Fields {
  const value = attempt(() => JSON.parse(text) as unknown, from, "JSON");
  if (!isFields(value)) throw new SourceError(`${from} is not a JSON object.`);
  return value;
}

/**
 * The documents of a YAML file. Every scalar is text. Tags, aliases and merge keys are refused or
 * text, because no lock file needs them.
 * @throws {SourceError}
 */
export async function parseYamlFile(text: string, from: string): Promise<readonly Fields[]> {
  if (hasTooManyParts(text)) {
    throw new SourceError(`${from} has more than ${YAML_PARTS_MAX} lines and list entries.`);
  }
  const { parseAllDocuments } = await import("yaml");
  const values = attempt(
    () =>
      [...parseAllDocuments(text, YAML_OPTIONS)].map((document) => {
        const [error] = document.errors;
        if (error) throw error;
        return document.toJS({ maxAliasCount: 0 }) as unknown;
      }),
    from,
    "YAML",
  );
  return values.filter(isFields);
}

/** Keys are not compared with each other: that takes quadratic time. The last of two wins. */
const YAML_OPTIONS = {
  schema: "failsafe",
  uniqueKeys: false,
  prettyErrors: false,
  strict: true,
} as const;
/** The parser needs about a kilobyte of memory for each. 60,000 packages have 200,000. */
const YAML_PARTS_MAX = 500_000;
const PART_START = new Set(["\n", ",", "[", "{"]);

function hasTooManyParts(text: string): boolean {
  let count = 0;
  for (const character of text) {
    if (PART_START.has(character)) count += 1;
  }
  return count > YAML_PARTS_MAX;
}

function attempt<T>(parse: () => T, from: string, format: string): T {
  try {
    return parse();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : String(cause);
    throw new SourceError(`${from} is not usable ${format}: ${reason}`, { cause });
  }
}
