import { publishBody } from "@sealhouse/npm-protocol/testing";
import { expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { addSource } from "./add-source.ts";

test("two registries that mirror each other answer 404 at once for an unknown name", async () => {
  const env = { Signing__Mode: "" };
  await using first = await startHost({ env });
  await using second = await startHost({ env });
  const npm = { name: "other", protocol: "npm" } as const;
  await addSource(first, { ...npm, url: `${second.url}/npm/` });
  await addSource(second, { ...npm, url: `${first.url}/npm/` });
  const startMs = performance.now();
  const unknown = await first.fetch("/npm/nowhere");
  expect([unknown.status, performance.now() - startMs < 5_000]).toEqual([404, true]);

  const token = await second.makeToken({ scopes: "read,write" });
  const published = await second.fetch("/npm/there", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: publishBody({ name: "there", version: "1.0.0" }),
  });
  expect(published.status).toBe(200);
  expect((await first.fetch("/npm/there")).status).toBe(200);
});
