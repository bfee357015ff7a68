import type { Der } from "../der/reader.ts";
import { childrenOf, DerError, readDer } from "../der/reader.ts";
import { encode } from "../der/writer.ts";

/** One value in a DER document. */
export type DerNode = {
  /** Indexes from the outermost value down to this one. */
  readonly path: readonly number[];
  readonly der: Der;
  /** Position of its identifier octet in the document. */
  readonly start: number;
};

/** All values of a document, outermost first. Strings are not looked into. */
export function derNodes(document: Uint8Array): readonly DerNode[] {
  const nodes: DerNode[] = [];
  const visit = (der: Der, path: readonly number[]): void => {
    nodes.push({ path, der, start: der.raw.byteOffset - document.byteOffset });
    if ((der.tag & 0x20) === 0) return;
    for (const [index, child] of childrenOf(der).entries()) visit(child, [...path, index]);
  };
  visit(readDer(document), []);
  return nodes;
}

/** The innermost value that a byte belongs to, as identifier, length or contents. */
export function nodeAt(nodes: readonly DerNode[], offset: number): DerNode {
  const inside = nodes.filter(
    ({ start, der }) => start <= offset && offset < start + der.raw.length,
  );
  const [first, ...rest] = inside;
  if (!first) throw new RangeError(`no value has a byte at ${offset}`);
  return rest.at(-1) ?? first;
}

/** Changes of a value in the list of its parent's values. */
export const DER_MUTATIONS = [
  "drop",
  "double",
  "swap",
  "empty",
  "retag",
  "wrap",
  "lengthen",
  "shorten",
] as const;
export type DerMutation = (typeof DER_MUTATIONS)[number];

/**
 * The document with one value changed and all lengths around it right again. The last two write a
 * wrong length instead. Undefined where nothing would change.
 */
export function mutateDer(
  document: Uint8Array,
  path: readonly number[],
  mutation: DerMutation,
): Uint8Array | undefined {
  const changed = rebuilt(readDer(document), path, mutation);
  return Buffer.compare(changed, document) === 0 ? undefined : changed;
}

function rebuilt(der: Der, path: readonly number[], mutation: DerMutation): Uint8Array {
  const [index, ...rest] = path;
  if (index === undefined) return Buffer.concat(mutated(der, mutation));
  const children = childrenOf(der);
  const target = children[index];
  if (!target) throw new DerError("there is no value at this path");
  const parts = children.map((child) => child.raw);
  if (rest.length > 0) parts[index] = rebuilt(target, rest, mutation);
  else if (mutation === "swap") {
    const next = parts[index + 1];
    if (next) [parts[index], parts[index + 1]] = [next, target.raw];
  } else parts.splice(index, 1, ...mutated(target, mutation));
  return encode(der.tag, ...parts);
}

function mutated(der: Der, mutation: DerMutation): readonly Uint8Array[] {
  switch (mutation) {
    case "drop":
      return [];
    case "double":
      return [der.raw, der.raw];
    case "swap":
      return [der.raw];
    case "empty":
      return [encode(der.tag)];
    case "retag":
      return [Buffer.concat([Uint8Array.of(der.tag ^ 0x01), der.raw.subarray(1)])];
    case "wrap":
      return [encode(0x30, der.raw)];
    case "lengthen":
    case "shorten": {
      const copy = Buffer.from(der.raw);
      const by = mutation === "lengthen" ? 1 : -1;
      const offset = der.raw.length - der.body.length - 1;
      copy[offset] = (copy[offset] ?? 0) + by;
      return [copy];
    }
  }
}
