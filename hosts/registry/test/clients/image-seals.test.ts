import { createHash, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OCI_MANIFEST, blobOf, buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { createTestCredential } from "@sealhouse/repo-signing/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { hasClient, openFolder, run } from "./client.ts";
import type { Ran } from "./client.ts";
import { writeImageLayout } from "./image-layout.ts";
import type { Tool } from "./oci-tools.ts";
import { findTool, runTool } from "./oci-tools.ts";

/** Real clients verify what the host signs, with each kind of key that can be behind it. */
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

const [cosign2, cosign3, notation] = [
  await findTool("cosign-2"),
  await findTool("cosign-3"),
  await findTool("notation"),
];
const WITHIN_MS = 20_000;
const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const SIGNATURE = "application/vnd.cncf.notary.signature";

type Index = {
  readonly manifests: readonly { readonly artifactType: string; readonly digest: string }[];
};

async function openSealedImage(env: Readonly<Record<string, string>>) {
  const folder = cleanUp.use(await openFolder()).path;
  const { keyPem, certificatePem, issuersPem } = await createTestCredential();
  const data = join(folder, "data");
  await mkdir(data);
  await writeFile(join(data, "authority.pem"), keyPem + certificatePem + issuersPem);
  const settings = { Signing__Oci__Enabled: "true", ...env };
  const host = cleanUp.use(await spawnHost({ folder: data, env: settings }));
  const password = await host.makeToken({ scopes: "read,write,delete" });
  const image = await pushImage({ host, folder, password }, "team/app:1.0");
  const fetched = async (name: string, path: string) => {
    const answer = await host.fetch(path);
    expect(answer.status).toBe(200);
    await writeFile(join(folder, name), await answer.text());
    return join(folder, name);
  };
  return {
    host,
    folder,
    password,
    image,
    key: await fetched("cosign.pub", "/trust/images/cosign.pub"),
    root: await fetched("notation.pem", "/trust/images/notation.pem"),
  };
}

type Sealed = Awaited<ReturnType<typeof openSealedImage>>;

async function pushImage(
  { host, folder, password }: Pick<Sealed, "host" | "folder" | "password">,
  name: string,
): Promise<string> {
  const layout = join(folder, createHash("sha256").update(name).digest("hex"));
  await writeImageLayout(layout, "1.0");
  const image = `${new URL(host.url).host}/${name}`;
  const access = ["--dest-tls-verify=false", "--dest-creds", `tester:${password}`];
  const words = ["copy", ...access, `oci:${layout}:1.0`, `docker://${image}`];
  const pushed = await run("skopeo", ["--insecure-policy", ...words], { env: { HOME: folder } });
  expect(pushed.output).toContain("Storing signatures");
  await untilSealed(host, name);
  return image;
}

async function digestOf(host: TestHost, name: string): Promise<string> {
  const [repository, tag] = name.split(":");
  const answer = await host.fetch(`/v2/${repository}/manifests/${tag}`, { method: "HEAD" });
  return answer.headers.get("docker-content-digest") ?? "";
}

/** The host signs after the push; notation's signature comes last. */
async function untilSealed(host: TestHost, name: string): Promise<void> {
  const digest = await digestOf(host, name);
  const [repository = ""] = name.split(":");
  await soon(async () => {
    expect(await referrersOf(host, digest, SIGNATURE, repository)).toHaveLength(1);
  });
}

function soon(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: WITHIN_MS, interval: 100 });
}

async function referrersOf(host: TestHost, digest: string, type: string, name = "team/app") {
  const answer = await host.fetch(`/v2/${name}/referrers/${digest}`);
  const { manifests } = (await answer.json()) as Index;
  const ofType = manifests.filter(({ artifactType }) => artifactType === type);
  return ofType.map((manifest) => manifest.digest);
}

function sendTo({ host, password }: Sealed): Send {
  const credentials = { type: "basic", username: "tester", password } as const;
  return sendAs({ registry: new URL(host.url), credentials });
}

async function putImage(send: Send, image: TestManifest, reference: string): Promise<void> {
  for (const { digest, bytes } of image.blobs) {
    const path = `/v2/team/app/blobs/uploads/?digest=${digest}`;
    expect((await send(path, { method: "POST", body: bytes })).status).toBe(201);
  }
  await putManifest(send, reference, Buffer.from(image.bytes).toString());
}

