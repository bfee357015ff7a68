import type { AttachedRow, ImageContents, LayerRow, Pairs, PlatformRow } from "./model.ts";
import { isDigest, manifestKindOf } from "@sealhouse/oci-distribution";
import type { Digest, ManifestLine, StoredManifest } from "@sealhouse/oci-distribution";
import { objectIn, pairsOf, parsedObject, platformText, textIn } from "./run-config.ts";

const ROWS_MAX = 100;
const IMAGE_CONFIGS: ReadonlySet<string> = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);
const IMAGE_LAYER = /rootfs|image\.layer/;

type Described = { readonly digest: Digest; readonly size: number; readonly mediaType: string };
type Json = Readonly<Record<string, unknown>>;

/**
 * Display data of a manifest. The registry validated it at push; no decision depends on this data.
 */
export type DescribedManifest = {
  readonly artifactType?: string | undefined;
  readonly subject?: Digest | undefined;
  readonly annotations: Pairs;
  readonly list: ManifestList;
};

export type ManifestList =
  | { readonly type: "index"; readonly entries: readonly IndexEntry[]; readonly total: number }
  | {
      readonly type: "image";
      readonly config: Described;
      /** Whether the config has the media type of a runnable image. */
      readonly isRunnable: boolean;
      readonly layers: readonly LayerRow[];
      readonly layerCount: number;
      readonly layerSizes: readonly number[];
      readonly totalSize: number;
    }
  | { readonly type: "unreadable" };

export type IndexEntry = Pick<
  PlatformRow,
  "mediaType" | "artifactType" | "platform" | "statementAbout"
> & { readonly digest: Digest };

const UNREADABLE = {
  annotations: { total: 0, shown: [] },
  list: { type: "unreadable" },
} as const satisfies DescribedManifest;

export function describeManifest({
  bytes,
  mediaType,
}: Pick<StoredManifest, "bytes" | "mediaType">): DescribedManifest {
  const json = parsedObject(bytes);
  const kind = manifestKindOf(mediaType);
  if (!json || !kind) return UNREADABLE;
  const list = kind === "index" ? indexOf(json) : imageOf(json);
  const own = textIn(json["artifactType"]);
  return {
    artifactType: own ?? (list.type === "image" ? typeOfContent(list) : undefined),
    subject: descriptorOf(json["subject"])?.digest,
    annotations: pairsOf(json["annotations"]),
    list: list.type === "image" && own !== undefined ? { ...list, isRunnable: false } : list,
  };
}

function indexOf(json: Json): ManifestList {
  const all = listIn(json["manifests"]);
  const entries = all.slice(0, ROWS_MAX).flatMap((value): IndexEntry[] => {
    const descriptor = descriptorOf(value);
    if (!descriptor) return [];
    const { digest, mediaType } = descriptor;
    const entry = objectIn(value);
    const annotations = objectIn(entry["annotations"]);
    return [
      {
        digest,
        mediaType,
        artifactType: textIn(entry["artifactType"]),
        platform: platformOf(entry["platform"]),
        // BuildKit's annotation for attestations about another platform of the same index.
        statementAbout: textIn(annotations["vnd.docker.reference.digest"]),
      },
    ];
  });
  return { type: "index", entries, total: all.length };
}

function platformOf(value: unknown): string | undefined {
  const text = platformText(objectIn(value));
  return text === "unknown/unknown" ? undefined : text;
}

function imageOf(json: Json): ManifestList {
  const config = descriptorOf(json["config"]);
  if (!config) return UNREADABLE.list;
  const layers = listIn(json["layers"]).flatMap((value): LayerRow[] => {
    const descriptor = descriptorOf(value);
    const { annotations } = objectIn(value);
    const title = textIn(objectIn(annotations)["org.opencontainers.image.title"]);
    return descriptor ? [{ ...descriptor, title }] : [];
  });
  const sizes = new Map([config, ...layers].map(({ digest, size }) => [digest, size]));
  const isImage = layers.every(({ mediaType }) => IMAGE_LAYER.test(mediaType));
  return {
    type: "image",
    config,
    isRunnable: IMAGE_CONFIGS.has(config.mediaType) && isImage,
    layers: layers.slice(0, ROWS_MAX),
    layerCount: layers.length,
    layerSizes: layers.map(({ size }) => size),
    totalSize: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** Some clients store artifacts as images. The config or first layer then determines the type. */
function typeOfContent({
  config,
  isRunnable,
  layers,
}: Extract<ManifestList, { readonly type: "image" }>): string {
  const [first] = layers;
  const isDressed = IMAGE_CONFIGS.has(config.mediaType) && !isRunnable && first !== undefined;
  return isDressed ? first.mediaType : config.mediaType;
}

function descriptorOf(value: unknown): Described | undefined {
  const { digest, size, mediaType } = objectIn(value);
  if (typeof digest !== "string" || !isDigest(digest)) return undefined;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { digest, size, mediaType: textIn(mediaType) ?? "" };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A manifest attached to an entry of an index. */
type AttachedToEntry = AttachedRow & { readonly subject: Digest };

/**
 * Joins the entries of an index with those of its manifests that are stored here, and with what is
 * attached to them. A build attestation is attached to the entry that it is about.
 */
export function platformsOf(
  { entries, total }: Extract<ManifestList, { readonly type: "index" }>,
  children: readonly ManifestLine[],
  attached: readonly AttachedToEntry[],
): ImageContents {
  const there = new Map(children.map((child) => [child.digest, child]));
  const digests = new Set<string>(entries.map(({ digest }) => digest));
  const isStatement = ({ digest, statementAbout }: IndexEntry) =>
    statementAbout !== undefined && statementAbout !== digest && digests.has(statementAbout);
  const statements = Map.groupBy(entries.filter(isStatement), (entry) => entry.statementAbout);
  const referrers = Map.groupBy(attached, ({ subject }) => subject);
  const platforms = entries
    .filter((entry) => !isStatement(entry))
    .map((entry): PlatformRow => {
      const child = there.get(entry.digest);
      const { artifactType = entry.artifactType, content } = child ?? {};
      const isImage = content !== undefined && content.children === 0;
      const size = isImage ? content.size : undefined;
      const listed = (statements.get(entry.digest) ?? []).filter(({ digest }) => there.has(digest));
      return {
        ...entry,
        artifactType,
        present: child !== undefined,
        size,
        attached: [
          ...(referrers.get(entry.digest) ?? []).map((row) => ({ ...row, isListed: false })),
          ...listed.map((row) => ({ ...row, isListed: true })),
        ],
      };
    });
  const sizes = new Map(platforms.map(({ digest, size = 0 }) => [digest, size]));
  const totalSize = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { type: "index", total, platforms, hidden: total - entries.length, totalSize };
}
