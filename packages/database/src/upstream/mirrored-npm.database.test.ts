import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const CALLER = { actor: "ada" };

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  test("search leaves out packages of all sources, or of some", async () => {
    await using parts = await openTestParts(type);
    const { npm, upstream } = parts.database;
    for (const [name, mirroredFrom] of [
      ["pad-own", undefined],
      ["pad-one", "one"],
      ["pad-two", "two"],
    ] as const) {
      if (mirroredFrom !== undefined) await upstream.origins.claim("npm", name, mirroredFrom);
      const origin = mirroredFrom === undefined ? {} : { mirroredFrom };
      const published = await npm.recorder.publish(
        { ...newNpmVersion({ name }), ...origin },
        CALLER,
      );
      expect(published.status).toBe("published");
    }
    const namesFound = async (limit: { ownOnly?: boolean; notFrom?: readonly string[] }) => {
      const { total, hits } = await npm.search.search({ text: "pad", from: 0, size: 9, ...limit });
      expect(total).toBe(hits.length);
      return hits.map(({ name }) => name);
    };
    expect(await namesFound({})).toEqual(["pad-one", "pad-own", "pad-two"]);
    expect(await namesFound({ ownOnly: true })).toEqual(["pad-own"]);
    expect(await namesFound({ notFrom: ["one", "three"] })).toEqual(["pad-own", "pad-two"]);
  });
});