async function putManifest(send: Send, reference: string, body: string): Promise<void> {
  const headers = { "content-type": OCI_MANIFEST };
  const path = `/v2/team/app/manifests/${reference}`;
  expect((await send(path, { method: "PUT", headers, body })).status).toBe(201);
}

function tagOf(digest: string): string {
  return `${digest.replace(":", "-")}.sig`;
}

function cosign(tool: Tool | undefined, { folder }: Sealed, ...words: string[]): Promise<Ran> {
  if (!tool) throw new Error("cosign is missing");
  return runTool(tool, words, { env: { HOME: folder, COSIGN_PASSWORD: "" }, cwd: folder });
}

function verify(tool: Tool | undefined, sealed: Sealed, key: string, image = sealed.image) {
  return cosign(tool, sealed, "verify", "--key", key, "--private-infrastructure", image);
}

async function notationTrusting(sealed: Sealed, root: string) {
  if (!notation) throw new Error("notation is missing");
  const home = join(sealed.folder, `notation-${randomUUID()}`);
  await mkdir(home, { recursive: true });
  const env = { XDG_CONFIG_HOME: home, HOME: home };
  const words = (...args: string[]) => runTool(notation, args, { env });
  const policy = {
    version: "1.0",
    trustPolicies: [
      {
        name: "sealhouse",
        registryScopes: ["*"],
        signatureVerification: { level: "strict" },
        trustStores: ["ca:sealhouse"],
        trustedIdentities: ["*"],
      },
    ],
  };
  await writeFile(join(home, "policy.json"), JSON.stringify(policy));
  expect((await words("cert", "add", "--type", "ca", "--store", "sealhouse", root)).code).toBe(0);
  expect((await words("policy", "import", join(home, "policy.json"))).code).toBe(0);
  return words("verify", "--insecure-registry", sealed.image);
}

type Env = Readonly<Record<string, string>>;

const OWN_KEY: Env = { Signing__Mode: "" };
const CERTIFICATE: Env = {};
/** The file of an operator, with the chain up to the root; relative to the host's folder. */
const AUTHORITY: Env = {
  Signing__Mode: "StoredCertificate",
  Signing__StoredCertificate__FilePath: "authority.pem",
};
const MODES: readonly (readonly [string, Env])[] = [
  ["the certificate of packages", CERTIFICATE],
  ["that certificate with 4096 bits", { Signing__SelfSigned__KeySize: "KeySize4096" }],
  [
    "a certificate whose packages are signed with SHA-512",
    { Signing__SelfSigned__HashAlgorithm: "SHA512" },
  ],
  ["a certificate of an authority", AUTHORITY],
  ["the registry's own key", OWN_KEY],
];

const opened = new Map<Env, Promise<Sealed>>();

function sealedWith(env: Env): Promise<Sealed> {
  const image = opened.get(env) ?? openSealedImage(env);
  opened.set(env, image);
  return image;
}

describe.skipIf(!hasClient("skopeo")).each(MODES)("images signed with %s", (_, env) => {
  let sealed: Sealed;
  beforeAll(async () => {
    sealed = await sealedWith(env);
  });

  test.skipIf(!cosign2)("are verified by cosign 2", async () => {
    const verified = await verify(cosign2, sealed, sealed.key);
    expect(verified.output).toContain("verified against the specified public key");
    expect(verified.code).toBe(0);
  });

  test.skipIf(!cosign3)("are verified by cosign 3", async () => {
    const verified = await verify(cosign3, sealed, sealed.key);
    expect(verified.output).toContain("verified against the specified public key");
    expect(verified.code).toBe(0);
  });

  test.skipIf(!notation)("are verified by notation, strictly", async () => {
    const verified = await notationTrusting(sealed, sealed.root);
    expect(verified.output).toContain("Successfully verified signature");
    expect(verified.code).toBe(0);
  });
});

