import { hash } from "node:crypto";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { FoundAtSource } from "../../mirror.ts";

/** Returns the parsed document, from memory if it was parsed before. */
export type RememberDocument = <Value>(
  key: string,
  answer: FoundAtSource["answer"],
  parse: (bytes: Uint8Array) => Value,
) => Promise<Value>;

/** Parsed documents, because a package with thousands of versions is read for each of its pages. */
const PARSED_MAX = 32;

export function createDocumentMemory(): RememberDocument {
  const parsed = new BoundedCache<string, unknown>({ entries: PARSED_MAX });
  return async <Value>(
    key: string,
    answer: FoundAtSource["answer"],
    parse: (bytes: Uint8Array) => Value,
  ) => {
    const id = `${key} ${answer.revision}`;
    if (parsed.has(id)) return parsed.get(id) as Value;
    const bytes = await answer.bytes();
    const value = parse(bytes);
    // Another instance may have replaced the document since its revision was read.
    if (hash("sha256", bytes) !== answer.revision) return value;
    parsed.set(id, value);
    return value;
  };
}
