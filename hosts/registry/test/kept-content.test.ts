import { setTimeout as wait } from "node:timers/promises";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";

const image = buildImage({ layers: ["layer"] });
const PACKAGE = "/v3/package/acme.demo/1.0.0/acme.demo.1.0.0.nupkg";
const TARBALL = "/npm/demo/-/demo-1.0.0.tgz";
const MANIFEST = `team/app/manifests/${image.digest}`;

async function publishAll(host: TestHost, token: string): Promise<void> {
  const authorization = `Bearer ${token}`;
  const nupkg = await host.fetch("/api/v2/package", {
    method: "PUT",
    headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
    body: Buffer.from(buildNupkg({ id: "Acme.Demo", version: "1.0.0" })),
  });
  const npm = await host.fetch("/npm/demo", {
    method: "PUT",
    headers: { authorization, "content-type": "application/json" },
    body: publishBody({ name: "demo", version: "1.0.0" }),
  });
  for (const { digest, bytes } of image.blobs) {
    const url = `/v2/team/app/blobs/uploads/?digest=${digest}`;
    const pushed = await host.fetch(url, {
      method: "POST",
      headers: { authorization },
      body: Buffer.from(bytes),
    });
    expect(pushed.status).toBe(201);
  }
  const manifest = await host.fetch("/v2/team/app/manifests/latest", {
    method: "PUT",
    headers: { authorization, "content-type": image.mediaType },
    body: Buffer.from(image.bytes),
  });
  expect([nupkg.status, npm.status, manifest.status]).toEqual([201, 200, 201]);
}

async function deleteAll(host: TestHost, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "x-nuget-apikey": token };
  const remove = async (path: string) =>
    (await host.fetch(path, { method: "DELETE", headers })).status;
  const found = await host.fetch("/npm/demo?write=true", { headers });
  const { _rev: revision } = (await found.json()) as { _rev: string };
  expect([
    await remove("/api/v2/package/Acme.Demo/1.0.0"),
    await remove(`/npm/demo/-rev/${revision}`),
    await remove(`/v2/${MANIFEST}`),
  ]).toEqual([204, 200, 202]);
}

test("a view serves what was deleted since, with Feed__History__KeepContent", async () => {
  const env = {
    Signing__Mode: "",
    PackageDeletionBehavior: "HardDelete",
    Feed__History__KeepContent: "1.00:00:00",
  };
  await using host = await startHost({ env });
  const token = await host.makeToken({ scopes: "read,write,delete" });
  await publishAll(host, token);
  await wait(1_100);
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const name = `as-of-${time.replaceAll(/[-:]/g, "").toLowerCase()}`;
  await wait(1_100);
  const headers = { authorization: `Bearer ${token}`, accept: image.mediaType };
  const bytesOf = async (path: string) => {
    const answer = await host.fetch(path, { headers });
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status;
  };
  const before = [await bytesOf(PACKAGE), await bytesOf(TARBALL), await bytesOf(`/v2/${MANIFEST}`)];
  await deleteAll(host, token);

  const here = [PACKAGE, TARBALL, `/v2/${MANIFEST}`];
  expect(await Promise.all(here.map(bytesOf))).toEqual([404, 404, 404]);
  const then = [`/@${time}${PACKAGE}`, `/@${time}${TARBALL}`, `/v2/${name}/${MANIFEST}`];
  expect(await Promise.all(then.map(bytesOf))).toEqual(before);
  const textOf = async (path: string) => String(await bytesOf(path));
  const leaf = await textOf(`/@${time}/v3/registration-gz-semver2/acme.demo/1.0.0.json`);
  expect(JSON.parse(leaf)).toMatchObject({ listed: true });
  expect(JSON.parse(await textOf(`/@${time}/npm/demo`))).toMatchObject({
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name: "demo" } },
  });
  expect(await bytesOf(`/v2/${name}/team/app/manifests/latest`)).toEqual(before[2]);
  for (const { digest } of image.blobs) {
    expect(await bytesOf(`/v2/${name}/team/app/blobs/${digest}`)).toBeInstanceOf(Buffer);
  }
  for (const words of [
    ["nuget", "Acme.Demo", "1.0.0"],
    ["npm", "demo"],
    ["oci", "team/app"],
  ]) {
    const erased = await host.cli("erase", ...words);
    expect([erased.code, erased.stdout], erased.stderr).toEqual([0, "1 erased\n"]);
    expect((await host.cli("erase", ...words)).code).toBe(1);
  }
  expect(await Promise.all(then.map(bytesOf))).toEqual([404, 404, 404]);
}, 60_000);
