import { randomBytes } from "node:crypto";
import { createOciApp } from "@sealhouse/oci-distribution";
import type { OciPorts, TagPast } from "@sealhouse/oci-distribution";
import {
  buildImage,
  createMemoryAccess,
  createMemoryCatalog,
  createMemoryOciPorts,
} from "@sealhouse/oci-distribution/testing";
import type { MemoryCatalog, TestBlob, TestManifest } from "@sealhouse/oci-distribution/testing";
import type { PolicyRule } from "../../policy/policy-rule.ts";
import { createRuleList } from "../../policy/rule-list.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import type { MemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { memoryParts, testSource } from "../../testing/memory-parts.ts";
import type { MemoryParts } from "../../testing/memory-parts.ts";
import type { ScriptedImages } from "../../testing/scripted-images.ts";
import { openMirror } from "../mirror.ts";
import type { Mirror } from "../mirror.ts";
import { unavailable } from "../unavailable.test.support.ts";
import { mirrorImages } from "./image-mirror.ts";
import type { ImageMirrorParts, ImageSurfaces, MirroredImages } from "./image-parts.ts";

/** An answer of the registry. */
export type ImageAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly digest: string | null;
};

/** A registry of images in memory with sources; a test moves its clock. */
export type ImageMirror = AsyncDisposable & {
  readonly parts: MemoryParts;
  readonly mirror: Mirror;
  readonly mirrored: MirroredImages;
  readonly catalog: MemoryCatalog;
  readonly files: OciPorts["files"];
  /** Moves the clock forward. */
  pass(ms: number): void;
  now(): Date;
  /** `path` is below `/v2/`. */
  ask(path: string, init?: RequestInit): Promise<ImageAnswer>;
  /** Pushes a manifest whose blobs are here. */
  push(repository: string, reference: string, manifest: TestManifest): Promise<ImageAnswer>;
  /** Adds a rule, which applies at once. Returns a function that removes it. */
  addRule(
    effect: PolicyRule["effect"],
    pattern: string,
    versions?: string,
  ): Promise<() => Promise<void>>;
};

/** Headers of a client that may push; others may only pull. */
export const WRITER = {
  authorization: `Basic ${Buffer.from("writer:secret").toString("base64")}`,
};

const NO_PAST: TagPast = {
  digest: async () => undefined,
  tags: async () => [],
  deleted: async () => undefined,
  beginning: async () => undefined,
};

type Options = {
  readonly isOffline?: boolean;
  readonly surfaces?: Partial<ImageSurfaces>;
  readonly maxBlobBytes?: number;
};

export function openImageMirror(
  sources: readonly PackageSource[],
  options: Options = {},
): ImageMirror {
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const catalog = createMemoryCatalog({ now: () => clock.ms });
  const access = createMemoryAccess([
    { name: "anonymous", may: (action) => action === "pull" },
    { name: "writer", password: "secret", may: () => true },
  ]);
  const memory = createMemoryOciPorts({ access, now: () => clock.ms });
  const parts = memoryParts({
    sources,
    now,
    isOffline: options.isOffline ?? false,
    isPublished: async (name) =>
      [...catalog.state.repositories].some(([own, { isPublished }]) => own === name && isPublished),
  });
  const mirror = openMirror(parts);
  const { rules, firstSeen } = createMemoryMirrorPorts({ now });
  const policy = { rules: createRuleList({ stored: rules, now }), firstSeen };
  const { files } = memory;
  const mirrored = mirroredOf({ mirror, catalog, parts, files, now, ...policy }, options);
  const app = createOciApp(
    { ...memory, ...mirrored },
    {
      service: "test",
      segments: options.surfaces?.segments ?? [],
      allowsSparseIndexes: true,
      unavailable,
      now: () => clock.ms,
    },
  );
  return {
    parts,
    mirror,
    mirrored,
    catalog,
    files,
    pass: (ms) => void (clock.ms += ms),
    now,
    ...clientOf(app),
    addRule: ruleAdder(rules, clock),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}

function mirroredOf(
  open: Pick<ImageMirror, "catalog" | "files" | "mirror" | "now" | "parts"> &
    Pick<ImageMirrorParts, "rules" | "firstSeen">,
  { surfaces, maxBlobBytes = Infinity }: Options,
): MirroredImages {
  const { catalog, parts, ...rest } = open;
  const local = { blobs: catalog.blobs, manifests: catalog.manifests };
  return mirrorImages({
    ...rest,
    origins: parts.origins,
    kept: parts.documents,
    past: NO_PAST,
    local,
    mirrored: { ...local, lookup: lookupIn(catalog, parts) },
    surfaces: { segments: [], showsMirrored: () => false, allowedOs: () => [], ...surfaces },
    maxBlobBytes,
    caller: { actor: "system" },
  });
}

function clientOf(app: ReturnType<typeof createOciApp>): Pick<ImageMirror, "ask" | "push"> {
  const ask: ImageMirror["ask"] = async (path, init) => {
    const response = await app.request(`/v2/${path}`, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    const digest = headers.get("docker-content-digest");
    return { status, headers, bytes, text: Buffer.from(bytes).toString(), digest };
  };
  return {
    ask,
    push: (repository, reference, { bytes, mediaType }) =>
      ask(`${repository}/manifests/${reference}`, {
        method: "PUT",
        body: Buffer.from(bytes),
        headers: { ...WRITER, "content-type": mediaType },
      }),
  };
}

function ruleAdder(
  rules: MemoryMirrorPorts["rules"],
  clock: { ms: number },
): ImageMirror["addRule"] {
  let count = 0;
  return async (effect, pattern, versions = "") => {
    count += 1;
    const id = `r${count}`;
    const about = { id, effect, protocol: "oci", pattern, versions, conditions: {} } as const;
    const createdAt = new Date(clock.ms);
    const rule = { ...about, reason: "It mines coins.", createdBy: "ada", createdAt };
    await rules.add(rule, { actor: "ada" });
    clock.ms += 2_000;
    return async () => {
      await rules.remove(id, { actor: "ada" });
      clock.ms += 2_000;
    };
  };
}

function lookupIn({ state }: MemoryCatalog, { origins }: MemoryParts) {
  return {
    sourcesOf: (repositories: readonly string[]) => origins.sourcesOf("oci", repositories),
    async indexesWith(repository: string, digest: string) {
      const manifests = [...state.repositories].flatMap(([name, { manifests: all }]) =>
        name === repository ? [...all.values()] : [],
      );
      return manifests
        .filter(({ edges }) => edges.some((edge) => edge.digest === digest))
        .map(({ manifest }) => manifest.bytes);
    },
  };
}

/** A source at a scripted registry, or elsewhere. */
export function imageSource(
  { url }: Pick<ScriptedImages, "url">,
  fields: Parameters<typeof testSource>[2] = {},
): PackageSource {
  return testSource("oci", new URL(url), { name: "hub", ...fields });
}

/** An image with its own config and one layer. */
export function imageOf(name: string, layerBytes = 100_000): TestManifest {
  return buildImage({ config: `{"of":"${name}"}`, layers: [randomBytes(layerBytes)] });
}

export function layerOf({ blobs }: TestManifest): TestBlob {
  const [, layer] = blobs;
  if (!layer) throw new Error("the image has no layer");
  return layer;
}
