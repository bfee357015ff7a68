import { describe, expect, test } from "vitest";
import { createOciApp } from "./app.ts";
import type { OciPorts } from "./ports.ts";
import { converse } from "./testing/conformance/conversation.ts";
import type { ConformanceTarget, Send } from "./testing/conformance/conversation.ts";
import { isApplicable, ociConformance } from "./testing/conformance/oci-conformance.ts";
import { sendAs, sendPlainly } from "./testing/conformance/send-as.ts";
import type { MemoryIdentity } from "./testing/memory-access.ts";
import { createMemoryAccess } from "./testing/memory-access.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

const password = "open: sesame";
const identities: readonly MemoryIdentity[] = [
  {
    name: "anonymous",
    may: (action, name) => action === "pull" && name.startsWith("acme/public/"),
  },
  { name: "owner", password, may: (_, name) => name.startsWith("acme/") },
  { name: "pusher", password, may: (action) => action !== "delete" },
  { name: "leaver", password, may: () => true },
  { name: "stranger", password, may: (_, name) => name.startsWith("acme/elsewhere/") },
];

/**
 * The cases use paths from `/v2/`; the caller adds the path of the segment and removes it from
 * answers.
 */
function below(
  path: string,
  ask: (url: string, init: RequestInit) => Response | Promise<Response>,
) {
  return async (url: URL, init: RequestInit): Promise<Response> => {
    const target = url.href.slice(url.origin.length);
    const answer = await ask(`${url.origin}${target.startsWith("/v2") ? path : ""}${target}`, init);
    const headers = new Headers(answer.headers);
    for (const name of ["location", "link"]) {
      const value = headers.get(name);
      if (value === null) continue;
      expect(value).toMatch(new RegExp(`^<?${path}/v2/`));
      headers.set(name, value.replace(`${path}/v2/`, "/v2/"));
    }
    const { status, body } = answer;
    return new Response(body, { status, headers });
  };
}

function createTarget(base: string, path: string, wantsTokens: boolean): ConformanceTarget {
  const access = createMemoryAccess(identities);
  access.revoke("leaver");
  const address: OciPorts["address"] = (request) => {
    const { origin, host } = new URL(request.url);
    return { base: origin, cacheable: true, ...(host === "acme.example" && { segment: "acme" }) };
  };
  const ports = { ...createMemoryOciPorts(wantsTokens ? { access } : {}), address };
  const app = createOciApp(ports, { service: "test", segments: ["acme"], hasDefault: false });
  const fetch = below(path, (url, init) => {
    const headers = new Headers(init.headers);
    if (init.body instanceof Uint8Array) headers.set("content-length", `${init.body.length}`);
    return app.request(url, { ...init, headers });
  });
  const options = { registry: new URL(base), fetch };
  if (!wantsTokens) return { fetch: sendPlainly(options), namespace: "conformance" };
  const as = (username: string): Send =>
    sendAs({ ...options, credentials: { type: "basic", username, password } });
  return {
    fetch: as("owner"),
    namespace: "conformance",
    anonymous: sendPlainly(options),
    credentials: { username: "owner", password },
    publicNamespace: "public",
    pusher: as("pusher"),
    revoked: { username: "leaver", password },
    stranger: { fetch: as("stranger"), namespace: "elsewhere" },
  };
}

describe.each([
  ["a path of its own", "http://registry.test", "/acme", true],
  ["a host name of its own", "http://acme.example", "", true],
  ["a path of its own, open to all", "http://registry.test", "/acme", false],
] as const)("a segment at %s", (_, base, path, wantsTokens) => {
  const target = createTarget(base, path, wantsTokens);
  test.each(ociConformance.filter((conformanceCase) => isApplicable(conformanceCase, target)))(
    "$name ($covers)",
    async ({ run }) => {
      await expect(run(converse(target))).resolves.toBeUndefined();
    },
  );
});
