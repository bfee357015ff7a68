import { expect, test } from "vitest";
import { createOciApp } from "./app.ts";
import { converse } from "./testing/conformance/conversation.ts";
import type { ConformanceTarget, Send } from "./testing/conformance/conversation.ts";
import { isApplicable, ociConformance } from "./testing/conformance/oci-conformance.ts";
import type { MemoryIdentity } from "./testing/memory-access.ts";
import { createMemoryAccess } from "./testing/memory-access.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

const base = "http://registry.test";

const identities: readonly MemoryIdentity[] = [
  { name: "anonymous", may: (action, name) => action === "pull" && name.startsWith("public/") },
  { name: "owner", password: "open: sesame", may: () => true },
  { name: "stranger", password: "let me in", may: (_, name) => name.startsWith("elsewhere/") },
];

/** A registry in memory that wants tokens, or that takes everybody for its owner. */
function createTarget(wantsTokens: boolean): ConformanceTarget {
  const ports = createMemoryOciPorts(wantsTokens ? { access: createMemoryAccess(identities) } : {});
  const app = createOciApp(ports, { service: "registry.test" });
  const as = (credentials?: string): Send => {
    return async (path, init) => {
      const headers = new Headers(init?.headers);
      if (credentials && !headers.has("authorization")) {
        headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
      }
      // A socket would carry the length; a Request made by hand does not.
      if (init?.body instanceof Uint8Array) headers.set("content-length", `${init.body.length}`);
      return app.request(base + path, { ...init, headers });
    };
  };
  if (!wantsTokens) return { fetch: as(), namespace: "conformance" };
  return {
    fetch: as("owner:open: sesame"),
    namespace: "conformance",
    anonymous: as(),
    credentials: { username: "owner", password: "open: sesame" },
    publicNamespace: "public",
    stranger: { fetch: as("stranger:let me in"), namespace: "elsewhere" },
  };
}

test.each(ociConformance)("the registry $name ($covers)", async ({ run }) => {
  await expect(run(converse(createTarget(true)))).resolves.toBeUndefined();
});

const open = createTarget(false);

test.each(ociConformance.filter((one) => isApplicable(one, open)))(
  "an open registry $name ($covers)",
  async ({ run }) => {
    await expect(run(converse(open))).resolves.toBeUndefined();
  },
);
