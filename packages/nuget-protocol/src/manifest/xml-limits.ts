/**
 * Limits of an XML text. A parser takes milliseconds for a thousand of each, and seconds for what
 * fits into a mebibyte. A manifest of a thousand dependencies has a thousand tags and 4,000
 * attributes.
 */
export const XML_LIMITS = {
  /** Start tags, end tags, comments, CDATA sections and processing instructions. */
  tags: 10_000,
  attributes: 20_000,
  attributesOfElement: 100,
  namespaces: 100,
  /** References to characters and entities. */
  references: 10_000,
  /** Open elements. */
  depth: 16,
} as const;

type Counts = { -readonly [K in keyof typeof XML_LIMITS]: number };

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const EXCLAMATION_MARK = 0x21;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const EQUALS = 0x3d;
const GREATER = 0x3e;

/**
 * Counts markup before a parser reads it, in one pass, and stops at the first limit. Comments and
 * CDATA sections must end.
 */
export function limitTrouble(text: string): string | undefined {
  const counts: Counts = {
    tags: 0,
    attributes: 0,
    attributesOfElement: 0,
    namespaces: 0,
    references: 0,
    depth: 0,
  };
  for (let index = text.indexOf("&"); index !== -1; index = text.indexOf("&", index + 1)) {
    counts.references += 1;
    if (counts.references > XML_LIMITS.references) return exceeded("references");
  }
  for (let index = text.indexOf("<"); index !== -1;) {
    const end = countTag(text, index, counts);
    const [field] = LIMITS.find(([name, max]) => counts[name] > max) ?? [];
    if (field !== undefined) return exceeded(field);
    index = text.indexOf("<", end);
  }
  return undefined;
}

const LIMITS = Object.entries(XML_LIMITS) as [keyof Counts, number][];

const WORDS: Readonly<Record<keyof Counts, string>> = {
  tags: "tags",
  attributes: "attributes",
  attributesOfElement: "attributes in one element",
  namespaces: "namespaces",
  references: "references to characters or entities",
  depth: "levels of elements",
};

function exceeded(field: keyof Counts): string {
  return `it has more than ${XML_LIMITS[field]} ${WORDS[field]}`;
}

/** Counts the markup that begins at `start`; returns the index behind it. */
function countTag(text: string, start: number, counts: Counts): number {
  counts.tags += 1;
  const next = text.charCodeAt(start + 1);
  if (next === EXCLAMATION_MARK) {
    const end = text.indexOf(text.startsWith("<!--", start) ? "-->" : "]]>", start + 4);
    return end === -1 ? text.length : end;
  }
  if (next === QUESTION_MARK) return start + 2;
  if (next === SLASH) {
    counts.depth -= 1;
    return start + 2;
  }
  counts.depth += 1;
  counts.attributesOfElement = 0;
  const end = countAttributes(text, start, counts);
  if (text.charCodeAt(end - 1) === SLASH) counts.depth -= 1;
  return end;
}

/** To the end of a start tag, or to the first attribute too many. */
function countAttributes(text: string, start: number, counts: Counts): number {
  let quote = 0;
  for (let index = start + 1; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (quote !== 0) {
      if (char === quote) quote = 0;
    } else if (char === DOUBLE_QUOTE || char === SINGLE_QUOTE) {
      quote = char;
    } else if (char === GREATER) {
      return index;
    } else if (char === EQUALS) {
      counts.attributes += 1;
      counts.attributesOfElement += 1;
      if (isNamespace(text, index)) counts.namespaces += 1;
      if (counts.attributesOfElement > XML_LIMITS.attributesOfElement) return index;
    }
  }
  return text.length;
}

const PREFIX_LENGTH_MAX = 100;

/** Whether the name before the equals sign declares a namespace. */
function isNamespace(text: string, end: number): boolean {
  return /\sxmlns(?::\S*)?\s*$/.test(text.slice(Math.max(0, end - PREFIX_LENGTH_MAX), end));
}
