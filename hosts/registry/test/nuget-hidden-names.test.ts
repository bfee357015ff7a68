import type { Scope } from "@sealhouse/identity";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { buildNupkg, createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import type { AskedTwins, TwinHost } from "./hidden-twins.ts";
import { COMPARABLE, openTwinHost, shownAnswer, viewTime } from "./hidden-twins.ts";

const TWINS: AskedTwins = {
  healthy: ["veiled.secret", "absent.nobody"],
  failing: ["masked.behind", "vacant.no-one"],
};
const [HIDDEN] = TWINS.healthy;

/** Requests for a package that the routes alone do not give. */
const MORE_PATHS = [
  "/v3/search?q={id}&take=0",
  "/v3/search?q=packageid:{id}",
  "/v3/search?q=id:{start}",
  "/v3/search?q={start}%20version:1.0.0",
  "/v3/search?q=tags:{start}",
  "/v3/search?q=title:{start}",
  "/v3/search?q=description:{start}&prerelease=true&semVerLevel=2.0.0",
  "/v3/autocomplete?q={start}",
  "/v3/autocomplete?q={start}&take=0",
  "/v3/autocomplete?id={id}",
  "/v3/dependents?packageId={id}",
  "/shield/{id}",
  "/shield/{id}/vpre",
  "/v3/package/{id}/index.json",
  "/v3/package/{id}/1.0.0/{id}.1.0.0.nupkg",
  "/v3/package/{id}/1.0.0/{id}.nuspec",
  "/v3/package/{id}/1.0.0/readme",
  "/v3/package/{id}/1.0.0/icon",
  "/v3/package/{id}/1.0.0/license",
  "/v3/package/{id}/1.0.0/provenance.json",
  "/v3/registration/{id}/index.json",
  "/v3/registration/{id}/1.0.0.json",
  "/v3/registration-gz-semver1/{id}/index.json",
  "/v3/registration-gz-semver2/{id}/index.json",
  "/v3/registration-gz-semver2/{id}/page/1.0.0/1.0.0.json",
  "/v3/catalog/data/{commit}/{id}.1.0.0.json",
  "/v3/vulnerabilities/index.json",
  "/api/v2/package/{id}/1.0.0",
  "/packages?q={id}",
  "/packages?q=id:{start}",
  "/packages/{id}",
  "/packages/{id}/1.0.0",
  "/packages/{id}/1.0.0/license",
  "/api/v2/package/{id}/tombstones",
  "DELETE /api/v2/package/{id}/1.0.0",
  "POST /api/v2/package/{id}/1.0.0",
  "PUT /api/v2/package/{id}/deprecations",
  "DELETE /api/v2/package/{id}/deprecations",
  "DELETE /api/v2/package/{id}/1.0.0/tombstone",
] as const;

/** The files of a route whose last part is one. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "/v3/package/:id/:version/:file": [
    "{id}.1.0.0.nupkg",
    "{id}.1.0.0.snupkg",
    "{id}.nuspec",
    "readme",
    "icon",
    "license",
  ],
  "/v3/:hive/:id/:file": ["index.json", "1.0.0.json"],
  "/v3/:hive/:id/page/:lower/:file": ["1.0.0.json"],
};

/** Requests for a package at each route of the app. */
function routedPaths(): readonly string[] {
  const { routes } = createNuGetApp(createMemoryNuGetPorts().ports);
  return routes.flatMap(({ method, path: pattern }) => {
    const path = pattern.replaceAll(/\{[^}]*\}/g, "");
    if (!path.includes(":id")) return [];
    const files = path.endsWith(":file") ? FILES[path] : [""];
    if (!files) throw new Error(`the files of ${path} are missing in this test`);
    const fields = path.replace(":id", "{id}").replace(":version", "1.0.0");
    return files.map((file) => {
      const whole = fields
        .replace(":hive", "registration-gz-semver2")
        .replace(":lower", "1.0.0")
        .replace(":file", file);
      return method === "GET" ? whole : `${method} ${whole}`;
    });
  });
}

const PATHS = [...new Set([...MORE_PATHS, ...routedPaths()])];

