import { SigningError } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { kmsErrorOf } from "./kms-error.ts";

/** As the client library gives them: an Error with a number. */
function grpcError(code: number | undefined, message: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

test.each([
  [
    "the place of tokens cannot be reached",
    grpcError(
      2,
      "2 UNKNOWN: Getting metadata from plugin failed with error: getaddrinfo ENOTFOUND",
    ),
    { retryable: true, transient: false },
    /ENOTFOUND \(UNKNOWN\)\.$/,
  ],
  [
    "the account gets no token, over gRPC",
    grpcError(2, "2 UNKNOWN: Getting metadata from plugin failed with error: invalid_grant"),
    { retryable: false },
    /invalid_grant \(UNAUTHENTICATED\)\. Check the service account key/,
  ],
  [
    "the account gets no token, over REST",
    grpcError(9, "invalid_grant: Invalid JWT Signature."),
    { retryable: false },
    /Invalid JWT Signature \(UNAUTHENTICATED\)\. Check/,
  ],
  [
    "the digest was changed on its way",
    grpcError(3, "3 INVALID_ARGUMENT: The checksum in field digest_crc32c did not match"),
    { retryable: true, transient: true },
    /sign with k: The checksum in field digest_crc32c did not match \(INVALID_ARGUMENT\)\.$/,
  ],
  [
    "the connection is refused",
    grpcError(14, "14 UNAVAILABLE: No connection established. Resolution note: "),
    { retryable: true, transient: true },
    /: No connection established \(UNAVAILABLE\)\.$/,
  ],
  [
    "time is up",
    new DOMException("The operation was aborted due to timeout", "TimeoutError"),
    { retryable: true, transient: false },
    /due to timeout \(DEADLINE_EXCEEDED\)\.$/,
  ],
  ["it has no code", grpcError(undefined, "odd"), { retryable: true }, /odd \(UNKNOWN\)\.$/],
  ["it is no error", "odd", { retryable: true }, /odd \(UNKNOWN\)\.$/],
])("when %s, it reports that and whether waiting may help", (_case, thrown, expected, message) => {
  const error = kmsErrorOf(thrown, "sign with k");
  expect(error).toBeInstanceOf(SigningError);
  expect(error).toMatchObject({ problem: "signer", ...expected });
  expect(error.message).toMatch(message);
  expect(kmsErrorOf(error, "do something else")).toBe(error);
});
