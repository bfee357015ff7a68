import { expect, test } from "vitest";
import { digestOf } from "../digest.ts";
import { parseRepositoryName } from "../repository-name.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { checkManifests } from "./check-manifests.ts";

test("reads all manifests, and finds one whose bytes do not have its digest", async () => {
  const catalog = createMemoryCatalog();
  const record = (text: string, digest = digestOf(Buffer.from(text))) =>
    catalog.manifests.record(
      {
        repository: parseRepositoryName("app"),
        digest,
        mediaType: "x",
        bytes: Buffer.from(text),
        edges: [],
        tags: [],
      },
      { actor: "test" },
    );
  for (let index = 0; index < 40; index++) await record(`{"index":${index}}`);
  const digest = digestOf(Buffer.from("{ }"));
  await record("{}", digest);
  const running = checkManifests(catalog.records);
  expect(await running.next()).toEqual({ done: false, value: { repository: "app", digest } });
  expect(await running.next()).toEqual({ done: true, value: 41 });
});
