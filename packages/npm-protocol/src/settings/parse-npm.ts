import type { Settings } from "@sealhouse/settings";
import { NPM_SETTINGS } from "./table.ts";

export type NpmConfig = {
  readonly enabled: boolean;
  /** Host names with the registry at their root: lower-case, without port. Empty = none, or npm is
   * off. */
  readonly hostNames: readonly string[];
  readonly unpublishWithinMs: number;
  /** Milliseconds that staged versions wait for approval, and their number per package. */
  readonly stagedForMs: number;
  readonly stagedPerPackage: number;
  /** Whether versions get registry signatures. */
  readonly signatures: boolean;
  /** Whether an operator confirms sensitive actions. */
  readonly stepUp: boolean;
  /** Whether an operator approves sign-ins of npm clients. */
  readonly webLogin: boolean;
  /** File of the root of trust that provenance statements are verified against. */
  readonly trustedRoot?: string;
  readonly maxTarballBytes?: number;
};

/** `hostNames` checks the registry's own host names. */
export function parseNpm(
  settings: Settings,
  hostNames: (key: string, names: readonly string[]) => readonly string[],
): NpmConfig {
  const own = settings.of(NPM_SETTINGS);
  const enabled = own.get("Feed__Npm__Enabled");
  const trustedRoot = own.get("Feed__Npm__Provenance__TrustedRoot");
  const maxTarballBytes = own.get("Feed__Npm__MaxTarballBytes");
  const names = enabled ? own.get("Feed__Npm__HostNames") : [];
  return {
    enabled,
    hostNames: hostNames("Feed__Npm__HostNames", names),
    signatures: own.get("Feed__Npm__Signatures__Enabled"),
    stepUp: own.get("Feed__Npm__StepUp__Enabled"),
    webLogin: own.get("Feed__Npm__WebLogin__Enabled"),
    unpublishWithinMs: own.get("Feed__Npm__UnpublishWithin"),
    stagedForMs: own.get("Feed__Npm__Stage__KeepFor"),
    stagedPerPackage: own.get("Feed__Npm__Stage__MaxPerPackage"),
    ...(trustedRoot !== undefined && { trustedRoot }),
    ...(maxTarballBytes !== undefined && { maxTarballBytes }),
  };
}
