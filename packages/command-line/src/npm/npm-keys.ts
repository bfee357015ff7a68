import { busySentence } from "@sealhouse/administration";
import { currentOf, npmKeyProtection, replaceKey } from "@sealhouse/npm-protocol";
import type { SigningKeyRecord } from "@sealhouse/npm-protocol";
import { EXIT_BUSY } from "../busy.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { openFeed } from "../open-feed.ts";

/** Every key of the npm registry's signatures, oldest first. */
export async function listNpmKeys(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const records = await resources.database.npm.signingKeys.list();
  const current = currentOf(records)?.keyId;
  const shown = records.map((record) => ({ ...shownOf(record), signs: record.keyId === current }));
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else if (shown.length === 0) command.stderr("There is no key yet: the first start makes it.");
  else for (const key of shown) command.stdout(lineOf(key));
  return 0;
}

/** Activates a new key. The signatures of the former key stay valid. */
export async function rotateNpmKey(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const { signingKeys: keys } = resources.database.npm;
  const protection = npmKeyProtection(resources.keyRing);
  const keyId = await replaceKey({ keys, protection, now: () => new Date() }, operator());
  command.stdout(json ? JSON.stringify({ keyId }, undefined, 2) : keyId);
  if (!json) {
    command.stderr("This key signs from now on, on every instance, without a restart.");
    command.stderr("Signatures of the key before stay valid, and are not made again.");
  }
  return 0;
}

/** For a compromised key: its signatures are no longer trusted. */
export async function revokeNpmKey(
  command: Command,
  keyId: string,
  { json }: Json,
): Promise<number> {
  await using resources = await openFeed(command);
  const revoked = await resources.npmSignatures.revoke(keyId, operator());
  if (revoked.status === "busy") {
    command.stderr(busySentence("run that signs older npm versions", revoked));
    return EXIT_BUSY;
  }
  const outcome = revoked.result;
  switch (outcome) {
    case "absent":
      throw new CommandError(`There is no key ${keyId}: sealhouse npm keys list`);
    case "signs":
      throw new CommandError(`${keyId} signs: first take another with sealhouse npm keys rotate.`);
    case "revoked":
      command.stdout(json ? JSON.stringify({ keyId, outcome }, undefined, 2) : keyId);
      if (!json)
        command.stderr(
          "The key is no longer listed. Its versions are signed again with the current key.",
        );
      return 0;
  }
}

type Shown = ReturnType<typeof shownOf> & { readonly signs: boolean };

function shownOf({ encryptedKey, ...record }: SigningKeyRecord) {
  return { ...record, own: encryptedKey !== undefined };
}

function lineOf({ keyId, own, signs, announcedAt, expiresAt, createdAt }: Shown): string {
  const state = signs ? "signs" : `expires ${expiresAt?.toISOString() ?? "never"}`;
  const seen = announcedAt ? "announced" : "not announced yet";
  const whose = own ? "own" : "of another registry";
  return [keyId, whose, state, seen, `made ${createdAt.toISOString().slice(0, 10)}`].join("  ");
}
