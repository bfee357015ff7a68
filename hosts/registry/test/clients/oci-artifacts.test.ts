import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import type { ToolName } from "./oci-tools.ts";
import { findTool } from "./oci-tools.ts";

/** Clients attach, sign and verify; signatures survive the collector and go with their image. */
const NAMES = ["oras-1.2", "oras-1.3", "cosign-2", "cosign-3", "notation"] as const;
const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const)),
);
const has = (...names: readonly ToolName[]): boolean => names.every((name) => tools[name]);

const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const NOTARY = "application/vnd.cncf.notary.signature";
const SIXTY_DAYS_MS = 60 * 24 * 60 * 60_000;
/** No transparency log: the tests reach nothing outside. */
const SIGN: Partial<Record<ToolName, readonly string[]>> = {
  "cosign-2": ["sign", "--tlog-upload=false", "-y"],
  "cosign-3": ["sign", "--tlog-upload=false", "--use-signing-config=false", "-y"],
};

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let home: ClientHome;
let send: Send;
let registry: string;

beforeAll(async () => {
  host = cleanUp.use(await spawnHost());
  const password = await host.makeToken({ scopes: "read,write,delete" });
  registry = new URL(host.url).host;
  home = cleanUp.use(await openClientHome(registry, password));
  const credentials = { type: "basic", username: "tester", password } as const;
  send = sendAs({ registry: new URL(host.url), credentials });
  for (const name of ["cosign-2", "cosign-3"] as const) {
    const pair = ["generate-key-pair", "--output-key-prefix", name];
    if (tools[name]) await home.run(tools[name], ...pair);
  }
  await writeFile(join(home.path, "notes.txt"), "what it is");
  await writeFile(join(home.path, "bill.json"), '{"bomFormat":"CycloneDX"}');
});
afterAll(() => cleanUp.disposeAsync());

describe.each(["oras-1.2", "oras-1.3"] as const)("%s", (name) => {
  test.skipIf(!has(name))("attaches, discovers, and copies all of it", async () => {
    const oras = (...words: readonly string[]) => home.run(tools[name], ...words);
    const folder = name.replace(".", "-");
    const [from, to] = [`${registry}/${folder}/from`, `${registry}/${folder}/to`];
    await oras("push", "--plain-http", `${from}:1`, "notes.txt");
    const attach = ["attach", "--plain-http", "--format", "json", "--artifact-type"];
    const made = await oras(...attach, "application/vnd.example.sbom", `${from}:1`, "bill.json");
    const { digest } = JSON.parse(made.stdout) as { readonly digest: string };
    // Something about the bill, which is about the image.
    const nested = "application/vnd.example.signature";
    await oras(...attach, nested, `${from}@${digest}`, "notes.txt");

    await oras("cp", "-r", "--from-plain-http", "--to-plain-http", `${from}:1`, `${to}:1`);
    const treeOf = async (image: string) => {
      const { stdout } = await oras("discover", "--plain-http", "--format", "tree", `${image}:1`);
      return stdout.replaceAll(image, "");
    };
    const tree = await treeOf(to);
    expect(tree).toBe(await treeOf(from));
    expect(tree.match(/sha256:[0-9a-f]{64}/g)).toHaveLength(3);
    const answer = await host.fetch(`/v2/${folder}/to/referrers/${digest}`);
    const shown = (await answer.json()) as { manifests: { artifactType: string }[] };
    expect(shown.manifests.map((manifest) => manifest.artifactType)).toEqual([nested]);
  });

  test.skipIf(!has(name))("pushes a layer that another repository has, and pulls it", async () => {
    const oras = (...words: readonly string[]) => home.run(tools[name], ...words);
    const layer = `${name}.bin`;
    const bytes = randomBytes(400_000);
    await writeFile(join(home.path, layer), bytes);
    const [base, child] = ["base", "child"].map((end) => `${registry}/${name}/${end}:1`);
    for (const image of [base, child]) await oras("push", "--plain-http", image ?? "", layer);
    const pulled = `${name}-pulled`;
    await oras("pull", "--plain-http", "--output", join(home.path, pulled), child ?? "");
    expect((await readFile(join(home.path, pulled, layer))).equals(bytes)).toBe(true);
  });
});

