// Bundles, and the lock files that they and the mirror are filled from. A separate entry, because a
// host that only serves does not need it.
export type { BundleTrust } from "./bundle-file.ts";
export { bundleKeyOf, parseTrustKey, publicKeyOf } from "./bundle-key.ts";
export type {
  BundleExportOptions,
  BundleExportPorts,
  BundleExportReport,
} from "./export-bundle.ts";
export { exportBundle } from "./export-bundle.ts";
export type { BundleImportOptions, BundleImportPorts } from "./import-bundle.ts";
export { importBundle } from "./import-bundle.ts";

export type { ImageFillPorts } from "../fill/bring-image.ts";
export type { NpmFillPorts } from "../fill/bring-npm.ts";
export type { NuGetFillPorts } from "../fill/bring-nuget.ts";
export type { Brought } from "../fill/brought.ts";
export type { FillOptions, FillPorts, FillReport } from "../fill/fill-wanted.ts";
export { bringWanted, fillWanted } from "../fill/fill-wanted.ts";
export { placeImages } from "../fill/place-images.ts";

export { fitsPlatforms, joinWanted } from "../wanted/join-wanted.ts";
export type { Platforms } from "../wanted/join-wanted.ts";
export { readWanted, readWantedFile } from "../wanted/read-wanted.ts";
export type {
  Unbundled,
  Wanted,
  WantedImage,
  WantedList,
  WantedPackage,
} from "../wanted/wanted.ts";
export { isGap } from "../wanted/wanted.ts";
