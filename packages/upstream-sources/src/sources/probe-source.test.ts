import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { expect, test } from "vitest";
import { createSource } from "./create-source.ts";
import { probeSource } from "./probe-source.ts";
import type { SourceParts } from "./create-source.ts";

const nuget = { name: "n", protocol: "nuget", url: "https://n.example/v3/index.json" } as const;
const oci = { name: "o", protocol: "oci", url: "https://o.example" } as const;
const npm = { name: "p", protocol: "npm", url: "https://p.example" } as const;

const resource = (type: string) => ({ "@id": "https://n.example/x/", "@type": type });
const index = (...types: readonly string[]) =>
  Response.json({ version: "3.0.0", resources: types.map(resource) });

const probe = (parts: Omit<SourceParts, "from">, fetch: Fetch) => {
  let ms = 0;
  const source = createSource({ ...parts, from: "database" });
  const clock = () => (ms += 5);
  return probeSource(source, { fetch, signal: new AbortController().signal, clock });
};

test.each<[string, Omit<SourceParts, "from">, () => Response, object]>([
  [
    "the resources of a NuGet feed",
    nuget,
    () => index("PackageBaseAddress/3.0.0", "Catalog/3.0.0", "Unknown/1.0.0"),
    { outcome: "works", status: 200, durationMs: 5, capabilities: ["content", "catalog"] },
  ],
  [
    "a NuGet feed without packages",
    nuget,
    () => index("Catalog/3.0.0"),
    { outcome: "failed", problem: expect.stringContaining("PackageBaseAddress/3.0.0") },
  ],
  [
    "a web page",
    nuget,
    () => new Response("<html>secret</html>", { headers: { "content-type": "text/html" } }),
    { outcome: "failed", status: 200, problem: expect.not.stringContaining("secret") },
  ],
  [
    "an image registry without sign-in",
    oci,
    () => Response.json({}),
    { outcome: "works", capabilities: ["images", "authentication: none"] },
  ],
  [
    "an npm registry that refuses the question for keys",
    npm,
    () => new Response("no keys", { status: 400 }),
    { outcome: "works", capabilities: ["packages"], remarks: [expect.any(String)] },
  ],
  [
    "an npm registry that refuses the credentials",
    npm,
    () => new Response("", { status: 401 }),
    { outcome: "failed", status: 401 },
  ],
  [
    "an npm registry in an outage",
    npm,
    () => new Response("out", { status: 503 }),
    { outcome: "failed", status: 503, capabilities: [] },
  ],
])("a probe reports %s", async (_, parts, answer, expected) => {
  expect(await probe(parts, async () => answer())).toMatchObject(expected);
});

/** A feed with one package, whose answers a test replaces by path. */
function openFeed(answers: Readonly<Record<string, () => Response>>): Fetch {
  const base = "https://n.example";
  const resources = [
    { "@type": "PackageBaseAddress/3.0.0", "@id": `${base}/flat/` },
    { "@type": "RegistrationsBaseUrl/3.6.0", "@id": `${base}/registration/` },
    { "@type": "SearchQueryService", "@id": `${base}/search` },
  ];
  const all: Readonly<Record<string, () => Response>> = {
    "/v3/index.json": () => Response.json({ version: "3.0.0", resources }),
    "/search": () => Response.json({ data: [{ id: "Acme", version: "1.0.0" }] }),
    "/registration/acme/index.json": () =>
      Response.json({ items: [{ items: [{ catalogEntry: { version: "1.0.0" } }] }] }),
    "/flat/acme/index.json": () => Response.json({ versions: ["1.0.0"] }),
    "/flat/acme/1.0.0/acme.1.0.0.nupkg": () => new Response("PK"),
    ...answers,
  };
  return async ({ pathname }) => all[pathname]?.() ?? new Response("", { status: 404 });
}

const REFUSED = () => new Response("", { status: 400 });
const WEB_PAGE = () => new Response("<html>");

test.each<[string, Parameters<typeof openFeed>[0], object]>([
  ["can be read", {}, { outcome: "works" }],
  [
    "has no readable registration",
    { "/registration/acme/index.json": REFUSED },
    { outcome: "works", remarks: [expect.stringContaining("Registrations cannot be read.")] },
  ],
  [
    "has a web page as registration",
    { "/registration/acme/index.json": WEB_PAGE },
    { outcome: "works", remarks: [expect.stringContaining("is not JSON")] },
  ],
  [
    "cannot be searched for",
    { "/search": WEB_PAGE },
    {
      outcome: "works",
      remarks: [
        expect.stringContaining("The search cannot be read"),
        expect.stringContaining("no package was read"),
      ],
    },
  ],
  [
    "has no file",
    { "/flat/acme/1.0.0/acme.1.0.0.nupkg": () => new Response("", { status: 404 }) },
    { outcome: "failed", problem: "The feed lists Acme 1.0.0, but does not have its file." },
  ],
  [
    "has a file that is refused",
    { "/flat/acme/1.0.0/acme.1.0.0.nupkg": REFUSED },
    { outcome: "failed", problem: expect.stringContaining("was answered 400") },
  ],
  [
    "has no versions",
    { "/flat/acme/index.json": () => Response.json({ versions: [] }) },
    { outcome: "failed", problem: expect.stringContaining("lists no version") },
  ],
])("a probe reports that one package of a NuGet feed %s", async (_, answers, expected) => {
  const report = await probe(nuget, openFeed(answers));
  expect(report).toMatchObject(expected);
  expect("remarks" in report).toBe("remarks" in expected);
});

test("secret headers go to the origin of the source only", async () => {
  const seen: string[] = [];
  const credentials = { type: "headers", headers: { "x-key": "secret" } } as const;
  await probe({ ...nuget, credentials }, async (url, init) => {
    seen.push(`${url.host} ${new Headers(init.headers).get("x-key") ?? "none"}`);
    if (url.host === "other.example") return index("PackageBaseAddress/3.0.0");
    return new Response(null, { status: 302, headers: { location: "https://other.example/" } });
  });
  expect(seen).toEqual(["n.example secret", "other.example none"]);
});

test("a probe of Docker Hub gives its token service the password, once", async () => {
  const seen: string[] = [];
  const credentials = { type: "basic", username: "me", password: "secret" } as const;
  const hub = { ...oci, url: "https://docker.io", credentials };
  const realm = 'Bearer realm="https://auth.docker.io/token",service="registry.docker.io"';
  const report = await probe(hub, async ({ host }, init) => {
    seen.push(`${host} ${new Headers(init.headers).has("authorization")}`);
    if (host === "auth.docker.io") return new Response("out", { status: 503 });
    return new Response(null, { status: 401, headers: { "www-authenticate": realm } });
  });
  expect(seen).toEqual(["registry-1.docker.io false", "auth.docker.io true"]);
  expect(report).toMatchObject({ outcome: "failed", status: 503 });
});
