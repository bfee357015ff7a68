import { CallError } from "@sealhouse/http-responses/outgoing";
import { expect, test } from "vitest";
import { testSource } from "../../testing/memory-parts.ts";
import { createSourceCalls } from "./source-calls.ts";

const url = new URL("https://hub.example");
const source = testSource("oci", url);
const { signal } = new AbortController();

test.each([
  [true, false],
  [false, true],
])("a pause for new names (%s) holds for them alone", async (isNewName, isOther) => {
  let time = new Date("2026-03-01T00:00:00Z");
  const calls = createSourceCalls({ now: () => time, onFailure: () => undefined });
  let asked = 0;
  const ask = (isNew: boolean, status?: number) =>
    calls.run(
      source,
      signal,
      async () => {
        asked += 1;
        if (status === undefined) return "answer";
        const detail = { url, reason: "no", status, retryAfterMs: 30_000 };
        throw new CallError("unreachable", detail);
      },
      { isNewName: isNew },
    );
  await expect(ask(isNewName, 429)).rejects.toThrow("answered with status 429");
  await expect(ask(isNewName)).rejects.toMatchObject({ retryAfterSeconds: 30 });
  expect(await ask(isOther)).toBe("answer");
  expect(asked).toBe(2);
  time = new Date(time.getTime() + 30_000);
  expect(await ask(isNewName)).toBe("answer");
  for (let count = 0; count < 5; count += 1) await ask(isNewName, 503).catch(() => undefined);
  await expect(ask(isOther)).rejects.toThrow("keeps failing");
});
