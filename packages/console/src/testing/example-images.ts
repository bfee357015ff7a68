import { createPageForms } from "../kit/forms/page-forms.ts";
import type { ImagesPorts } from "../images/images-app.ts";
import type {
  DeletionPreview,
  ImageContents,
  ImagePage,
  ManifestRow,
  RepositoryHit,
  RepositoryPage,
  RunConfig,
  TagRow,
} from "../images/model.ts";
import { exampleSite } from "./example-packages.ts";

const PUSHED = new Date("2026-02-26T12:00:00Z");
const BUILT = new Date("2026-02-25T12:00:00Z");
const IMAGE = "application/vnd.oci.image.manifest.v1+json";
const IMAGE_CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

export function exampleDigest(digit: string): string {
  return `sha256:${digit.repeat(64)}`;
}

const ROW: ManifestRow = {
  digest: exampleDigest("a"),
  mediaType: IMAGE,
  artifactType: IMAGE_CONFIG,
  content: { size: 52_428_800, children: 0 },
};
const INDEX: ManifestRow = {
  digest: exampleDigest("b"),
  mediaType: "application/vnd.oci.image.index.v1+json",
  content: { size: 0, children: 3 },
};

export function exampleRepository(fields: Partial<RepositoryHit> = {}): RepositoryHit {
  return {
    name: "acme/app",
    createdAt: new Date("2025-11-01T12:00:00Z"),
    pulls: 1_234,
    tagCount: 120,
    pushedAt: PUSHED,
    ...fields,
  };
}

export function exampleTag(fields: Partial<TagRow> = {}): TagRow {
  return { ...ROW, tag: "1.0.0", pushedAt: PUSHED, pulledAt: PUSHED, isAttached: false, ...fields };
}

export function exampleRepositoryPage(fields: Partial<RepositoryPage> = {}): RepositoryPage {
  const attached = `sha256-${"a".repeat(64)}.sig`;
  const lines = [
    exampleTag(),
    exampleTag({ ...INDEX, tag: "latest" }),
    exampleTag({ tag: attached, isAttached: true, pulledAt: undefined, content: undefined }),
  ];
  return {
    ...exampleRepository(),
    hostNames: ["acme.example"],
    tags: { total: 120, lines, number: 2, last: 3 },
    ...fields,
  };
}

export function exampleRunConfig(fields: Partial<RunConfig> = {}): RunConfig {
  return {
    platform: "linux/arm64/v8",
    createdAt: BUILT,
    author: "Acme Ltd",
    user: "app",
    workingDir: "/srv",
    stopSignal: "SIGTERM",
    entrypoint: ["/srv/app", "--serve"],
    command: ["--port", "8080"],
    environment: { total: 2, shown: ["PATH=/usr/bin", "PORT=8080"] },
    ports: { total: 1, shown: ["8080/tcp"] },
    volumes: { total: 1, shown: ["/data"] },
    labels: {
      total: 101,
      shown: [
        { name: "org.opencontainers.image.source", value: "https://github.com/acme/app" },
        { name: "maintainer", value: "ops@acme.example" },
      ],
    },
    history: {
      total: 3,
      steps: [
        { text: "ADD rootfs.tar.xz /", createdAt: BUILT, size: 31_457_280 },
        { text: 'ENV PORT="8080"', comment: "buildkit.dockerfile.v0" },
        { text: "RUN make all && rm -rf /var/cache", createdAt: BUILT, size: 20_971_520 },
      ],
    },
    ...fields,
  };
}

export const exampleImage: ImageContents = {
  type: "image",
  configType: IMAGE_CONFIG,
  layerCount: 2,
  totalSize: 52_428_800,
  layers: [
    { digest: exampleDigest("1"), mediaType: LAYER, size: 31_457_280 },
    { digest: exampleDigest("2"), mediaType: LAYER, size: 20_971_520, title: "app.tar" },
  ],
  config: { status: "read", config: exampleRunConfig() },
};

export const exampleIndex: ImageContents = {
  type: "index",
  total: 140,
  hidden: 137,
  totalSize: 52_428_800,
  platforms: [
    {
      ...ROW,
      platform: "linux/amd64",
      size: 52_428_800,
      present: true,
      attached: [
        { ...ROW, digest: exampleDigest("d"), isListed: true },
        { ...ROW, artifactType: "application/spdx+json", isListed: false },
      ],
    },
    {
      ...ROW,
      digest: exampleDigest("c"),
      platform: "linux/arm64/v8",
      present: false,
      attached: [],
    },
    {
      ...ROW,
      digest: exampleDigest("d"),
      statementAbout: exampleDigest("f"),
      present: true,
      attached: [],
    },
  ],
};

/** Everything a page can show, all at once. */
export function exampleImagePage(fields: Partial<ImagePage> = {}): ImagePage {
  return {
    ...ROW,
    repository: "acme/app",
    hostNames: [],
    tag: "1.0.0",
    size: 1_234,
    pushedAt: PUSHED,
    pulledAt: PUSHED,
    pulls: 1_234,
    tags: { total: 22, names: ["1", "1.0", "1.0.0"] },
    subject: exampleDigest("e"),
    isSubjectHere: true,
    contents: exampleImage,
    annotations: {
      total: 2,
      shown: [
        { name: "org.opencontainers.image.url", value: "https://acme.example/app" },
        { name: "org.opencontainers.image.title", value: "app" },
      ],
    },
    parents: [INDEX],
    attached: {
      total: 60,
      rows: [
        {
          ...ROW,
          pushedAt: PUSHED,
          artifactType: "application/vnd.dev.sigstore.bundle.v0.3+json",
          predicateType: "https://slsa.dev/provenance/v1",
        },
        { ...ROW, pushedAt: PUSHED, artifactType: "application/spdx+json" },
        { ...ROW, pushedAt: PUSHED, tag: `sha256-${"a".repeat(64)}.sig` },
      ],
    },
    seal: { status: "signed", formats: ["cosign", "notation"] },
    deletable: true,
    ...fields,
  };
}

export function examplePreview(fields: Partial<DeletionPreview> = {}): DeletionPreview {
  return {
    repository: "acme/app",
    digest: exampleDigest("a"),
    tag: "1.0.0",
    tags: { total: 22, names: ["1", "1.0", "1.0.0"] },
    attachedTotal: 3,
    parentCount: 1,
    proof: "1772370000000.c29tZXRoaW5nIG9ubHkgdGhpcyByZWFkZXIga25vd3M",
    ...fields,
  };
}

/** A registry that answers every question with the examples. */
export function exampleImages(fields: Partial<ImagesPorts> = {}): ImagesPorts {
  const repositories = [
    exampleRepository(),
    exampleRepository({ name: "acme/web", tagCount: 1, pulls: 1 }),
    exampleRepository({ name: "tools/empty", tagCount: 0, pushedAt: undefined }),
  ];
  const forms = createPageForms({ pepper: "", now: () => exampleSite().now });
  return {
    site: () => exampleSite(),
    isFromElsewhere: (from, address) => forms.isFromElsewhere(from, address),
    confirm: async () => undefined,
    repositories: async () => ({ status: "found", repositories, hasMore: true, isCut: false }),
    repository: async () => ({ status: "found", page: exampleRepositoryPage() }),
    image: async () => ({ status: "found", page: exampleImagePage() }),
    previewDeletion: async () => ({ status: "found", preview: examplePreview() }),
    remove: async () => ({ status: "deleted" }),
    ...fields,
  };
}
