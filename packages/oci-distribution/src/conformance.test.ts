import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createOciApp } from "./app.ts";
import { conformanceTable, totalsOf } from "./testing/conformance/conformance-table.ts";
import { converse } from "./testing/conformance/conversation.ts";
import type { ConformanceTarget, Send } from "./testing/conformance/conversation.ts";
import { idsOf, isApplicable, ociConformance } from "./testing/conformance/oci-conformance.ts";
import { runConformance } from "./testing/conformance/run-conformance.ts";
import { sendAs, sendPlainly } from "./testing/conformance/send-as.ts";
import type { MemoryIdentity } from "./testing/memory-access.ts";
import { createMemoryAccess } from "./testing/memory-access.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

const base = "http://registry.test";
const password = "open: sesame";

const identities: readonly MemoryIdentity[] = [
  { name: "anonymous", may: (action, name) => action === "pull" && name.startsWith("public/") },
  { name: "owner", password, may: () => true },
  { name: "pusher", password, may: (action) => action !== "delete" },
  { name: "leaver", password, may: () => true },
  { name: "stranger", password, may: (_, name) => name.startsWith("elsewhere/") },
];

/** A registry in memory that requires tokens, or that gives all callers all rights. */
function createTarget(wantsTokens: boolean): ConformanceTarget {
  const access = createMemoryAccess(identities);
  access.revoke("leaver");
  const ports = createMemoryOciPorts(wantsTokens ? { access } : {});
  const uploadExpirySeconds = 3;
  const app = createOciApp(ports, { service: "registry.test", uploadExpiryMs: 3_000 });
  const fetch = async (url: URL, init: RequestInit) => {
    const headers = new Headers(init.headers);
    // A socket would carry the length; a Request made by hand does not.
    if (init.body instanceof Uint8Array) headers.set("content-length", `${init.body.length}`);
    return app.request(url.href, { ...init, headers });
  };
  const options = { registry: new URL(base), fetch };
  const as = (username: string): Send =>
    sendAs({ ...options, credentials: { type: "basic", username, password } });
  if (!wantsTokens) return { fetch: sendPlainly(options), namespace: "conformance" };
  return {
    fetch: as("owner"),
    namespace: "conformance",
    anonymous: sendPlainly(options),
    credentials: { username: "owner", password },
    publicNamespace: "public",
    pusher: as("pusher"),
    revoked: { username: "leaver", password },
    uploadExpirySeconds,
    stranger: { fetch: as("stranger"), namespace: "elsewhere" },
  };
}

const target = createTarget(true);
const open = createTarget(false);

test.each(ociConformance.filter((conformanceCase) => isApplicable(conformanceCase, target)))(
  "the registry $name ($covers)",
  async ({ run }) => {
    await expect(run(converse(target))).resolves.toBeUndefined();
  },
);

test.each(ociConformance.filter((conformanceCase) => isApplicable(conformanceCase, open)))(
  "an open registry $name ($covers)",
  async ({ run }) => {
    await expect(run(converse(open))).resolves.toBeUndefined();
  },
);

test("every number of docs/oci-conformance.md has a case that runs", () => {
  const page = readFileSync(new URL("../../../docs/oci-conformance.md", import.meta.url), "utf8");
  const numbers = [...page.matchAll(/^\| (H\d+|\d\.\d+(?:\/\d+)?) \|/gm)].map(([, id]) => id);
  expect(new Set(numbers)).toEqual(new Set(ociConformance.flatMap(idsOf)));
});

test("reports failed and skipped cases, and totals", async () => {
  const broken: ConformanceTarget = {
    fetch: async () => new Response("no", { status: 500 }),
    namespace: "conformance",
  };
  const results = await runConformance(broken, { only: ["H1", "H8", "1.2/4"] });
  expect(totalsOf(results)).toEqual({ pass: 0, fail: 2, skip: 1 });
  const table = conformanceTable(results);
  expect(table).toContain("POST /v2/conformance/");
  expect(table).toMatch(/\nfail +1\.2\/4 1\.2\/5 H8 H12\nskip +H1\n/);
  expect(table).toMatch(/\ntotal +0 +2 +1$/);
});

test("skips what the specification leaves to the registry: mounts and the catalog", async () => {
  const limited: ConformanceTarget = {
    ...open,
    fetch: async (path, init) => {
      if (path.startsWith("/v2/_catalog")) return new Response("no", { status: 404 });
      return open.fetch(path.replace(/\?.*\bmount=[^&]*.*$/, ""), init);
    },
  };
  const results = await runConformance(limited, { only: ["H23", "H41"] });
  const shown = results.map(({ ids, status, reason = "" }) => `${ids[0]} ${status} ${reason}`);
  expect(shown.filter((line) => line.includes("fail"))).toEqual([]);
  expect(shown).toContain("H23 skip the registry mounts no blobs: it was answered 202");
  expect(shown).toContain("H41 skip no catalog: it was answered 404");
});
