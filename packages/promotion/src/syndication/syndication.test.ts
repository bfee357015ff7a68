import { createMemoryReleases } from "../testing/memory-releases.ts";
import { createTarget } from "../target/create-target.ts";
import { memberOf } from "../release/scripted-target.test.support.ts";
import { expect, test } from "vitest";
import { syndicateEvents, uploadOf } from "./syndication-consumer.ts";
import type { SyndicationParts } from "./syndication-consumer.ts";
import { isSyndicated } from "./syndication.ts";
import type { Syndication } from "./syndication.ts";

const WEB = {
  name: "web",
  members: [{ protocol: "npm", pattern: "@acme/*", rule: { type: "latest" } }],
  targets: [],
} as const;

function syndication(change: Partial<Syndication> = {}): Syndication {
  const from = { type: "group", group: "Web" } as const;
  const filter = { prerelease: false };
  return { name: "web-to-prod", from, target: "prod", isEnabled: true, filter, ...change };
}

test.each<[string, Partial<Syndication>, string, boolean]>([
  ["a stable version of a member", {}, "@acme/bar 1.0.0", true],
  ["another name", {}, "left-pad 1.0.0", false],
  ["a prerelease", {}, "@acme/bar 1.0.0-rc.1", false],
  ["a wanted prerelease", { filter: { prerelease: true } }, "@acme/bar 1.0.0-rc.1", true],
  ["another line", { filter: { prerelease: false, version: "2.*" } }, "@acme/bar 1.9.0", false],
  [
    "a name of a pattern",
    { from: { type: "pattern", protocol: "npm", pattern: "left-*" } },
    "left-pad 1.0.0",
    true,
  ],
])("decides about %s", (_what, change, named, expected) => {
  const [name = "", version = ""] = named.split(" ");
  const upload = { protocol: "npm", name, version } as const;
  expect(isSyndicated(syndication(change), upload, [WEB])).toBe(expected);
});

test.each([
  ["package.published", "nuget/Acme.Core@1.0.0", undefined, ["nuget", "Acme.Core", "1.0.0"]],
  ["package.published", "npm/@acme/bar@1.0.0", undefined, ["npm", "@acme/bar", "1.0.0"]],
  ["package.published", "oci/team/app:v1", undefined, ["oci", "team/app", "v1"]],
  ["package.published", "oci/team/app@sha256:00", undefined, []],
  [
    "package.tagged",
    "npm/@acme/bar",
    { tag: "next", version: "2.0.0" },
    ["npm", "@acme/bar", "2.0.0"],
  ],
  ["package.tagged", "npm/@acme/bar", { tag: "next", removed: true }, []],
  ["token.created", "token/1", undefined, []],
] as const)("reads %s of %s", (type, subject, detail, expected) => {
  const upload = uploadOf({ type, subject, ...(detail && { detail }) });
  expect(upload ? [upload.protocol, upload.name, upload.version] : []).toEqual(expected);
});

test("opens one release for an event, however often it arrives", async () => {
  const now = () => new Date(0);
  const { rows: releases } = createMemoryReleases(now);
  const member = memberOf("@acme/bar");
  const parts: SyndicationParts = {
    rows: { list: async () => [syndication(), syndication({ name: "off", isEnabled: false })] },
    groups: { list: async () => [WEB] },
    targets: {
      list: async () => [
        createTarget({ name: "prod", protocol: "npm", endpoint: "https://p.example" }),
      ],
    },
    releases,
    catalog: {
      versions: async () => [{ version: "1.0.0", isListed: true, tags: ["latest"] }],
      describe: async () => member,
    },
    isOwn: async () => true,
  };
  const event = {
    id: "7",
    type: "package.published",
    subject: "npm/@acme/bar@1.0.0",
    caller: { actor: "alice" },
    at: now(),
  } as const;
  const handle = syndicateEvents(parts);
  await handle([event, event]);
  await handle([event]);
  const opened = await releases.list({ limit: 10 });
  expect(opened).toMatchObject([{ group: "web-to-prod", kind: "syndication", state: "frozen" }]);
  await handle([{ ...event, id: "8" }]);
  // The second release of the package waits for the first.
  expect(await releases.list({ limit: 10 })).toHaveLength(2);
  expect(await releases.due(now())).toEqual([opened[0]?.id]);
});
