import { createNpmApp } from "@sealhouse/npm-protocol";
import type { NpmAdvisory, NpmPast } from "@sealhouse/npm-protocol";
import { createMemoryNpmPorts, publishBody } from "@sealhouse/npm-protocol/testing";
import type { MemoryNpmPorts } from "@sealhouse/npm-protocol/testing";
import { createMemoryDocumentStore } from "@sealhouse/http-responses/testing";
import type { FastLane } from "../../policy/fast-lane.ts";
import { createRuleList } from "../../policy/rule-list.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import type { MemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { memoryParts, testSource } from "../../testing/memory-parts.ts";
import type { MemoryParts } from "../../testing/memory-parts.ts";
import type { Packument, ScriptedRegistry } from "../../testing/scripted-npm.ts";
import { unavailable } from "../unavailable.test.support.ts";
import { openMirror } from "../mirror.ts";
import type { Mirror } from "../mirror.ts";
import { sharedDocuments } from "../documents/shared-documents.ts";
import { mirroredNpm } from "./mirrored-npm.ts";
import type { MirroredNpm, MirroredNpmParts } from "./mirrored-npm.ts";

/** An answer of the registry. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export type ShownPackument = Packument & {
  readonly error?: string;
  readonly policyRestrictions?: { readonly message: string };
};

/** A registry in memory that mirrors npm registries; a test moves its clock. */
export type MirrorRegistry = AsyncDisposable & {
  readonly memory: MemoryNpmPorts;
  readonly parts: MemoryParts;
  readonly mirror: Mirror;
  readonly mirrored: MirroredNpm;
  readonly rules: MemoryMirrorPorts["rules"];
  readonly advisories: Map<string, readonly NpmAdvisory[]>;
  /** Moves the clock forward. */
  pass(ms: number): void;
  now(): Date;
  /** `path` is below the registry. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  packument(
    name: string,
    accept?: string,
  ): Promise<{ status: number; headers: Headers; body: ShownPackument; versions: string[] }>;
  tarball(name: string, version: string): Promise<Answer>;
  publish(name: string, version: string): Promise<Answer>;
};

const NO_PAST: NpmPast = {
  find: async () => undefined,
  version: async () => undefined,
  kept: async () => [],
  beginning: async () => undefined,
};
const BASE = "http://registry.test/npm";

type Options = {
  readonly isOffline?: boolean;
  readonly own?: readonly string[];
  readonly fastLane?: FastLane;
  readonly includesMirrored?: boolean;
  readonly mergeStrategy?: "LocalPreferred" | "Deduplicate" | "Union";
  readonly tarballBytesMax?: number;
  readonly past?: Partial<NpmPast>;
};

export function openMirrorRegistry(
  sources: readonly PackageSource[],
  options: Options = {},
): MirrorRegistry {
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const memory = createMemoryNpmPorts({ now });
  const documents = createMemoryDocumentStore();
  const parts = memoryParts({
    sources,
    now,
    own: options.own ?? [],
    isOffline: options.isOffline ?? false,
    onStale: (group) => documents.change(group),
    isPublished: (name) => memory.lookup.has(name),
  });
  const mirror = openMirror(parts);
  const { rules, firstSeen } = createMemoryMirrorPorts({ now });
  const advisories: MirrorRegistry["advisories"] = new Map();
  const policy = {
    rules: createRuleList({ stored: rules, now }),
    firstSeen,
    advisories: {
      of: async (names: readonly string[]) =>
        new Map(names.map((name) => [name, advisories.get(name) ?? []])),
    },
    ...(options.fastLane && { fastLane: options.fastLane }),
  };
  const mirrored = mirroredOf({ mirror, memory, policy, now }, options);
  const { lookup, search, upstream, past } = mirrored;
  const views = { past, documents: createMemoryDocumentStore() };
  const shared = sharedDocuments(documents, mirror.ownCalls);
  const app = createNpmApp(
    { ...memory, documents: shared, lookup, search, upstream, views },
    { anonymousRead: true, basePath: "/npm", unavailable },
  );
  return {
    memory,
    parts,
    mirror,
    mirrored,
    rules,
    advisories,
    pass: (ms) => void (clock.ms += ms),
    now,
    ...clientOf(app),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}

function mirroredOf(
  parts: Pick<MirroredNpmParts, "mirror" | "policy" | "now"> & { readonly memory: MemoryNpmPorts },
  options: Options,
): MirroredNpm {
  const { mirror, memory, policy, now } = parts;
  const { includesMirrored = true, mergeStrategy } = options;
  return mirroredNpm({
    mirror,
    lookup: memory.lookup,
    past: { ...NO_PAST, ...options.past },
    search: memory.search,
    upstreamSearch: mergeStrategy && { mergeStrategy, timeoutMs: 1_000 },
    includesMirrored,
    adopt: memory,
    caller: { actor: "system" },
    tarballBytesMax: options.tarballBytesMax ?? Number.MAX_SAFE_INTEGER,
    policy,
    now,
  });
}

function clientOf(
  app: ReturnType<typeof createNpmApp>,
): Pick<MirrorRegistry, "get" | "packument" | "publish" | "tarball"> {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await app.request(`/npm/${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const get: MirrorRegistry["get"] = (path, headers = {}) => send(path, { headers });
  return {
    get,
    async packument(name, accept = "application/json") {
      const { status, headers, text } = await get(name, { accept });
      const body = JSON.parse(text) as ShownPackument;
      return { status, headers, body, versions: Object.keys(body.versions ?? {}) };
    },
    tarball: (name, version) => get(`${name}/-/${name.split("/").at(-1)}-${version}.tgz`),
    publish: (name, version) =>
      send(name.replace("/", "%2f"), {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: publishBody({ name, version }),
      }),
  };
}

/** A source at a scripted registry, or elsewhere. */
export function npmSource(
  { url }: Pick<ScriptedRegistry, "url">,
  fields: Parameters<typeof testSource>[2] = {},
): PackageSource {
  return testSource("npm", new URL(url), fields);
}

/** The address of a tarball here. */
export function tarballUrl(name: string, version: string): string {
  return `${BASE}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}
