import { runProgram } from "@sealhouse/command-line";
import type { RunningHosts } from "@sealhouse/command-line";
import { databasePlace, pepperFingerprint, runningHosts } from "../running-hosts.ts";
import { hasSettingsOfProcesses, settingsOfOption } from "../settings-of.ts";
import { VERSION } from "../version.ts";
import type { HostCommand } from "./host-command.ts";
import { registryParts } from "./registry-parts.ts";

/** Runs a command of the command line, which is a library, with the parts of this host. */
export async function runCommand(words: readonly string[], own: HostCommand): Promise<number> {
  const shownSettings = async () => (await import("./config.ts")).shownSettings(own);
  const command = { ...own, shownSettings, registry: registryParts(own), hosts: hostsOf(own) };
  return runProgram(words, command, {
    version: VERSION,
    serve: async () => (await import("./serve.ts")).serve(own),
    checkConfig: async () => (await import("./config.ts")).checkConfig(own),
    adoptStorage: async () => (await import("./storage-adopt.ts")).adoptStorage(own),
  });
}

function hostsOf({ env, workingFolder }: HostCommand): RunningHosts {
  return {
    list: () => runningHosts(env),
    placeOf: (database) => databasePlace(database, workingFolder),
    fingerprintOf: pepperFingerprint,
    settingsOption: (pid) => (hasSettingsOfProcesses() ? settingsOfOption(pid) : undefined),
  };
}
