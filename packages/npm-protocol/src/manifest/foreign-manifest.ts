import type { JsonObject } from "../json.ts";
import { stringMapOf } from "../json.ts";
import { ABBREVIATED } from "./abbreviated.ts";
import type { StoredManifest } from "./stored-manifest.ts";

const SCRIPTS = ["preinstall", "install", "postinstall"];

/**
 * Returns the texts for a version that another registry describes: unchanged except for `dist` and
 * `deprecated`, which renderings add.
 */
export function foreignManifest(
  manifest: JsonObject,
): Pick<StoredManifest, "manifest" | "abbreviated"> {
  const { dist: _, deprecated: _deprecated, ...kept } = manifest;
  const scripts = stringMapOf(manifest["scripts"]);
  const runs = SCRIPTS.some((name) => Object.hasOwn(scripts, name));
  const abbreviated = {
    ...Object.fromEntries(ABBREVIATED.map((key) => [key, manifest[key]])),
    ...(runs && { hasInstallScript: true }),
    ...(manifest["_hasShrinkwrap"] === true && { _hasShrinkwrap: true }),
  };
  return { manifest: JSON.stringify(kept), abbreviated: JSON.stringify(abbreviated) };
}
