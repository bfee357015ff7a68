import { Blob, BlobContent } from "./blob.ts";
import { Document, DocumentGroup } from "./document.ts";
import { HistoryInterval } from "./history.ts";
import { KeptContent } from "./kept-content.ts";
import { Lease } from "./lease.ts";
import {
  NpmAdvisory,
  NpmAttestation,
  NpmDependency,
  NpmPackage,
  NpmRemovedName,
  NpmSigningKey,
  NpmTag,
  NpmTombstone,
  NpmVersion,
} from "./npm.ts";
import { NpmSearchEntry } from "./npm-search.ts";
import { NuGetAdvisory, NuGetAdvisorySource } from "./nuget-advisories.ts";
import { NuGetCatalogItem } from "./nuget-catalog.ts";
import { NuGetDependency, NuGetSearchEntry } from "./nuget-search.ts";
import { NuGetSymbolFile, NuGetSymbolPackage } from "./nuget-symbols.ts";
import { NuGetPackage, NuGetTombstone, NuGetVersion } from "./nuget.ts";
import {
  OciBlobLink,
  OciGarbageCandidate,
  OciGarbageRun,
  OciHold,
  OciManifest,
  OciManifestEdge,
  OciRepository,
  OciTag,
  OciUpload,
} from "./oci.ts";
import { NameSetting, Ownership, OwnerTransfer, ReservedName } from "./ownership.ts";
import {
  CompletedManifest,
  HeldContent,
  LentKey,
  ReleaseItem,
  ReleaseLane,
  StoredGroup,
  StoredRelease,
  StoredSyndication,
  StoredTarget,
} from "./promotion.ts";
import { RegistryIdentity } from "./registry-identity.ts";
import { SchemaLevel } from "./schema-level.ts";
import { ReplacedSeal, SigningCertificate } from "./signing.ts";
import { StagedVersion } from "./staged-version.ts";
import {
  NameOrigin,
  SourceState,
  StoredSource,
  UpstreamCertificate,
  UpstreamDocument,
} from "./upstream.ts";
import { FirstSeenVersion, StoredPolicyRule } from "./policy.ts";

/** The entities of packages, and of what happens to them. */
export const CATALOG_ENTITIES = [
  Blob,
  BlobContent,
  CompletedManifest,
  Document,
  DocumentGroup,
  FirstSeenVersion,
  HeldContent,
  HistoryInterval,
  KeptContent,
  Lease,
  LentKey,
  NameOrigin,
  NameSetting,
  NpmAdvisory,
  NpmAttestation,
  NpmDependency,
  NpmSearchEntry,
  NpmPackage,
  NpmRemovedName,
  NpmSigningKey,
  NpmTag,
  NpmTombstone,
  NpmVersion,
  NuGetAdvisory,
  NuGetAdvisorySource,
  NuGetCatalogItem,
  NuGetDependency,
  NuGetPackage,
  NuGetSearchEntry,
  NuGetSymbolFile,
  NuGetSymbolPackage,
  NuGetTombstone,
  NuGetVersion,
  OciBlobLink,
  OciGarbageCandidate,
  OciGarbageRun,
  OciHold,
  OciManifest,
  OciManifestEdge,
  OciRepository,
  OciTag,
  OciUpload,
  OwnerTransfer,
  Ownership,
  RegistryIdentity,
  ReleaseItem,
  ReleaseLane,
  ReplacedSeal,
  ReservedName,
  SchemaLevel,
  SigningCertificate,
  SourceState,
  StagedVersion,
  StoredGroup,
  StoredPolicyRule,
  StoredRelease,
  StoredSource,
  StoredSyndication,
  StoredTarget,
  UpstreamCertificate,
  UpstreamDocument,
];
