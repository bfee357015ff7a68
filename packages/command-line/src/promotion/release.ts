import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  membersOf,
  statementFiles,
  verifyOutcome,
  verifyReleaseStatement,
} from "@sealhouse/promotion";
import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { printableLine } from "../printable.ts";
import { finishRelease, RELEASE_EXIT } from "./finish-release.ts";
import { loansIn } from "./loans.ts";
import type { LendOptions } from "./loans.ts";
import { printRelease, releaseLine } from "./print-release.ts";

const LIST_MAX = 1000;

export async function listReleases(
  command: Command,
  { json, group, limit }: Json & { readonly group?: string; readonly limit: string },
): Promise<number> {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > LIST_MAX) {
    throw new CommandError(`--limit: "${limit}" is not a number from 1 to ${LIST_MAX}`);
  }
  await using resources = await openFeed(command);
  const { releases } = await resources.openPromotion();
  const found = await releases.list({ limit: count, ...(group !== undefined && { group }) });
  if (json) command.stdout(JSON.stringify(found, undefined, 2));
  else for (const release of found) command.stdout(printableLine(releaseLine(release)));
  if (!json && found.length === 0) command.stderr("There are no releases: sealhouse promote");
  return 0;
}

export async function showRelease(command: Command, id: string, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const release = await findRelease(await resources.openPromotion(), id);
  if (json) command.stdout(JSON.stringify(release, undefined, 2));
  else printRelease(command, release);
  return 0;
}

/** Members that only one of two releases has, or has in another version. */
export async function diffReleases(
  command: Command,
  [left, right]: readonly [string, string],
  { json }: Json,
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const [before, after] = [await findRelease(promotion, left), await findRelease(promotion, right)];
  const lines = differences(before, after);
  if (json) command.stdout(JSON.stringify(lines, undefined, 2));
  else
    for (const { name, from, to } of lines) {
      command.stdout(printableLine(`${name}  ${from ?? "absent"} -> ${to ?? "absent"}`));
    }
  if (!json && lines.length === 0) command.stderr("Both releases have the same members.");
  return 0;
}

function differences(before: StoredRelease, after: StoredRelease) {
  const versionsOf = ({ items }: StoredRelease) =>
    new Map(
      membersOf(items).map(({ protocol, name, version }) => [`${protocol}:${name}`, version]),
    );
  const [old, current] = [versionsOf(before), versionsOf(after)];
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => old.get(name) !== current.get(name))
    .map((name) => ({ name, from: old.get(name), to: current.get(name) }));
}

export async function resumeRelease(
  command: Command,
  id: string,
  options: Json & LendOptions,
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  // First, because the release is due at once.
  const problem = await promotion.lend(id, loansIn(command, options));
  if (problem !== undefined) throw new CommandError(problem);
  const outcome = await promotion.releases.resume(id, operator());
  if (outcome === "absent") throw absent(id);
  if (outcome === "ended") throw new CommandError(`The release ${id} has ended; start another.`);
  return await finishRelease(command, promotion, { id, isWaiting: true, ...options });
}

/** Exit codes as those of `promote`. */
export async function repeatRelease(
  command: Command,
  id: string,
  { target: targets, ...options }: Json & LendOptions & { readonly target?: readonly string[] },
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const opened = await promotion.repeat(
    id,
    { targets, loans: loansIn(command, options) },
    operator(),
  );
  if (opened.status === "absent") throw new CommandError(opened.reason);
  if (opened.status === "busy") {
    command.stderr(`Another release of the group runs: sealhouse release show ${opened.id}`);
    return RELEASE_EXIT.busy;
  }
  const { id: repeatedId } = opened.release;
  return await finishRelease(command, promotion, { id: repeatedId, isWaiting: true, ...options });
}

/** Exit codes: 0 taken back, 4 continues in the background. */
export async function rollbackRelease(
  command: Command,
  id: string,
  options: Json & { readonly reason: string },
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const outcome = await promotion.releases.cancel(id, options.reason, operator());
  switch (outcome) {
    case "absent":
      throw absent(id);
    case "ended":
      throw new CommandError(`The release ${id} has ended, and cannot be taken back as a whole.`);
    case "forward":
      throw new CommandError(
        `The release ${id} has published what cannot be taken back: sealhouse release resume ${id}`,
      );
    case "cancelled": {
      const code = await finishRelease(command, promotion, { id, isWaiting: true, ...options });
      return code === RELEASE_EXIT.pending ? code : 0;
    }
  }
}

/** Writes the statement in the forms that stock verifiers take. */
export async function exportRelease(
  command: Command,
  id: string,
  { out }: { readonly out: string },
): Promise<number> {
  await using resources = await openFeed(command);
  const { statements } = await resources.openPromotion();
  const signed = await statements.find(id);
  if (!signed) throw withoutStatement(id);
  const folder = resolve(command.workingFolder, out);
  await mkdir(folder, { recursive: true });
  const outcome = await statements.outcome(id);
  const files = [...statementFiles(signed), ...(outcome ? statementFiles(outcome, "outcome") : [])];
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  command.stderr(`Wrote the statement of the release ${id} to ${folder}.`);
  return 0;
}

/** Exit codes: 0 valid; 1 not. */
export async function verifyRelease(
  command: Command,
  id: string,
  { key, json }: Json & { readonly key: string },
): Promise<number> {
  const pinned = await readFile(resolve(command.workingFolder, key), "utf8").catch(
    (error: unknown) => {
      throw new CommandError(`--key: cannot read ${key}`, { cause: error });
    },
  );
  await using resources = await openFeed(command);
  const { statements } = await resources.openPromotion();
  const signed = await statements.find(id);
  if (!signed) throw withoutStatement(id);
  const verdict = verifyReleaseStatement(signed, { id, pinned });
  const ended = await statements.outcome(id);
  const outcome = ended && verifyOutcome(ended, { statement: signed, pinned });
  if (json) command.stdout(JSON.stringify({ ...verdict, outcome }, undefined, 2));
  else {
    printVerdict(command, "statement", verdict);
    if (outcome) printVerdict(command, "outcome", outcome);
    else command.stderr("outcome: the release has none yet");
  }
  return verdict.status === "valid" && outcome?.status !== "invalid" ? 0 : 1;
}

function printVerdict(
  command: Command,
  name: string,
  verdict: ReturnType<typeof verifyOutcome>,
): void {
  if (verdict.status === "invalid") return command.stderr(`${name}: invalid: ${verdict.reason}`);
  const state = verdict.state === undefined ? "" : `${verdict.state}, `;
  command.stdout(`${name}: ${state}valid, signed with ${verdict.keyId}`);
}

async function findRelease({ releases }: Promotion, id: string): Promise<StoredRelease> {
  const release = await releases.find(id);
  if (!release) throw absent(id);
  return release;
}

function absent(id: string): CommandError {
  return new CommandError(`There is no release "${id}": sealhouse release list`);
}

function withoutStatement(id: string): CommandError {
  return new CommandError(`The release ${id} does not exist, or has no statement yet.`);
}
