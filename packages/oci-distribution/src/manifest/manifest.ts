import type { Digest } from "../digest.ts";
import type { ManifestEdge } from "../ports.ts";
import type { Descriptor } from "./descriptor.ts";
import { invalid, isObject, parseDescriptor } from "./descriptor.ts";
import { isDeeperThan } from "./json-depth.ts";
import type { ManifestKind } from "./media-type.ts";
import {
  OCI_IMAGE_INDEX,
  OCI_IMAGE_MANIFEST,
  bareMediaType,
  isForeignLayer,
  manifestKindOf,
} from "./media-type.ts";

/** Four mebibytes exactly; one byte more is refused. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
/** Maximum number of entries in one list of a manifest (`layers`, `manifests`). */
export const MAX_MANIFEST_EDGES = 10_000;
/** Maximum number of annotations of a pushed manifest; imports and mirrors take more. */
export const MAX_ANNOTATIONS = 1_000;
/** Maximum nesting depth of the JSON of a manifest. */
export const MAX_MANIFEST_DEPTH = 64;
/** Indexes in indexes: one that lists images has a depth of 1. */
export const MAX_INDEX_DEPTH = 8;

/** Facts of a manifest for a registry: its type and its references. */
export type Manifest = {
  readonly mediaType: string;
  readonly kind: ManifestKind;
  readonly edges: readonly ManifestEdge[];
  readonly subject?: Digest;
  /** Its own, or for an image the type of its config. */
  readonly artifactType?: string;
  /** JSON text. */
  readonly annotations?: string;
};

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a pushed manifest. Supports OCI manifests and indexes and Docker's schema 2. Refuses
 * ambiguous manifests (CVE-2021-41190). The stored bytes are the pushed ones.
 * @throws OciError `MANIFEST_INVALID` with the reason
 */
export function parseManifest(bytes: Uint8Array, contentType: string | undefined): Manifest {
  const json = parseObject(bytes);
  if (json["schemaVersion"] !== 2) throw invalid("schemaVersion must be 2");
  const mediaType = mediaTypeOf(json, contentType);
  const kind = manifestKindOf(mediaType);
  if (!kind) throw invalid(`${mediaType.slice(0, 200)} is not a manifest type known here`);
  refuseAmbiguity(json, kind);

  const config = kind === "image" ? parseDescriptor(json["config"], "config") : undefined;
  const edges = config ? imageEdges(json, config) : indexEdges(json);
  const subject = optional(json["subject"]);
  const artifactType = artifactTypeOf(json, config);
  const annotations = annotationsOf(json);
  return {
    mediaType,
    kind,
    edges: distinct(edges),
    ...(subject !== undefined && { subject: parseDescriptor(subject, "subject").digest }),
    ...(artifactType !== undefined && { artifactType }),
    ...(annotations !== undefined && { annotations }),
  };
}

function parseObject(bytes: Uint8Array): Json {
  if (isDeeperThan(MAX_MANIFEST_DEPTH, bytes)) {
    throw invalid(`it nests more than ${MAX_MANIFEST_DEPTH} levels deep`);
  }
  let value: unknown;
  try {
    // The byte order mark is kept, so that JSON.parse refuses it.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw invalid("it is not JSON in UTF-8 without a byte order mark", cause);
  }
  if (!isObject(value)) throw invalid("it is not a JSON object");
  return value;
}

function mediaTypeOf(json: Json, contentType: string | undefined): string {
  const declared = contentType === undefined ? "" : bareMediaType(contentType);
  const own = optional(json["mediaType"]);
  if (own !== undefined && typeof own !== "string") throw invalid("mediaType is not a string");
  if (own !== undefined && declared !== "" && own !== declared) {
    throw invalid(`its mediaType is ${own.slice(0, 200)}, its Content-Type ${declared}`);
  }
  if (declared !== "" || own !== undefined) return declared || (own ?? "");
  if (Array.isArray(json["manifests"])) return OCI_IMAGE_INDEX;
  if (isObject(json["config"])) return OCI_IMAGE_MANIFEST;
  throw invalid("it has no type: send a Content-Type, or a mediaType inside");
}

const FIELDS_OF_OTHERS = {
  image: ["manifests", "fsLayers"],
  index: ["config", "layers", "fsLayers"],
} as const satisfies Record<ManifestKind, readonly string[]>;

function refuseAmbiguity(json: Json, kind: ManifestKind): void {
  for (const field of FIELDS_OF_OTHERS[kind]) {
    if (Object.hasOwn(json, field)) {
      throw invalid(`an ${kind} must not have ${field}: it could be read as something else`);
    }
  }
}

function imageEdges(json: Json, config: Descriptor): ManifestEdge[] {
  const layers = list(json, "layers").map((value, n) => parseDescriptor(value, `layers[${n}]`));
  return [
    { digest: config.digest, size: config.size, kind: "config" },
    ...layers.map(({ digest, size, mediaType }): ManifestEdge => {
      return { digest, size, kind: isForeignLayer(mediaType) ? "foreign" : "layer" };
    }),
  ];
}

function indexEdges(json: Json): ManifestEdge[] {
  return list(json, "manifests").map((value, n): ManifestEdge => {
    const { digest, size } = parseDescriptor(value, `manifests[${n}]`);
    return { digest, size, kind: "child" };
  });
}

function list(json: Json, field: "layers" | "manifests"): readonly unknown[] {
  const value = json[field];
  // Go writes an index without manifests as null. Clients take an image without layers for broken.
  if (value === null && field === "manifests") return [];
  if (!Array.isArray(value)) throw invalid(`${field} is not a list`);
  if (value.length > MAX_MANIFEST_EDGES) {
    throw invalid(`${field} has more than ${MAX_MANIFEST_EDGES} entries`);
  }
  return value;
}

/** The same layer may come many times, but not with two sizes. */
function distinct(edges: readonly ManifestEdge[]): readonly ManifestEdge[] {
  const sizes = new Map<Digest, number>();
  const byKind = new Map<string, ManifestEdge>();
  for (const edge of edges) {
    if ((sizes.get(edge.digest) ?? edge.size) !== edge.size) {
      throw invalid(`${edge.digest} comes with two different sizes`);
    }
    sizes.set(edge.digest, edge.size);
    byKind.set(`${edge.kind} ${edge.digest}`, edge);
  }
  return [...byKind.values()];
}

function artifactTypeOf(json: Json, config: Descriptor | undefined): string | undefined {
  const own = optional(json["artifactType"]);
  if (own !== undefined && typeof own !== "string") throw invalid("artifactType is not a string");
  return own || config?.mediaType;
}

function annotationsOf(json: Json): string | undefined {
  const annotations = optional(json["annotations"]);
  if (annotations === undefined) return undefined;
  const valid =
    isObject(annotations) && Object.values(annotations).every((value) => typeof value === "string");
  if (!valid) throw invalid("annotations is not an object of strings");
  return JSON.stringify(annotations);
}

/**
 * Refuses a pushed manifest with too many annotations. Lists of referrers repeat them.
 * @throws OciError `MANIFEST_INVALID`
 */
export function requireFewAnnotations({ annotations }: Pick<Manifest, "annotations">): void {
  if (annotations === undefined || annotations.length <= MAX_ANNOTATIONS) return;
  const count = Object.keys(JSON.parse(annotations) as object).length;
  if (count <= MAX_ANNOTATIONS) return;
  throw invalid(`it has ${count} annotations, and may have ${MAX_ANNOTATIONS}`);
}

function optional(value: unknown): unknown {
  return value === null ? undefined : value;
}
