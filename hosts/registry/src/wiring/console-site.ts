import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Site } from "@sealhouse/console";
import type { Config } from "../settings/config.ts";
import { VERSION } from "../version.ts";
import type { Parts } from "./parts.ts";

const WORKSPACE = fileURLToPath(new URL("../../../../pnpm-workspace.yaml", import.meta.url));
/** How the command line of this installation is called. */
const COMMAND = existsSync(WORKSPACE) ? "npx pnpm@12 sealhouse" : "sealhouse";

/** What every page says about the registry. */
export function siteOf(
  { config, rules }: Pick<Parts, "config" | "rules">,
  request: Request,
  env: unknown,
): Site {
  return {
    name: config.host.serverName,
    version: VERSION,
    address: rules.contexts.of(request, env).publicAddress.base,
    now: rules.now(),
    anonymousRead: config.feed.anonymousPull,
    command: COMMAND,
    protocols: protocolsOf(config),
  };
}

/** The protocols that are on, as pages name them. */
export function protocolsOf({ feed }: Pick<Config, "feed">): Site["protocols"] {
  const { npm, oci } = feed;
  return [
    "nuget",
    ...(npm.enabled ? (["npm"] as const) : []),
    ...(oci.enabled ? (["oci"] as const) : []),
  ];
}
