import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { fileOf, push } from "../pushed-package.ts";
import { CARRIES, fateOf, packageThat } from "../signed-packages.ts";
import type { Carries, Fate } from "../signed-packages.ts";
import { addSources } from "./add-source.ts";
import type { NewSource } from "./add-source.ts";

const POLICIES = ["Resign", "Merge", "TrustedCerts"] as const;
const BASE = "https://feed.test";

/** Served packages by their signature and the policy of their source. The source with TrustedCerts
 * trusts the certificate that signed the upstream packages. */
const FATES: Readonly<Record<Carries, readonly [resign: Fate, merge: Fate, trusted: Fate]>> = {
  "no signature": ["is signed", "is signed", "is signed"],
  "an author signature": ["is countersigned", "is countersigned", "is countersigned"],
  "an upstream repository signature": ["is signed", "is as it came", "is as it came"],
  "an author signature and an upstream countersignature": [
    "is countersigned",
    "is as it came",
    "is as it came",
  ],
  "a signature of unknown type": ["is countersigned", "is countersigned", "is countersigned"],
  "a broken signature": ["is not there", "is not there", "is not there"],
};

let upstream: ScriptedFeed;
let host: TestHost;
let fingerprint: string;

const idOf = (policy: string, carries: Carries) =>
  `${policy}.P${CARRIES.indexOf(carries)}`.toLowerCase();

beforeAll(async () => {
  upstream = await openScriptedFeed();
  const signed = await packageThat("an upstream repository signature", "any");
  const signature = await readSignature(packageBytesOf(signed));
  fingerprint = signature.kind === "none" ? "" : (signature.signer.fingerprint ?? "");
  host = await startHost({
    env: { Signing__TimestampServerUrl: "", Feed__PublicBaseUrl: BASE },
  });
  const sources: NewSource[] = [];
  for (const policy of POLICIES) {
    for (const carries of CARRIES) {
      const id = idOf(policy, carries);
      upstream.put(id, "1.0.0", { bytes: await packageThat(carries, id) });
    }
    const settings = { allow: [`${policy}.*`], trustedCertificates: [fingerprint] };
    const url = upstream.url.href;
    const name = policy.toLowerCase();
    sources.push({ name, protocol: "nuget", url, signaturePolicy: policy, settings });
  }
  await addSources(host, sources);
}, 120_000);
afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

test.each(CARRIES.flatMap((carries) => POLICIES.map((policy, index) => [carries, policy, index])))(
  "treats a package with %s from a source with the policy %s by the table",
  async (carriesText, policyText, index) => {
    const [carries, policy] = [carriesText as Carries, String(policyText)];
    const id = idOf(policy, carries);
    const before = upstream.versions.get(id)?.get("1.0.0")?.bytes ?? new Uint8Array();
    const read = async () => {
      const response = await host.fetch(`/v3/package/${id}/1.0.0/${id}.1.0.0.nupkg`);
      return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : undefined;
    };
    const serviceIndexUrl = `${BASE}/v3/index.json`;
    const fate = await fateOf(before, await read(), serviceIndexUrl);
    expect(fate).toBe(FATES[carries][Number(index)]);
    // The same from the store.
    expect(await fateOf(before, await read(), serviceIndexUrl)).toBe(fate);
  },
);

test("the source does not take the place of a hidden name", async () => {
  expect((await push(host, "resign.ours")).status).toBe(201);
  // The first publish has asked whether the source has the name.
  upstream.requests.splice(0);
  const bytes = await packageThat("no signature", "resign.ours");
  for (const version of ["1.0.0", "99.0.0"]) upstream.put("resign.ours", version, { bytes });
  await host.cli("visibility", "set", "nuget:resign.ours", "private");
  for (const path of [
    fileOf("resign.ours"),
    "/v3/package/resign.ours/99.0.0/resign.ours.99.0.0.nupkg",
    "/v3/package/resign.ours/99.0.0/resign.ours.nuspec",
    "/v3/package/resign.ours/index.json",
    "/v3/registration/resign.ours/index.json",
    "/v3/registration/resign.ours/99.0.0.json",
  ]) {
    expect([path, (await host.fetch(path)).status]).toEqual([path, 404]);
  }
  expect(upstream.requests.filter((path) => path.includes("ours"))).toEqual([]);
});

test("the list of certificates has those of kept signatures", async () => {
  const list = (await (await host.fetch("/v3/repository-signatures/index.json")).json()) as {
    readonly allRepositorySigned: boolean;
    readonly signingCertificates: readonly {
      readonly fingerprints: Readonly<Record<string, string>>;
      readonly contentUrl: string;
    }[];
  };
  const kept = list.signingCertificates.find(({ fingerprints }) =>
    Object.values(fingerprints).some((value) => value.toLowerCase() === fingerprint),
  );
  expect(list.signingCertificates).toHaveLength(2);
  expect(kept?.contentUrl.startsWith(`${BASE}/v3/certificates/`)).toBe(true);
  const answer = await host.fetch(new URL(kept?.contentUrl ?? BASE).pathname);
  expect(answer.status).toBe(200);
});
