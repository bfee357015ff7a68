import { randomBytes } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import type { Scope } from "@sealhouse/identity";
import { createToken } from "@sealhouse/identity";
import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { createBlobStore } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect } from "vitest";
import { createRequestContexts } from "../http/request-context.ts";
import { createLog } from "../log.ts";
import { loadConfig } from "../settings/load.ts";
import { openAccess } from "./access.ts";
import { openConsoleApp } from "./console.ts";

const PEPPER = "0123456789abcdef0123456789abcdef";
export const NOW = new Date("2026-03-01T12:00:00Z");
export const caller = { actor: "token:release" };

type Opened = { readonly env?: Record<string, string>; readonly sealKeys?: SealKeys };

/** The pages of a registry with a database and a store of its own. */
export async function openPages({ env = {}, sealKeys }: Opened = {}) {
  await using opened = new AsyncDisposableStack();
  let time = NOW.getTime();
  const now = () => new Date(time);
  const database = opened.use(await openTestDatabase({ now }));
  const files = createBlobStore(createMemoryStore(), { prefix: "oci" });
  const { config } = loadConfig({
    env: { ASPNETCORE_ENVIRONMENT: "Development", ...env },
    workingFolder: "/",
  });
  const log = createLog({ level: "None", format: "Json" }, () => undefined);
  const contexts = createRequestContexts({ trustedProxies: [], publicBaseUrls: [] });
  const access = openAccess({ config, database, pepper: PEPPER, contexts, log, now });
  opened.use(access.authenticator);
  const app = openConsoleApp({
    config,
    database,
    blobs: { nuget: files, npm: files, oci: files },
    rules: access.rules,
    pepper: PEPPER,
    ...(sealKeys && { sealKeys }),
    verifyBundle: async () => ({ status: "unchecked" }),
  });
  const get = async (path: string, authorization?: string) =>
    app.request(`http://localhost:8080${path}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
  const owned = opened.move();
  return {
    database,
    files,
    get,
    advance: (ms: number) => {
      time += ms;
    },
    read: async (path: string, authorization?: string) =>
      wordsOf(await (await get(path, authorization)).text()),
    post: async (path: string, body: string, headers: Record<string, string>) =>
      app.request(`http://localhost:8080${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        body,
      }),
    push: async (image: TestManifest, tags: readonly string[] = [], into = "acme/app") => {
      const repository = parseRepositoryName(into);
      for (const { digest, bytes } of image.blobs) {
        await using staged = await files.stage(chunksOf(bytes));
        const { key, size } = await staged.keep();
        await database.oci.blobs.link(repository, { digest, key, size });
      }
      const { digest, bytes, mediaType } = image;
      const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
      const given = { ...parsed, repository, digest, bytes, tags };
      const outcome = await database.oci.manifests.record(given, caller);
      expect(outcome).toEqual({ status: "recorded" });
      return image;
    },
    authorizationOf: async (scopes: readonly Scope[], patterns?: readonly string[]) => {
      const wanted = { name: "me", scopes, ...(patterns && { patterns }) };
      const made = createToken(wanted, { pepper: PEPPER, now: now(), random: randomBytes });
      await database.tokens.insert(made.record, caller);
      return `Basic ${Buffer.from(`me:${made.token}`).toString("base64")}`;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function wordsOf(html: string): string {
  return html
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, "")
    .replaceAll("<wbr />", "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/g, " ");
}

const CONFIG = {
  os: "linux",
  architecture: "arm64",
  variant: "v8",
  created: "2026-02-27T12:00:00Z",
  config: {
    User: "app",
    Entrypoint: ["/app", "--serve now"],
    Cmd: ["--port", "80"],
    Env: ["PATH=/bin", "SECRET=<b>"],
    ExposedPorts: { "80/tcp": {} },
    Labels: { source: "https://github.com/acme/app", bad: "javascript:alert(1)" },
  },
  history: [
    { created_by: "/bin/sh -c #(nop) ADD file:1 in / " },
    { created_by: "ENV A=1", empty_layer: true },
    { created_by: "/bin/sh -c make all" },
  ],
};

export const image = buildImage({
  layers: ["first layer", "second"],
  config: JSON.stringify(CONFIG),
  annotations: { "org.opencontainers.image.title": "<script>alert(1)</script>" },
});