describe.skipIf(!hasClient("skopeo"))("images signed by the host", () => {
  let sealed: Sealed;
  let stranger: Sealed;
  beforeAll(async () => {
    sealed = await sealedWith(CERTIFICATE);
    stranger = await sealedWith(OWN_KEY);
  });

  test.skipIf(!cosign2 || !cosign3)("another key does not verify them", async () => {
    for (const tool of [cosign2, cosign3]) {
      const verified = await verify(tool, sealed, stranger.key);
      expect(verified.output).toMatch(/no matching signatures|invalid signature/);
      expect(verified.code).not.toBe(0);
    }
  });

  test.skipIf(!cosign3)("are verified with the key at its address", async () => {
    const verified = await verify(cosign3, sealed, `${sealed.host.url}/trust/images/cosign.pub`);
    expect(verified.output).toContain("verified against the specified public key");
    expect(verified.code).toBe(0);
  });

  test.skipIf(!notation)("another certificate does not verify them", async () => {
    const verified = await notationTrusting(sealed, stranger.root);
    expect(verified.output).toMatch(/signature verification failed|failed verification/);
    expect(verified.code).not.toBe(0);
  });

  test.skipIf(!cosign2 || !cosign3 || !notation)("do not cover other bytes", async () => {
    const { host } = sealed;
    const send = sendTo(sealed);
    const forged = buildImage({ layers: ["forged"] });
    await putImage(send, forged, forged.digest);
    // The true signatures, put at an image that they do not belong to.
    const digest = await digestOf(host, "team/app:1.0");
    const response = await host.fetch(`/v2/team/app/manifests/${tagOf(digest)}`);
    await putManifest(send, tagOf(forged.digest), await response.text());
    const [signature] = await referrersOf(host, digest, SIGNATURE);
    const envelope = await host.fetch(`/v2/team/app/manifests/${signature}`);
    const moved = (await envelope.text()).replaceAll(digest, forged.digest);
    await putManifest(send, blobOf(moved).digest, moved);

    const image = sealed.image.replace(/:1\.0$/, `@${forged.digest}`);
    for (const tool of [cosign2, cosign3]) {
      const verified = await verify(tool, sealed, sealed.key, image);
      expect(verified.output).toContain("invalid or missing digest in claim");
      expect(verified.code).not.toBe(0);
    }
    const verified = await notationTrusting({ ...sealed, image }, sealed.root);
    expect(verified.output).toMatch(/verification failed/);
    expect(verified.code).not.toBe(0);
  });

  test.skipIf(!cosign2 || !cosign3)("signatures of people stay next to the host's", async () => {
    const { host, folder, password } = sealed;
    const image = await pushImage(sealed, "team/signed:1.0");
    const digest = await digestOf(host, "team/signed:1.0");
    const byDigest = `${image.replace(/:1\.0$/, "")}@${digest}`;
    const registry = new URL(host.url).host;
    await cosign(cosign2, sealed, "login", "-u", "tester", "-p", password, registry);
    for (const name of ["old", "new"]) {
      await cosign(cosign2, sealed, "generate-key-pair", "--output-key-prefix", name);
    }
    const keyOf = (name: string) => join(folder, `${name}.pub`);
    const old = ["sign", "--key", "old.key", "--tlog-upload=false", "-y", byDigest];
    expect((await cosign(cosign2, sealed, ...old)).code).toBe(0);
    for (const tool of [cosign2, cosign3]) {
      for (const key of [sealed.key, keyOf("old")]) {
        const { output, code } = await verify(tool, sealed, key, image);
        expect({ key, code, output }).toMatchObject({ code: 0 });
      }
    }

    // From now on cosign 3 looks at bundles alone, so the host adds one.
    const options = ["--tlog-upload=false", "--use-signing-config=false", "-y"];
    const signed = await cosign(cosign3, sealed, "sign", "--key", "new.key", ...options, byDigest);
    expect(signed.code).toBe(0);
    await soon(async () => {
      expect(await referrersOf(host, digest, BUNDLE, "team/signed")).toHaveLength(2);
    });
    for (const key of [sealed.key, keyOf("new")]) {
      const { output, code } = await verify(cosign3, sealed, key, image);
      expect({ key, code, output }).toMatchObject({ code: 0 });
    }
    expect((await verify(cosign2, sealed, sealed.key, image)).code).toBe(0);
  });
});
