import type { PackageVerdict } from "@sealhouse/request-types";
import { expect, test } from "vitest";
import { granted, json, put, registry, unreadable, withDemo } from "../testing/registry.ts";

test("finds packages, and only those that the caller may read", async () => {
  const { app } = registry({
    authorize: async (_request, _env, { name }) =>
      name === "hidden" ? { status: "denied", reason: "no" } : granted("alice", "t-1"),
  });
  const manifest = {
    description: "Finds things",
    keywords: ["search"],
    homepage: "https://x.test",
  };
  await put(app, { name: "visible", manifest });
  const response = await app.request("/npm/-/v1/search?text=things&size=5&from=0&quality=0.65");
  expect(await response.json()).toMatchObject({
    total: 1,
    objects: [
      {
        package: {
          name: "visible",
          version: "1.0.0",
          description: "Finds things",
          keywords: ["search"],
          publisher: { username: "alice" },
          maintainers: [{ username: "alice" }],
          links: { homepage: "https://x.test" },
        },
      },
    ],
  });
  const missing = await app.request("/npm/-/v1/search");
  expect([missing.status, await missing.json()]).toMatchObject([
    400,
    { error: "'text' query parameter is required" },
  ]);
});

test("narrows a search down, and puts the best hit first", async () => {
  const { app } = registry();
  await put(app, { name: "@acme/pad", manifest: { keywords: ["string"] } });
  await put(app, { name: "pad", manifest: { keywords: ["strings"] } });
  const search = async (text: string) => {
    const response = await app.request(`/npm/-/v1/search?text=${encodeURIComponent(text)}`);
    const { objects } = (await response.json()) as { objects: Hit[] };
    return objects.map(({ package: { name }, searchScore }) => [name, searchScore]);
  };
  expect(await search("pad")).toEqual([
    ["pad", 1],
    ["@acme/pad", 0.6],
  ]);
  expect(await search("pad keywords:string")).toEqual([["@acme/pad", 0.6]]);
  expect(await search("string scope:@acme")).toEqual([["@acme/pad", 0.3]]);
  expect(await search("maintainer:nobody")).toEqual([]);
  expect(await search("author:nobody")).toEqual([]);
  expect(await search("is:deprecated")).toEqual([]);
  expect(await search("pad boost-exact:false")).toEqual([
    ["@acme/pad", 0.6],
    ["pad", 0.6],
  ]);
});

test.each([
  [true, [1, 0]],
  [false, [undefined, undefined]],
])(
  "returns the number of dependents of a hit on a public registry: %s",
  async (anonymousRead, expected) => {
    const { app } = registry({}, { anonymousRead });
    await put(app, { name: "pad" });
    await put(app, { name: "pad-user", manifest: { dependencies: { pad: "1" } } });
    const response = await app.request("/npm/-/v1/search?text=pad");
    const { objects } = (await response.json()) as { objects: { dependents?: number }[] };
    expect(objects.map(({ dependents }) => dependents)).toEqual(expected);
  },
);

type Hit = { readonly package: { readonly name: string }; readonly searchScore: number };

test("search finds and counts only names that the caller may see", async () => {
  const { app } = await withDemo({
    authorize: async (_request, _env, { name }) => ({
      ...granted("alice", "t-1"),
      ...(name === undefined && { names: ["@other/*"] }),
    }),
  });
  for (const text of ["demo", "", "scope:acme", "maintainer:alice", "not:deprecated"]) {
    const results = await (await app.request(`/npm/-/v1/search?text=${text}&size=0`)).json();
    expect(results).toMatchObject({ objects: [], total: 0 });
  }
});

test.each<[string, PackageVerdict, string, string, number, string | null]>([
  ["a reader without token", { status: "anonymous" }, "GET", "", 401, 'Bearer realm="npm"'],
  ["a reader with a bad token", { status: "anonymous" }, "GET", "x", 401, null],
  [
    "a reader who may not",
    { status: "denied", reason: "No.", isConcealed: true },
    "GET",
    "x",
    404,
    null,
  ],
  ["a writer without token", { status: "anonymous" }, "PUT", "", 401, 'Bearer realm="npm"'],
  ["a writer who may not", { status: "denied", reason: "No." }, "PUT", "x", 403, null],
  ["somebody who guesses", { status: "limited", retryAfterSeconds: 7 }, "PUT", "x", 429, null],
])(
  "turns away %s before it reads the body",
  async (_, verdict, ...[method, token, status, challenge]) => {
    const { app, ports } = registry({ authorize: async () => verdict });
    const response = await app.request("/npm/demo", {
      method,
      headers: { ...json, ...(token && { authorization: `Bearer ${token}` }) },
      ...(method === "PUT" && { body: unreadable(), duplex: "half" }),
    });
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(response.headers.get("retry-after")).toBe(status === 429 ? "7" : null);
    expect(await response.json()).toMatchObject({ error: expect.any(String) });
    expect(ports.inspect.staged()).toBe(0);
  },
);

test("asks for the right that a request needs", async () => {
  const accesses: unknown[] = [];
  const { app } = registry({
    authorize: async (_request, _env, access) => {
      accesses.push(access);
      return { status: "anonymous" };
    },
  });
  await app.request("/npm/@a%2fb");
  await app.request("/npm/@a/b/-/b-1.0.0.tgz");
  await app.request("/npm/-/ping");
  await app.request("/npm/-/package/@a%2fb/dist-tags/x", { method: "DELETE" });
  await app.request("/npm/@a%2fb/-rev/1-x", { method: "DELETE" });
  await app.request("/npm/@a%2fb", { method: "PUT" });
  expect(accesses).toEqual([
    { action: "read", name: "@a/b" },
    { action: "read", name: "@a/b" },
    { action: "read" },
    { action: "tag", name: "@a/b" },
    { action: "delete", name: "@a/b" },
    { action: "publish", name: "@a/b" },
  ]);
});

test("does not treat an anonymous reader as an account", async () => {
  const { app } = registry({
    authorize: async () => granted("anonymous"),
    accounts: { identified: { status: "anonymous" } },
  });
  expect((await app.request("/npm/-/whoami")).status).toBe(401);
});

test("returns the host's reason for refusing a token", async () => {
  const verdict: PackageVerdict = { status: "anonymous", reason: "This token has expired." };
  const { app } = registry({ authorize: async () => verdict });
  const headers = { authorization: "Bearer x" };
  const response = await app.request("/npm/demo", { headers });
  expect(await response.json()).toMatchObject({ error: "This token has expired." });
});
