import { NpmClientError } from "@sealhouse/npm-protocol/client";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import { expect, test } from "vitest";
import { memoryParts, testSource } from "../../../testing/memory-parts.ts";
import { openMirror } from "../../mirror.ts";
import { createSourceAdvisories } from "./source-advisories.ts";

type Remote = Awaited<ReturnType<NpmClient["advisories"]>>;

const remoteAdvisory = (versions: string, id = "GHSA-aaaa-bbbb-cccc") => ({
  id: 7,
  title: "It breaks",
  url: `https://github.com/advisories/${id}`,
  severity: "high",
  versions,
  cwe: ["CWE-79", "x"],
});

async function openAdvisories(options: { readonly isOffline?: boolean } = {}) {
  let now = new Date("2026-10-01T00:00:00Z");
  const asked: object[] = [];
  const source = testSource("npm", new URL("https://one.example"), {
    settings: { deny: ["@closed/*"] },
  });
  const other = testSource("npm", new URL("https://two.example"), {
    name: "two",
    settings: { allow: ["@two/*"] },
  });
  const parts = memoryParts({
    sources: [source, other],
    own: ["npm/own"],
    now: () => now,
    ...options,
  });
  for (const name of ["holey", "sound", "@closed/x"]) {
    await parts.origins.claim("npm", name, "upstream");
  }
  await parts.origins.claim("npm", "@two/x", "two");
  const remote = { answer: async (): Promise<Remote> => new Map() };
  const client: Pick<NpmClient, "advisories"> = {
    async advisories(inventory) {
      asked.push(Object.fromEntries(inventory));
      return remote.answer();
    },
  };
  const ask = createSourceAdvisories({
    mirror: openMirror(parts),
    clientOf: () => client as NpmClient,
    now: () => now,
  });
  return {
    asked,
    remote,
    later: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    ask: async (inventory: Readonly<Record<string, readonly string[]>>) => {
      const wanted = Object.entries(inventory).map(
        ([name, versions]) => [name, new Set(versions)] as const,
      );
      const found = await ask(new Map(wanted));
      return Object.fromEntries(
        [...found].map(([name, all]) => [name, all.map(({ versions }) => versions)]),
      );
    },
  };
}

test("sources get only names that were found there", async () => {
  const { ask, asked, remote } = await openAdvisories();
  remote.answer = async () => new Map([["holey", [remoteAdvisory("<2.0.0")]]]);
  const inventory = {
    own: ["1.0.0"],
    "never-seen": ["1.0.0"],
    "@closed/x": ["1.0.0"],
    holey: ["1.0.0", "2.0.0"],
    sound: ["1.0.0"],
    "@two/x": ["1.0.0"],
  };
  expect(await ask(inventory)).toEqual({ holey: ["<2.0.0"], sound: [], "@two/x": [] });
  expect(asked).toEqual([{ holey: ["1.0.0", "2.0.0"], sound: ["1.0.0"] }, { "@two/x": ["1.0.0"] }]);
});

test("answers stay for an hour, by version, and longer while the source fails", async () => {
  const { ask, asked, remote, later } = await openAdvisories();
  remote.answer = async () => new Map([["holey", [remoteAdvisory("1.0.0")]]]);
  await Promise.all([ask({ holey: ["1.0.0"] }), ask({ holey: ["1.0.0"] })]);
  expect(asked).toHaveLength(1);
  later(59 * 60_000);
  expect(await ask({ holey: ["1.0.0", "2.0.0"] })).toEqual({ holey: ["1.0.0"] });
  expect(asked.slice(1)).toEqual([{ holey: ["2.0.0"] }]);
  later(2 * 60_000);
  remote.answer = async () => {
    const url = new URL("https://one.example");
    throw new NpmClientError("status", { url, reason: "is away", status: 503 });
  };
  expect(await ask({ holey: ["1.0.0"] })).toEqual({ holey: ["1.0.0"] });
  expect(asked).toHaveLength(3);
});

test("an audit leaves out advisories that clients cannot read", async () => {
  const { ask, remote } = await openAdvisories();
  const good = remoteAdvisory("<2.0.0");
  const all = [
    { ...good, url: "javascript:alert(1)" },
    { ...good, severity: "awful" },
    { ...good, versions: "" },
    { ...good, versions: "not a range" },
    good,
  ];
  remote.answer = async () => new Map([["holey", all]]);
  expect(await ask({ holey: ["1.0.0"] })).toEqual({ holey: ["<2.0.0"] });
});

test("an offline mirror asks no source", async () => {
  const { ask, asked } = await openAdvisories({ isOffline: true });
  expect(await ask({ holey: ["1.0.0"] })).toEqual({ holey: [] });
  expect(asked).toEqual([]);
});
