// Readers of fields that a feed may leave out. Servers disagree about them, so a value of another
// kind counts as absent instead of making the whole document unreadable.
import { NuGetClientError } from "./client-error.ts";
import type { JsonNode } from "./json-node.ts";
import { address, count, field, isAbsent, items, optionalTime } from "./json-node.ts";

/** Undefined for an empty text and for anything but a text. */
export function lenientText({ value }: JsonNode): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Also reads `"true"` and `"False"`, as some servers write them. */
export function lenientFlag({ value }: JsonNode, otherwise: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return otherwise;
  const word = value.trim().toLowerCase();
  return word === "true" || (word !== "false" && otherwise);
}

export function lenientTime(node: JsonNode): Date | undefined {
  return lenientText(node) === undefined ? undefined : orUndefined(() => optionalTime(node));
}

/** A whole number from 0. */
export function lenientCount(node: JsonNode): number | undefined {
  return orUndefined(() => count(node));
}

export function lenientAddress(node: JsonNode): URL | undefined {
  return orUndefined(() => address(node));
}

/** The first `limit` items of an array. */
export function lenientItems(node: JsonNode, limit: number): readonly JsonNode[] {
  if (!Array.isArray(node.value)) return [];
  return items({ ...node, value: node.value.slice(0, limit) }, limit);
}

/** The texts in an array; a text alone counts as an array of one. */
export function lenientTexts(node: JsonNode, limit: number): readonly string[] {
  const nodes = Array.isArray(node.value) ? lenientItems(node, limit) : [node];
  return nodes.flatMap((item) => lenientText(item) ?? []);
}

/** A field of an object; absent for anything but an object. */
export function lenientField(node: JsonNode, name: string): JsonNode {
  const isObject = !isAbsent(node) && typeof node.value === "object" && !Array.isArray(node.value);
  return isObject ? field(node, name) : { ...node, path: `${node.path}.${name}`, value: undefined };
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NuGetClientError) return undefined;
    throw error;
  }
}
