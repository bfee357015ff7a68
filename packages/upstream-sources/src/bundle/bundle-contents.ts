import type { Digest } from "@sealhouse/oci-distribution";
import { digestOf } from "@sealhouse/oci-distribution";
import type { Descriptor } from "./bundle-format.ts";
import {
  blobFile,
  INDEX_FILE,
  INDEX_TYPE,
  LAYOUT_FILE,
  LAYOUT_TEXT,
  MANIFEST_TYPE,
  TITLE,
} from "./bundle-format.ts";
import { byCodeUnit, canonicalJson } from "./canonical-json.ts";

/** A file of a bundle. */
export type BundleFile = {
  readonly name: string;
  readonly size: number;
  /** Undefined for the index and the layout file, whose bytes are made here. */
  readonly digest?: Digest;
  readonly content: Uint8Array | ReadBlob;
};

export type ReadBlob = () => AsyncIterable<Uint8Array>;

/** A package file, with a description that becomes the config of its manifest. */
export type PackageParts = {
  readonly artifactType: string;
  readonly configType: string;
  readonly config: object;
  readonly title: string;
  readonly layer: Descriptor & { readonly read: ReadBlob };
};

/** Collected files and index of a bundle. */
export type BundleContents = {
  addPackage(parts: PackageParts): void;
  addBlob(blob: { readonly digest: Digest; readonly size: number; readonly read: ReadBlob }): void;
  addBytes(bytes: Uint8Array, digest?: Digest): Digest;
  /** Adds an entry to the index. */
  list(entry: Descriptor): void;
  /** All files, by name. */
  files(): readonly BundleFile[];
  /** Bytes of the index. */
  index(): Uint8Array;
};

export function createContents(): BundleContents {
  const blobs = new Map<Digest, BundleFile>();
  const entries = new Set<string>();
  const add = (digest: Digest, size: number, content: BundleFile["content"]) => {
    blobs.set(digest, { name: blobFile(digest), size, digest, content });
  };
  const addBytes = (bytes: Uint8Array, digest = digestOf(bytes)) => {
    add(digest, bytes.length, bytes);
    return digest;
  };
  const addJson = (value: object) => {
    const bytes = Buffer.from(canonicalJson(value));
    return { digest: addBytes(bytes), size: bytes.length };
  };
  const list = (entry: Descriptor) => void entries.add(canonicalJson(entry));
  const index = () => {
    const manifests = [...entries]
      .toSorted(byCodeUnit)
      .map((entry) => JSON.parse(entry) as unknown);
    const document = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests };
    return Buffer.from(canonicalJson(document));
  };
  return {
    addPackage({ artifactType, configType, config, title, layer }) {
      const { read, ...descriptor } = layer;
      add(layer.digest, layer.size, read);
      const manifest = addJson({
        schemaVersion: 2,
        mediaType: MANIFEST_TYPE,
        artifactType,
        config: { mediaType: configType, ...addJson(config) },
        layers: [descriptor],
      });
      const annotations = { [TITLE]: title };
      list({ mediaType: MANIFEST_TYPE, ...manifest, artifactType, annotations });
    },
    addBlob: ({ digest, size, read }) => add(digest, size, read),
    addBytes,
    list,
    index,
    files() {
      const all = [
        ...blobs.values(),
        fileOf(INDEX_FILE, index()),
        fileOf(LAYOUT_FILE, Buffer.from(LAYOUT_TEXT)),
      ];
      return all.toSorted((left, right) => byCodeUnit(left.name, right.name));
    },
  };
}

function fileOf(name: string, content: Uint8Array): BundleFile {
  return { name, size: content.length, content };
}
