import { randomBytes } from "node:crypto";
import type * as repoSigning from "@sealhouse/repo-signing";
import { createOutgoingFetch } from "@sealhouse/http-server";
import type { SigningOn, SigningParts } from "./signing-parts.ts";

/** Undefined when signatures get no time-stamps. */
export function timestampOf(
  { config, now }: Pick<SigningParts, "config" | "now">,
  { mode, timestamps }: Pick<SigningOn, "mode" | "timestamps">,
  { createTimestamper, stampInOrder }: typeof repoSigning,
): repoSigning.SealerOptions["timestamp"] {
  if (timestamps.servers.length === 0) return undefined;
  const { allowPrivateAddresses: allowPrivate } = config.host;
  const fetch = createOutgoingFetch({ allowPrivate });
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
