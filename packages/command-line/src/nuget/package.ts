import {
  deleteVersion,
  isPackageId,
  lowerId,
  lowerVersion,
  parseDeprecation,
} from "@sealhouse/nuget-protocol";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { openRows } from "../open-feed.ts";

export type DeprecateOptions = Json & {
  readonly reasons: string;
  readonly message?: string;
  /** `Id`, or `Id@range`. */
  readonly alternate?: string;
};

export async function deprecatePackage(
  command: Command,
  target: { readonly id: string; readonly versions: readonly string[] },
  options: DeprecateOptions,
): Promise<number> {
  const { reasons, message, alternate } = options;
  return changeDeprecation(command, target, {
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
  target: { readonly id: string; readonly versions: readonly string[] },
  { json }: Json,
): Promise<number> {
  return changeDeprecation(command, target, { json, does: "lifts", fields: {} });
}

export async function deletePackage(
  command: Command,
  target: { readonly id: string; readonly version: string },
  { json }: Json,
): Promise<number> {
  const { id, version } = checked(target);
  await using database = await openRows(command);
  const outcome = await deleteVersion(database.nuget.lifecycle, { id, version }, operator());
  if (json) command.stdout(JSON.stringify({ id, version, outcome }));
  else if (outcome === "absent") command.stderr(`There is no ${target.id} ${target.version}.`);
  else {
    command.stderr(
      `${target.id} ${target.version} is deleted for good, and its number stays taken.`,
    );
    command.stderr(`To use it again: sealhouse package allow-reuse ${target.id} ${target.version}`);
  }
  return outcome === "deleted" ? 0 : 1;
}

export async function allowReuse(
  command: Command,
  target: { readonly id: string; readonly version: string },
  { json }: Json,
): Promise<number> {
  const { id, version } = checked(target);
  await using database = await openRows(command);
  const outcome = await database.nuget.lifecycle.allowReuse(id, version, operator());
  if (json) command.stdout(JSON.stringify({ id, version, outcome }));
  else if (outcome === "allowed") command.stderr(`${target.id} ${version} can be pushed again.`);
  else command.stderr(`No deleted version of ${target.id} has the number ${version}.`);
  return outcome === "allowed" ? 0 : 1;
}

export async function listTombstones(
  command: Command,
  packageId: string,
  { json }: Json,
): Promise<number> {
  const id = checkedId(packageId);
  await using database = await openRows(command);
  const tombstones = await database.nuget.lifecycle.tombstones(id);
  if (json) {
    command.stdout(JSON.stringify(tombstones, undefined, 2));
    return 0;
  }
  if (tombstones.length === 0) command.stderr(`Nothing of ${packageId} was deleted.`);
  for (const { version, deletedAt, deletedBy } of tombstones) {
    command.stdout([version, `deleted ${deletedAt.toISOString()}`, `by ${deletedBy}`].join("  "));
  }
  return 0;
}

async function changeDeprecation(
  command: Command,
  target: { readonly id: string; readonly versions: readonly string[] },
  change: {
    readonly does: "sets" | "lifts";
    readonly fields: Readonly<Record<string, unknown>>;
    readonly json: true | undefined;
  },
): Promise<number> {
  const id = checkedId(target.id);
  const versions = target.versions.length > 0 ? target.versions : undefined;
  const read = parseDeprecation({ ...change.fields, versions }, change.does);
  if (read.status === "invalid") throw new CommandError(read.problems.join("\n"));
  const { request } = read;
  await using database = await openRows(command);
  const { lifecycle } = database.nuget;
  const changed = await lifecycle.deprecate(id, request.versions, request.deprecation, operator());
  if (!changed) throw new CommandError(`There is no ${[target.id, ...target.versions].join(" ")}.`);
  if (change.json) command.stdout(JSON.stringify({ id, changed }));
  else if (changed.length === 0) command.stderr("Nothing had to change.");
  else {
    const now = request.deprecation ? "deprecated" : "no longer deprecated";
    command.stderr(`${target.id} ${changed.join(", ")}: ${now}.`);
  }
  return 0;
}

function alternateOf(text: string): { readonly id: string; readonly range?: string } {
  const index = text.indexOf("@");
  return index === -1 ? { id: text } : { id: text.slice(0, index), range: text.slice(index + 1) };
}

function checked(target: { readonly id: string; readonly version: string }) {
  const version = lowerVersion(target.version);
  if (version === undefined) throw new CommandError(`"${target.version}" is not a version.`);
  return { id: checkedId(target.id), version };
}

function checkedId(id: string): string {
  if (!isPackageId(id)) throw new CommandError(`"${id}" is not a package id.`);
  return lowerId(id);
}