describe.each(["cosign-2", "cosign-3"] as const)("%s", (name) => {
  test.skipIf(!has(name))("signs and verifies with its own key", async () => {
    const image = await pushImage(`signed/${name}`);
    const reference = `${registry}/signed/${name}@${image.digest}`;
    await signWith(name, reference);
    await verifyWith(name, reference);
    const tagged = await host.fetch(`/v2/signed/${name}/manifests/${sigTag(image)}`);
    const kinds = await referrerTypes(`signed/${name}`, image);
    const state = { tag: tagged.status, bundle: kinds.includes(BUNDLE) };
    expect(state).toEqual(
      name === "cosign-2" ? { tag: 200, bundle: false } : { tag: 404, bundle: true },
    );

    const other = await pushImage(`signed/${name}`, "other");
    const unsigned = `${registry}/signed/${name}@${other.digest}`;
    const verified = await home.attempt(tools[name], ...verifyWords(name, unsigned));
    expect(verified.output).toMatch(/no (?:matching )?signatures/);
    expect(verified.code).not.toBe(0);
  });
});

test.skipIf(!has("notation"))("notation signs, lists and verifies", async () => {
  const notation = (...words: readonly string[]) => home.run(tools["notation"], ...words);
  const image = await pushImage("signed/notation");
  const reference = `${registry}/signed/notation@${image.digest}`;
  await notation("cert", "generate-test", "--default", "tester");
  await writeFile(join(home.path, "policy.json"), JSON.stringify(POLICY));
  await notation("policy", "import", "policy.json");
  await notation("sign", "--insecure-registry", reference);
  const listed = await notation("ls", "--insecure-registry", reference);
  expect(listed.stdout).toContain(NOTARY);
  expect(listed.stdout.match(/sha256:[0-9a-f]{64}/g)?.length).toBeGreaterThan(1);
  const verified = await notation("verify", "--insecure-registry", reference);
  expect(verified.output).toContain("Successfully verified signature");
  expect(await referrerTypes("signed/notation", image)).toEqual([NOTARY]);
  // It writes the fall-back index as well, whatever the registry can do.
  const index = await host.fetch(`/v2/signed/notation/manifests/${fallbackTag(image)}`);
  expect(index.status).toBe(200);
});

const POLICY = {
  version: "1.0",
  trustPolicies: [
    {
      name: "own",
      registryScopes: ["*"],
      signatureVerification: { level: "strict" },
      trustStores: ["ca:tester"],
      trustedIdentities: ["*"],
    },
  ],
};

test.skipIf(!has("cosign-2", "cosign-3", "notation"))(
  "signatures outlive a collection, and go with their image",
  async () => {
    const repository = "collected/app";
    const image = await pushImage(repository, "collected");
    const reference = `${registry}/${repository}@${image.digest}`;
    await signWith("cosign-2", reference);
    await signWith("cosign-3", reference);
    await home.run(tools["notation"], "cert", "generate-test", "--default", "collected");
    await home.run(tools["notation"], "sign", "--insecure-registry", reference);
    const signatures = await referrerDigests(repository, image);
    expect(signatures).toHaveLength(2);
    const tags = [sigTag(image), fallbackTag(image)];
    expect(await missing(repository, [...tags, ...signatures])).toEqual([]);

    passSixtyDays();
    expect((await host.cli("oci", "gc", "--run")).code).toBe(0);
    await verifyWith("cosign-2", reference);
    await verifyWith("cosign-3", reference);
    expect(await missing(repository, [...tags, ...signatures])).toEqual([]);

    const layers = await Promise.all(
      signatures.map((signature) => layersOf(repository, signature)),
    );
    const path = `/v2/${repository}/manifests/${image.digest}`;
    expect((await send(path, { method: "DELETE" })).status).toBe(202);
    for (let runs = 0; runs < 2; runs += 1) {
      passSixtyDays();
      expect((await host.cli("oci", "gc", "--run")).code).toBe(0);
    }
    const references = [...tags, ...signatures];
    expect(await missing(repository, references)).toEqual(references);
    for (const digest of [...layers.flat(), ...image.blobs.map((blob) => blob.digest)]) {
      const head = await send(`/v2/${repository}/blobs/${digest}`, { method: "HEAD" });
      expect(head.status).toBe(404);
    }
  },
);

