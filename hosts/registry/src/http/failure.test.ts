import { DatabaseUnavailableError, RetiredCertificateError } from "@sealhouse/database";
import { BodyTooLargeError, BodyTooSlowError, TokenEndedError } from "@sealhouse/http-responses";
import { createAnswerFailure } from "@sealhouse/http-server";
import { StorageError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { failureOf } from "./failure.ts";

test.each([
  [new Error("secret detail"), 500, undefined],
  [new DatabaseUnavailableError("secret detail"), 503, "10"],
  [new StorageError("storage-unavailable", "secret detail"), 503, "10"],
  [new StorageError("storage-full", "secret detail"), 503, "60"],
  [new StorageError("storage-too-large", "secret detail"), 413, undefined],
  [new StorageError("storage-not-found", "secret detail"), 404, undefined],
  [new StorageError("storage-staged-lost", "secret detail"), 503, "10"],
  [new StorageError("storage-read-only", "secret detail"), 503, "10"],
  [new StorageError("storage-invalid-key", "secret detail"), 500, undefined],
  [new DatabaseUnavailableError("secret detail", { code: "database-full" }), 503, "60"],
  [new RetiredCertificateError("ab"), 503, "10"],
  [new BodyTooLargeError(10), 413, undefined],
  [new BodyTooSlowError(10, 1_000), 408, undefined],
  [new TokenEndedError("revoked"), 403, undefined],
  [Object.assign(new Error("secret detail"), { code: "constructor" }), 500, undefined],
  [Object.assign(new Error("secret detail"), { code: "ENOENT" }), 500, undefined],
  ["thrown text", 500, undefined],
])("answers %s with %i, in every client's words", async (error, status, retryAfter) => {
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  const answer = createAnswerFailure({ log, failureOf })(error, undefined, "r1");
  expect(answer.status).toBe(status);
  expect(answer.headers.get("retry-after") ?? undefined).toBe(retryAfter);
  const text = await answer.text();
  const body = JSON.parse(text) as { error: string; errors: { message: string }[] };
  expect(body.error).toBe(body.errors[0]?.message);
  expect(body.error).toBe(answer.headers.get("x-nuget-warning"));
  expect(text).toContain('"requestId":"r1"');
  expect(text).not.toContain("secret detail");
  expect(lines).toHaveLength(status === 413 ? 0 : 1);
});
