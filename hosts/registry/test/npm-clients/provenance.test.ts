import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFolder } from "../clients/client.ts";
import { expectGolden } from "./golden.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { SigstoreSigner } from "./sigstore-signer.ts";
import { openSigstoreSigner } from "./sigstore-signer.ts";
import type { SigstoreStandIn } from "./sigstore-stand-in.ts";
import { openSigstoreStandIn } from "./sigstore-stand-in.ts";

/** Clients that publish with a provenance statement. */
const PUBLISHING = ["npm-11", "npm-12"] as const;
const publishing = PUBLISHING.filter((name) => testedClients().includes(name));

describe.skipIf(publishing.length === 0)("provenance, as npm publishes and verifies it", () => {
  const cleanUp = new AsyncDisposableStack();
  let signer: SigstoreSigner;
  let sigstore: SigstoreStandIn;
  let clients: NpmClients;

  beforeAll(async () => {
    const folder = cleanUp.use(await openFolder()).path;
    signer = cleanUp.use(await openSigstoreSigner());
    const { trustedRoot } = signer;
    sigstore = cleanUp.use(await openSigstoreStandIn(folder, { "trusted_root.json": trustedRoot }));
    const file = join(folder, "trusted_root.json");
    await writeFile(file, trustedRoot);
    const env = { Feed__Npm__Provenance__TrustedRoot: file };
    clients = cleanUp.use(await openNpmClients({ only: publishing, env }));
  });
  afterAll(() => cleanUp.disposeAsync());

  function statementAbout(name: string, tarball: Buffer) {
    const sha512 = createHash("sha512").update(tarball).digest("hex");
    return {
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: `pkg:npm/${name.replace("@", "%40")}@1.0.0`, digest: { sha512 } }],
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: { buildDefinition: {}, runDetails: {} },
    };
  }

  test.each(publishing)("%s publishes a statement, and verifies it in an audit", async (name) => {
    const client = clients.client(name);
    const called = `@acme/from-${name}`;
    const source = await client.source(called, "1.0.0");
    await client.run(["pack"], { cwd: source });
    const packed = join(source, `acme-from-${name}-1.0.0.tgz`);
    const bundle = await signer.sign(statementAbout(called, await readFile(packed)));
    const file = join(source, "provenance.json");
    await writeFile(file, bundle);

    await sigstore.seed(client.home);
    const words = ["publish", packed, "--provenance-file", file];
    const published = await client.run(words, { cwd: source, env: sigstore.env });
    expect(published.code, published.output).toBe(0);

    const { dist } = await json<{ dist: Dist }>(`/npm/@acme%2ffrom-${name}/1.0.0`);
    const { url, provenance } = dist.attestations;
    expect(new URL(url).pathname).toBe(`/npm/-/npm/v1/attestations/@acme%2ffrom-${name}@1.0.0`);
    expect(provenance).toEqual({ predicateType: "https://slsa.dev/provenance/v1" });
    const { attestations } = await json<{ attestations: readonly unknown[] }>(
      new URL(url).pathname,
    );
    const { predicateType } = provenance;
    expect(attestations).toEqual([{ predicateType, bundle: JSON.parse(bundle) as unknown }]);

    const project = await client.project({ [called]: "1.0.0" });
    await client.install(project);
    client.requests();
    const where = { cwd: project, env: sigstore.env };
    const audited = await client.run(["audit", "signatures"], where);
    expect(audited.output).toMatch(/1 package has a verified attestation/);
    expect(audited.output).toMatch(/1 package has a verified registry signature/);
    expect(audited.code).toBe(0);
    await expectGolden(`${name}/audit-attestations`, client.requests());
  });

  test("refuses a statement about other bytes, and one with an unknown signer", async () => {
    const name = "claimed";
    const wrong = await signer.sign(statementAbout(name, Buffer.from("other bytes")));
    expect(await publishWith(name, wrong)).toMatchObject({
      status: 422,
      error: expect.stringMatching(/another sha512/) as string,
    });
    await using stranger = await openSigstoreSigner();
    const body = JSON.parse(publishBody({ name })) as Published;
    const [attachment] = Object.values(body["_attachments"]);
    const tarball = Buffer.from(attachment?.data ?? "", "base64");
    const statement = statementAbout(name, tarball);
    expect(await publishWith(name, await stranger.sign(statement))).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^The provenance statement cannot be verified: /) as string,
    });
    expect((await clients.host.fetch(`/npm/${name}`)).status).toBe(404);
    expect(await publishWith(name, await signer.sign(statement))).toMatchObject({ status: 200 });
  });

  async function publishWith(name: string, provenance: string) {
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${clients.token}`,
    };
    const body = publishBody({ name, provenance });
    const answer = await clients.host.fetch(`/npm/${name}`, { method: "PUT", headers, body });
    return { status: answer.status, ...((await answer.json()) as { readonly error?: string }) };
  }

  async function json<T>(path: string): Promise<T> {
    const answer = await clients.host.fetch(path);
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  }
});

type Dist = {
  readonly attestations: {
    readonly url: string;
    readonly provenance: { readonly predicateType: string };
  };
};
type Published = { readonly _attachments: Readonly<Record<string, { readonly data: string }>> };
