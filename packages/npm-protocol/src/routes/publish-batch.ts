import type { BatchOutcome } from "../publish/publish-batch.ts";
import { publishBatch } from "../publish/publish-batch.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import { nameMirrored } from "../upstream/name-mirrored.ts";
import type { Call } from "./call.ts";
import { authorizeCall, json } from "./call.ts";
import {
  nameReserved,
  noticeHeaders,
  publishRefused,
  tagsFull,
  uploadFrom,
} from "./change-package.ts";

/**
 * `PUT /-/pnpr/v0/publish`, and `PUT /-/pnpm/v1/publish` of older versions: the requests of `pnpm
 * publish --recursive --batch`. One transaction stores all of the packages or none.
 */
export async function putBatch(call: Call): Promise<Response> {
  const caller = await authorizeCall(call, { action: "publish" });
  const { onRevision: _, ...upload } = uploadFrom(call, {
    name: undefined,
    caller,
    onRevision: false,
    limits: DOCUMENT_LIMITS,
  });
  const requirePublish = (name: string) => authorizeCall(call, { action: "publish", name });
  const outcome = await publishBatch(call.ports, { ...upload, requirePublish });
  if (outcome.recorded.status === "refused") throw batchRefused(outcome, outcome.recorded);
  const notices = outcome.received.flatMap((receivedPackage) => receivedPackage.notices);
  return json(call, { success: true }, 200, noticeHeaders(notices));
}

function batchRefused(
  { received }: BatchOutcome,
  { index, outcome }: Extract<BatchOutcome["recorded"], { readonly status: "refused" }>,
): Error {
  const { name = "", version = "" } = received[index]?.version ?? {};
  if (outcome.status === "reserved") return nameReserved(name, outcome.until);
  if (outcome.status === "mirrored") return nameMirrored(name, outcome.source);
  if (outcome.status === "tags-full") return tagsFull(name);
  const why = outcome.status === "exists" ? (outcome.differs ?? "exists") : outcome.status;
  return publishRefused(why, `${name}@${version}`);
}
