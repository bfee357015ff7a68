import { parsePatterns } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import { findConflicts, openSourceFetch } from "@sealhouse/upstream-sources";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { protocolIn } from "./source-add.ts";
import { allSources } from "./source.ts";

const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** Ends with 1 when a source has an own name, or could not be asked. */
export async function listConflicts(
  command: Command,
  { protocol, json }: Json & { readonly protocol?: string },
): Promise<number> {
  const { config } = command.load();
  const protocols = protocol === undefined ? PROTOCOLS : [protocolIn(protocol)];
  await using resources = await openFeed(command);
  const { stored, configured } = await allSources(config, resources);
  const reports = [];
  for (const one of protocols) {
    const { names, conflicts, failures } = await findConflicts(one, {
      origins: resources.database.upstream.origins,
      sources: (stored.length > 0 ? stored : configured).filter(
        (source) => source.protocol === one,
      ),
      segments: segmentNames(config.feed.oci),
      fetchOf: (source) =>
        openSourceFetch(source, command.registry.openFetchForSources(config.host)),
      signal: command.stop,
    });
    reports.push({ protocol: one, names, conflicts, failures: Object.fromEntries(failures) });
  }
  if (json) command.stdout(JSON.stringify(reports, undefined, 2));
  else for (const report of reports) printConflicts(command, report);
  const isGood = reports.every(
    ({ conflicts, failures }) => conflicts.length + Object.keys(failures).length === 0,
  );
  return isGood ? 0 : 1;
}

type Named = { readonly protocol: string; readonly name: string };

export async function releaseName(command: Command, named: Named, { json }: Json): Promise<number> {
  const { protocol, name } = checked(named);
  await using resources = await openFeed(command);
  const { origins } = resources.database.upstream;
  const outcome = await origins.release(protocol, name, operator());
  if (json) {
    command.stdout(JSON.stringify({ protocol, name, ...outcome }));
    return outcome.status === "absent" ? 1 : 0;
  }
  switch (outcome.status) {
    case "absent":
      throw new CommandError(`${name} is neither mirrored nor reserved.`);
    case "own":
      command.stderr(`${name} is an own name already.`);
      return 0;
    case "ended":
      command.stderr(`${name} is no longer reserved.`);
      return 0;
    case "released":
      command.stderr(
        `${name} is an own name now: it can be published. ${outcome.source} is no longer asked ` +
          "for it. Fetched versions stay.",
      );
      return 0;
  }
}

export async function reserveName(command: Command, named: Named, { json }: Json): Promise<number> {
  const { protocol, name } = checked(named);
  await using resources = await openFeed(command);
  const { origins } = resources.database.upstream;
  const outcome = await origins.reserve(protocol, name, operator());
  if (json) {
    command.stdout(JSON.stringify({ protocol, name, ...outcome }));
    return outcome.status === "mirrored" ? 1 : 0;
  }
  switch (outcome.status) {
    case "mirrored":
      throw new CommandError(
        `${name} is mirrored from ${outcome.source}. To publish it here: ` +
          `sealhouse source release ${protocol} ${name}`,
      );
    case "own":
      command.stderr(`${name} is an own name already.`);
      return 0;
    case "repeated":
      command.stderr(`${name} was reserved before.`);
      return 0;
    case "reserved":
      command.stderr(`${name} is reserved: no source is asked for it.`);
      return 0;
  }
}

function checked({ protocol, name }: Named): {
  readonly protocol: Protocol;
  readonly name: string;
} {
  const [only = "", ...others] = parsePatterns(name);
  if (only === "" || others.length > 0) throw new CommandError(`"${name}" is not one name.`);
  return { protocol: protocolIn(protocol), name: only };
}

function printConflicts(
  { stdout, stderr }: Command,
  report: {
    readonly protocol: Protocol;
    readonly names: number;
    readonly conflicts: readonly { readonly name: string; readonly source: string }[];
    readonly failures: Readonly<Record<string, string>>;
  },
): void {
  const { protocol, names, conflicts, failures } = report;
  for (const { name, source } of conflicts) stdout([protocol, name, source].join("  "));
  for (const [source, reason] of Object.entries(failures)) {
    stderr(`${source} could not be asked for all names: ${reason}`);
  }
  stderr(`${protocol}: ${conflicts.length} of ${names} own names exist at a source.`);
}
