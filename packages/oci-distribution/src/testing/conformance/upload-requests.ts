import assert from "node:assert/strict";
import type { Conversation } from "./conversation.ts";
import { bodyOf, bytesOf, expectAnswer, locationOf, octets } from "./conversation.ts";

export function patch(bytes: Uint8Array, range?: string): RequestInit {
  const headers = { ...octets, ...(range !== undefined && { "content-range": range }) };
  return { method: "PATCH", body: bodyOf(bytes), headers };
}

export function put(bytes?: Uint8Array, range?: string): RequestInit {
  return bytes ? { ...patch(bytes, range), method: "PUT" } : { method: "PUT" };
}

export async function expectBlob(
  registry: Conversation,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const response = await registry.send(path);
  assert.equal(response.status, 200);
  assert.deepEqual(await bytesOf(response), Buffer.from(bytes));
}

export async function expectProgress(registry: Conversation, session: string, range: string) {
  const headers = await expectAnswer(await registry.send(session), 204);
  assert.equal(headers.get("range"), range);
  locationOf(headers);
}