async function pushImage(repository: string, layer = repository): Promise<TestManifest> {
  const image = buildImage({ layers: [layer], config: JSON.stringify({ of: layer }) });
  for (const { digest, bytes } of image.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    expect((await send(path, { method: "POST", body: bytes })).status).toBe(201);
  }
  const put = { method: "PUT", headers: { "content-type": image.mediaType } };
  const path = `/v2/${repository}/manifests/${layer.replaceAll("/", "-")}`;
  expect((await send(path, { ...put, body: image.bytes })).status).toBe(201);
  return image;
}

async function signWith(name: ToolName, reference: string): Promise<void> {
  await home.run(tools[name], ...(SIGN[name] ?? []), "--key", `${name}.key`, reference);
}

function verifyWords(name: ToolName, reference: string): readonly string[] {
  return ["verify", "--private-infrastructure", "--key", `${name}.pub`, reference];
}

async function verifyWith(name: ToolName, reference: string): Promise<void> {
  const verified = await home.run(tools[name], ...verifyWords(name, reference));
  expect(verified.output).toContain("verified against the specified public key");
}

type Referrers = {
  readonly manifests: readonly { readonly digest: string; readonly artifactType: string }[];
};

async function referrersOf(repository: string, image: TestManifest): Promise<Referrers> {
  const answer = await host.fetch(`/v2/${repository}/referrers/${image.digest}`);
  return (await answer.json()) as Referrers;
}

async function referrerTypes(repository: string, image: TestManifest) {
  return (await referrersOf(repository, image)).manifests.map((manifest) => manifest.artifactType);
}

async function referrerDigests(repository: string, image: TestManifest) {
  return (await referrersOf(repository, image)).manifests.map((manifest) => manifest.digest);
}

async function layersOf(repository: string, digest: string): Promise<readonly string[]> {
  const answer = await host.fetch(`/v2/${repository}/manifests/${digest}`);
  const { layers } = (await answer.json()) as { readonly layers: { readonly digest: string }[] };
  return layers.map((layer) => layer.digest);
}

async function missing(repository: string, references: readonly string[]) {
  const responses = await Promise.all(
    references.map((reference) =>
      send(`/v2/${repository}/manifests/${reference}`, { method: "HEAD" }),
    ),
  );
  return references.filter((_, n) => responses[n]?.status === 404);
}

function sigTag(image: TestManifest): string {
  return `${fallbackTag(image)}.sig`;
}

function fallbackTag({ digest }: TestManifest): string {
  return digest.replace(":", "-");
}

/** As if everything that was done so far had been done sixty days earlier. */
function passSixtyDays(): void {
  using database = openRows();
  for (const [table, column] of CLOCKS) {
    database.rows.exec(`update ${table} set ${column} = ${column} - ${SIXTY_DAYS_MS}`);
  }
}

/** Milliseconds, in SQLite. */
const CLOCKS = [
  ["blobs", "touched_at"],
  ["oci_repository_blobs", "linked_at"],
  ["oci_manifests", "touched_at"],
  ["oci_tags", "updated_at"],
] as const;

function openRows() {
  const rows = openSqliteFile(join(host.folder, "sealhouse.db"));
  return { rows, [Symbol.dispose]: () => rows.close() };
}
