import { DatabaseUnavailableError } from "@sealhouse/database";
import { BodyTooLargeError } from "@sealhouse/http-responses";
import { StorageError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { answerFailure } from "./failure.ts";

test.each([
  [new Error("secret detail"), 500, undefined],
  [new DatabaseUnavailableError("secret detail"), 503, "10"],
  [new StorageError("unavailable", "secret detail"), 503, "10"],
  [new StorageError("full", "secret detail"), 503, "60"],
  [new StorageError("too-large", "secret detail"), 413, undefined],
  [new BodyTooLargeError(10), 413, undefined],
  ["thrown text", 500, undefined],
])("%s is answered with %i, in every client's words", async (error, status, retryAfter) => {
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  const answer = answerFailure(error, undefined, { id: "r1", log });
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
