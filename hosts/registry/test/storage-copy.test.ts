import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  AZURITE_ACCOUNT,
  AZURITE_KEY,
  startAzurite,
} from "../../../packages/storage-azure-blob/src/testing/index.ts";
import { startGoogleStorage } from "../../../packages/storage-google-cloud/src/testing/index.ts";
import { spawnHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";
import { openFolder } from "./clients/client.ts";
import { readManual, textsOf } from "./manual-page.ts";
import { openShell } from "./page-shell.ts";
import { ROUND_TRIP_SETTINGS } from "./store-round-trip.ts";

// The steps of docs/storage/README.md, "From one storage to another".

const PAGE = await readManual("../../../docs/storage/README.md");
const MIB = 1024 * 1024;
const azurite = await startAzurite();
afterAll(() => azurite[Symbol.asyncDispose]());
const google = await startGoogleStorage();
afterAll(() => google[Symbol.asyncDispose]());

const artifactsOf = (name: string) => [
  nugetArtifact(`Acme.${name}`, randomBytes(MIB)),
  npmArtifact(`acme-${name}`, randomBytes(MIB)),
  ociArtifact(`acme/${name}`, randomBytes(20 * MIB)),
  ociArtifact(`acme/${name}-small`, randomBytes(100)),
];

test("a feed moves from a folder to Azure, to Google and back", { timeout: 240_000 }, async () => {
  await using place = await openFolder();
  const data = join(place.path, "data");
  const base = {
    ...ROUND_TRIP_SETTINGS,
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: data,
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
  const container = await azurite.createContainer();
  const azure = {
    Type: "AzureBlobStorage",
    Container: container,
    AccountName: AZURITE_ACCOUNT,
    AccessKey: AZURITE_KEY,
    ServiceUrl: azurite.url,
  };
  const settingsOf = (prefix: string, storage: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(storage).map(([key, text]) => [`${prefix}Storage__${key}`, text]),
    );
  const documented =
    textsOf(PAGE, "sh target")
      .join("")
      .match(/NEW_Storage__\w+/g) ?? [];
  const target = settingsOf("NEW_", azure);
  expect(Object.keys(target)).toEqual(expect.arrayContaining(documented));
  const shell = await openShell(place.path, { ...base, ...target });
  const [first = "", second = ""] = textsOf(PAGE, "sh copy");
  const before = artifactsOf("before");
  const later = artifactsOf("later");
  {
    await using host = await spawnHost({ folder: data, env: base });
    const token = await host.makeToken({ scopes: "read,write" });
    for (const artifact of before) expect(await artifact.push(host, token)).toBe(true);
    const output = await shell(first);
    expect(output).toMatch(
      /Would copy \d+ objects[^]*Copied \d+ objects[^]*Damaged.*: 0\. Failed: 0/,
    );
    for (const artifact of later) expect(await artifact.push(host, token)).toBe(true);
  }
  const output = await shell(second);
  const [, copied = "", had = ""] = /Copied (\d+) objects.*The target had (\d+)/.exec(output) ?? [];
  expect([Number(copied), Number(had)]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Number(copied)).toBeGreaterThan(0);
  expect(Number(had)).toBeGreaterThan(0);

  const start = textsOf(PAGE, "sh start").join("").replace("sealhouse serve\n", "");
  const azureShell = await openShell(place.path, {
    ...base,
    ...target,
    Storage__ServiceUrl: azurite.url,
  });
  expect(await azureShell(start)).toMatch(/oci: .* 0 damaged/);
  const inAzure = artifactsOf("azure");
  {
    await using host = await spawnHost({
      folder: data,
      env: { ...base, ...settingsOf("", azure) },
    });
    for (const artifact of [...before, ...later]) expect(await artifact.check(host)).toBe("whole");
    const token = await host.makeToken({ scopes: "read,write" });
    for (const artifact of inAzure) expect(await artifact.push(host, token)).toBe(true);
  }

  // Large blobs of object stores have keys without a digest.
  google.state.buckets.set("acme-copy", new Map());
  const bucket = { Type: "Gcs", Bucket: "acme-copy", EmulatorHost: google.url };
  const between = await openShell(place.path, { ...base, ...target, ...settingsOf("G_", bucket) });
  const copiedOn = await between("sealhouse storage copy --from env:NEW_ --to env:G_");
  expect(copiedOn).toMatch(/Damaged in the source: 0\. Failed: 0/);
  const names = [...(google.state.buckets.get("acme-copy")?.keys() ?? [])];
  expect(names.some((name) => name.startsWith("oci/blobs/streamed/"))).toBe(true);
  await writeFile(join(place.path, "bucket.json"), JSON.stringify({ Storage: bucket }));
  await between("sealhouse storage copy --from settings:bucket.json --to folder:back");
  const all = [...before, ...later, ...inAzure];
  const back = { Storage__Path: join(place.path, "back") };
  for (const storage of [settingsOf("", bucket), back]) {
    await using host = await spawnHost({ folder: data, env: { ...base, ...storage } });
    for (const artifact of all) expect(await artifact.check(host)).toBe("whole");
    const check = await host.cli("check", "--scrub", "--not-since", "0");
    expect([check.code, check.stdout], check.stderr).toEqual([0, ""]);
  }
  expect(await readdir(join(data, "storage-copy"))).toHaveLength(3);
});
