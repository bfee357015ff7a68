import { expect, test } from "vitest";
import { createSource } from "./create-source.ts";
import { findConflicts } from "./find-conflicts.ts";

test.each([
  ["https://docker.io", undefined, "app", "/v2/library/app/tags/list"],
  ["https://docker.io", undefined, "team/app", "/v2/team/app/tags/list"],
  ["https://docker.io", undefined, "docker.io/library/app", "/v2/library/app/tags/list"],
  ["https://docker.io", undefined, "index.docker.io/app", "/v2/library/app/tags/list"],
  ["https://r.example/group", "hub", "hub/app", "/v2/group/app/tags/list"],
])("conflicts of %s (segment %s): asks for %s at %s", async (url, surface, name, path) => {
  const seen: string[] = [];
  const source = createSource({
    name: "s",
    protocol: "oci",
    url,
    from: "database",
    ...(surface !== undefined && { surface }),
  });
  const report = await findConflicts("oci", {
    origins: { ownNames: async () => [name] },
    sources: [source],
    segments: surface === undefined ? [] : [surface],
    fetchOf: () => async (called) => {
      seen.push(called.pathname);
      return Response.json({ name, tags: ["1.0"] });
    },
    signal: new AbortController().signal,
  });
  expect(seen).toEqual([path]);
  expect(report.conflicts).toEqual([{ name, source: "s" }]);
});
