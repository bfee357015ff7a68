import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { buildImage, buildIndex, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, expect, test, vi } from "vitest";
import type { HostOptions, TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

/** Pushes of images to a signing host, without a real client. */
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

const WITHIN_MS = 30_000;
const NOTARY = "application/vnd.cncf.notary.signature";
const COSIGN = "application/vnd.dev.cosign.artifact.sig.v1+json";
const ON = { Signing__Oci__Enabled: "true", Signing__Mode: "" };

type Referrer = { readonly digest: string; readonly artifactType: string };

async function openHost(options: HostOptions) {
  const host = cleanUp.use(await startHost(options));
  const password = await host.makeToken({ scopes: "read,write,delete" });
  const registry = new URL(host.url);
  const credentials = { type: "basic", username: "tester", password } as const;
  return { host, send: sendAs({ registry, credentials }) };
}

async function put(send: Send, image: TestManifest, reference: string, repository = "team/app") {
  for (const { digest, bytes } of image.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    expect((await send(path, { method: "POST", body: bytes })).status).toBe(201);
  }
  const headers = { "content-type": image.mediaType };
  const path = `/v2/${repository}/manifests/${reference}`;
  const answer = await send(path, { method: "PUT", headers, body: image.bytes });
  expect(answer.status).toBe(201);
}

async function referrersOf(host: TestHost, digest: string): Promise<readonly Referrer[]> {
  const answer = await host.fetch(`/v2/team/app/referrers/${digest}`);
  return ((await answer.json()) as { manifests: Referrer[] }).manifests;
}

function soon(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: WITHIN_MS, interval: 100 });
}

async function typesOf(host: TestHost, digest: string): Promise<readonly string[]> {
  return (await referrersOf(host, digest)).map(({ artifactType }) => artifactType);
}

/** Pushes a last image, whose signatures prove that the host has processed all earlier ones. */
async function allDone({ host, send }: Awaited<ReturnType<typeof openHost>>): Promise<void> {
  const last = buildImage({ layers: [crypto.randomUUID()] });
  await put(send, last, "last");
  await soon(async () => expect(await typesOf(host, last.digest)).toEqual([COSIGN, NOTARY]));
}

test("signs a tagged manifest once, however many tags, and no signatures", async () => {
  const opened = await openHost({ env: ON });
  const { host, send } = opened;
  const image = buildImage();
  await put(send, image, "1.0");
  await put(send, image, "latest");
  const untagged = buildImage({ layers: ["untagged"] });
  await put(send, untagged, untagged.digest);
  const subject = image.descriptor;
  const sbom = buildImage({ artifactType: "application/spdx+json", subject });
  await put(send, sbom, sbom.digest);
  const signature = buildImage({ artifactType: NOTARY, layers: ["a person's"], subject });
  await put(send, signature, "signature");
  const index = buildIndex([image]);
  await put(send, index, "all");
  await allDone(opened);
  const ofImage = [...(await typesOf(host, image.digest))].toSorted();
  expect(ofImage).toEqual([COSIGN, NOTARY, NOTARY, "application/spdx+json"].toSorted());
  expect(await typesOf(host, index.digest)).toEqual([COSIGN, NOTARY]);
  for (const manifest of [untagged, sbom, signature]) {
    expect(await typesOf(host, manifest.digest)).toEqual([]);
  }
  for (const { digest } of await referrersOf(host, image.digest)) {
    expect(await typesOf(host, digest)).toEqual([]);
  }
});

test("signs the images of an index on request", async () => {
  const env = { ...ON, Signing__Oci__Platforms: "true", Signing__Oci__Formats: "Notation" };
  const { host, send } = await openHost({ env });
  const images = ["amd64", "arm64"].map((config) => buildImage({ config }));
  for (const image of images) await put(send, image, image.digest);
  const index = buildIndex(images);
  await put(send, index, "1.0");
  await soon(async () => expect(await typesOf(host, index.digest)).toEqual([NOTARY]));
  for (const { digest } of images) expect(await typesOf(host, digest)).toEqual([NOTARY]);
});

