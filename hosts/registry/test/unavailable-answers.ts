import { randomBytes } from "node:crypto";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { expect } from "vitest";
import type { TestHost } from "../src/testing/index.ts";

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };
export type Pushed = { readonly nuget: Answer; readonly npm: Answer; readonly oci: Answer };

/** One small change of each protocol, at the same time. */
export async function pushAll(host: TestHost, token: string, size = 200): Promise<Pushed> {
  const label = randomBytes(4).toString("hex");
  const content = randomBytes(size);
  const [nuget, npm, oci] = await Promise.all([
    answerOf(host, "/api/v2/package", {
      method: "PUT",
      headers: { "x-nuget-apikey": token },
      body: new Uint8Array(
        buildNupkg({ id: `Away.${label}`, version: "1.0.0", files: { "a.bin": content } }),
      ),
    }),
    answerOf(host, `/npm/away-${label}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: npmDocument(`away-${label}`, content),
    }),
    pushBlob(host, token, { repository: `away/${label}`, content }),
  ]);
  return { nuget, npm, oci };
}

/** One read of each protocol of something that no cache has. */
export async function readAll(host: TestHost, token: string): Promise<Pushed> {
  const name = `unread-${randomBytes(4).toString("hex")}`;
  const basic = `Basic ${Buffer.from(`t:${token}`).toString("base64")}`;
  const [nuget, npm, oci] = await Promise.all([
    answerOf(host, `/v3/package/${name}/index.json`, {}),
    answerOf(host, `/npm/${name}`, {}),
    answerOf(host, `/v2/${name}/manifests/1.0`, { headers: { authorization: basic } }),
  ]);
  return { nuget, npm, oci };
}

/** Each is 503 with a time to wait, in the form that clients of its protocol print. */
export function expectUnavailable({ nuget, npm, oci }: Pushed, text: string): void {
  for (const answer of [nuget, npm, oci]) {
    expect(answer).toMatchObject({ status: 503 });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect(nuget.headers.get("content-type")).toContain("application/problem+json");
  expect(nuget.headers.get("x-nuget-warning")).toContain(text);
  expect(JSON.parse(nuget.text)).toMatchObject({ status: 503, problems: [expect.any(String)] });
  expect(nuget.text).toContain(text);
  expect(Object(JSON.parse(npm.text))["error"]).toContain(text);
  expect(JSON.parse(oci.text)).toEqual({
    errors: [{ code: "UNAVAILABLE", message: expect.stringContaining(text) }],
  });
}

export function statusesOf({ nuget, npm, oci }: Pushed): readonly number[] {
  return [nuget.status, npm.status, oci.status];
}

async function pushBlob(
  host: TestHost,
  token: string,
  { repository, content }: { readonly repository: string; readonly content: Buffer },
): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`t:${token}`).toString("base64")}`;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(content)));
  const digest = `sha256:${Buffer.from(bytes).toString("hex")}`;
  return answerOf(host, `/v2/${repository}/blobs/uploads/?digest=${digest}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/octet-stream" },
    body: new Uint8Array(content),
  });
}

function npmDocument(name: string, content: Buffer): string {
  const version = "1.0.0";
  const tarball = buildTarball({ name, version, files: { "a.bin": content } });
  return JSON.stringify({
    _id: name,
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version } },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: "application/octet-stream",
        data: tarball.toString("base64"),
        length: tarball.length,
      },
    },
  });
}

async function answerOf(host: TestHost, path: string, init: RequestInit): Promise<Answer> {
  const answer = await host.fetch(path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
