import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import {
  deleteVersion,
  isPackageId,
  lowerId,
  lowerVersion,
  parseDeprecation,
} from "@sealhouse/nuget-protocol";
import { operator } from "./operator.ts";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";

export type Json = { readonly json?: true };

export type DeprecateOptions = Json & {
  readonly reasons: string;
  readonly message?: string;
  /** `Id`, or `Id@range`. */
  readonly alternate?: string;
};

export async function deprecatePackage(
  command: Command,
  named: { readonly id: string; readonly versions: readonly string[] },
  options: DeprecateOptions,
): Promise<number> {
  const { reasons, message, alternate } = options;
  return changeDeprecation(command, named, {
    json: options.json,
    does: "sets",
    fields: {
      reasons: reasons.split(","),
      message,
      ...(alternate !== undefined && { alternatePackage: alternateOf(alternate) }),
    },
  });
}

export async function undeprecatePackage(
  command: Command,
  named: { readonly id: string; readonly versions: readonly string[] },
  { json }: Json,
): Promise<number> {
  return changeDeprecation(command, named, { json, does: "lifts", fields: {} });
}

export async function deletePackage(
  command: Command,
  named: { readonly id: string; readonly version: string },
  { json }: Json,
): Promise<number> {
  const { id, version } = checked(named);
  await using database = await openFeed(command);
  const outcome = await deleteVersion(database.nuget.lifecycle, { id, version }, operator());
  if (json) command.stdout(JSON.stringify({ id, version, outcome }));
  else if (outcome === "absent") command.stderr(`There is no ${named.id} ${named.version}.`);
  else {
    command.stderr(`${named.id} ${named.version} is deleted for good, and its number stays taken.`);
    command.stderr(`To use it again: sealhouse package allow-reuse ${named.id} ${named.version}`);
  }
  return outcome === "deleted" ? 0 : 1;
}

export async function allowReuse(
  command: Command,
  named: { readonly id: string; readonly version: string },
  { json }: Json,
): Promise<number> {
  const { id, version } = checked(named);
  await using database = await openFeed(command);
  const outcome = await database.nuget.lifecycle.allowReuse(id, version, operator());
  if (json) command.stdout(JSON.stringify({ id, version, outcome }));
  else if (outcome === "allowed") command.stderr(`${named.id} ${version} can be pushed again.`);
  else command.stderr(`No deleted version of ${named.id} has the number ${version}.`);
  return outcome === "allowed" ? 0 : 1;
}

export async function listTombstones(
  command: Command,
  given: string,
  { json }: Json,
): Promise<number> {
  const id = checkedId(given);
  await using database = await openFeed(command);
  const tombstones = await database.nuget.lifecycle.tombstones(id);
  if (json) {
    command.stdout(JSON.stringify(tombstones, undefined, 2));
    return 0;
  }
  if (tombstones.length === 0) command.stderr(`Nothing of ${given} was deleted.`);
  for (const { version, deletedAt, deletedBy } of tombstones) {
    command.stdout([version, `deleted ${deletedAt.toISOString()}`, `by ${deletedBy}`].join("  "));
  }
  return 0;
}

async function changeDeprecation(
  command: Command,
  named: { readonly id: string; readonly versions: readonly string[] },
  change: {
    readonly does: "sets" | "lifts";
    readonly fields: Readonly<Record<string, unknown>>;
    readonly json: true | undefined;
  },
): Promise<number> {
  const id = checkedId(named.id);
  const versions = named.versions.length > 0 ? named.versions : undefined;
  const read = parseDeprecation({ ...change.fields, versions }, change.does);
  if (read.status === "invalid") throw new CommandError(read.problems.join("\n"));
  const { request } = read;
  await using database = await openFeed(command);
  const { lifecycle } = database.nuget;
  const changed = await lifecycle.deprecate(id, request.versions, request.deprecation, operator());
  if (!changed) throw new CommandError(`There is no ${[named.id, ...named.versions].join(" ")}.`);
  if (change.json) command.stdout(JSON.stringify({ id, changed }));
  else if (changed.length === 0) command.stderr("Nothing had to change.");
  else {
    const now = request.deprecation ? "deprecated" : "no longer deprecated";
    command.stderr(`${named.id} ${changed.join(", ")}: ${now}.`);
  }
  return 0;
}

function alternateOf(text: string): { readonly id: string; readonly range?: string } {
  const at = text.indexOf("@");
  return at === -1 ? { id: text } : { id: text.slice(0, at), range: text.slice(at + 1) };
}

function checked(named: { readonly id: string; readonly version: string }) {
  const version = lowerVersion(named.version);
  if (version === undefined) throw new CommandError(`"${named.version}" is not a version.`);
  return { id: checkedId(named.id), version };
}

function checkedId(id: string): string {
  if (!isPackageId(id)) throw new CommandError(`"${id}" is not a package id.`);
  return lowerId(id);
}

async function openFeed({ load }: Command): Promise<Database> {
  const { config } = load();
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}
