import {
  converse,
  isApplicable,
  ociConformance,
  sendAs,
  sendPlainly,
  sendReadsAs,
} from "@sealhouse/oci-distribution/testing";
import type { ConformanceTarget, Need } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost, TokenWanted } from "../src/testing/index.ts";

/** The package's own conformance cases, over a socket, against the real database and storage. */
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

const scopes = "read,write,delete";
const NEEDS_OF_TOKENS: readonly Need[] = [
  "anonymous",
  "credentials",
  "stranger",
  "pusher",
  "revoked",
  "uploadExpirySeconds",
  "fixedTag",
];
const UPLOAD_EXPIRY_S = 10;

async function userOf(host: TestHost, user: TokenWanted & { readonly name: string }) {
  return { username: user.name, password: await host.makeToken(user) };
}

async function openPrivateTarget(): Promise<ConformanceTarget> {
  const env = {
    Feed__Authentication__AllowAnonymousPull: "false",
    Feed__Oci__UploadExpiry: `00:00:${UPLOAD_EXPIRY_S}`,
    Feed__Oci__TagRules__0__Name: "fixed",
    Feed__Oci__TagRules__0__Repositories: "fixed/**",
    Feed__Oci__TagRules__0__Tags: "v*",
    Feed__Oci__TagRules__0__Immutable: "true",
  };
  const host = cleanUp.use(await startHost({ env }));
  const owner = await userOf(host, { name: "owner", scopes });
  const stranger = await userOf(host, { name: "stranger", scopes, patterns: "elsewhere/**" });
  const pusher = await userOf(host, { name: "pusher", scopes: "read,write" });
  const registry = new URL(host.url);
  const as = (user: typeof owner) => sendAs({ registry, credentials: { type: "basic", ...user } });
  return {
    fetch: as(owner),
    namespace: "conformance",
    anonymous: sendPlainly({ registry }),
    credentials: owner,
    stranger: { fetch: as(stranger), namespace: "elsewhere" },
    pusher: as(pusher),
    revoked: await revokedUser(host),
    uploadExpirySeconds: UPLOAD_EXPIRY_S,
    fixedTag: { namespace: "fixed", tag: "v1" },
  };
}

async function revokedUser(host: TestHost) {
  const user = await userOf(host, { name: "leaver", scopes });
  const { stdout } = await host.cli("token", "list", "--json");
  const tokens = JSON.parse(stdout) as { readonly id: string; readonly name: string }[];
  const { id = "" } = tokens.find(({ name }) => name === user.username) ?? {};
  expect((await host.cli("token", "revoke", id)).code).toBe(0);
  return user;
}

/** Everyone may read: reads have no credentials, or an anonymous token. */
async function openPublicTarget(): Promise<ConformanceTarget> {
  const env = { Feed__Authentication__AllowAnonymousPull: "true" };
  const host = cleanUp.use(await startHost({ env }));
  const owner = await userOf(host, { name: "owner", scopes });
  const registry = new URL(host.url);
  const writer = sendAs({ registry, credentials: { type: "basic", ...owner } });
  return {
    fetch: sendReadsAs(sendAs({ registry }), writer),
    namespace: "conformance",
    anonymous: sendPlainly({ registry }),
    credentials: owner,
    publicNamespace: "conformance",
  };
}

const KINDS: readonly (readonly [string, typeof openPublicTarget, readonly Need[]])[] = [
  ["a host with tokens", openPrivateTarget, NEEDS_OF_TOKENS],
  [
    "a host that everybody reads",
    openPublicTarget,
    ["anonymous", "credentials", "publicNamespace"],
  ],
];

describe.each(KINDS)("%s", (_, openTarget, targetNeeds) => {
  let target: ConformanceTarget;
  beforeAll(async () => {
    target = await openTarget();
    expect(targetNeeds.filter((need) => target[need] === undefined)).toEqual([]);
  });

  // The cases are chosen before the host has started.
  const chosen = ociConformance.filter(({ needs = [] }) =>
    needs.every((need) => targetNeeds.includes(need)),
  );
  test.each(chosen)("$name ($covers)", async (conformanceCase) => {
    expect(isApplicable(conformanceCase, target)).toBe(true);
    await expect(conformanceCase.run(converse(target))).resolves.toBeUndefined();
  });
});