test("signs existing tags once signing is on, by two hosts once", async () => {
  const folder = join(cleanUp.use(await openFolder()).path, "data");
  const before = await openHost({ folder, env: { Signing__Mode: "" } });
  const images = Array.from({ length: 5 }, (_, index) => buildImage({ layers: [`${index}`] }));
  for (const [position, image] of images.entries()) await put(before.send, image, `${position}.0`);
  const moved = buildImage({ layers: ["moved"] });
  await put(before.send, moved, "latest");
  await put(before.send, buildImage({ layers: ["0"] }), "latest");
  expect((await before.host.fetch("/trust/images/cosign.pub")).status).toBe(404);
  const refused = await before.host.cli("oci", "seal", "--all");
  expect(refused.stderr).toContain("Signing__Oci__Enabled");
  expect(refused.code).not.toBe(0);
  await before.host.stop();

  const hosts = await Promise.all([openHost({ folder, env: ON }), openHost({ folder, env: ON })]);
  const [instance] = hosts;
  for (const { digest } of images) {
    await soon(async () => expect(await typesOf(instance.host, digest)).toEqual([COSIGN, NOTARY]));
  }
  await allDone(instance);
  for (const { digest } of images) expect(await typesOf(instance.host, digest)).toHaveLength(2);
  expect(await typesOf(instance.host, moved.digest)).toEqual([]);

  const again = await instance.host.cli("oci", "sign", "--all", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ sealed: 0, there: 6, failed: 0 });
  const key = await instance.host.cli("oci", "seal", "--print-key");
  expect(await (await instance.host.fetch("/trust/images/cosign.pub")).text()).toBe(key.stdout);
  const root = await instance.host.cli("oci", "seal", "--print-certificate");
  expect(await (await instance.host.fetch("/trust/images/notation.pem")).text()).toBe(root.stdout);

  const rotated = await instance.host.cli("npm", "keys", "rotate");
  expect(rotated.code).toBe(0);
  const planned = await instance.host.cli("oci", "sign", "team/app:0.0", "--dry-run");
  expect(planned.stdout).toBe(`team/app@${images[0]?.digest}\n`);
  expect(planned.stderr).toContain("Would sign: 1. Signed already: 0.");
  expect(await typesOf(instance.host, images[0]?.digest ?? "")).toHaveLength(2);
  const signing = await instance.host.cli(
    "oci",
    "sign",
    "team/app:0.0",
    `team/app@${moved.digest}`,
  );
  const [first] = images;
  expect(signing.stdout.trim().split("\n")).toEqual([
    `team/app@${first?.digest}`,
    `team/app@${moved.digest}`,
  ]);
  expect(await typesOf(instance.host, first?.digest ?? "")).toHaveLength(4);
  expect(await (await instance.host.fetch("/trust/images/cosign.pub")).text()).not.toBe(key.stdout);
  const unknown = await instance.host.cli("oci", "seal", "team/app:none");
  expect(unknown.stderr).toContain("There is no image team/app:none");
  expect(unknown.code).toBe(1);
});

test("deleting an image takes nothing else, and a signature that is deleted stays away", async () => {
  const opened = await openHost({ env: ON });
  const { host, send } = opened;
  const image = buildImage();
  await put(send, image, "1.0");
  await soon(async () => expect(await typesOf(host, image.digest)).toHaveLength(2));
  const [signature] = await referrersOf(host, image.digest);
  const path = `/v2/team/app/manifests/${signature?.digest}`;
  expect((await send(path, { method: "DELETE" })).status).toBe(202);
  await allDone(opened);
  expect(await typesOf(host, image.digest)).toEqual([NOTARY]);
  expect((await host.cli("oci", "seal", "team/app")).code).toBe(0);
  expect([...(await typesOf(host, image.digest))].toSorted()).toEqual([NOTARY, COSIGN].toSorted());
});

test("a signature lives as long as its image, whatever is collected", async () => {
  const opened = await openHost({ env: ON });
  const { host, send } = opened;
  const [keptImage, gone] = [buildImage({ layers: ["kept"] }), buildImage({ layers: ["gone"] })];
  await put(send, keptImage, "1.0");
  await put(send, gone, "2.0");
  await allDone(opened);
  const signatures = [...(await referrersOf(host, keptImage.digest))];
  const lost = [...(await referrersOf(host, gone.digest))];
  expect([signatures.length, lost.length]).toEqual([2, 2]);
  expect((await send("/v2/team/app/manifests/2.0", { method: "DELETE" })).status).toBe(202);
  // The tags of its signatures go with the event of the deletion.
  await allDone(opened);
  passThreeDays(host);
  expect((await host.cli("oci", "gc", "--run")).code).toBe(0);

  expect(await referrersOf(host, keptImage.digest)).toEqual(signatures);
  for (const { digest } of signatures) {
    const manifest = await host.fetch(`/v2/team/app/manifests/${digest}`);
    const { layers } = (await manifest.json()) as { layers: { digest: string }[] };
    expect((await host.fetch(`/v2/team/app/blobs/${layers[0]?.digest}`)).status).toBe(200);
  }
  for (const { digest } of lost) {
    expect((await host.fetch(`/v2/team/app/manifests/${digest}`)).status).toBe(404);
  }
  expect(await typesOf(host, gone.digest)).toEqual([]);
  const tags = (await (await host.fetch("/v2/team/app/tags/list")).json()) as { tags: string[] };
  expect(tags.tags).toContain(`${keptImage.digest.replace(":", "-")}.sig`);
  expect(tags.tags).not.toContain(`${gone.digest.replace(":", "-")}.sig`);
});

/** As if everything that was done so far had been done three days earlier. */
function passThreeDays({ folder }: TestHost): void {
  const rows = openSqliteFile(join(folder, "sealhouse.db"));
  for (const clock of ["blobs.touched_at", "oci_repository_blobs.linked_at", ...TAGGED]) {
    const [table, column] = clock.split(".");
    rows.exec(`update ${table} set ${column} = ${column} - ${3 * 24 * 60 * 60_000}`);
  }
  rows.close();
}

const TAGGED = ["oci_manifests.touched_at", "oci_tags.updated_at"];
