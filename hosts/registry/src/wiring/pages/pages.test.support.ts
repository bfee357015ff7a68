import type { Protocol } from "@sealhouse/request-types";
import { randomBytes } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import type { Scope } from "@sealhouse/identity";
import { createToken, openKeyRing, openRequestDecisions } from "@sealhouse/identity";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import { createBlobStore } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import type { PackageSource, RefusedVersions } from "@sealhouse/upstream-sources";
import { createRequestContexts } from "@sealhouse/http-server";
import { expect, vi } from "vitest";
import { createLog } from "../../log.ts";
import { loadConfig } from "../../settings/load.ts";
import { openAccess } from "../access/access.ts";
import { openConsoleApp } from "./console.ts";
import { imagePages } from "./images.ts";
import { npmPages } from "./npm.ts";
import type { PagesCore } from "./pages-core.ts";

export const PEPPER = "0123456789abcdef0123456789abcdef";
const HOST = { ASPNETCORE_ENVIRONMENT: "Development", Host__TokenHashPepper: PEPPER };
const HOME = "http://localhost:8080";
export const NOW = new Date("2026-03-01T12:00:00Z");
export const caller = { actor: "token:release" };

export type ConsolePagesOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly sealKeys?: SealKeys;
  readonly verifyBundle?: VerifyBundle;
  /** Versions of every package that are held back or denied; `image`: why every image is. */
  readonly withheld?: Awaited<ReturnType<RefusedVersions>>;
  /** Enabled package sources. */
  readonly sources?: readonly PackageSource[];
};

/** The pages of a registry with its own database and store; its clock is fixed at `NOW`. */
export async function openConsolePages(
  prefix: Protocol,
  {
    env = {},
    sealKeys,
    verifyBundle,
    withheld = new Map(),
    sources = [],
  }: ConsolePagesOptions = {},
) {
  await using opened = new AsyncDisposableStack();
  const changes: string[] = [];
  let time = NOW.getTime();
  const now = () => new Date(time);
  const database = opened.use(await openTestDatabase({ now }));
  const files = createBlobStore(createMemoryStore(), { prefix });
  const { config } = loadConfig({
    env: { ...HOST, ...env },
    workingFolder: "/",
  });
  const log = createLog({ level: "None", format: "Json" }, () => undefined);
  const contexts = createRequestContexts({
    trustedProxies: [],
    publicBaseUrls: [],
    openDecisions: openRequestDecisions,
  });
  const keyRing = await openKeyRing({ random: randomBytes, now });
  const resources = {
    database,
    keyRing,
    signing: { isEnabled: config.signing.mode !== "off" },
    blobs: { nuget: files, npm: files, oci: { ...files, confirm: () => Promise.resolve(true) } },
  };
  const access = opened.use(await openAccess({ config, resources, contexts, log, now }));
  const content = {
    mirror: { refreshSources: () => void changes.push("sources"), enabled: async () => sources },
    mirrored: { ...mirroredOf(withheld), refreshRules: () => void changes.push("rules") },
    verifyBundle: verifyBundle ?? (async () => ({ status: "unchecked" })),
  };
  const app = openPagesOf({ config, resources, access, content }, sealKeys);
  const request = async (path: string, headers: Readonly<Record<string, string>>, method = "GET") =>
    app.request(HOME + path, { method, headers });
  const get = (path: string, authorization?: string) =>
    request(path, authorization === undefined ? {} : { authorization });
  const owned = opened.move();
  return {
    database,
    /** The lists that a running host reads again, in order. */
    changes,
    files,
    get,
    request,
    read: async (path: string, authorization?: string) =>
      wordsOf(await (await get(path, authorization)).text()),
    post: async (path: string, body: string, headers: Record<string, string>) =>
      app.request(HOME + path, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      }),
    /** Counts the lookups of tokens while a page is answered with 200. */
    lookupsFor: (path: string, authorization: string) =>
      lookupsIn(database, async () => expect((await get(path, authorization)).status).toBe(200)),
    advance: (ms: number) => {
      time += ms;
    },
    authorizationOf: (scopes: readonly Scope[], patterns?: readonly string[]) =>
      tokenIn(database, { scopes, ...(patterns && { patterns }) }, now()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function openPagesOf(core: PagesCore, sealKeys: SealKeys | undefined) {
  const { npm, oci } = core.config.feed;
  return openConsoleApp(core, {
    protocols: [
      "nuget",
      ...(npm.enabled ? (["npm"] as const) : []),
      ...(oci.enabled ? (["oci"] as const) : []),
    ],
    pages: (page) => ({
      ...(npm.enabled && { npmPages: npmPages(core, page) }),
      ...(oci.enabled && imagePages(core, sealKeys, page)),
    }),
  });
}

async function lookupsIn(
  { tokens }: Awaited<ReturnType<typeof openTestDatabase>>,
  work: () => Promise<void>,
): Promise<number> {
  const find = vi.spyOn(tokens, "findByPrefix");
  await work();
  const { length } = find.mock.calls;
  find.mockRestore();
  return length;
}

async function tokenIn(
  { tokens }: Awaited<ReturnType<typeof openTestDatabase>>,
  token: { readonly scopes: readonly Scope[]; readonly patterns?: readonly string[] },
  now: Date,
): Promise<string> {
  const made = createToken({ name: "me", ...token }, { pepper: PEPPER, now, random: randomBytes });
  await tokens.insert(made.record, caller);
  return `Bearer ${made.token}`;
}

function mirroredOf(withheld: Awaited<ReturnType<RefusedVersions>>) {
  return {
    npm: { refused: async () => withheld },
    nuget: { refused: async () => withheld },
    images: { withheld: async () => withheld.get("image") },
  };
}

/** The visible text of a page, with single spaces. */
export function wordsOf(html: string): string {
  return html
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, "")
    .replaceAll("<wbr />", "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/g, " ");
}
