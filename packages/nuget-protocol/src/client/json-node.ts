import { parseJson } from "@sealhouse/http-responses/outgoing";
import { NuGetClientError } from "./client-error.ts";

/** A value in a foreign document, with its path for messages. */
export type JsonNode = {
  readonly url: URL;
  /** `items[0].id`; empty for the document itself. */
  readonly path: string;
  readonly value: unknown;
};

/** @throws {NuGetClientError} `malformed` for text that is not JSON */
export function parseDocument(url: URL, bytes: Uint8Array): JsonNode {
  try {
    return { url, path: "", value: parseJson(bytes) };
  } catch (cause) {
    throw new NuGetClientError("malformed", { url, reason: "the answer is not JSON", cause });
  }
}

export function isAbsent({ value }: JsonNode): boolean {
  return value === undefined || value === null;
}

/** A field of an object; one that is not there is a node without a value.
 * @throws {NuGetClientError} `malformed` for anything but an object */
export function field(node: JsonNode, name: string): JsonNode {
  const { url, path, value } = node;
  if (!isObject(value)) throw malformed(node, "an object");
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return { url, path: path === "" ? name : `${path}.${name}`, value: member };
}

/** Names and values of an object. */
export function entries(node: JsonNode): readonly (readonly [name: string, value: JsonNode])[] {
  const { value } = node;
  if (!isObject(value)) throw malformed(node, "an object");
  return Object.keys(value).map((name) => [name, field(node, name)]);
}

/** The items of an array; none where there is no value.
 * @throws {NuGetClientError} `malformed` for anything else, or more than `limit` */
export function items(node: JsonNode, limit: number): readonly JsonNode[] {
  const { url, path, value } = node;
  if (isAbsent(node)) return [];
  if (!isList(value)) throw malformed(node, "an array");
  if (value.length > limit) throw malformed(node, `an array of at most ${limit} items`);
  return value.map((item, index) => ({ url, path: `${path}[${index}]`, value: item }));
}

export function text(node: JsonNode): string {
  if (typeof node.value === "string") return node.value;
  throw malformed(node, "a text");
}

/** Undefined where there is no value, or nothing in it. */
export function optionalText(node: JsonNode): string | undefined {
  return isAbsent(node) || node.value === "" ? undefined : text(node);
}

/** A whole number from 0; also in digits, as some servers write them. */
export function count(node: JsonNode): number {
  const { value } = node;
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw malformed(node, "a whole number");
}

export function flag(node: JsonNode, whenAbsent: boolean): boolean {
  if (isAbsent(node)) return whenAbsent;
  if (typeof node.value === "boolean") return node.value;
  throw malformed(node, "true or false");
}

/** Undefined where there is no value. */
const TIME_MAX = Date.UTC(9999, 11, 31);

export function optionalTime(node: JsonNode): Date | undefined {
  const timeText = optionalText(node);
  if (timeText === undefined) return undefined;
  const time = new Date(timeText);
  // Databases know no years above 9999.
  if (!(time.getTime() <= TIME_MAX)) throw malformed(node, "a time");
  return time;
}

/** An absolute http or https address. */
export function address(node: JsonNode): URL {
  const url = URL.parse(text(node));
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw malformed(node, "an absolute address");
}

export function malformed(node: JsonNode, expected: string): NuGetClientError {
  const where = node.path === "" ? "the document" : `"${node.path}"`;
  return new NuGetClientError("malformed", {
    url: node.url,
    reason: `${where} is not ${expected}`,
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
