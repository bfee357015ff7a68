import { XMLParser, XMLValidator } from "fast-xml-parser";
import { limitTrouble, XML_LIMITS } from "./xml-limits.ts";

/** An element with what a manifest reader needs; comments and processing instructions are gone. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Own text without that of the children, trimmed, with the five XML entities decoded. */
  readonly text: string;
};

export type XmlOutcome =
  | { readonly status: "read"; readonly root: XmlElement }
  | { readonly status: "unreadable"; readonly problem: string };

/** A problem may quote what was found, and that may be all of the text. */
const PROBLEM_LENGTH_MAX = 300;
const DECLARATION_LENGTH_MAX = 256;
const TEXT_NODE = "#text";
const CDATA_NODE = "#cdata";
const ATTRIBUTES = ":@";
/** Control characters that XML 1.0 has no place for; some databases refuse them too. */
const FORBIDDEN = /[^\P{Cc}\t\n\r\u0080-\u009f]|[\ufffe\uffff]/u;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));|&/g;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/**
 * Reads XML without DTDs and without entities other than the predefined ones, in UTF-8, UTF-16 or
 * what its declaration names. The caller limits the size. `XML_LIMITS` applies before any parser.
 */
export function parseXml(bytes: Uint8Array): XmlOutcome {
  const text = decode(bytes);
  if (text === undefined) return unreadable("its text encoding is unknown or broken");
  if (FORBIDDEN.test(text)) return unreadable("it has control characters");
  const trouble = markupTrouble(text);
  if (trouble !== undefined) return unreadable(trouble);
  const excess = limitTrouble(text);
  if (excess !== undefined) return unreadable(excess);
  const validity = XMLValidator.validate(text);
  if (validity !== true) return unreadable(`line ${validity.err.line}: ${validity.err.msg}`);
  try {
    const roots = childrenOf(parserOf().parse(text));
    const [root, ...others] = roots;
    if (!root || others.length > 0) return unreadable("it must have exactly one root element");
    return { status: "read", root };
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : String(error));
  }
}

function unreadable(problem: string): XmlOutcome {
  return { status: "unreadable", problem: problem.slice(0, PROBLEM_LENGTH_MAX) };
}

/**
 * A single scan of comments, CDATA and declarations, so that none of them can hide another.
 * Unterminated ones are refused, because repeated searches for their end would take quadratic time.
 */
function markupTrouble(text: string): string | undefined {
  for (let offset = text.indexOf("<!"); offset !== -1;) {
    const isComment = text.startsWith("<!--", offset);
    if (!isComment && !text.startsWith("<![CDATA[", offset))
      return "it has a document type declaration";
    const end = text.indexOf(isComment ? "-->" : "]]>", offset + 4);
    if (end === -1) return "a comment or CDATA section in it never ends";
    offset = text.indexOf("<!", end);
  }
  return undefined;
}

function parserOf(): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    cdataPropName: CDATA_NODE,
    ignoreDeclaration: true,
    ignorePiTags: true,
    parseTagValue: false,
    parseAttributeValue: false,
    // Decoded below: the parser's own decoder also knows entities that a DTD would declare.
    processEntities: false,
    trimValues: false,
    maxNestedTags: XML_LIMITS.depth,
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const start = Buffer.from(bytes.subarray(0, DECLARATION_LENGTH_MAX)).toString("latin1");
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start);
  // UTF-16 has a byte order mark, so a declaration that was readable as bytes is wrong about it.
  return declared?.[1] && !/^utf-?16/i.test(declared[1]) ? declared[1] : "utf-8";
}

function childrenOf(nodes: unknown): XmlElement[] {
  return listOf(nodes).flatMap((node) => parseElement(node) ?? []);
}

function parseElement(node: Readonly<Record<string, unknown>>): XmlElement | undefined {
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES);
  if (name === undefined || name.startsWith("#") || name.startsWith("?")) return undefined;
  const content = node[name];
  const attributes = Object.entries((node[ATTRIBUTES] ?? {}) as Record<string, string>);
  return {
    name,
    attributes: new Map(attributes.map(([key, value]) => [key, decodeEntities(value)])),
    children: childrenOf(content),
    text: textOf(content).trim(),
  };
}

function textOf(nodes: unknown): string {
  return listOf(nodes)
    .map((node) => {
      const text = node[TEXT_NODE];
      if (typeof text === "string") return decodeEntities(text);
      const [data] = listOf(node[CDATA_NODE]);
      return typeof data?.[TEXT_NODE] === "string" ? data[TEXT_NODE] : "";
    })
    .join("");
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, entityName?: string, decimal?: string, hex?: string) => {
    if (entityName !== undefined) return NAMED[entityName] ?? "";
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (!isXmlCharacter(code)) throw new RangeError(`"${entity}" is not an allowed entity`);
    return String.fromCodePoint(code);
  });
}

/** XML 1.0 section 2.2; false for the NaN of a lone ampersand. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return (
    code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
  );
}

function listOf(nodes: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(nodes) ? nodes : [];
}
