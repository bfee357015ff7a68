import type { Settings } from "@sealhouse/settings";
import type { SealFormat } from "../seal/index.ts";
import { OCI_SEAL_SETTINGS } from "./seal-table.ts";

/** Settings of the signing of pushed images. */
export type OciSealConfig = {
  readonly formats: readonly SealFormat[];
  /** Whether the images of an index are signed as well as the index. */
  readonly platforms: boolean;
};

const FORMATS: Readonly<Record<string, SealFormat>> = {
  Cosign: "cosign",
  CosignBundle: "bundle",
  Notation: "notation",
};

/** Undefined = images are not signed. */
export function parseOciSeal(settings: Settings): OciSealConfig | undefined {
  const own = settings.of(OCI_SEAL_SETTINGS);
  if (!own.get("Signing__Oci__Enabled")) return undefined;
  const names = own.get("Signing__Oci__Formats");
  const formats = names.flatMap((name) => FORMATS[name] ?? []);
  return {
    formats: formats.length > 0 ? [...new Set(formats)] : ["cosign", "notation"],
    platforms: own.get("Signing__Oci__Platforms"),
  };
}
