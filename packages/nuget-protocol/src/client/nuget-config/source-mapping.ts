import type { XmlElement } from "../../manifest/xml.ts";
import type { ConfigRemark } from "./config-remark.ts";
import { sectionItems } from "./config-section.ts";

/** Patterns of ids for each source, as `packageSourceMapping` has them. */
export type SourceMapping = readonly MappedSource[];

export type MappedSource = {
  /** Key of the source. */
  readonly key: string;
  /** Exact ids, `Prefix.*`, or `*`. */
  readonly patterns: readonly string[];
};

/** Returns undefined when the file maps nothing. */
export function readSourceMapping(
  root: XmlElement,
  remarks: ConfigRemark[],
): SourceMapping | undefined {
  const elements = sectionItems(root, "packageSourceMapping").filter(
    ({ name, attributes }) => name === "packageSource" && (attributes.get("key") ?? "") !== "",
  );
  if (elements.length === 0) return undefined;
  return elements.map(({ attributes, children }) => {
    const key = attributes.get("key") ?? "";
    const texts = children
      .filter(({ name }) => name === "package")
      .map((child) => (child.attributes.get("pattern") ?? "").trim());
    const patterns = texts.filter(isPattern);
    for (const text of texts.filter((pattern) => !isPattern(pattern))) {
      const problem = `The package source "${key}" has the pattern "${text}", which is not an id`;
      remarks.push({ kind: "ignored", key, text: `${problem} or a prefix with a * at its end.` });
    }
    return { key, patterns };
  });
}

/**
 * Keys of the sources that may be asked for an id: those of the longest pattern that matches. An
 * exact id is longer than every prefix. Undefined without a mapping, empty when nothing matches.
 */
export function sourcesForId(
  mapping: SourceMapping | undefined,
  id: string,
): readonly string[] | undefined {
  if (!mapping) return undefined;
  const lengths = mapping.map(({ key, patterns }) => ({
    key,
    length: Math.max(...patterns.map((pattern) => matchLength(pattern, id)), NO_MATCH),
  }));
  const longest = Math.max(...lengths.map(({ length }) => length), NO_MATCH);
  if (longest === NO_MATCH) return [];
  return lengths.filter(({ length }) => length === longest).map(({ key }) => key);
}

const NO_MATCH = -1;

function matchLength(pattern: string, id: string): number {
  const [lowerPattern, lowerId] = [pattern.toLowerCase(), id.toLowerCase()];
  if (lowerPattern === lowerId) return Number.POSITIVE_INFINITY;
  const prefix = lowerPattern.slice(0, -1);
  return pattern.endsWith("*") && lowerId.startsWith(prefix) ? prefix.length : NO_MATCH;
}

function isPattern(text: string): boolean {
  return /^[\w.-]*\*?$/.test(text) && text !== "";
}
