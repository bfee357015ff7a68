import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { inParallel, openNpmClients } from "./npm-clients.ts";

const here = (names: readonly ClientName[]) =>
  names.filter((name) => testedClients().includes(name));
const searchers = here(["npm-11", "npm-12", "pnpm-12"]);
const newest = here(["npm-12", "pnpm-12"]);

const PACKAGES = [
  ["pad", "1.0.0", { description: "Pads strings", keywords: ["string"] }],
  ["@acme/pad", "1.2.0", { keywords: ["string", "left"] }],
  ["pad-draft", "0.1.0", { keywords: ["strings"] }],
] as const;

/** Requests by the name of their golden file. */
const QUESTIONS = {
  ping: [["ping"]],
  whoami: [["whoami"]],
  "token-list": [["token", "list"]],
  access: [
    ["access", "list", "packages", "alice"],
    ["access", "list", "collaborators", "pad"],
    ["access", "get", "status", "pad"],
  ],
  profile: [["profile", "get"]],
  search: [["search", "pad", "scope:acme"]],
  view: [
    ["view", "pad"],
    ["view", "pad@1", "version"],
  ],
} as const;

/** pnpm 12 wants a list of collaborators where npm wants an object. */
const isAnswered = (name: ClientName, words: readonly string[]) =>
  name !== "pnpm-12" || !words.includes("collaborators");

/** One host with closed reading for all read requests. */
describe("questions", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Feed__Authentication__AllowAnonymousPull: "false" };
    clients = await openNpmClients({ only: searchers, env });
    const [publisher] = clients.all.toReversed();
    for (const [name, version, more] of PACKAGES) {
      const sent = await publisher?.publish(await publisher.source(name, version, more));
      expect(sent?.code, sent?.output).toBe(0);
    }
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  async function search(client: NpmClient, words: readonly string[]): Promise<readonly string[]> {
    const { code, stdout, output } = await client.run(["search", "--json", ...words]);
    expect(code, output).toBe(0);
    return (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);
  }

  test.each(searchers)("%s searches, narrows it down, and gets it page by page", async (name) => {
    const client = clients.client(name);
    const limit = name === "pnpm-12" ? "--search-limit=1" : "--searchlimit=1";
    const cases: readonly (readonly [words: readonly string[], names: readonly string[]])[] = [
      [["pad"], ["pad", "@acme/pad", "pad-draft"]],
      [["pad", "scope:acme"], ["@acme/pad"]],
      [["keywords:string+left"], ["@acme/pad"]],
      [
        ["keywords:string", "boost-exact:false"],
        ["@acme/pad", "pad"],
      ],
      [["author:alice", "is:unstable"], ["pad-draft"]],
      [["maintainer:nobody"], []],
      [[limit, "pad"], ["pad"]],
      // pnpm has no word for another page.
      ...(name === "pnpm-12"
        ? []
        : [[[limit, "--searchopts=from=1", "pad"], ["@acme/pad"]] as const]),
    ];
    const all = await inParallel(cases, ([words]) => search(client, words));
    expect(all).toEqual(cases.map(([, names]) => names));
    const shown = await client.run(["search", "strings"]);
    expect(shown.stdout).toMatch(/Pads strings\s+Version 1\.0\.0 published [\d-]{10} by alice/);
  });

  test.each(searchers)("%s finds what its token opens, and no more", async (name) => {
    const token = await clients.host.makeToken({ name: "carol", patterns: "@acme/*" });
    await using client = await clients.another(name, { token });
    expect(await search(client, ["pad"])).toEqual(["@acme/pad"]);
    const totals = [
      "pad",
      "",
      "scope:acme",
      "keywords:string",
      "maintainer:alice",
      "is:unstable",
    ].map(async (text) => {
      const address = `${clients.host.url}/npm/-/v1/search?size=0&text=${text}`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { readonly total: number }).total;
    });
    expect(await Promise.all(totals)).toEqual([1, 1, 1, 1, 1, 0]);
    await client.useToken(undefined);
    const refused = await client.run(["search", "pad"]);
    expect(refused.code).not.toBe(0);
    expect(client.requests().at(-1)?.status).toBe(401);
  });

  test.each(newest)("%s asks for what it asked for before", async (name) => {
    await using client = await clients.another(name);
    for (const [what, commands] of Object.entries(QUESTIONS)) {
      for (const words of commands.filter((command) => isAnswered(name, command))) {
        const { code, output } = await client.run(words);
        expect(code, output).toBe(0);
      }
      await expectGolden(`${name}/${what}`, client.requests());
    }
  });
});
