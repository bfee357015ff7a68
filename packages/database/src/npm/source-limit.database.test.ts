import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, expect, test } from "vitest";
import { openTestDatabase, stopTestCluster, testableDatabases } from "../testing/index.ts";

test.each(testableDatabases())("%s: search leaves out packages of sources", async (type) => {
  await using database = await openTestDatabase({ type });
  const { recorder, search } = database.npm;
  for (const [name, source] of [["mine"], ["listed", "npmjs"], ["cached", "private"]] as const) {
    if (source !== undefined) await database.upstream.origins.claim("npm", name, source);
    await recorder.publish(newNpmVersion({ name, mirroredFrom: source }), { actor: "alice" });
  }
  const found = async (notFrom?: readonly string[] | "all") => {
    const page = { text: "", from: 0, size: 10, ...(notFrom && { notFrom }) };
    const { total, hits } = await search.search(page);
    expect(total).toBe(hits.length);
    return hits.map(({ name }) => name);
  };
  expect(await found()).toEqual(["cached", "listed", "mine"]);
  expect(await found([])).toEqual(["cached", "listed", "mine"]);
  expect(await found(["private", "other"])).toEqual(["listed", "mine"]);
  expect(await found("all")).toEqual(["mine"]);
});

afterAll(stopTestCluster);
