import type { SealFormat } from "@sealhouse/oci-distribution/seal";
import type { Settings } from "./settings.ts";

/** How pushed images are signed. */
export type OciSealConfig = {
  readonly formats: readonly SealFormat[];
  /** Whether the images of an index are signed one by one, too. */
  readonly platforms: boolean;
};

const FORMATS: Readonly<Record<string, SealFormat>> = {
  Cosign: "cosign",
  CosignBundle: "bundle",
  Notation: "notation",
};

/** Undefined: they are not. */
export function parseOciSeal(settings: Settings): OciSealConfig | undefined {
  if (!settings.get("Signing__Oci__Enabled")) return undefined;
  const wanted = settings.get("Signing__Oci__Formats");
  const asked = wanted.flatMap((name) => FORMATS[name] ?? []);
  return {
    formats: asked.length > 0 ? [...new Set(asked)] : ["cosign", "notation"],
    platforms: settings.get("Signing__Oci__Platforms"),
  };
}
