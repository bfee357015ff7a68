import { createHash } from "node:crypto";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

const READERS = 50;
const path = "/v3/package/acme.early/1.0.0/acme.early.1.0.0.nupkg";

test("a package from before signing was on is signed once, however many ask first", async () => {
  await using folder = await openFolder();
  const pushed = buildNupkg({ id: "Acme.Early", version: "1.0.0", files: { "a.txt": "a" } });
  {
    await using host = await startHost({ folder: folder.path, env: { Signing__Mode: "" } });
    const answer = await host.fetch("/api/v2/package/", {
      method: "PUT",
      headers: { "x-nuget-apikey": await host.makeToken({ scopes: "write" }) },
      body: pushed,
    });
    expect(answer.status).toBe(201);
    const plain = await host.fetch(path);
    expect(sha256(await plain.arrayBuffer())).toBe(sha256(pushed));
  }
  await using host = await startHost({ folder: folder.path });
  const answers = await Promise.all(Array.from({ length: READERS }, () => host.fetch(path)));
  const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  expect(new Set(bodies.map(sha256)).size).toBe(1);
  expect(new Set(answers.map((answer) => answer.headers.get("etag"))).size).toBe(1);
  const [served = new ArrayBuffer()] = bodies;
  const signature = await readSignature(packageBytesOf(new Uint8Array(served)));
  expect(signature).toMatchObject({ kind: "repository" });
  const later = await host.fetch(path);
  expect(sha256(await later.arrayBuffer())).toBe(sha256(served));
});

function sha256(bytes: ArrayBuffer | Uint8Array): string {
  return createHash("sha256").update(new Uint8Array(bytes)).digest("hex");
}
