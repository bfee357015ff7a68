import { converse, isApplicable, ociConformance } from "@sealhouse/oci-distribution/testing";
import type { ConformanceTarget, Send } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";

/** The package's own conformance cases, over a socket, against the real database and storage. */
const cleanUp = new AsyncDisposableStack();
let target: ConformanceTarget;

beforeAll(async () => {
  const host = cleanUp.use(
    await startHost({ env: { Feed__Authentication__AllowAnonymousPull: "false" } }),
  );
  const scopes = "read,write,delete";
  const owner = { username: "owner", password: await host.makeToken({ name: "owner", scopes }) };
  const elsewhere = { name: "stranger", scopes, patterns: "elsewhere/**" };
  const stranger = { username: "stranger", password: await host.makeToken(elsewhere) };
  const as = (who?: { readonly username: string; readonly password: string }): Send => {
    return (path, init) => {
      const headers = new Headers(init?.headers);
      if (who && !headers.has("authorization")) {
        const basic = Buffer.from(`${who.username}:${who.password}`).toString("base64");
        headers.set("authorization", `Basic ${basic}`);
      }
      return host.fetch(path, { ...init, headers });
    };
  };
  target = {
    fetch: as(owner),
    namespace: "conformance",
    anonymous: as(),
    credentials: owner,
    stranger: { fetch: as(stranger), namespace: "elsewhere" },
  };
});
afterAll(() => cleanUp.disposeAsync());

// A host is open to everybody or to nobody: the one case of a public namespace stays out.
test.each(ociConformance.filter((one) => isApplicable(one, shapeOfTarget())))(
  "the host $name ($covers)",
  async ({ run }) => {
    await expect(run(converse(target))).resolves.toBeUndefined();
  },
);

/** What the target will have: the cases are chosen before the host has started. */
function shapeOfTarget(): ConformanceTarget {
  const nobody: Send = async () => new Response();
  return {
    fetch: nobody,
    namespace: "conformance",
    anonymous: nobody,
    credentials: { username: "", password: "" },
    stranger: { fetch: nobody, namespace: "elsewhere" },
  };
}
