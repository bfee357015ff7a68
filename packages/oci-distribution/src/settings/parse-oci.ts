import type { Settings } from "@sealhouse/settings";
import { lowerCased, parseOciSegments } from "./parse-segments.ts";
import type { MirroredOptions, OciSegment, SegmentOptions } from "./parse-segments.ts";
import { OCI_SETTINGS } from "./table.ts";

export type OciConfig = {
  /** Whether anything is served. */
  readonly enabled: boolean;
  /** Whether repositories outside the segments are served. */
  readonly hasDefault: boolean;
  readonly segments: readonly OciSegment[];
  readonly tokenLifetimeMs: number;
  readonly maxBlobBytes: number;
  /** Time without activity after which an upload session expires. */
  readonly uploadExpiryMs: number;
  /** Options of the repositories outside the segments. */
  readonly mirrored: MirroredOptions;
  readonly allowsSparseIndexes: boolean;
};

export function parseOci(settings: Settings, options: SegmentOptions): OciConfig {
  const own = settings.of(OCI_SETTINGS);
  const segments = parseOciSegments(settings, options);
  const hasDefault = own.get("Feed__Oci__Default__Enabled");
  return {
    enabled: hasDefault || segments.length > 0,
    hasDefault,
    segments,
    tokenLifetimeMs: own.get("Feed__Oci__TokenLifetime"),
    uploadExpiryMs: own.get("Feed__Oci__UploadExpiry"),
    mirrored: {
      inCatalog: own.get("Feed__Oci__Default__IncludeMirroredInCatalog"),
      allowedOs: lowerCased(own.get("Feed__Oci__Default__PlatformPolicy__AllowedOs")),
    },
    allowsSparseIndexes: own.get("Feed__Oci__AllowSparseIndexes"),
    maxBlobBytes: own.get("Feed__Oci__Default__MaxBlobBytes") ?? Number.MAX_SAFE_INTEGER,
  };
}
