import { randomBytes } from "node:crypto";
import type * as repoSigning from "../index.ts";
import type { SigningOn, FeedSigningOptions } from "./feed-options.ts";

/** Undefined = signatures get no timestamps. */
export function timestampOf(
  { fetch, now }: Pick<FeedSigningOptions, "fetch" | "now">,
  { mode, timestamps }: Pick<SigningOn, "mode" | "timestamps">,
  { createTimestamper, stampInOrder }: typeof repoSigning,
): repoSigning.SealerOptions["timestamp"] {
  if (timestamps.servers.length === 0) return undefined;
  const servers = timestamps.servers.map((url) =>
    createTimestamper({ url, fetch, randomBytes, now }),
  );
  const usual = mode === "SelfSigned" ? "SignWithoutTimestamp" : "Fail";
  const policy = timestamps.failurePolicy ?? usual;
  return {
    stamp: stampInOrder(servers),
    onFailure: policy === "Fail" ? "fail" : "sign-without",
  };
}