describe.each([
  { what: "a NuGet package that a token does not cover", isPrivate: false },
  { what: "a private NuGet package, where anonymous callers may read", isPrivate: true },
])("$what", ({ isPrivate }) => {
  const cleanUp = new AsyncDisposableStack();
  let twins: TwinHost;
  let host: TestHost;
  let commit = "";
  let all = "";
  let time = "";
  const tokens = new Map<string, string | undefined>([["anonymous callers", undefined]]);

  beforeAll(async () => {
    twins = await openTwinHost("nuget", TWINS, { anonymousReading: isPrivate, publish: push });
    cleanUp.use(twins);
    ({ host, operator: all } = twins);
    for (const id of ["Acme.Base", "Acme.User"]) await push(host, all, id);
    await vi.waitFor(async () => expect(await catalogIds(all)).toHaveLength(4), 20_000);
    commit = new RegExp(`data/([^/"]+)/${HIDDEN}`).exec(await catalogText(all))?.[1] ?? "";
    expect(commit).not.toBe("");
    if (isPrivate) {
      await twins.hide();
      tokens.set("stranger", twins.stranger);
      tokens.set("member", twins.owner);
    }
    for (const scopes of ["read", "read,write,delete", "write"]) {
      tokens.set(scopes, await twins.narrow(scopes.split(",") as Scope[], ["acme.*"]));
    }
    time = viewTime();
  });
  afterAll(() => cleanUp.disposeAsync());

  function get(path: string, token: string | undefined): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return host.fetch(path, token === undefined ? {} : { headers });
  }

  async function catalogText(token: string | undefined): Promise<string> {
    return (await get("/v3/catalog/page0.json", token)).text();
  }

  async function catalogIds(token: string): Promise<readonly string[]> {
    const text = await catalogText(token);
    return [...text.matchAll(/"nuget:id":"([^"]+)"/g)].map(([, id = ""]) => id);
  }

  function addressOf(path: string, id: string): string {
    const [start = ""] = id.split(".");
    return path
      .replace(/^[A-Z]+ /, "")
      .replaceAll("{id}", id)
      .replaceAll("{start}", start)
      .replaceAll("{commit}", commit);
  }

  /** The entity tags that an owner got. */
  const etags = new Map<string, string | null>();

  async function etagOf(path: string): Promise<string | null> {
    const known = etags.get(path);
    if (known !== undefined) return known;
    const answer = await get(addressOf(path, HIDDEN), all);
    await answer.arrayBuffer();
    etags.set(path, answer.headers.get("etag"));
    return answer.headers.get("etag");
  }

  async function answerTo(path: string, id: string, token: string | undefined): Promise<string> {
    const [, method = "GET"] = /^([A-Z]+) /.exec(path) ?? [];
    const isStranger = token !== all && token !== tokens.get("member");
    const etag = method === "GET" && isStranger ? await etagOf(path) : null;
    const answer = await host.fetch(addressOf(path, id), {
      method,
      headers: {
        ...COMPARABLE,
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}`, "x-nuget-apikey": token }),
        ...(etag !== null && { "if-none-match": etag }),
      },
      ...(method === "PUT" && { body: '{"versions":["1.0.0"],"reasons":["Legacy"]}' }),
    });
    return (await shownAnswer(answer, id)).replace(/"etag","(?:\\.|[^"\\])*"/, "ETAG");
  }

  async function compare(who: string, state: keyof AskedTwins): Promise<void> {
    const differences: string[] = [];
    const [hiddenId, absentId] = TWINS[state];
    // In the catalog, a package that became private is like a deleted one.
    const paths = isPrivate ? PATHS.filter((path) => !path.includes("catalog")) : PATHS;
    for (const path of paths) {
      const isViewed = path.startsWith("/v3/package") || path.startsWith("/v3/registration");
      for (const form of isViewed ? [path, `/@${time}${path}`] : [path]) {
        const hidden = await answerTo(form, hiddenId, tokens.get(who));
        const absent = await answerTo(form, absentId, tokens.get(who));
        if (hidden !== absent) differences.push(`${form}: ${hidden} but ${absent}`);
      }
    }
    expect(differences).toEqual([]);
  }

  const others = ["anonymous callers", "read", "read,write,delete", "write"];
  test.each(isPrivate ? [...others, "stranger"] : others)(
    "is as if it did not exist, at every address, for %s",
    (who) => compare(who, "healthy"),
    60_000,
  );

  test("is found at these addresses by a token for all names, and by owners", async () => {
    const found = expect.stringMatching(/totalHits\\":1\b/) as unknown;
    for (const token of isPrivate ? [all, tokens.get("member")] : [all]) {
      for (const path of PATHS.slice(0, 7)) {
        expect([path, await answerTo(path, HIDDEN, token)]).toEqual([path, found]);
      }
      expect((await get(`/v3/package/${HIDDEN}/index.json`, token)).status).toBe(200);
    }
  });

  test("is neither listed nor counted for a token of other names", async () => {
    const narrow = tokens.get("read") ?? "";
    for (const [path, forAll, forNarrow] of [
      ["/v3/search", 4, 2],
      ["/v3/search?q=version:1.0.0&take=1&skip=1", 4, 2],
      ["/v3/autocomplete", 4, 2],
      ["/v3/dependents?packageId=acme.base", 4, 2],
    ] as const) {
      const totalOf = async (token: string) =>
        ((await (await get(path, token)).json()) as { totalHits: number }).totalHits;
      expect([path, await totalOf(all), await totalOf(narrow)]).toEqual([path, forAll, forNarrow]);
    }
    for (const path of ["/packages", "/packages/acme.base", "/packages/acme.hidden"]) {
      const page = await (await get(path, narrow)).text();
      expect(page).toContain("Acme");
      expect(page).not.toContain(HIDDEN);
    }
    for (const path of ["/", "/trust"]) {
      expect(await (await get(path, narrow)).text()).not.toContain(HIDDEN);
    }
    if (isPrivate) return;
    expect((await catalogIds(narrow)).toSorted()).toEqual(["Acme.Base", "Acme.User"]);
    expect(await catalogText(narrow)).toContain('"count":2');
  });

  const hidden = isPrivate ? ["private"] : [];
  test.each(hidden)("ends in the catalog of all callers while it is %s", async () => {
    const text = await catalogText(all);
    for (const token of tokens.values()) expect(await catalogText(token)).toBe(text);
    const types = async () => {
      const page = JSON.parse(await catalogText(undefined)) as { items: Record<string, string>[] };
      return page.items.filter((item) => item["nuget:id"] === HIDDEN).map((item) => item["@type"]);
    };
    expect(await types()).toEqual(["nuget:PackageDelete", "nuget:PackageDelete"]);
    const index = await get("/v3/catalog/index.json", undefined);
    expect(await index.json()).toMatchObject({ items: [{ count: 6 }] });
    const leafPath = `/v3/catalog/data/${commit}/${HIDDEN}.1.0.0.json`;
    const leaf = await (await get(leafPath, undefined)).text();
    expect(leaf).toContain("PackageDelete");
    expect(leaf).not.toContain("packageHash");

    await host.cli("visibility", "set", `nuget:${HIDDEN}`, "public");
    await vi.waitFor(async () => expect(await types()).toHaveLength(3), 20_000);
    expect(await types()).toEqual(
      ["PackageDetails", "PackageDelete", "PackageDetails"].map((type) => `nuget:${type}`),
    );
    expect(await (await get(leafPath, undefined)).text()).toContain("packageHash");
  });

  const failing = isPrivate ? ["anonymous callers", "stranger"] : [];
  test.each(failing)("is as if it did not exist, while the source fails, for %s", async (who) => {
    await twins.failSource();
    await compare(who, "failing");
  });
});

/** Pushes a package with one dependency, and with words that searches may find. */
async function push(host: TestHost, token: string, id: string): Promise<void> {
  const [start = ""] = id.split(".");
  const dependencies = `<dependencies><group targetFramework="net8.0">
    <dependency id="Acme.Base" version="1.0.0" /></group></dependencies>`;
  const body = buildNupkg({
    id,
    version: "1.0.0",
    metadata: `<tags>${start}</tags><title>${start}</title>${dependencies}`,
    files: { "a.txt": "a" },
  });
  const headers = { "x-nuget-apikey": token };
  const pushed = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
  expect(pushed.status, await pushed.text()).toBe(201);
}
