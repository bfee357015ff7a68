import { collect, parseJson, refusalOf, unreachable } from "@sealhouse/http-responses/outgoing";
import type { CallOptions, Refusal } from "@sealhouse/http-responses/outgoing";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Addresses } from "./addresses.ts";
import { failure, malformed, NpmClientError } from "./client-error.ts";
import { listOf } from "./packument-document.ts";
import { publishBody } from "./publish.ts";
import type { NewVersion } from "./publish.ts";
import type { Reader } from "./reader.ts";
import { send } from "./send.ts";
import type { ChangeOutcome, SendParts } from "./send.ts";

/** Outcome of staging a version. */
export type StageOutcome =
  /** It waits until a person approves it. */
  | { readonly status: "staged"; readonly stageId: string }
  /** The registry stages nothing, or not new names. */
  | { readonly status: "absent" }
  | Refusal;

type Parts = SendParts & { readonly addresses: Addresses; readonly reader: Reader };

const ANSWER_BYTES_MAX = 64 * 1024;

/** One upload, never repeated by itself: a lost answer may hide a success. */
export async function stageVersion(
  parts: Parts,
  version: NewVersion,
  { signal }: CallOptions,
): Promise<StageOutcome> {
  const { addresses, exchange, now } = parts;
  const url = addresses.stage(version.name);
  try {
    const answer = await exchange({ method: "POST", url, signal, ...publishBody(version, url) });
    const { status } = answer;
    const document = documentIn(await collect(answer, { maxBytes: ANSWER_BYTES_MAX, failure }));
    const { stageId, message, error } = document;
    if (status === 404) return { status: "absent" };
    if (status >= 200 && status < 300) {
      if (typeof stageId === "string" && stageId !== "") return { status: "staged", stageId };
      throw malformed(url, "the answer has no stageId");
    }
    const reason = [message, error].find((text) => typeof text === "string");
    const words = typeof reason === "string" ? reason : `was answered ${status}`;
    return refusalOf(answer, { reason: words, unauthorized: [401], now: now() });
  } catch (caught) {
    signal?.throwIfAborted();
    if (caught instanceof NpmClientError) throw caught;
    return { status: "failed", reason: unreachable(url, caught, { failure }).message };
  }
}

/** Registries answer errors with HTML as well. */
function documentIn(bytes: Uint8Array): JsonObject {
  try {
    const parsed = parseJson(bytes);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {}; // not JSON, so it has no message
  }
}

/** Whether a staged version still waits for its approval. */
export async function isStaged(
  { reader, addresses }: Parts,
  stageId: string,
  read: CallOptions,
): Promise<boolean> {
  const document = await reader.object(addresses.staged(stageId), read);
  const status = document?.["status"];
  return document !== undefined && (typeof status !== "string" || !ENDED.has(status));
}

const ENDED: ReadonlySet<string> = new Set(["approved", "published", "rejected", "expired"]);

/** Looks on the first page of the waiting versions of the package. */
export async function findStaged(
  { reader, addresses }: Parts,
  {
    name,
    version,
    shasum,
  }: { readonly name: string; readonly version: string; readonly shasum: string },
  read: CallOptions,
): Promise<string | undefined> {
  const url = addresses.endpoint("stage");
  url.search = new URLSearchParams({ package: name, perPage: "100" }).toString();
  const document = await reader.object(url, read);
  const items = listOf(document?.["items"]).filter(isObject);
  const same = items.find(
    (item) =>
      item["packageName"] === name && item["version"] === version && item["shasum"] === shasum,
  );
  const id = same?.["id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Ends the wait of a staged version without publishing it. */
export function rejectStaged(
  parts: Parts,
  stageId: string,
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  return send(parts, { method: "DELETE", url: parts.addresses.staged(stageId), signal });
}
