import type { ManifestRow } from "./model.ts";

const EXACT: ReadonlyMap<string, string> = new Map([
  ["application/vnd.oci.image.config.v1+json", "Image"],
  ["application/vnd.docker.container.image.v1+json", "Image"],
  ["application/vnd.cncf.helm.config.v1+json", "Helm chart"],
  ["application/vnd.dev.cosign.artifact.sig.v1+json", "Signature (cosign)"],
  ["application/vnd.dev.cosign.simplesigning.v1+json", "Signature (cosign)"],
  ["application/vnd.dev.cosign.artifact.att.v1+json", "Attestation (cosign)"],
  ["application/vnd.dev.cosign.artifact.sbom.v1+json", "SBOM (cosign)"],
  ["application/vnd.cncf.notary.signature", "Signature (notation)"],
  ["application/vnd.in-toto+json", "Attestation (in-toto)"],
  ["application/vnd.dsse.envelope.v1+json", "Attestation (DSSE)"],
  ["application/sarif+json", "Scan report (SARIF)"],
  ["application/vnd.buildkit.cacheconfig.v0", "Build cache"],
  ["application/vnd.docker.plugin.v1+json", "Docker plugin"],
  ["application/vnd.wasm.config.v0+json", "WebAssembly"],
  ["application/vnd.wasm.config.v1+json", "WebAssembly"],
  ["application/vnd.sylabs.sif.config.v1+json", "Singularity image"],
]);

const BEGINNINGS: readonly (readonly [beginning: string, name: string])[] = [
  ["application/vnd.dev.sigstore.bundle", "Sigstore bundle"],
  ["application/spdx", "SBOM (SPDX)"],
  ["text/spdx", "SBOM (SPDX)"],
  ["application/vnd.cyclonedx", "SBOM (CycloneDX)"],
  ["application/vnd.syft", "SBOM (Syft)"],
  ["application/vnd.wasm", "WebAssembly"],
];

const PREDICATES: readonly (readonly [part: string, name: string])[] = [
  ["sigstore.dev/cosign/sign", "Signature"],
  ["slsa.dev/provenance", "Provenance"],
  ["spdx.dev/", "SBOM (SPDX)"],
  ["cyclonedx.org/", "SBOM (CycloneDX)"],
  ["cosign.sigstore.dev/attestation/vuln", "Scan report"],
];

const INDEX = /\bindex\b|manifest\.list/;
const UNDER_TAG = { sig: "Signature", att: "Attestation", sbom: "SBOM" } as const;
const EMPTY = "application/vnd.oci.empty.v1+json";

/** Returns the display name of a manifest's kind, such as "Image" or "Helm chart". */
export function kindName({ mediaType, artifactType = "" }: ManifestRow): string {
  const knownName = EXACT.get(artifactType) ?? startingWith(artifactType);
  if (knownName !== undefined) return knownName;
  if (artifactType !== "" && artifactType !== EMPTY) return "Artifact";
  return INDEX.test(mediaType) ? "Multi-platform" : "Artifact";
}

/** Returns the display name of a referrer's kind, also from a tag suffix or predicate type. */
export function attachedName(
  row: ManifestRow & {
    readonly tag?: string | undefined;
    readonly predicateType?: string | undefined;
  },
): string {
  const name = kindName(row);
  const predicate = predicateName(row.predicateType);
  if (predicate !== undefined) return `${predicate} (${wrapperOf(name)})`;
  const [, suffix] = /\.(sig|att|sbom)$/.exec(row.tag ?? "") ?? [];
  const byTag = Object.entries(UNDER_TAG).find(([end]) => end === suffix)?.[1];
  return byTag !== undefined && ["Image", "Artifact"].includes(name) ? `${byTag} (cosign)` : name;
}

function wrapperOf(name: string): string {
  return name === "Sigstore bundle" ? "Sigstore bundle" : "in-toto";
}

function predicateName(predicateType: string | undefined): string | undefined {
  if (predicateType === undefined) return undefined;
  return PREDICATES.find(([part]) => predicateType.includes(part))?.[1] ?? "Attestation";
}

function startingWith(type: string): string | undefined {
  return BEGINNINGS.find(([beginning]) => type.startsWith(beginning))?.[1];
}

/** Returns a short name for a layer's media type; unknown types are returned unchanged. */
export function layerName(mediaType: string): string {
  const archive = /(?:rootfs\.diff|image\.layer|rootfs\.foreign|nondistributable).*?\.tar/.test(
    mediaType,
  );
  if (!archive) return mediaType;
  const packed = /[.+](gzip|zstd|encrypted)$/.exec(mediaType)?.[1];
  return packed === undefined ? "tar" : `tar, ${packed}`;
}
